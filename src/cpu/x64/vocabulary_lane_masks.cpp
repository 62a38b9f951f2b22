// SPDX-License-Identifier: Apache-2.0

// The operations of the vocabulary on masks of lanes of 32 or 64 bits: comparisons, arithmetic under a mask, gathers.

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using Xbyak::Operand;

}  // namespace

// -- masks

void Vocabulary::clear_mask(const Mask& d) {
    if (is_avx512()) return kxorw(d.opmask, d.opmask, d.opmask);
    zero(d.vector);
}

void Vocabulary::fill_mask(const Mask& d) {
    if (is_avx512()) return kxnorw(d.opmask, d.opmask, d.opmask);
    vpcmpeqd(d.vector, d.vector, d.vector);
}

void Vocabulary::or_masks(const Mask& d, const Mask& a, const Mask& b) {
    if (is_avx512()) return korw(d.opmask, a.opmask, b.opmask);
    or_bits(d.vector, a.vector, b.vector);
}

void Vocabulary::compare_f32(const Mask& d, const Vec& a, const Operand& b, int predicate) {
    const auto imm = static_cast<uint8_t>(predicate);
    is_avx512() ? vcmpps(d.opmask, a, b, imm) : vcmpps(d.vector, a, b, imm);
}

void Vocabulary::compare_f64(const Mask& d, const Vec& a, const Operand& b, int predicate) {
    const auto imm = static_cast<uint8_t>(predicate);
    is_avx512() ? vcmppd(d.opmask, a, b, imm) : vcmppd(d.vector, a, b, imm);
}

void Vocabulary::compare_also_f32(const Mask& d, const Vec& a, const Vec& b, int predicate,
                                  const Vec& scratch) {
    const auto imm = static_cast<uint8_t>(predicate);
    if (is_avx512()) return vcmpps(d.opmask | d.opmask, a, b, imm);
    vcmpps(scratch, a, b, imm);
    and_bits(d.vector, d.vector, scratch);
}

void Vocabulary::compare_also_f64(const Mask& d, const Vec& a, const Vec& b, int predicate,
                                  const Vec& scratch) {
    const auto imm = static_cast<uint8_t>(predicate);
    if (is_avx512()) return vcmppd(d.opmask | d.opmask, a, b, imm);
    vcmppd(scratch, a, b, imm);
    and_bits(d.vector, d.vector, scratch);
}

void Vocabulary::compare_greater_s32(const Mask& d, const Vec& a, const Operand& b) {
    is_avx512() ? vpcmpgtd(d.opmask, a, b) : vpcmpgtd(d.vector, a, b);
}

void Vocabulary::compare_greater_s64(const Mask& d, const Vec& a, const Operand& b) {
    is_avx512() ? vpcmpgtq(d.opmask, a, b) : vpcmpgtq(d.vector, a, b);
}

void Vocabulary::test_either(const Mask& a, const Mask& b, const Vec& scratch) {
    if (is_avx512()) return kortestw(a.opmask, b.opmask);
    or_bits(scratch, a.vector, b.vector);
    vptest(scratch, scratch);
}

void Vocabulary::mask_to_reg(const Reg& d, const Mask& mask) {
    is_avx512() ? kmovw(d.cvt32(), mask.opmask) : vmovmskps(d.cvt32(), mask.vector);
}

void Vocabulary::unset_to_reg(const Reg& d, const Mask& mask, int element_bytes) {
    mask_to_reg(d, mask);
    xor_(d.cvt32(), is_avx512() ? (1 << lanes(element_bytes)) - 1 : (1 << lanes(4)) - 1);
}

void Vocabulary::append_lanes_u32(const Reg& to, const Mask& mask, const Reg& first,
                                  const Reg& count, const Reg& bit, const Vec& scratch) {
    mask_to_reg(count, mask);
    if (is_avx512()) {
        constexpr uint32_t kLanes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        broadcast_u32(scratch, first);
        vpaddd(scratch, scratch, vector_table(kLanes));
        vpcompressd(scratch | mask.opmask | T_z, scratch);
        store(ptr[to], scratch);
        popcnt(count.cvt32(), count.cvt32());
        lea(to, ptr[to + count * 4]);
        return;
    }
    // The lanes of each of the 256 masks, in order.
    uint8_t table[256][8] = {};
    for (int set = 0; set < 256; ++set)
        for (int lane = 0, at = 0; lane < 8; ++lane)
            if ((set >> lane & 1) != 0) table[set][at++] = static_cast<uint8_t>(lane);
    lea(bit, ptr[rip + table_label(table, sizeof table, 64)]);
    vpmovzxbd(scratch, ptr[bit + count * 8]);
    broadcast_u32(mask.vector, first);
    vpaddd(scratch, scratch, mask.vector);
    store(ptr[to], scratch);
    popcnt(count.cvt32(), count.cvt32());
    lea(to, ptr[to + count * 4]);
}

