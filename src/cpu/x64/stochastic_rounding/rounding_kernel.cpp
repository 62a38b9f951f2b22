// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/stochastic_rounding/rounding_kernel.hpp"

#include <string>

#include "cpu/stochastic_rounding/stochastic_round.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kDrawBits = 16;
// The kernel's own registers. Scratch 3 and 4 are used on AVX2 alone. AVX-512 has constants there: it needs no vector
// registers for masks.
constexpr int kElements = 0, kScratch = 1, kScratch2 = 2, kScratch3 = 3, kScratch4 = 4,
              kFirstConstant = 3;
constexpr OwnRegisters own_registers(DataType type) {
    const bool bf16 = type == DataType::bf16;
    return {bf16 ? kScratch + 1 : kScratch4 + 1, kFirstConstant + (bf16 ? 3 : 6)};
}
constexpr uint32_t kMaxFiniteBits = 0x7F7FFFFF;                              // of f32
constexpr uint32_t kQuietBit = 0x00400000;                                   // of a NaN
constexpr uint32_t kTwiceMinNormalF16Bits = kMinNormalF16Bits + (1u << 23);  // 2^-13

}  // namespace

TransformShape RoundingKernel::shape(const Key&) {
    return {kDrawBits, sizeof(float), sizeof(uint16_t)};
}

RoundingKernel::RoundingKernel(const Key& key)
    : PhiloxTransformGenerator({std::get<CpuIsa>(key), std::get<PhiloxLanes>(key)},
                               std::string("round.") + name_of(std::get<DataType>(key)), shape(key),
                               own_registers(std::get<DataType>(key))),
      type_(std::get<DataType>(key)) {}

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
    min_normal_ = hold_next(kMinNormalF16Bits);
    twice_min_normal_ = hold_next(kTwiceMinNormalF16Bits);
}

// The lower half of each register has the earlier draws.
void RoundingKernel::emit_group(const Stream& s, const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                                const Xbyak::RegExp&, bool streaming) {
    int place = 0;  // vectors of f32
    for (const int draws : {s.c0, s.c2})
        for (const bool upper : {false, true}) {
            const Vec x = vec(convert_vec(kElements)), draw = vec(s.c1), magnitude = vec(s.c3);
            widen_u16(draw, vec(draws), upper);
            load(x, ptr[from + place * bytes()]);
            type_ == DataType::bf16 ? emit_bf16(x, draw, magnitude) : emit_f16(x, draw, magnitude);
            store(ptr[to + place * bytes() / 2], half(draw.getIdx()), streaming);
            ++place;
        }
}

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
    narrow_u32(half(draw.getIdx()), x);
}

void RoundingKernel::emit_f16(const Vec& x, const Vec& draw, const Vec& m) {
    const Vec c = vec(convert_vec(kScratch)), y = vec(convert_vec(kScratch2));
    const Vec scratch = vec(convert_vec(kScratch3));
    const Mask small{k1, vec(convert_vec(kScratch4))}, below_max{k2, scratch};
    and_bits(m, x, magnitude_bits_);
    compare_f32(small, m, min_normal_, kLess);
    copy_masked_u32(c, small, min_normal_);
    add_toward_zero_f32(y, m, c, scratch);
    compare_f32(below_max, y, max_, kLess);
    and_bits(draw, draw, draw_bits_);
    add_masked_u32(y, below_max, draw);
    min_masked_f32(y, small, twice_min_normal_, scratch);
    vsubps(y, y, c);
    and_or(x, sign_bits_, y);
    cvt_f32_to_f16_toward_zero(half(draw.getIdx()), x);
}

}  // namespace tombola::impl::cpu::x64
