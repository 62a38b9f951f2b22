// SPDX-License-Identifier: Apache-2.0

// random_normal, both alignments. Oracles: what a real PyTorch drew (tests/golden, made by scripts/make-torch-golden.py), the
// independent reference, and for alignment tensorflow the formulas in a wider type. Every implementation of the list is held
// to them.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>

#include "gtests/common/golden.hpp"
#include "gtests/common/tensor.hpp"
#include "reference/philox_reference.hpp"
#include "reference/random_normal_reference.hpp"

namespace tombola::test {
namespace {

using Bytes = std::vector<uint8_t>;
using State = std::vector<uint8_t>;

constexpr tombola_alignment_t kTensorflow = tombola_alignment_tensorflow,
                              kPytorch = tombola_alignment_pytorch;
constexpr tombola_data_type_t kTypes[] = {tombola_f16, tombola_bf16, tombola_f32, tombola_f64};

struct Call {
    tombola_alignment_t alignment = kPytorch;
    tombola_data_type_t type = tombola_f32;
    std::optional<double> mean, std;  // numbers of the type
    uint64_t seed = 150;
    uint64_t offset = 0;
    State state;  // empty: from the seed
};

struct Answer {
    tombola_status_t status = tombola_runtime_error;
    Bytes values;
    State state;
};

// The bits of a number that the type has.
uint64_t bits_of(tombola_data_type_t type, double value) {
    return reference::value_of<uint64_t>(reference::nearest(type, value));
}

uint64_t element(const Bytes& values, size_t size, size_t index) {
    uint64_t bits = 0;
    std::memcpy(&bits, &values[index * size], size);
    return bits;
}

double value_of(tombola_data_type_t type, uint64_t bits) {
    return reference::double_of(type, reference::scalar_of(bits));
}

class RandomNormal : public testing::Test {
  protected:
    PrimitiveDesc describe(const Call& call, const MemoryDesc& dst) const {
        PrimitiveDesc desc;
        tombola_random_normal_primitive_desc_create(desc.out(), engine_, call.alignment, dst,
                                                    call.seed, 10, nullptr);
        EXPECT_NE(desc.get(), nullptr) << last_error();
        return desc;
    }