void Vocabulary::and_or_masked_u32(const Vec& d, const Mask& mask, const Held& bits,
                                   const Held& value) {
    if (is_avx512()) return vpternlogd(d | mask.opmask | T_z, bits.reg(), value, kAndOr);
    and_bits(d, d, bits);
    or_bits(d, d, value);
    and_bits(d, d, mask.vector);
}

void Vocabulary::and_or_masked_u64(const Vec& d, const Mask& mask, const Held& bits,
                                   const Held& value) {
    if (is_avx512()) return vpternlogq(d | mask.opmask | T_z, bits.reg(), value, kAndOr);
    and_or_masked_u32(d, mask, bits, value);
}

void Vocabulary::max_masked_f32(const Vec& d, const Mask& mask, const Vec& a, const Vec& b) {
    if (is_avx512()) return vmaxps(d | mask.opmask | T_z, a, b);
    vmaxps(d, a, b);
    and_bits(d, d, mask.vector);
}

void Vocabulary::increment_masked_u64(const Vec& d, const Mask& mask, const Vec& a,
                                      const Vec& ones) {
    if (is_avx512()) {
        copy(d, a);
        return vpaddq(d | mask.opmask, d, ones);
    }
    vpsubq(d, a, mask.vector);
}

void Vocabulary::select_masked_u32(const Vec& d, const Mask& mask, const Vec& a) {
    is_avx512() ? vmovdqa32(d | mask.opmask, a) : vblendvps(d, d, a, mask.vector);
}

void Vocabulary::select_masked_u64(const Vec& d, const Mask& mask, const Vec& a) {
    is_avx512() ? vmovdqa64(d | mask.opmask, a) : vblendvpd(d, d, a, mask.vector);
}

void Vocabulary::or_masked_u32(const Vec& d, const Mask& mask, const Address& value) {
    if (is_avx512()) return vpord(d | mask.opmask, d, value);
    vpand(mask.vector, mask.vector, value);
    vpor(d, d, mask.vector);
}

void Vocabulary::shift_left_masked_u32(const Vec& d, const Mask& mask, const Vec& a, uint8_t bits) {
    if (is_avx512()) return vpslld(d | mask.opmask | T_z, a, bits);
    vpslld(d, a, bits);
    vpand(d, d, mask.vector);
}

void Vocabulary::copy_masked_u32(const Vec& d, const Mask& mask, const Held& value) {
    const Xbyak::Operand& from = value;
    is_avx512() ? vmovdqa32(d | mask.opmask | T_z, from) : vpand(d, mask.vector, from);
}

void Vocabulary::add_masked_u32(const Vec& d, const Mask& mask, const Vec& a) {
    if (is_avx512()) return vpaddd(d | mask.opmask, d, a);
    vpand(mask.vector, mask.vector, a);
    vpaddd(d, d, mask.vector);
}

void Vocabulary::min_masked_f32(const Vec& d, const Mask& mask, const Held& value,
                                const Vec& scratch) {
    if (is_avx512()) return vminps(d | mask.opmask, d, value);
    vminps(scratch, d, value);
    vblendvps(d, d, scratch, mask.vector);
}

void Vocabulary::swap_by_sign_u32(const Vec& a, const Vec& b, const Vec& sign, const Vec& scratch) {
    if (is_avx512()) {
        vpmovd2m(k1, Xbyak::Zmm(sign.getIdx()));
        copy(scratch, a);
        vmovaps(a | k1, b);
        return vmovaps(b | k1, scratch);
    }
    vblendvps(scratch, a, b, sign);
    vblendvps(b, b, a, sign);
    copy(a, scratch);
}

void Vocabulary::swap_by_sign_u64(const Vec& a, const Vec& b, const Vec& sign, const Vec& scratch) {
    if (is_avx512()) {
        vpmovq2m(k1, Xbyak::Zmm(sign.getIdx()));
        copy(scratch, a);
        vmovapd(a | k1, b);
        return vmovapd(b | k1, scratch);
    }
    vblendvpd(scratch, a, b, sign);
    vblendvpd(b, b, a, sign);
    copy(a, scratch);
}

