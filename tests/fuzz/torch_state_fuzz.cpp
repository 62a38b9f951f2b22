// SPDX-License-Identifier: Apache-2.0

// The conversion of PyTorch's generator states. A state that is taken comes back as the same bytes, but for a window of
// which nothing has been used; and what is drawn from it is what PyTorch's own rule gives.

#include <cmath>
#include <cstring>

#include "fuzz/fuzz.hpp"
#include "fuzz/tensors.hpp"

namespace tombola::fuzz {
namespace {

constexpr size_t kTorchBytes = TOMBOLA_TORCH_RNG_STATE_BYTES;
constexpr size_t kStateWords = TOMBOLA_MT19937_NORMAL_STATE_WORDS;
constexpr uint8_t kPattern = 0xA5;
constexpr size_t kGuard = 16;  // bytes behind each buffer

// The offsets in PyTorch's bytes.
constexpr size_t kLeft = 8, kSeeded = 12, kNext = 16, kWords = 24, kNormal = 5024, kValid = 5040;

template <class T>
void put(std::vector<uint8_t>& bytes, size_t at, T value) {
    if (at + sizeof value <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
}
template <class T>
T get(const std::vector<uint8_t>& bytes, size_t at) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

// Mostly a state as PyTorch has one, with some fields spoilt.
std::vector<uint8_t> any_torch_state(Input& in) {
    std::vector<uint8_t> bytes(kTorchBytes + kGuard, kPattern);
    fill(in, tombola_u8, bytes.data(), kTorchBytes);
    const int used = in.ConsumeIntegralInRange(1, 624);
    put<int32_t>(bytes, kLeft,
                 in.ConsumeIntegral<uint8_t>() < 200 ? 625 - used : in.ConsumeIntegral<int32_t>());
    put<int32_t>(bytes, kSeeded, mostly(in, 1, 1));
    put<uint64_t>(bytes, kNext,
                  mostly<uint64_t>(in, static_cast<uint64_t>(used), static_cast<uint64_t>(used)));
    std::vector<uint8_t> words(4 * 624);
    fill(in, tombola_u32, words.data(), words.size());
    for (size_t i = 0; i < 624; ++i)
        put<uint64_t>(bytes, kWords + 8 * i, get<uint32_t>(words, 4 * i));
    if (in.ConsumeIntegral<uint8_t>() < 20)
        put<uint64_t>(bytes, kWords + 8 * in.ConsumeIntegralInRange<size_t>(0, 623),
                      in.ConsumeIntegral<uint64_t>());
    put<double>(bytes, kNormal, in.ConsumeFloatingPoint<double>());
    put<int32_t>(bytes, kValid, mostly(in, 0, 1));
    return bytes;
}

struct Direction {
    tombola_status_t (*from)(const void*, size_t, uint32_t*);
    tombola_status_t (*to)(const uint32_t*, void*, size_t);
    size_t words;
};
constexpr Direction kKinds[] = {
    {tombola_mt19937_state_from_torch, tombola_mt19937_state_to_torch, TOMBOLA_MT19937_STATE_WORDS},
    {tombola_mt19937_normal_state_from_torch, tombola_mt19937_normal_state_to_torch, kStateWords}};

// From PyTorch and back.
void from_torch(Input& in, const Direction& kind) {
    const std::vector<uint8_t> torch = any_torch_state(in);
    const size_t size = mostly<size_t>(in, kTorchBytes, kTorchBytes);
    std::vector<uint32_t> state(kStateWords + kGuard, 0xA5A5A5A5);
    const std::vector<uint32_t> poison = state;
    const std::vector<uint8_t> copy = torch;
    const bool good = succeeded(kind.from(torch.data(), size, state.data()), "from_torch");
    expect(torch == copy, "the input has been written to");
    const auto untouched = good ? static_cast<std::ptrdiff_t>(kind.words) : 0;
    expect(std::equal(poison.begin() + untouched, poison.end(), state.begin() + untouched),
           "words that are no part of the state have been written");
    if (!good) return;
    expect(get<int32_t>(torch, kSeeded) == 1 && size == kTorchBytes,
           "a state that is none is taken");

    std::vector<uint8_t> back = torch;
    expect(kind.to(state.data(), back.data(), kTorchBytes) == tombola_success,
           "a state does not go back");
    // Equal but for `next` where the window is used up, and for a number that is kept or not, which is told as 1 or 0.
    put<uint64_t>(back, kNext, 0);
    std::vector<uint8_t> expected = torch;
    put<uint64_t>(expected, kNext, 0);
    if (kind.words == kStateWords) {
        put<int32_t>(expected, kValid, get<int32_t>(torch, kValid) != 0 ? 1 : 0);
        if (get<int32_t>(torch, kValid) == 0) {
            put<double>(expected, kNormal, 0);
            put<double>(back, kNormal, 0);
        }
    }
    for (size_t i = 0; i < back.size(); ++i)
        if (back[i] != expected[i])
            report("a state comes back as another one, from byte " + std::to_string(i) + " on");
}

// From any words, over a good state of PyTorch's.
void to_torch(Input& in, const Direction& kind) {
    std::vector<uint32_t> state(kStateWords);
    fill(in, tombola_u32, reinterpret_cast<uint8_t*>(state.data()), 4 * kStateWords);
    state[TOMBOLA_MT19937_STATE_WORDS - 1] = mostly<uint32_t>(in, 0, 624);
    state[TOMBOLA_MT19937_STATE_WORDS] = mostly<uint32_t>(in, 0, 1);
    if (in.ConsumeBool())
        state[TOMBOLA_MT19937_STATE_WORDS + 1] = state[TOMBOLA_MT19937_STATE_WORDS + 2] = 0;
    std::vector<uint8_t> torch = any_torch_state(in);
    const std::vector<uint8_t> before = torch;
    const size_t size = mostly<size_t>(in, kTorchBytes, kTorchBytes);
    if (!succeeded(kind.to(state.data(), torch.data(), size), "to_torch")) {
        expect(torch == before, "a failure has written");
        return;
    }
    expect(std::equal(before.begin() + kTorchBytes, before.end(), torch.begin() + kTorchBytes),
           "bytes behind the state have been written");
    std::vector<uint32_t> again(kStateWords);
    expect(kind.from(torch.data(), kTorchBytes, again.data()) == tombola_success,
           "what was handed back is refused");
    // The same stream follows. A window of which nothing has been used is told as the one before it, used up.
    std::vector<uint32_t> drawn[2];
    for (auto& words : {std::make_pair(&state, &drawn[0]), std::make_pair(&again, &drawn[1])}) {
        const test::MemoryDesc md = test::row_major({700}, tombola_f32);
        test::PrimitiveDesc pd;
        test::Primitive primitive;
        test::Stream stream = test::default_stream(the_engine());
        tombola_random_uniform_primitive_desc_create(pd.out(), the_engine(),
                                                     tombola_alignment_pytorch, md, 1, 2,
                                                     tombola_int_draws_spec, nullptr);
        tombola_primitive_create(primitive.out(), pd);
        words.second->resize(700);
        float low = 0, high = 1;
        const test::MemoryDesc one = test::row_major({1}, tombola_f32);
        const test::MemoryDesc state_md =
            test::row_major({TOMBOLA_MT19937_STATE_WORDS}, tombola_u32);
        const test::Memory dst = test::memory_over(md, the_engine(), words.second->data());
        const test::Memory min = test::memory_over(one, the_engine(), &low);
        const test::Memory max = test::memory_over(one, the_engine(), &high);
        const test::Memory src = test::memory_over(state_md, the_engine(), words.first->data());
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_DST, dst},
                                           {TOMBOLA_ARG_MIN, min},
                                           {TOMBOLA_ARG_MAX, max},
                                           {TOMBOLA_ARG_SRC_STATE, src}};
        expect(tombola_primitive_execute(primitive, stream, 4, args) == tombola_success,
               "a state that was converted is refused");
    }
    expect(drawn[0] == drawn[1], "another stream follows");
}

}  // namespace
}  // namespace tombola::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace tombola::fuzz;
    Input in(data, size);
    const Direction& kind = kKinds[in.ConsumeIntegralInRange(0, 1)];
    if (in.ConsumeBool())
        from_torch(in, kind);
    else
        to_torch(in, kind);
    return 0;
}
