// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/vocabulary.hpp"

#include <array>
#include <cassert>
#include <cstring>

#include "common/status.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using Xbyak::Operand;

// Truth tables of vpternlogd.
constexpr uint8_t kXor = 0x96;    // d ^ a ^ b
constexpr uint8_t kOrAnd = 0xF8;  // d | (a & b)
constexpr uint8_t kAndOr = 0xEA;  // (d & a) | b

constexpr int kVectorBytes = 64;  // of the widest ISA; the tables of narrower ISAs are prefixes

// Every lane `value`.
template <class T>
std::array<uint8_t, kVectorBytes> repeat(T value) {
    std::array<uint8_t, kVectorBytes> table;
    for (size_t at = 0; at < table.size(); at += sizeof value)
        std::memcpy(table.data() + at, &value, sizeof value);
    return table;
}

}  // namespace

Vocabulary::Vocabulary(CpuIsa isa, const std::string& name, size_t max_code_bytes)
    : JitKernel(name + "." + name_of(isa), max_code_bytes), isa_(isa) {
    assert(isa != CpuIsa::none);
}

Vocabulary::Vec Vocabulary::vec(int index) const {
    assert(0 <= index && index < registers());
    return is_avx512() ? Vec(index, Operand::ZMM, 512) : Vec(index);
}

Vocabulary::Half Vocabulary::half(int index) const {
    assert(0 <= index && index < registers());
    return is_avx512() ? Half(index) : Half(index, Operand::XMM, 128);
}

Vocabulary::Address Vocabulary::vector_u16(uint16_t value) {
    return vector_table(repeat(value).data());
}
Vocabulary::Address Vocabulary::vector_u32(uint32_t value) {
    return vector_table(repeat(value).data());
}
Vocabulary::Address Vocabulary::vector_u64(uint64_t value) {
    return vector_table(repeat(value).data());
}
Vocabulary::Address Vocabulary::vector_f32(float value) {
    return vector_table(repeat(value).data());
}
Vocabulary::Address Vocabulary::vector_f64(double value) {
    return vector_table(repeat(value).data());
}

Vocabulary::Held Vocabulary::hold_u32(int index, uint32_t value) {
    if (is_avx512()) load(vec(index), vector_u32(value));
    return {is_avx512() ? vec(index) : vec(0), vector_u32(value), is_avx512()};
}

Vocabulary::Held Vocabulary::hold_u64(int index, uint64_t value) {
    if (is_avx512()) load(vec(index), vector_u64(value));
    return {is_avx512() ? vec(index) : vec(0), vector_u64(value), is_avx512()};
}

void Vocabulary::set_held_range(int lowest) {
    next_held_ = registers() - 1;
    lowest_held_ = lowest;
}

Vocabulary::Vec Vocabulary::take_held() {
    assert(next_held_ >= lowest_held_);
    return vec(next_held_--);
}

Vocabulary::Held Vocabulary::hold(const Address& value) {
    if (next_held_ < lowest_held_) return {vec(0), value, false};
    const Vec reg = take_held();
    load(reg, value);
    return {reg, value, true};
}

Vocabulary::Spread Vocabulary::spread_u32(const Reg& base, size_t offset, int slot,
                                          const Vec& scratch) {
    if (is_avx512()) return Spread(ptr_b[base + offset]);
    vpbroadcastd(scratch, ptr[base + offset]);
    vmovdqa(ptr[rsp + slot * bytes()], scratch);
    return Spread(ptr[rsp + slot * bytes()]);
}

Vocabulary::Spread Vocabulary::spread_u64(const Reg& base, size_t offset, int slot,
                                          const Vec& scratch) {
    if (is_avx512()) return Spread(ptr_b[base + offset]);
    vpbroadcastq(scratch, ptr[base + offset]);
    vmovdqa(ptr[rsp + slot * bytes()], scratch);
    return Spread(ptr[rsp + slot * bytes()]);
}

void Vocabulary::copy(const Vec& d, const Vec& a) {
    if (d.getIdx() != a.getIdx()) vmovaps(d, a);
}

void Vocabulary::zero(const Vec& d) { xor_bits(d, d, d); }