// -- gathers

void Vocabulary::gather_u32_as_u64(const Vec& d, const Reg& base, const Vec& a,
                                   const Mask& consumed) {
    const int to = d.getIdx(), from = a.getIdx();
    if (is_avx512()) {
        kxnorw(consumed.opmask, consumed.opmask, consumed.opmask);
        vpgatherqd(Xbyak::Ymm(to) | consumed.opmask, ptr[base + Xbyak::Zmm(from) * 4]);
        return vpmovzxdq(d, Xbyak::Ymm(to));
    }
    const Xbyak::Xmm mask = quarter(consumed.vector.getIdx());
    vpcmpeqd(mask, mask, mask);
    vpgatherqd(Xbyak::Xmm(to), ptr[base + Xbyak::Ymm(from) * 4], mask);
    vpmovzxdq(d, Xbyak::Xmm(to));
}

void Vocabulary::gather_u64(const Vec& d, const Reg& base, const Vec& a, const Mask& consumed) {
    const int from = a.getIdx();
    if (is_avx512()) {
        kxnorw(consumed.opmask, consumed.opmask, consumed.opmask);
        return vpgatherqq(d | consumed.opmask, ptr[base + Xbyak::Zmm(from) * 8]);
    }
    const Vec& mask = consumed.vector;
    vpcmpeqd(mask, mask, mask);
    vpgatherqq(d, ptr[base + Xbyak::Ymm(from) * 8], mask);
}

void Vocabulary::gather_masked_u64(const Vec& d, const Reg& base, const Vec& a, const Mask& mask,
                                   const Mask& consumed) {
    const int from = a.getIdx();
    if (is_avx512()) {
        kmovw(consumed.opmask, mask.opmask);
        return vpgatherqq(d | consumed.opmask, ptr[base + Xbyak::Zmm(from) * 8]);
    }
    copy(consumed.vector, mask.vector);
    vpgatherqq(d, ptr[base + Xbyak::Ymm(from) * 8], consumed.vector);
}

void Vocabulary::join_masks(const Mask& d, const Mask& low, const Mask& high) {
    if (is_avx512()) return kunpckbw(d.opmask, high.opmask, low.opmask);
    vshufps(d.vector, low.vector, high.vector, 0x88);  // 0 1 of low and of high, then 2 3 of both
    vpermq(d.vector, d.vector, 0xD8);
}

void Vocabulary::store_where(const Xbyak::RegExp& to, const Mask& mask, const Held& value,
                             int element_bytes, const Vec& scratch, bool streaming) {
    const int index = scratch.getIdx();
    const Xbyak::Xmm x(index);
    const Xbyak::Ymm y(index);
    if (is_avx512()) {
        const int from = value.reg().getIdx();
        const Xbyak::Zmm z(index);
        switch (element_bytes) {
            case 1:
                vmovdqu8(x | mask.opmask | T_z, Xbyak::Xmm(from));
                break;
            case 2:
                vmovdqu16(y | mask.opmask | T_z, Xbyak::Ymm(from));
                break;
            case 4:
                vmovdqu32(z | mask.opmask | T_z, Xbyak::Zmm(from));
                break;
            default:
                vmovdqu64(z | mask.opmask | T_z, Xbyak::Zmm(from));
                store(ptr[to], z, streaming);
                kshiftrw(mask.opmask, mask.opmask, 8);
                vmovdqu64(z | mask.opmask | T_z, Xbyak::Zmm(from));
                return store(ptr[to + 64], z, streaming);
        }
        return store(ptr[to], part(index, lanes(4) * element_bytes), streaming);
    }
    const Xbyak::Ymm m(mask.vector.getIdx());
    if (element_bytes == 4) {
        vpand(y, m, value);
        return store(ptr[to], y, streaming);
    }
    if (element_bytes == 8) {
        vpmovsxdq(y, Xbyak::Xmm(m.getIdx()));
        vpand(y, y, value);
        store(ptr[to], y, streaming);
        vextracti128(x, m, 1);
        vpmovsxdq(y, x);
        vpand(y, y, value);
        return store(ptr[to + 32], y, streaming);
    }
    vextracti128(x, m, 1);
    vpackssdw(x, Xbyak::Xmm(m.getIdx()), x);
    if (element_bytes == 1) vpacksswb(x, x, x);
    vpand(x, x, value);
    element_bytes == 1 ? vmovq(ptr[to], x) : store(ptr[to], part(index, 16), streaming);
}

}  // namespace tombola::impl::cpu::x64
