// SPDX-License-Identifier: Apache-2.0
#pragma once

// MT19937 fused: twist, temper, convert to a type, store.
//
// Source: Matsumoto and Nishimura, ACM TOMACS 8(1), 1998; the conversions are PyTorch's
// (cpu/random_uniform/pytorch_draws.hpp). With x[0..623] the window, in ascending order of i,
//
//     x[i]' = x[i+397] ^ A((x[i] & U) | (x[i+1] & L))      where x[i+624] is x[i]'     (twist)
//     y     = temper(x[i]')
//     value = convert(y)  or  convert(y, the next y)
//
// Lanes. A vector is V = 8 or 16 words x[i..i+V), and 624 is a multiple of both. Its inputs are
// x[i..i+V), x[i+1..i+V] and x[i+397..i+397+V). The window in memory is 624 words and 16 more, to
// which the first vector of the new window is stored a second time:
//
//     i      0 .............. 224 ............. 623 | 624 .. 639
//     memory x, and x' up to i ---------------- x   | x'[0..15]
//
// so that the one vector that takes x[i+397] across the end, at i = 224, and the last, which takes
// x[i+1] across it, read memory as it lies. After i = 224, x[i+397] is x'[i-227], which was stored
// 14 or more vectors before. The code of one window is straight: 39 or 78 vectors, then a branch.

#include <cstdint>
#include <optional>
#include <tuple>

#include "cpu/rng/mt19937.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

// What becomes of the words. f64 and the wide ones take two a value, of which the first is the high
// half.
enum class MtOutput { f16, bf16, f32, f64, s32, s64, s32_wide, s64_wide };

class Mt19937Kernel : public Vocabulary {
  public:
    static constexpr int kWindowWords = kMtWords + 16;

    // value = fma(integer of the word's low bits, scale, minimum)   for floating point
    // value = word mod divisor + minimum, wrapping                  for integers
    struct Params {
        uint64_t minimum = 0;  // f32 or f64 bits, or an integer
        uint64_t scale = 0;    // f32 or f64 bits: range * 2^-d, which must be exact
        uint64_t divisor = 0;  // 0 leaves the word as it is
        // floor((2^32 - 1) / divisor), or of 2^64 - 1 for the wide ones; 0 for divisor 0.
        uint64_t reciprocal = 0;
    };
    enum class Mode : uint64_t {
        convert,    // `count` vectors from `words` on, which are in the window already
        windows,    // `count` windows: twist and convert the whole of each
        streaming,  // likewise, past the caches; `to` is aligned to store_bytes()
    };
    struct Args {
        uint32_t* words;  // windows: x[0], aligned to 64 bytes, with kWindowWords of memory
        void* to;
        int64_t count;  // at least 1
        Mode mode;
        Params params;
    };
    using Key = std::tuple<CpuIsa, MtOutput>;

    explicit Mt19937Kernel(const Key& key);
    void operator()(Args& args) const { run(&args); }

    int vector_words() const { return lanes(4); }
    int words_per_value() const { return words_per_value_; }
    int value_bytes() const { return value_bytes_; }
    // What one vector of words becomes, and the size of one store of it.
    int vector_out_bytes() const { return vector_words() / words_per_value_ * value_bytes_; }
    int store_bytes() const { return vector_out_bytes() < bytes() ? bytes() / 2 : bytes(); }

  private:
    // The paper's constants, and the bits of a word that a conversion takes.
    struct Constants {
        Held upper, temper_b, temper_c, taken, low_word;
    };

    void generate() override;
    void emit_params();
    void emit_convert_loop();
    void emit_window_loop(bool streaming);
    void emit_twist(int i);
    void emit_temper();
    void emit_value();
    void emit_remainder_u32();
    void emit_remainder_u64();
    void emit_store(int at, bool streaming);
    void emit_put(int at, const Vec& value, bool streaming);

    bool is_float() const { return output_ <= MtOutput::f64; }
    uint64_t taken_bits() const;

    MtOutput output_;
    int words_per_value_;
    int value_bytes_;
    std::optional<Constants> constants_;
};

}  // namespace tombola::impl::cpu::x64
