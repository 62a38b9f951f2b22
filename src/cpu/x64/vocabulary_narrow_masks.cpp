// SPDX-License-Identifier: Apache-2.0

// The operations of the vocabulary on masks of lanes of 8, 16 or 32 bits: comparison, masks in memory, and products of
// 16-bit types under a mask.

#include <cassert>

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

void Vocabulary::compare_not_below(const Mask& d, const Vec& a, const Vec& b, int lane_bits) {
    constexpr uint8_t kNotLess = 5;  // Intel SDM, VPCMPUB: NLT
    if (is_avx512()) {
        if (lane_bits == 8) return vpcmpub(d.opmask, a, b, kNotLess);
        if (lane_bits == 16) return vpcmpuw(d.opmask, a, b, kNotLess);
        return vpcmpud(d.opmask, a, b, kNotLess);
    }
    // a >= b if and only if b is the smaller of the two.
    if (lane_bits == 8) {
        vpminub(d.vector, a, b);
        vpcmpeqb(d.vector, d.vector, b);
    } else if (lane_bits == 16) {
        vpminuw(d.vector, a, b);
        vpcmpeqw(d.vector, d.vector, b);
    } else {
        vpminud(d.vector, a, b);
        vpcmpeqd(d.vector, d.vector, b);
    }
}

void Vocabulary::load_selected(const Vec& d, const Mask& mask, const Address& a, const Vec& other,
                               int lane_bits) {
    if (!is_avx512()) return vpblendvb(d, other, a, mask.vector);
    load(d, a);
    lane_bits == 16 ? vpblendmw(d | mask.opmask, other, d) : vpblendmd(d | mask.opmask, other, d);
}

void Vocabulary::mul_masked_f32(const Vec& d, const Mask& mask, const Vec& factor,
                                const Address& a) {
    if (is_avx512()) {
        load(d, a);
        return vmulps(d | mask.opmask | T_z, factor, d);
    }
    vmulps(d, factor, a);
    vandps(d, d, mask.vector);
}

void Vocabulary::mul_masked_f16(const Vec& d, const Mask& mask, const Vec& factor,
                                const Xbyak::RegExp& from, const Vec& scratch,
                                const Vec& scratch2) {
    const Half low = half(scratch.getIdx()), high = half(scratch2.getIdx());
    if (is_avx512()) {
        vcvtph2ps(scratch, ptr[from]);
        vcvtph2ps(scratch2, ptr[from + bytes() / 2]);
        kshiftrd(k5, mask.opmask, 16);
        vmulps(scratch | mask.opmask | T_z, scratch, factor);
        vmulps(scratch2 | k5 | T_z, scratch2, factor);
    } else {
        vpand(d, mask.vector, ptr[from]);
        cvt_f16_to_f32(scratch, half(d.getIdx()));
        vextracti128(high, d, 1);
        cvt_f16_to_f32(scratch2, high);
        vmulps(scratch, scratch, factor);
        vmulps(scratch2, scratch2, factor);
    }
    cvt_f32_to_f16(low, scratch);
    cvt_f32_to_f16(high, scratch2);
    is_avx512() ? vinserti64x4(Xbyak::Zmm(d.getIdx()), Xbyak::Zmm(scratch.getIdx()), high, 1)
                : vinserti128(d, scratch, high, 1);
}

// AVX-512 takes two instructions for the number that is added: x >> 16, and then that number's negative.
Vocabulary::Bf16Product Vocabulary::hold_bf16_product() {
    const Held high_halves = hold(vector_u32(0xFFFF0000)), odd = hold(vector_u32(1));
    if (!is_avx512()) return {high_halves, odd, hold(vector_u32(0x7FFF)), {}};
    // Even lanes are the high halves of the second table, odd lanes those of the first one.
    uint16_t order[32];
    for (int i = 0; i < 32; ++i) order[i] = static_cast<uint16_t>(i % 2 == 0 ? 32 + i + 1 : i);
    return {high_halves, odd, hold(vector_u32(0xFFFF8000)), hold(vector_table(order))};
}

// Adds 0x7FFF, and one more if bit 16 is set.
//
//     -(0x7FFF + bit) = FFFF8001 - bit = FFFF8000 | (bit ^ 1)
void Vocabulary::round_bf16_product(const Vec& d, const Bf16Product& constants,
                                    const Vec& scratch) {
    constexpr uint8_t kOrNotAnd = 0xCE;  // truth table of b | (~d & c)
    vpsrld(scratch, d, 16);
    if (is_avx512()) {
        vpternlogd(scratch, constants.rounding.reg(), constants.odd, kOrNotAnd);
        return vpsubd(d, d, scratch);
    }
    vpand(scratch, scratch, constants.odd);
    vpaddd(scratch, scratch, constants.rounding);
    vpaddd(d, d, scratch);
}

// A bf16 followed by 16 zero bits is the same number in f32. So the odd lanes become f32 by clearing the even ones, and
// the even lanes by a shift. The product of such a NaN keeps its 16 low bits of 0, so rounding does not carry.
void Vocabulary::mul_masked_bf16(const Vec& d, const Mask& mask, const Vec& factor,
                                 const Xbyak::RegExp& from, const Bf16Product& constants,
                                 const Vec& scratch, const Vec& scratch2) {
    is_avx512() ? load(d, ptr[from]) : vpand(d, mask.vector, ptr[from]);
    vpslld(scratch, d, 16);
    and_bits(d, d, constants.high_halves);
    vmulps(scratch, scratch, factor);
    vmulps(d, d, factor);
    round_bf16_product(scratch, constants, scratch2);
    round_bf16_product(d, constants, scratch2);
    if (is_avx512()) return vpermt2w(d | mask.opmask | T_z, constants.order.reg(), scratch);
    vpsrld(scratch, scratch, 16);
    vpblendw(d, scratch, d, 0xAA);
}