void Vocabulary::broadcast_u32(const Vec& d, const Reg& a) {
    if (is_avx512()) return vpbroadcastd(d, a.cvt32());
    vmovd(quarter(d.getIdx()), a.cvt32());
    vpbroadcastd(d, quarter(d.getIdx()));
}

void Vocabulary::broadcast_u64(const Vec& d, const Reg& a) {
    if (is_avx512()) return vpbroadcastq(d, a);
    vmovq(quarter(d.getIdx()), a);
    vpbroadcastq(d, quarter(d.getIdx()));
}

// k7 = the lowest `count` bits, one per byte.
void Vocabulary::insert_piece(const Vec& d, const Vec& a, const Operand& piece, int bytes,
                              int position) {
    const auto at = static_cast<uint8_t>(position);
    if (bytes == 32) return vinserti64x4(Xbyak::Zmm(d.getIdx()), Xbyak::Zmm(a.getIdx()), piece, at);
    is_avx512() ? vinserti32x4(d, a, piece, at) : vinserti128(d, a, piece, at);
}

void Vocabulary::store_piece(const Address& d, const Vec& a, int bytes, int position) {
    const auto at = static_cast<uint8_t>(position);
    if (bytes == 32) return vextracti64x4(d, Xbyak::Zmm(a.getIdx()), at);
    is_avx512() ? vextracti32x4(d, a, at) : vextracti128(d, a, at);
}

void Vocabulary::set_tail(const Tail& tail) {
    if (!is_avx512()) return;
    mov(tail.scratch, -1);
    bzhi(tail.scratch, tail.scratch, tail.count);
    kmovq(k7, tail.scratch);
}

void Vocabulary::load_tail(const Vec& d, const Reg& address, const Tail& tail) {
    if (is_avx512()) return vmovdqu8(d | k7 | T_z, ptr[address]);
    vpxor(d, d, d);
    vmovdqu(ptr[rsp - 32], d);
    copy_bytes(rsp - 32, address, tail);
    vmovdqu(d, ptr[rsp - 32]);
}

void Vocabulary::store_tail(const Reg& address, const Vec& a, const Tail& tail) {
    if (is_avx512()) return vmovdqu8(ptr[address] | k7, a);
    vmovdqu(ptr[rsp - 32], a);
    copy_bytes(address, rsp - 32, tail);
}

// Copies tail.count bytes, fewer than 32, in at most four steps of 16, 8, 4, 2 and 1: the bits of
// the count. All xmm registers may be in use, so 16 bytes are copied as two words of 8.
void Vocabulary::copy_bytes(const Xbyak::RegExp& d, const Xbyak::RegExp& s, const Tail& tail) {
    const Reg& at = tail.scratch;
    const Reg& word = tail.scratch2;
    xor_(at.cvt32(), at.cvt32());
    for (const int step : {16, 8, 4, 2, 1}) {
        Label skip;
        test(tail.count.cvt32(), step);
        jz(skip);
        switch (step) {
            case 16:
                mov(word, ptr[s + at]);
                mov(ptr[d + at], word);
                mov(word, ptr[s + at + 8]);
                mov(ptr[d + at + 8], word);
                break;
            case 8:
                mov(word, ptr[s + at]);
                mov(ptr[d + at], word);
                break;
            case 4:
                mov(word.cvt32(), ptr[s + at]);
                mov(ptr[d + at], word.cvt32());
                break;
            case 2:
                movzx(word.cvt32(), Xbyak::util::word[s + at]);
                mov(ptr[d + at], word.cvt16());
                break;
            default:
                movzx(word.cvt32(), Xbyak::util::byte[s + at]);
                mov(ptr[d + at], word.cvt8());
        }
        add(at, step);
        L(skip);
    }
}

// -- masks

