// SPDX-License-Identifier: Apache-2.0

// Converts the state of PyTorch's CPU generator, as torch.get_rng_state() gives it, to a state of this library and back. PyTorch keeps the
// window of 624 words, the index `next` of the next word, and `left`. It decrements `left` before each word, and twists when `left` becomes
// 0. So if `left` is 1, the window is used up, whatever `next` is. PyTorch refuses a `left` above 624, but a window of which no word has
// been used would need 625. So a state at position 0 is handed back as the window before it, with all of its words used. The last 40 bytes
// hold the normal number that PyTorch has kept.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/c_api.hpp"
#include "cpu/rng/mt19937.hpp"
#include "cpu/rng/mt19937_state.hpp"
#include "cpu/rng/normal_state.hpp"

namespace tombola::impl::cpu {
namespace {

// The bytes are in the machine's order: little-endian on x86-64. TorchNormals follows in memory.
struct TorchEngine {
    uint64_t seed;
    int32_t left;
    int32_t seeded;
    uint64_t next;
    uint64_t words[kMtWords];
};
static_assert(sizeof(TorchEngine) == 5016 && offsetof(TorchEngine, words) == 24);
// PyTorch keeps the second normal number of a pair in `y`. Its CPU generator does not use `x` and `rho`.
struct TorchNormals {
    double x, y, rho;
    int32_t is_valid;
    uint8_t unused[12];
};
static_assert(sizeof(TorchEngine) + sizeof(TorchNormals) == TOMBOLA_TORCH_RNG_STATE_BYTES);
static_assert(offsetof(TorchNormals, is_valid) == 24);
static_assert(sizeof(Mt19937) == TOMBOLA_MT19937_STATE_WORDS * sizeof(uint32_t));

Result<TorchEngine> read_engine(const void* bytes, size_t size) {
    TOMBOLA_TRY(check_not_null(bytes, "torch_state"));
    if (size != TOMBOLA_TORCH_RNG_STATE_BYTES)
        return invalid("torch_state_bytes is %llu; expected %d", size,
                       TOMBOLA_TORCH_RNG_STATE_BYTES);
    TorchEngine engine;
    std::memcpy(&engine, bytes, sizeof engine);
    if (engine.seeded != 1) return invalid("torch_state is not seeded; expected 1 at byte 12");
    if (engine.left < 1 || engine.left > kMtWords)
        return invalid("torch_state has %d at byte 8 (left); expected 1 to %d", engine.left,
                       kMtWords);
    if (engine.next > kMtWords)
        return invalid("torch_state has %llu at byte 16 (next); expected 0 to %d", engine.next,
                       kMtWords);
    uint64_t bits = 0;  // the OR of all words: a loop that compilers vectorise
    for (const uint64_t word : engine.words) bits |= word;
    for (int i = 0; bits > 0xFFFFFFFF && i < kMtWords; ++i)
        if (engine.words[i] > 0xFFFFFFFF)
            return invalid("torch_state has %llu as word %d; expected 32 bits", engine.words[i], i);
    return engine;
}

Status from_torch(const void* bytes, size_t size, uint32_t* out) {
    TOMBOLA_TRY(check_not_null(out, "state"));
    TorchEngine engine = TOMBOLA_TRY(read_engine(bytes, size));
    Mt19937 state;
    for (int i = 0; i < kMtWords; ++i) state.words[i] = static_cast<uint32_t>(engine.words[i]);
    state.position = engine.left == 1 ? kMtWords : static_cast<uint32_t>(engine.next);
    // PyTorch never writes a state in which `left` and `next` disagree about the words that are left.
    if (engine.left != 1 && state.position + static_cast<uint32_t>(engine.left) != kMtWords + 1)
        return invalid("torch_state has left %d and next %u; expected a sum of %d", engine.left,
                       state.position, kMtWords + 1);
    TOMBOLA_TRY(check_state(state, "torch_state"));
    std::memcpy(out, &state, sizeof state);
    return {};
}

Status to_torch(const uint32_t* in, void* bytes, size_t size) {
    TOMBOLA_TRY(check_not_null(in, "state"));
    Mt19937 state;
    std::memcpy(&state, in, sizeof state);
    TOMBOLA_TRY(check_state(state, "state"));
    TorchEngine engine = TOMBOLA_TRY(read_engine(bytes, size));
    if (state.position == 0 && !state.untwist())
        return invalid(
            "state[%d], the position, is 0, and no state precedes these words, so PyTorch cannot "
            "hold them; expected "
            "words that MT19937 has drawn, or a position from 1 to %d",
            kMtWords, kMtWords);
    for (int i = 0; i < kMtWords; ++i) engine.words[i] = state.words[i];
    engine.next = state.position;
    engine.left = kMtWords + 1 - static_cast<int32_t>(state.position);
    std::memcpy(bytes, &engine, sizeof(TorchEngine));
    return {};
}

TorchNormals read_normals(const void* bytes) {
    TorchNormals normals;
    std::memcpy(&normals, static_cast<const char*>(bytes) + sizeof(TorchEngine), sizeof normals);
    return normals;
}

Status normal_from_torch(const void* bytes, size_t size, uint32_t* out) {
    TOMBOLA_TRY(check_not_null(out, "state"));
    uint32_t state[TOMBOLA_MT19937_NORMAL_STATE_WORDS];
    TOMBOLA_TRY(from_torch(bytes, size, state));
    const TorchNormals normals = read_normals(bytes);
    if (normals.is_valid != 0 && !std::isfinite(normals.y))
        return invalid(
            "torch_state has %g at byte %llu (the kept normal number); expected a finite number",
            normals.y, sizeof(TorchEngine) + offsetof(TorchNormals, y));
    store_kept_normal({normals.is_valid != 0, normals.y}, state);
    std::memcpy(out, state, sizeof state);
    return {};
}

Status normal_to_torch(const uint32_t* in, void* bytes, size_t size) {
    TOMBOLA_TRY(check_not_null(in, "state"));
    const KeptNormal kept = TOMBOLA_TRY(load_kept_normal(in, "state"));
    TOMBOLA_TRY(to_torch(in, bytes, size));
    TorchNormals normals = read_normals(bytes);
    normals.y = kept.value;
    normals.is_valid = kept.valid ? 1 : 0;
    std::memcpy(static_cast<char*>(bytes) + sizeof(TorchEngine), &normals, sizeof normals);
    return {};
}

}  // namespace
}  // namespace tombola::impl::cpu