Vocabulary::Mask Vocabulary::part_of_mask(const Mask& scratch, const Mask& a, int lane_bits,
                                          int parts, int index) {
    assert((parts == 2 || parts == 4) && lane_bits * parts <= 32);
    if (is_avx512()) {
        if (index == 0) return a;
        kshiftrq(scratch.opmask, a.opmask,
                 static_cast<uint8_t>(bytes() * 8 / lane_bits / parts * index));
        return scratch;
    }
    const Vec& d = scratch.vector;
    const Xbyak::Xmm low = quarter(d.getIdx());
    Xbyak::Xmm from = quarter(a.vector.getIdx());
    if (index >= parts / 2) {
        vextracti128(low, a.vector, 1);
        from = low;
    }
    if (parts == 4 && index % 2 == 1) {
        vpsrldq(low, from, 8);
        from = low;
    }
    if (parts == 4)
        vpmovsxbd(d, from);
    else if (lane_bits == 8)
        vpmovsxbw(d, from);
    else
        vpmovsxwd(d, from);
    return scratch;
}

void Vocabulary::join_masks_u32(const Mask& d, const Mask& a, const Mask& b) {
    if (is_avx512()) return kunpckwd(d.opmask, b.opmask, a.opmask);
    vpackssdw(d.vector, a.vector, b.vector);
    vpermq(d.vector, d.vector, 0xD8);
}

void Vocabulary::pack_mask(const Vec& d, const Vec& mask, int lane_bits) {
    if (lane_bits == 8) return copy(d, mask);
    const Xbyak::Xmm low = quarter(d.getIdx()), from = quarter(mask.getIdx());
    vextracti128(low, mask, 1);
    if (lane_bits == 32) {
        vpackssdw(low, from, low);
        vpacksswb(low, low, low);
    } else {
        vpacksswb(low, from, low);
    }
}

void Vocabulary::store_mask_bits(const Xbyak::RegExp& d, const Mask& mask, int lane_bits,
                                 const Vec& scratch, const Reg& scratch_reg) {
    if (is_avx512()) {
        if (lane_bits == 8) return kmovq(ptr[d], mask.opmask);
        if (lane_bits == 16) return kmovd(ptr[d], mask.opmask);
        return kmovw(ptr[d], mask.opmask);
    }
    if (lane_bits == 32) {
        vmovmskps(scratch_reg.cvt32(), mask.vector);
        return mov(byte[d], scratch_reg.cvt8());
    }
    pack_mask(scratch, mask.vector, lane_bits);
    vpmovmskb(scratch_reg.cvt32(), scratch);
    lane_bits == 8 ? mov(dword[d], scratch_reg.cvt32()) : mov(word[d], scratch_reg.cvt16());
}

void Vocabulary::store_mask_bytes(const Xbyak::RegExp& d, const Mask& mask, int lane_bits,
                                  const Vec& scratch) {
    const Address ones = vector_u16(0x0101);
    const int index = scratch.getIdx();
    if (is_avx512()) {
        vmovdqu8(scratch | mask.opmask | T_z, ones);
        if (lane_bits == 8) return store(ptr[d], scratch);
        return lane_bits == 16 ? vmovups(ptr[d], half(index)) : vmovups(ptr[d], quarter(index));
    }
    pack_mask(scratch, mask.vector, lane_bits);
    vpand(scratch, scratch, ones);
    if (lane_bits == 8) return store(ptr[d], scratch);
    lane_bits == 16 ? vmovups(ptr[d], quarter(index)) : vmovq(ptr[d], quarter(index));
}

void Vocabulary::load_mask_bits(const Mask& d, const Xbyak::RegExp& a, int lane_bits) {
    if (is_avx512()) return lane_bits == 16 ? kmovd(d.opmask, ptr[a]) : kmovw(d.opmask, ptr[a]);
    // Each lane takes its own bit of the byte or word.
    if (lane_bits == 16) {
        uint16_t table[16];
        for (int i = 0; i < 16; ++i) table[i] = static_cast<uint16_t>(1 << i);
        const Address bits = vector_table(table);
        vpbroadcastw(d.vector, word[a]);
        vpand(d.vector, d.vector, bits);
        return vpcmpeqw(d.vector, d.vector, bits);
    }
    uint32_t table[8];
    for (int i = 0; i < 8; ++i) table[i] = 1u << i;
    const Address bits = vector_table(table);
    vpbroadcastb(d.vector, byte[a]);
    vpand(d.vector, d.vector, bits);
    vpcmpeqd(d.vector, d.vector, bits);
}

void Vocabulary::load_mask_bytes(const Mask& d, const Xbyak::RegExp& a, int lane_bits,
                                 const Vec& scratch) {
    if (is_avx512()) {
        const Half wide = half(scratch.getIdx());
        const Xbyak::Xmm narrow = quarter(scratch.getIdx());
        const Xbyak::Xmm& part = lane_bits == 16 ? wide : narrow;
        vmovups(part, ptr[a]);
        return vptestmb(d.opmask, part, part);
    }
    zero(scratch);
    if (lane_bits == 16) {
        vpmovzxbw(d.vector, ptr[a]);
        return vpcmpgtw(d.vector, d.vector, scratch);
    }
    vpmovzxbd(d.vector, ptr[a]);
    vpcmpgtd(d.vector, d.vector, scratch);
}

}  // namespace tombola::impl::cpu::x64