void Vocabulary::clear_mask(const Mask& d) {
    if (is_avx512()) return kxorw(d.opmask, d.opmask, d.opmask);
    zero(d.vector);
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
    Label again, done;
    test(count.cvt32(), count.cvt32());
    jz(done);
    L(again);
    tzcnt(bit.cvt32(), count.cvt32());
    add(bit.cvt32(), first.cvt32());
    mov(ptr[to], bit.cvt32());
    add(to, 4);
    blsr(count.cvt32(), count.cvt32());
    jnz(again);
    L(done);
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

void Vocabulary::increment_masked_u64(const Vec& d, const Mask& mask, const Vec& a,
                                      const Vec& ones) {
    if (is_avx512()) {
        copy(d, a);
        return vpaddq(d | mask.opmask, d, ones);
    }
    vpsubq(d, a, mask.vector);
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
                             int element_bytes, const Vec& scratch) {
    const int index = scratch.getIdx();
    const Xbyak::Xmm x(index);
    const Xbyak::Ymm y(index);
    if (is_avx512()) {
        const int from = value.reg().getIdx();
        const Xbyak::Zmm z(index);
        switch (element_bytes) {
            case 1:
                vmovdqu8(x | mask.opmask | T_z, Xbyak::Xmm(from));
                return vmovdqu8(ptr[to], x);
            case 2:
                vmovdqu16(y | mask.opmask | T_z, Xbyak::Ymm(from));
                return vmovdqu16(ptr[to], y);
            case 4:
                vmovdqu32(z | mask.opmask | T_z, Xbyak::Zmm(from));
                return vmovdqu32(ptr[to], z);
            default:
                vmovdqu64(z | mask.opmask | T_z, Xbyak::Zmm(from));
                vmovdqu64(ptr[to], z);
                kshiftrw(mask.opmask, mask.opmask, 8);
                vmovdqu64(z | mask.opmask | T_z, Xbyak::Zmm(from));
                return vmovdqu64(ptr[to + 64], z);
        }
    }
    const Xbyak::Ymm m(mask.vector.getIdx());
    if (element_bytes == 4) {
        vpand(y, m, value);
        return vmovdqu(ptr[to], y);
    }
    if (element_bytes == 8) {
        vpmovsxdq(y, Xbyak::Xmm(m.getIdx()));
        vpand(y, y, value);
        vmovdqu(ptr[to], y);
        vextracti128(x, m, 1);
        vpmovsxdq(y, x);
        vpand(y, y, value);
        return vmovdqu(ptr[to + 32], y);
    }
    vextracti128(x, m, 1);
    vpackssdw(x, Xbyak::Xmm(m.getIdx()), x);
    if (element_bytes == 1) vpacksswb(x, x, x);
    vpand(x, x, value);
    element_bytes == 1 ? vmovq(ptr[to], x) : vmovdqu(ptr[to], x);
}

// -- logic

void Vocabulary::and_bits(const Vec& d, const Vec& a, const Operand& b) {
    is_avx512() ? vpandd(d, a, b) : vpand(d, a, b);
}

void Vocabulary::or_bits(const Vec& d, const Vec& a, const Operand& b) {
    is_avx512() ? vpord(d, a, b) : vpor(d, a, b);
}

void Vocabulary::xor_bits(const Vec& d, const Vec& a, const Operand& b) {
    is_avx512() ? vpxord(d, a, b) : vpxor(d, a, b);
}

void Vocabulary::xor_bits_u64(const Vec& d, const Vec& a, const Operand& b) {
    is_avx512() ? vpxorq(d, a, b) : vpxor(d, a, b);
}

void Vocabulary::xor3(const Vec& d, const Vec& a, const Operand& b) {
    if (is_avx512()) return vpternlogd(d, a, b, kXor);
    vpxor(d, d, a);
    vpxor(d, d, b);
}

void Vocabulary::select_bits(const Vec& d, const Operand& mask, const Address& b) {
    constexpr uint8_t kSelect = 0xE2;  // truth table of mask ? d : b
    if (is_avx512()) return vpternlogd(d, static_cast<const Vec&>(mask), b, kSelect);
    vpxor(d, d, b);
    vpand(d, d, mask);
    vpxor(d, d, b);
}

void Vocabulary::xor_masked(const Vec& d, const Vec& a, const Operand& mask) {
    constexpr uint8_t kXorMasked = 0x78;  // truth table of d ^ (a & mask)
    if (is_avx512()) return vpternlogd(d, a, mask, kXorMasked);
    vpand(a, a, mask);
    vpxor(d, d, a);
}

void Vocabulary::xor_then_mask(const Vec& d, const Vec& a, const Operand& mask) {
    constexpr uint8_t kXorThenMask = 0x28;  // truth table of (d ^ a) & mask
    if (is_avx512()) return vpternlogd(d, a, mask, kXorThenMask);
    vpxor(d, d, a);
    vpand(d, d, mask);
}

// AVX2 compares as signed: a < b, unsigned, is a - 2^63 < b - 2^63.
void Vocabulary::min_with_difference_u64(const Vec& d, const Vec& a, const Operand& b,
                                         const Vec& scratch, const Vec& scratch2) {
    if (is_avx512()) {
        vpsubq(scratch, a, b);
        return vpminuq(d, a, scratch);
    }
    load(scratch2, vector_u64(uint64_t{1} << 63));
    vpxor(scratch, a, scratch2);
    vpxor(scratch2, scratch2, b);
    vpcmpgtq(scratch, scratch2, scratch);  // where a < b, a - b wraps
    vpandn(scratch, scratch, b);
    vpsubq(d, a, scratch);
}

void Vocabulary::widen_u32(const Vec& d, const Vec& a, bool upper) {
    if (!upper) return vpmovzxdq(d, half(a.getIdx()));
    const Half part = half(d.getIdx());
    is_avx512() ? vextracti64x4(part, Xbyak::Zmm(a.getIdx()), 1) : vextracti128(part, a, 1);
    vpmovzxdq(d, part);
}

void Vocabulary::store_low_u32(const Address& d, const Vec& a, const Vec& scratch) {
    const int from = a.getIdx();
    if (is_avx512()) return vpmovqd(d, Xbyak::Zmm(from));
    const Xbyak::Xmm upper = quarter(scratch.getIdx());
    vextracti128(upper, Xbyak::Ymm(from), 1);
    vshufps(upper, Xbyak::Xmm(from), upper, 0x88);
    vmovdqu(d, upper);
}

void Vocabulary::store_sum_u64(const Address& d, int a, int scratch) {
    const Xbyak::Ymm half(a), upper(scratch);
    const Xbyak::Xmm low(a), next(scratch);
    if (is_avx512()) {
        vextracti64x4(upper, Xbyak::Zmm(a), 1);
        vpaddq(half, half, upper);
    }
    vextracti128(next, half, 1);
    vpaddq(low, low, next);
    vpunpckhqdq(next, low, low);
    vpaddq(low, low, next);
    vmovq(d, low);
}

void Vocabulary::join_halves(const Vec& d, const Half& low, const Half& high) {
    const int to = d.getIdx(), from = low.getIdx(), upper = high.getIdx();
    is_avx512() ? vinsertf64x4(Xbyak::Zmm(to), Xbyak::Zmm(from), Xbyak::Ymm(upper), 1)
                : vinsertf128(Xbyak::Ymm(to), Xbyak::Ymm(from), Xbyak::Xmm(upper), 1);
}

void Vocabulary::set_zip_u64(const ZipOrder& order) {
    if (!is_avx512()) return;
    constexpr uint64_t kFirst[] = {0, 8, 1, 9, 2, 10, 3, 11};
    constexpr uint64_t kSecond[] = {4, 12, 5, 13, 6, 14, 7, 15};
    load(order.first, vector_table(kFirst));
    load(order.second, vector_table(kSecond));
}

// AVX2:  even 0 2 | 4 6, odd 1 3 | 5 7 -> unpack 0 1 | 4 5 and 2 3 | 6 7 -> 0 1 2 3 and 4 5 6 7.
void Vocabulary::zip_u64(const Vec& first, const Vec& second, const Vec& even, const Vec& odd,
                         const ZipOrder& order, const Vec& scratch) {
    if (is_avx512()) {
        copy(first, order.first);
        copy(second, order.second);
        vpermi2q(first, even, odd);
        return vpermi2q(second, even, odd);
    }
    vpunpcklqdq(scratch, even, odd);
    vpunpckhqdq(odd, even, odd);
    vperm2i128(first, scratch, odd, 0x20);
    vperm2i128(second, scratch, odd, 0x31);
}

void Vocabulary::deal_32_bytes(const Vec& even, const Vec& odd, const Vec& a, const Vec& b) {
    if (is_avx512()) {
        vshuff64x2(even, a, b, 0x44);
        return vshuff64x2(odd, a, b, 0xEE);
    }
    copy(even, a);
    copy(odd, b);
}

void Vocabulary::narrow_u32(const Half& d, const Vec& a) {
    if (is_avx512()) return vpmovdw(d, a);
    vpackusdw(a, a, a);
    vpermq(Vec(d.getIdx()), a, 0x08);
}

void Vocabulary::narrow_u64(const Half& d, const Vec& a) {
    if (is_avx512()) return vpmovqd(d, a);
    vpshufd(a, a, 0x88);
    vpermq(Vec(d.getIdx()), a, 0x08);
}

void Vocabulary::xor3_u64(const Vec& d, const Vec& a, const Operand& b) {
    if (is_avx512()) return vpternlogq(d, a, b, kXor);
    vpxor(d, d, a);
    vpxor(d, d, b);
}

void Vocabulary::and_or(const Vec& d, const Operand& mask, const Operand& value) {
    if (is_avx512()) return vpternlogd(d, static_cast<const Vec&>(mask), value, kAndOr);
    vpand(d, d, mask);
    vpor(d, d, value);
}

void Vocabulary::set_odd_lanes(const Reg& scratch) {
    if (!is_avx512()) return;
    mov(scratch.cvt32(), 0xAAAA);
    kmovd(k6, scratch.cvt32());
}

void Vocabulary::blend_odd_u32(const Vec& d, const Vec& even, const Vec& odd) {
    is_avx512() ? vpblendmd(d | k6, even, odd) : vpblendd(d, even, odd, 0xAA);
}

void Vocabulary::interleave_high_u16(const Vec& d, const Vec& a, const Vec& b) {
    vpsrld(d, a, 16);
    is_avx512() ? vpternlogd(d, b, vector_u32(0xFFFF0000), kOrAnd) : vpblendw(d, d, b, 0xAA);
}

void Vocabulary::interleave_low_u16(const Vec& d, const Vec& a, const Vec& b) {
    vpslld(d, b, 16);
    is_avx512() ? vpternlogd(d, a, vector_u32(0x0000FFFF), kOrAnd) : vpblendw(d, d, a, 0x55);
}

// a * b = al * bl + ((al * bh + ah * bl) << 32) modulo 2^64
void Vocabulary::mul_lo_u64(const Vec& d, const Vec& a, const Operand& b, const Operand& b_high,
                            const Vec& scratch, const Vec& scratch2) {
    if (is_avx512()) return vpmullq(d, a, b);
    vpsrlq(scratch, a, 32);
    vpmuludq(scratch, scratch, b);
    vpmuludq(scratch2, a, b_high);
    vpaddq(scratch, scratch, scratch2);
    vpsllq(scratch, scratch, 32);
    vpmuludq(d, a, b);
    vpaddq(d, d, scratch);
}

// Nearest even: add half of a unit in the last place, less one when the kept bit is even, and
// truncate.
//   d = (a + 7FFF + (a >> 16 & 1)) >> 16
void Vocabulary::round_f32_to_bf16_high(const Vec& d, const Vec& a, const Vec& scratch) {
    vpsrld(scratch, a, 16);
    and_bits(scratch, scratch, vector_u32(1));
    vpaddd(scratch, scratch, vector_u32(0x7FFF));
    vpaddd(d, a, scratch);
}

void Vocabulary::round_f32_to_bf16(const Vec& d, const Vec& a, const Vec& scratch) {
    round_f32_to_bf16_high(d, a, scratch);
    vpsrld(d, d, 16);
}

// 2^84 + 2^32 high and 2^52 + low are f64 numbers with those words as their last bits. The integer
// is the first, less 2^84 + 2^52, plus the second, and each step is exact.
void Vocabulary::cvt_swapped_u53_to_f64(const Vec& d, const Vec& a, const Vec& scratch) {
    if (is_avx512()) {
        swap_words_u64(d, a);
        return vcvtuqq2pd(d, d);
    }
    vpsrlq(scratch, a, 32);
    vpor(scratch, scratch, vector_f64(0x1p52));
    vpblendd(d, a, vector_f64(0x1p84), 0xAA);
    vsubpd(d, d, vector_f64(0x1p84 + 0x1p52));
    vaddpd(d, d, scratch);
}

}  // namespace tombola::impl::cpu::x64