    // With the implementation that `desc` stands at, into a tensor between guard pages.
    Answer draw(const_tombola_primitive_desc_t desc, const Call& call, const MemoryDesc& dst,
                Guard guard = Guard::behind) const {
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
        const MemoryDesc scalar = row_major({1}, call.type), one = row_major({1}, tombola_u64);
        const size_t state_bytes = reference::normal_state_bytes(call.alignment);
        const MemoryDesc state_desc =
            call.alignment == kPytorch
                ? row_major({static_cast<tombola_dim_t>(state_bytes / 4)}, tombola_u32)
                : row_major({2}, tombola_u64);
        Tensor out(dst, engine_, guard), mean(scalar, engine_, guard), std(scalar, engine_, guard);
        Tensor offset(one, engine_, guard), before(state_desc, engine_, guard),
            after(state_desc, engine_, guard);
        std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_DST, out.memory()},
                                                {TOMBOLA_ARG_DST_STATE, after.memory()}};
        const auto add = [&](int arg, Tensor& tensor, const void* data, size_t size) {
            Bytes bytes(size);
            std::memcpy(bytes.data(), data, size);
            tensor.write(bytes);
            args.push_back({arg, tensor.memory()});
        };
        const size_t size = tombola_data_type_size(call.type);
        for (const auto& [arg, value, tensor] :
             {std::tuple{TOMBOLA_ARG_MEAN, call.mean, &mean}, {TOMBOLA_ARG_STD, call.std, &std}}) {
            if (!value) continue;
            const uint64_t bits = bits_of(call.type, *value);
            add(arg, *tensor, &bits, size);
        }
        if (call.offset != 0) add(TOMBOLA_ARG_OFFSET, offset, &call.offset, 8);
        if (!call.state.empty())
            add(TOMBOLA_ARG_SRC_STATE, before, call.state.data(), call.state.size());
        Answer answer;
        answer.status = tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                                  args.data());
        EXPECT_TRUE(out.outside_is_intact());
        if (answer.status != tombola_success) {
            EXPECT_TRUE(out.buffer().is_poison());
            EXPECT_TRUE(after.buffer().is_poison());
            return answer;
        }
        EXPECT_TRUE(out.padding_is_zero());
        answer.values = out.read();
        answer.state = after.read();
        return answer;
    }
    // With the best implementation.
    Answer draw(const Call& call, const MemoryDesc& dst) const {
        return draw(describe(call, dst), call, dst);
    }
    Answer draw(const Call& call, int64_t count) const {
        return draw(call, row_major({count}, call.type));
    }

    static Answer expected(const Call& call, uint64_t count) {
        reference::NormalRequest request;
        request.alignment = call.alignment;
        request.type = call.type;
        request.mean = call.mean.value_or(0);
        request.std = call.std.value_or(1);
        request.global_seed = call.seed;
        request.op_seed = 10;
        request.offset = call.offset;
        request.state = call.state;
        Answer answer;
        answer.status = tombola_success;
        answer.values.resize(count * tombola_data_type_size(call.type));
        reference::random_normal_reference(request, count, answer.values.data(), &answer.state);
        return answer;
    }

    // Every implementation gives the reference's bits.
    void check(const Call& call, const MemoryDesc& dst, Guard guard = Guard::behind) const {
        uint64_t count = 1;
        for (const tombola_dim_t size : Layout(dst).dims) count *= static_cast<uint64_t>(size);
        const Answer right = expected(call, count);
        for_each_implementation(describe(call, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, call, dst, guard);
            const std::string what = impl_name(desc) + " alignment " +
                                     std::to_string(call.alignment) + " type " +
                                     std::to_string(call.type) + " count " + std::to_string(count) +
                                     " offset " + std::to_string(call.offset);
            ASSERT_EQ(answer.status, tombola_success) << what << last_error();
            ASSERT_TRUE(answer.values == right.values) << what;
            ASSERT_TRUE(answer.state == right.state) << what;
        });
    }

    // Refused by every implementation, with nothing written.
    void refuse(const Call& call, int64_t count, const char* message) const {
        const MemoryDesc dst = row_major({count}, call.type);
        for_each_implementation(describe(call, dst), [&](const_tombola_primitive_desc_t desc) {
            EXPECT_EQ(draw(desc, call, dst).status, tombola_invalid_arguments) << message;
            EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
        });
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

// ---- what PyTorch drew ------------------------------------------------------------------------------------

std::vector<std::string> pieces(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string piece; std::getline(in, piece, ',');) result.push_back(piece);
    return result;
}

// f64 is PyTorch's up to the rounding of its C library's log, sin and cos: each errs by an ulp at most, and here too. An error of
// the angle's functions is one of the last place of 1, so near zeros of sine and cosine it is compared with 1.
void expect_near_f64(uint64_t bits, uint64_t pytorch, const std::string& what) {
    const double a = value_of(tombola_f64, bits), b = value_of(tombola_f64, pytorch);
    EXPECT_LE(std::abs(a - b), 4 * 0x1p-52 * std::max(1.0, std::abs(b))) << what;
}

class RandomNormalGolden : public RandomNormal, public testing::WithParamInterface<const char*> {};

