// SPDX-License-Identifier: Apache-2.0
#pragma once

// From words in memory to normal numbers: the transform of Box and Muller for both alignments and all types. The definitions in
// scalar form are cpu/random_normal/pytorch_normal.hpp and tensorflow_normal.hpp.

#include <cstdint>
#include <tuple>

#include "common/types.hpp"
#include "cpu/float_type.hpp"
#include "cpu/x64/maths.hpp"

namespace tombola::impl::cpu::x64 {

struct NormalArgs {
    const uint32_t* words;
    void* to;
    int64_t groups;           // at least 1
    uint64_t streaming;       // nonzero: stores bypass the caches, and `to` is aligned to 64 bytes
    alignas(8) char mean[8];  // a number of the arithmetic type: f64 or f32
    alignas(8) char std[8];
};

class NormalKernel : public Maths {
  public:
    using Args = NormalArgs;
    using Key = std::tuple<CpuIsa, Alignment, FloatType>;

    explicit NormalKernel(const Key& key);

  private:
    void generate() override;
    void load_arguments();
    void hold_constants();
    void emit_loop(bool streaming);
    void emit_group(bool streaming);
    void load_words(int first, int second);
    void emit_uniforms();
    void emit_radius();
    void emit_values();
    void emit_scale(const Vec& value);
    void emit_round(const Vec& value);
    void emit_stores(int first, int second, bool streaming);
    void emit_store(int at, const Vec& value, bool streaming);

    bool is_pytorch() const { return alignment_ == Alignment::pytorch; }
    bool is_f64() const { return type_ == FloatType::f64; }
    bool is_narrow() const { return type_ == FloatType::f16 || type_ == FloatType::bf16; }

    Alignment alignment_;
    FloatType type_;
    Held mask_, unit_, one_, minus_two_, angle_, angle_low_, min_u_, high_half_;
};

// A kernel as it is kept and called.
struct NormalTransform {
    JitFunction<NormalArgs> function;
    int group_values = 0;  // of one group
    int words_per_value = 0;
    int value_bytes = 0;

    int group_words() const { return group_values * words_per_value; }
    static constexpr int kMaxGroupBytes = 128;  // of values
    static constexpr int kMaxGroupWords = 32;
};

Result<NormalTransform> make_normal_transform(CpuIsa isa, Alignment alignment, FloatType type);

}  // namespace tombola::impl::cpu::x64
