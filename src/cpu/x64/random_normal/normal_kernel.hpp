// SPDX-License-Identifier: Apache-2.0
#pragma once

// From words in memory to normal numbers: the transform of Box and Muller for
// both alignments and all types. The definitions in scalar form are
// cpu/random_normal/pytorch_normal.hpp and tensorflow_normal.hpp.

#include <cstdint>
#include <tuple>

#include "common/types.hpp"
#include "cpu/float_type.hpp"
#include "cpu/x64/maths.hpp"

namespace tombola::impl::cpu::x64 {

// What is known of MEAN and STD. Kernels for types of 16 bits round after every operation, and have code of their own for some of these.
enum class NormalMoments : uint64_t {
    any,             // MEAN may be -0
    unsigned_zeros,  // MEAN is not -0, so no result depends on the sign of a zero
    standard         // MEAN is +0 and STD is 1
};

struct NormalArgs {
    const uint32_t* words;
    void* to;
    int64_t groups;           // at least 1
    uint64_t streaming;       // nonzero: stores bypass the caches, and `to` is aligned
                              // to 64 bytes
    uint64_t moments;         // NormalMoments
    alignas(8) char mean[8];  // a number of the arithmetic type: f64 or f32
    alignas(8) char std[8];
};

class NormalKernel : public Maths {
  public:
    using Args = NormalArgs;
    using Key = std::tuple<CpuIsa, Alignment, FloatType>;

    explicit NormalKernel(const Key& key);

  private:
    // The two vectors that one transform takes from a group, and its registers.
    struct Stream {
        int first, second;  // vectors
        int u, angle, sine, cosine, ln_scratch, direction_scratch;
    };

    // What the number of quarters of the circle before the angle is computed from.
    enum class Quarters {
        of_angle,
        of_word,   // the random bits, as an integer
        of_number  // the random bits, as f32
    };

    void generate() override;
    void load_arguments();
    void hold_constants();
    bool has_code_for(NormalMoments moments) const;
    void emit_loops();
    void emit_loop(bool streaming);
    void emit_group(bool streaming);
    void load_words(const Stream& s);
    void emit_uniforms(const Stream& s);
    void emit_quarters_of_word(const Stream& s);
    void emit_quarters_of_number(const Stream& s);
    Steps radius_steps(const Stream& s);
    Steps direction_steps(const Stream& s);
    void emit_value(const Vec& value, const Stream& s);
    void emit_standard_value(const Vec& value, const Stream& s);
    void emit_round(const Vec& value, int scratch);
    void emit_round_scaled(const Vec& value, int scratch);
    void emit_stores(const Stream& s, bool streaming);
    void emit_store(int at, const Vec& value, int scratch, bool streaming);

    Stream stream(int index) const;
    Quarters quarters() const;  // of f32 arithmetic
    Quarter quarter() const;
    // Whether ln has scratch registers of its own, and sine and cosine others.
    // In f64 they need too many for 16 registers.
    bool has_room() const { return !is_f64() || registers() > 16; }
    bool is_pytorch() const { return alignment_ == Alignment::pytorch; }
    bool is_f64() const { return type_ == FloatType::f64; }
    bool is_narrow() const { return type_ == FloatType::f16 || type_ == FloatType::bf16; }

    Alignment alignment_;
    FloatType type_;
    Held mask_, unit_, one_, minus_two_, angle_, angle_low_, min_u_, high_half_, sign_;
    NormalMoments moments_ = NormalMoments::any;  // of the code that is being emitted
    Held eighth_, quarters_;                      // of_word
    Held quarter_scale_, quarter_offset_;         // of_number
};

// A kernel as it is kept and called.
struct NormalTransform {
    JitFunction<NormalArgs> function;
    int group_values = 0;  // of one group
    int words_per_value = 0;
    int value_bytes = 0;

    int group_words() const { return group_values * words_per_value; }
    static constexpr int kMaxGroupWords = 64;
};

Result<NormalTransform> make_normal_transform(CpuIsa isa, Alignment alignment, FloatType type);

}  // namespace tombola::impl::cpu::x64