TEST_P(RandomNormalGolden, GivesWhatPytorchDrew) {
    int cases = 0;
    for (const std::string& line : golden_lines(GetParam())) {
        std::istringstream in(line);
        std::string type, sizes, hashes, kept;
        uint64_t mean = 0, std = 0;
        uint32_t position = 0;
        Call call;
        in >> type >> call.seed >> std::hex >> mean >> std >> sizes >> hashes >> std::dec >>
            position >> kept;
        ASSERT_TRUE(in) << line;
        call.type = golden_type(type);
        call.mean = value_of(call.type, mean);
        call.std = value_of(call.type, std);
        const bool exact = call.type != tombola_f64;
        Answer answer;
        for (size_t i = 0; i < pieces(sizes).size(); ++i) {
            answer = draw(call, std::stoll(pieces(sizes)[i]));
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            if (exact) {
                EXPECT_EQ(fnv1a(answer.values), std::stoull(pieces(hashes)[i], nullptr, 16))
                    << line.substr(0, 90) << " call " << i;
            }
            call.state = answer.state;
        }
        std::array<uint32_t, TOMBOLA_MT19937_NORMAL_STATE_WORDS> state;
        ASSERT_EQ(answer.state.size(), sizeof state);
        std::memcpy(state.data(), answer.state.data(), sizeof state);
        EXPECT_EQ(state[624], position) << line.substr(0, 90);
        EXPECT_EQ(state[625], kept == "-" ? 0 : 1) << line.substr(0, 90);
        if (state[625] == 1)
            expect_near_f64(uint64_t{state[627]} << 32 | state[626], std::stoull(kept, nullptr, 16),
                            line.substr(0, 90));
        size_t index = 0;
        char colon = 0;
        uint64_t value = 0;
        while (in >> std::dec >> index >> colon >> std::hex >> value) {
            const uint64_t drawn = element(answer.values, tombola_data_type_size(call.type), index);
            if (exact)
                ASSERT_EQ(drawn, value) << line.substr(0, 90) << " at " << index;
            else
                expect_near_f64(drawn, value, line.substr(0, 90));
        }
        ++cases;
    }
    EXPECT_GE(cases, 25);
}

INSTANTIATE_TEST_SUITE_P(Files, RandomNormalGolden,
                         testing::Values("torch_normal.txt", "torch_normal_f16.txt"),
                         [](const auto& info) {
                             return std::string(info.index == 0 ? "normal" : "f16");
                         });

// ---- against the reference, at every implementation --------------------------------------------------------

// A state in the middle of a window, with a kept normal number.
State some_state(uint32_t position, bool kept) {
    Call call;
    State state(reference::normal_state_bytes(kPytorch));
    reference::NormalRequest request;
    request.alignment = kPytorch;
    request.global_seed = 7;
    uint32_t unused[15];
    reference::random_normal_reference(request, kept ? 15 : 14, unused, &state);
    std::memcpy(state.data() + 624 * 4, &position, 4);
    return state;
}

TEST_F(RandomNormal, SizesAndTypes) {
    for (const tombola_data_type_t type : kTypes)
        for (const int64_t count :
             {0,  1,  2,  3,  4,  5,  7,   8,   9,   14,  15,  16,  17,  31,   32,  33,
              47, 48, 49, 63, 64, 65, 127, 128, 129, 257, 623, 624, 625, 1300, 4097}) {
            Call call;
            call.type = type;
            const Guard guard = count % 2 == 0 ? Guard::before : Guard::behind;
            const MemoryDesc dst = row_major({count}, type);
            check(call, dst, guard);
            constexpr uint32_t kPositions[] = {0, 1, 2, 17, 311, 608, 622, 623, 624};
            call.state = some_state(kPositions[count % 9], count % 5 < 3);
            call.mean = -3;
            call.std = 0.75;
            check(call, dst, guard);
            Call philox;
            philox.alignment = kTensorflow;
            philox.type = type;
            check(philox, dst, guard);
            philox.offset = static_cast<uint64_t>(count) * 3 + 1;
            philox.mean = 2.5;
            philox.std = 3;
            check(philox, dst, guard);
        }
}

TEST_F(RandomNormal, OffsetsAndTheCarryOfTheCounter) {
    for (const tombola_data_type_t type : kTypes) {
        const MemoryDesc dst = row_major({203}, type);
        Call call;
        call.type = type;
        for (const uint64_t offset : {16, 624, 10000}) {
            call.offset = offset;
            check(call, dst);
        }
        call.alignment = kTensorflow;
        for (const uint64_t offset :
             {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{5}, (uint64_t{1} << 34) - 101,
              (uint64_t{1} << 33) - 51, ~uint64_t{0} - 255}) {
            call.offset = offset;
            check(call, dst);
        }
    }
    Call far;
    far.offset = ~uint64_t{0} - 255;
    check(far, row_major({203}, far.type));
}