extern "C" {

tombola_status_t tombola_mt19937_state_from_torch(const void* torch_state, size_t torch_state_bytes,
                                                  uint32_t* state) {
    return tombola::impl::api_call("mt19937_state_from_torch", [&] {
        return tombola::impl::cpu::from_torch(torch_state, torch_state_bytes, state);
    });
}

tombola_status_t tombola_mt19937_state_to_torch(const uint32_t* state, void* torch_state,
                                                size_t torch_state_bytes) {
    return tombola::impl::api_call("mt19937_state_to_torch", [&] {
        return tombola::impl::cpu::to_torch(state, torch_state, torch_state_bytes);
    });
}

tombola_status_t tombola_mt19937_normal_state_from_torch(const void* torch_state,
                                                         size_t torch_state_bytes,
                                                         uint32_t* state) {
    return tombola::impl::api_call("mt19937_normal_state_from_torch", [&] {
        return tombola::impl::cpu::normal_from_torch(torch_state, torch_state_bytes, state);
    });
}

tombola_status_t tombola_mt19937_normal_state_to_torch(const uint32_t* state, void* torch_state,
                                                       size_t torch_state_bytes) {
    return tombola::impl::api_call("mt19937_normal_state_to_torch", [&] {
        return tombola::impl::cpu::normal_to_torch(state, torch_state, torch_state_bytes);
    });
}

}  // extern "C"
