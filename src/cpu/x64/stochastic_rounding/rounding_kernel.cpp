// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/stochastic_rounding/rounding_kernel.hpp"

#include <string>

#include "cpu/stochastic_rounding/stochastic_round.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kDrawBits = 16;
constexpr TransformShape kShape{kDrawBits, sizeof(float), sizeof(uint16_t)};
constexpr int kScratch = 0, kScratch2 = 1, kFirstConstant = 2;  // the kernel's own registers
constexpr uint32_t kMaxFiniteBits = 0x7F7FFFFF;                 // of f32
constexpr uint32_t kQuietBit = 0x00400000;                      // of a NaN
constexpr uint32_t kF16Rebias =
    0u - (112u << 23);  // from the exponent's bias of f32 to that of f16

}  // namespace

Result<PhiloxTransformKernel> RoundingKernel::kernel(const Key& key) {
    return make_transform_kernel<RoundingKernel>(key, kShape);
}

RoundingKernel::RoundingKernel(const Key& key)
    : PhiloxTransformGenerator(std::get<0>(key),
                               (std::string("round.") + name_of(std::get<1>(key))).c_str(), kShape),
      type_(std::get<1>(key)) {}

void RoundingKernel::load_values() {
    int next = kFirstConstant;
    const auto hold_next = [&](uint32_t value) { return hold_u32(convert_vec(next++), value); };
    magnitude_bits_ = hold_next(kMagnitudeBits);
    sign_bits_ = hold_next(~kMagnitudeBits);
    if (type_ == DataType::bf16) {
        max_ = hold_next(kMaxFiniteBits);
        return;
    }
    draw_bits_ = hold_next(kF16DrawBits);
    max_ = hold_next(kMaxF16Bits);
    rebias_ = hold_next(kF16Rebias);
    two_37_ = hold_next(bit_cast<uint32_t>(0x1p37f));
}

// Of each register's draws the lower half goes first.
void RoundingKernel::emit_group(const Stream& s, const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                                const Xbyak::RegExp&, bool streaming) {
    int place = 0;  // vectors of f32
    for (const int draws : {s.c0, s.c2})
        for (const bool upper : {false, true}) {
            const Vec x = vec(s.t), draw = vec(s.c1), magnitude = vec(s.c3);
            widen_u16(draw, vec(draws), upper);
            load(x, ptr[from + place * bytes()]);
            type_ == DataType::bf16 ? emit_bf16(x, draw, magnitude) : emit_f16(x, draw, magnitude);
            narrow_u32(half(draw.getIdx()), x);
            store_any(to + place * bytes() / 2, half(draw.getIdx()), streaming);
            ++place;
        }
}

// x = the result in the low half of each lane.
void RoundingKernel::emit_bf16(const Vec& x, const Vec& draw, const Vec& m) {
    const Vec limit = vec(convert_vec(kScratch));
    const Mask nan{k1, limit};
    and_bits(m, x, magnitude_bits_);
    vpaddd(draw, draw, m);
    vpmaxud(limit, m, max_);
    vpminud(draw, draw, limit);
    compare_greater_s32(nan, m, vector_u32(kInfinityBits));
    or_masked_u32(draw, nan, vector_u32(kQuietBit));
    and_or(x, sign_bits_, draw);
    vpsrld(x, x, 16);
}

void RoundingKernel::emit_f16(const Vec& x, const Vec& draw, const Vec& m) {
    const Vec fixed = vec(convert_vec(kScratch)), rebiased = vec(convert_vec(kScratch2));
    const Mask normal{k1, m}, special{k1, m};
    and_bits(m, x, magnitude_bits_);
    vpminud(m, m, max_);
    and_bits(draw, draw, draw_bits_);
    // Subnormal results by the product, which is exact; the others by the exponent's new bias.
    vmulps(fixed, m, two_37_);
    vcvttps2dq(fixed, fixed);
    vpaddd(rebiased, m, rebias_);
    compare_greater_s32(normal, m, vector_u32(kMinNormalF16Bits - 1));
    select_masked_u32(fixed, normal, rebiased);
    vpaddd(fixed, fixed, draw);
    vpsrld(fixed, fixed, kF16DroppedBits);
    vpsrld(draw, x, 16);
    and_bits(draw, draw, vector_u32(0x8000));
    or_bits(fixed, fixed, draw);
    // Infinity and NaN.
    and_bits(m, x, magnitude_bits_);
    compare_greater_s32(special, m, vector_u32(kInfinityBits - 1));
    cvt_f32_to_f16(half(draw.getIdx()), x);
    vpmovzxwd(draw, half(draw.getIdx()));
    copy(x, fixed);
    select_masked_u32(x, special, draw);
}

}  // namespace tombola::impl::cpu::x64