TEST_F(RandomNormal, Layouts) {
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch})
        for (const tombola_data_type_t type : kTypes) {
            Call call;
            call.alignment = alignment;
            call.type = type;
            call.offset = alignment == kPytorch ? 32 : 7;
            const DimVector dims = {3, 37, 5, 7};
            for (const tombola_format_tag_t tag : {tombola_nhwc, tombola_nChw16c, tombola_dcba})
                check(call, tagged(dims, type, tag));
            check(call, strided(dims, type, {37 * 5 * 8 + 3, 5 * 8, 8, 1}));
            call.offset = 0;
            check(call, tagged({1, 3, 2, 2}, type, tombola_nChw8c));
            check(call, tagged({3, 5}, type, tombola_ba));
            check(call, tagged({3, 6}, type, tombola_ba));
        }
}

TEST_F(RandomNormal, UnusualMoments) {
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch})
        for (const tombola_data_type_t type : kTypes)
            for (const auto& [mean, std] : {std::pair{0.0, 0.0},
                                            {0.25, 0.0},
                                            {-1.0, 0x1p-14},
                                            {1000.0, 0.5},
                                            {0.0, 28672.0}}) {
                Call call;
                call.alignment = alignment;
                call.type = type;
                call.mean = mean;
                call.std = std;
                check(call, row_major({1003}, type));
                check(call, row_major({11}, type));
            }
}

// Several of the parts that threads take, and stores past the caches.
TEST_F(RandomNormal, ALargeTensor) {
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch}) {
        Call call;
        call.alignment = alignment;
        const int64_t kCount = alignment == kPytorch ? (int64_t{4} << 20) + 1237 : 1500001;
        const MemoryDesc dst = row_major({kCount}, call.type);
        Primitive primitive;
        const PrimitiveDesc desc = describe(call, dst);
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        Bytes values(static_cast<size_t>(kCount) * sizeof(float));
        const Memory memory = memory_over(dst, engine_, values.data());
        const tombola_exec_arg_t arg = {TOMBOLA_ARG_DST, memory};
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 1, &arg), tombola_success);
        EXPECT_TRUE(values == expected(call, static_cast<uint64_t>(kCount)).values);
    }
}

// ---- one stream --------------------------------------------------------------------------------------------

TEST_F(RandomNormal, ATensorCutInTwoIsTheTensor) {
    constexpr int64_t kCount = 1003;
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch})
        for (const tombola_data_type_t type : kTypes) {
            Call whole;
            whole.alignment = alignment;
            whole.type = type;
            const Answer all = draw(whole, kCount);
            for (const int64_t k : {16, 32, 304, 624, 976, 1, 311, 1001}) {
                if (alignment == kPytorch && k % 16 != 0) continue;
                const Answer head = draw(whole, k);
                Call rest = whole;
                rest.offset = static_cast<uint64_t>(k);
                const Answer tail = draw(rest, kCount - k);
                Bytes both = head.values;
                both.insert(both.end(), tail.values.begin(), tail.values.end());
                ASSERT_TRUE(both == all.values) << type << " at " << k;
                ASSERT_TRUE(tail.state == all.state) << type << " at " << k;
            }
        }
}

TEST_F(RandomNormal, StatesGoOn) {
    for (const tombola_data_type_t type : kTypes) {
        Call call, reference_call;
        call.type = reference_call.type = type;
        for (const int64_t count : {3, 20, 5, 1, 40, 2, 16, 15, 7}) {
            const Answer answer = draw(call, count);
            const Answer right = expected(reference_call, static_cast<uint64_t>(count));
            ASSERT_TRUE(answer.values == right.values) << type << " " << count;
            call.state = answer.state;
            reference_call.state = right.state;
        }
    }
}

// A kept number is nobody's but the next small call's: a call of 16 or more elements leaves it.
TEST_F(RandomNormal, LargeCallsLeaveTheKeptNumber) {
    Call call;
    call.state = some_state(100, true);
    const Answer large = draw(call, 33);
    EXPECT_EQ(std::memcmp(large.state.data() + 625 * 4, call.state.data() + 625 * 4, 12), 0);
    Call next = call;
    next.state = large.state;
    next.type = tombola_f64;
    const Answer small = draw(next, 1);
    EXPECT_EQ(std::memcmp(small.values.data(), call.state.data() + 626 * 4, 8), 0);
    EXPECT_EQ(std::memcmp(small.state.data(), large.state.data(), 625 * 4), 0);  // no word is drawn
    EXPECT_EQ(Bytes(small.state.begin() + 625 * 4, small.state.end()), Bytes(12, 0));
}

// ---- PyTorch's generator -----------------------------------------------------------------------------------

TEST_F(RandomNormal, AKeptNumberGoesToPytorchAndBack) {
    // The first state of the file was taken after one normal number: PyTorch has kept the second.
    std::istringstream in(golden_lines("torch_state.txt").at(0));
    std::string what;
    in >> what;
    ASSERT_EQ(what, "before");
    std::vector<uint64_t> words = golden_words(in);
    ASSERT_EQ(words.size() * 8, size_t{TOMBOLA_TORCH_RNG_STATE_BYTES});
    constexpr size_t kY = 628,
                     kValid = 630;  // CPUGeneratorImplStateLegacy: normal_y, normal_is_valid
    ASSERT_EQ(static_cast<uint32_t>(words[kValid]), 1u);

    using NormalState = std::array<uint32_t, TOMBOLA_MT19937_NORMAL_STATE_WORDS>;
    NormalState state{};
    const size_t size = words.size() * 8;
    ASSERT_EQ(tombola_mt19937_normal_state_from_torch(words.data(), size, state.data()),
              tombola_success)
        << last_error();
    EXPECT_EQ(state[625], 1u);
    EXPECT_EQ(uint64_t{state[627]} << 32 | state[626], words[kY]);
    std::array<uint32_t, TOMBOLA_MT19937_STATE_WORDS> short_state;
    ASSERT_EQ(tombola_mt19937_state_from_torch(words.data(), size, short_state.data()),
              tombola_success);
    EXPECT_TRUE(std::equal(short_state.begin(), short_state.end(), state.begin()));

    std::vector<uint64_t> back = words;
    back[kY] = 0;
    back[kValid] = 0;
    ASSERT_EQ(tombola_mt19937_normal_state_to_torch(state.data(), back.data(), size),
              tombola_success)
        << last_error();
    EXPECT_EQ(back, words);
    state[625] = 0;
    ASSERT_EQ(tombola_mt19937_normal_state_to_torch(state.data(), back.data(), size),
              tombola_success);
    EXPECT_EQ(static_cast<uint32_t>(back[kValid]), 0u);

    const auto refuse_to = [&](uint32_t flag, uint32_t high, const char* message) {
        NormalState bad = state;
        bad[625] = flag;
        bad[627] = high;
        const std::vector<uint64_t> kept = back;
        EXPECT_EQ(tombola_mt19937_normal_state_to_torch(bad.data(), back.data(), size),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
        EXPECT_EQ(back, kept);
    };
    refuse_to(2, 0, "state[625], whether a normal number is kept, is 2; expected 0 or 1");
    refuse_to(1, 0x7FF00000, "the kept normal number");
    words[kY] = 0x7FF8000000000000;
    const NormalState before = state;
    EXPECT_EQ(tombola_mt19937_normal_state_from_torch(words.data(), size, state.data()),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("torch_state has nan at byte 5024"), std::string::npos)
        << last_error();
    EXPECT_EQ(state, before);
}

// ---- refusals ----------------------------------------------------------------------------------------------

TEST_F(RandomNormal, WrongValuesAreRefusedAndNothingIsWritten) {
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch})
        for (const tombola_data_type_t type : kTypes) {
            Call call;
            call.alignment = alignment;
            call.type = type;
            call.mean = std::numeric_limits<double>::infinity();
            refuse(call, 20, "MEAN is inf; expected a finite number");
            call.mean = std::numeric_limits<double>::quiet_NaN();
            refuse(call, 20, "MEAN is nan; expected a finite number");
            call.mean = 0;
            call.std = -1;
            refuse(call, 20, "STD is -1; expected a finite number of at least 0");
            call.std = std::numeric_limits<double>::infinity();
            refuse(call, 5, "STD is inf; expected a finite number of at least 0");
            call.std = std::numeric_limits<double>::quiet_NaN();
            refuse(call, 5, "STD is nan; expected a finite number of at least 0");
        }
    Call call;
    call.offset = 8;
    refuse(
        call, 40,
        "OFFSET is 8; expected a multiple of 16, because PyTorch draws normal numbers in blocks");
    call.offset = 16;
    refuse(call, 15, "OFFSET is 16 for 15 elements; expected 0 for 1 to 15 elements");
    call.offset = ~uint64_t{0} - 15;
    refuse(call, 40, "OFFSET + elements is at most 2^64");
    EXPECT_EQ(draw(call, 16).status, tombola_success);
    EXPECT_EQ(draw(call, 0).status, tombola_success);
    call.offset = 0;
    call.state = some_state(625, false);
    refuse(call, 40, "SRC_STATE[624], the position, is 625; expected 0 to 624");
    call.state = some_state(3, true);
    call.state[625 * 4] = 2;
    refuse(call, 40, "SRC_STATE[625], whether a normal number is kept, is 2; expected 0 or 1");
    call.state[625 * 4] = 1;
    call.state[627 * 4 + 3] = 0xFF;
    call.state[627 * 4 + 2] = 0xF0;
    refuse(call, 40, "the kept normal number");
}

// ---- alignment tensorflow against a wider type -------------------------------------------------------------

// The formulas of doc/random_normal.md in f64 for f32's own u and angle, and in long double for f64's. The page states these
// bounds: f32 errs by at most 2 ulps of max(|value|, 1), f64 by at most 2.
TEST_F(RandomNormal, TensorflowAgainstAWiderType) {
    constexpr uint64_t kCount = 1 << 18;
    Call call;
    call.alignment = kTensorflow;
    const Answer f32 = draw(call, kCount);
    call.type = tombola_f64;
    const Answer f64 = draw(call, kCount);
    ASSERT_EQ(f32.status, tombola_success);
    ASSERT_EQ(f64.status, tombola_success);
    double worst32 = 0;
    long double worst64 = 0;
    for (uint64_t block = 0; block < kCount / 4; ++block) {
        const auto x = reference::philox_block({static_cast<uint32_t>(block), 0, 10, 0},
                                               {static_cast<uint32_t>(call.seed), 0});
        for (size_t pair = 0; pair < 2; ++pair) {
            const double u = std::max<double>((x[2 * pair] & 0x7FFFFF) * 0x1p-23, 1e-7f);
            const auto a =
                static_cast<float>(6.283185307179586 * (x[2 * pair + 1] & 0x7FFFFF) * 0x1p-23);
            const double radius = std::sqrt(-2 * std::log(u));
            for (size_t k = 0; k < 2; ++k) {
                const double exact = radius * (k == 0 ? std::sin(double{a}) : std::cos(double{a}));
                const double value =
                    value_of(tombola_f32, element(f32.values, 4, 4 * block + 2 * pair + k));
                worst32 = std::max(
                    worst32, std::abs(value - exact) / std::max(1.0, std::abs(exact)) * 0x1p23);
            }
        }
        const auto unit = [](uint32_t high, uint32_t low) {
            return std::ldexp(static_cast<double>(uint64_t{high & 0xFFFFF} << 32 | low), -52);
        };
        const long double u = std::max(unit(x[0], x[1]), 1e-7);
        const long double a = 6.283185307179586 * unit(x[2], x[3]);
        const long double radius = std::sqrt(-2 * std::log(u));
        for (size_t k = 0; k < 2; ++k) {
            const long double exact = radius * (k == 0 ? std::sin(a) : std::cos(a));
            const double value = value_of(tombola_f64, element(f64.values, 8, 2 * block + k));
            worst64 = std::max(worst64, std::abs(value - exact) /
                                            std::max<long double>(1, std::abs(exact)) * 0x1p52L);
        }
    }
    RecordProperty("worst_f32", std::to_string(worst32));
    RecordProperty("worst_f64", std::to_string(static_cast<double>(worst64)));
    EXPECT_LT(worst32, 2.0);
    if (std::numeric_limits<long double>::digits >= 64) {
        EXPECT_LT(worst64, 2.0L);
    }
}

}  // namespace
}  // namespace tombola::test
