// SPDX-License-Identifier: Apache-2.0

// The operations of the vocabulary that move, round and convert lanes.

#include <cassert>

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Truth table of vpternlogd.
constexpr uint8_t kOrAnd = 0xF8;  // d | (a & b)

}  // namespace

Vocabulary::Half Vocabulary::half_of(const Vec& a, bool upper, const Vec& scratch) {
    if (!upper) return half(a.getIdx());
    const Half part = half(scratch.getIdx());
    is_avx512() ? vextracti64x4(part, Xbyak::Zmm(a.getIdx()), 1) : vextracti128(part, a, 1);
    return part;
}

void Vocabulary::widen_u16(const Vec& d, const Vec& a, bool upper) {
    vpmovzxwd(d, half_of(a, upper, d));
}

void Vocabulary::widen_u32(const Vec& d, const Vec& a, bool upper) {
    vpmovzxdq(d, half_of(a, upper, d));
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

void Vocabulary::lookup_f32(const Vec& d, const Vec& a, const Held (&table)[2]) {
    if (!is_avx512()) return vpermps(d, a, table[0]);
    vmovaps(d, a);
    vpermi2ps(d, table[0].reg(), table[1]);
}

void Vocabulary::store_sums_f32(const Address& d, const std::array<Vec, 4>& sums, int scratch) {
    vaddps(sums[0], sums[0], sums[1]);
    vaddps(sums[2], sums[2], sums[3]);
    vaddps(sums[0], sums[0], sums[2]);
    const int a = sums[0].getIdx();
    const Xbyak::Ymm half(a), upper(scratch);
    const Xbyak::Xmm low(a), next(scratch);
    if (is_avx512()) {
        vextractf64x4(upper, Xbyak::Zmm(a), 1);
        vcvtps2pd(Xbyak::Zmm(scratch), upper);
        vcvtps2pd(Xbyak::Zmm(a), half);
        vaddpd(Xbyak::Zmm(a), Xbyak::Zmm(a), Xbyak::Zmm(scratch));
        vextractf64x4(upper, Xbyak::Zmm(a), 1);
    } else {
        vextractf128(next, half, 1);
        vcvtps2pd(upper, next);
        vcvtps2pd(half, low);
    }
    vaddpd(half, half, upper);
    vextractf128(next, half, 1);
    vaddpd(low, low, next);
    vunpckhpd(next, low, low);
    vaddsd(low, low, next);
    vmovsd(d, low);
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

// AVX2: the sum, rounded to nearest, lies between b and 2b, so sum - b is exact. If it is greater than a, the sum was
// rounded up, and the next smaller number is the result.
void Vocabulary::add_toward_zero_f32(const Vec& d, const Vec& a, const Vec& b, const Vec& scratch) {
    constexpr uint8_t kLessThan = 1;  // Intel SDM, CMPPS: LT_OS
    if (is_avx512()) return vaddps(d | T_rz_sae, a, b);
    vaddps(d, a, b);
    vsubps(scratch, d, b);
    vcmpps(scratch, a, scratch, kLessThan);
    vpaddd(d, d, scratch);
}

// Nearest even: add half of a unit in the last place of bf16, less one if the lowest bit that is kept is 0. The high
// half of the sum is the bf16.
//   d = a + 7FFF + (a >> 16 & 1)
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

// After Veltkamp (Dekker, Numerische Mathematik 18, 1971). With s = 24 - digits, the difference
//   g = 2^s x - x
// is rounded at the last digit of x that is wanted, and 2^s x - g is exact. Ties go to even: in a tie, 2^s x is an even number of units of
// g's last digit. If g is below the power of two of 2^s x, x is so near to a power of two that it rounds to it. With 2^s x + x, as Veltkamp
// has it, some x slightly below a power of two would be rounded wrongly.
void Vocabulary::round_f32_to_digits(const Vec& x, const Vec& scratch, int digits) {
    assert(digits <= 11);
    const auto scale = static_cast<float>(1 << (24 - digits));
    vmulps(scratch, x, vector_f32(scale - 1));
    vfmsub132ps(x, scratch, vector_f32(scale));
}

// The f64 numbers 2^84 + 2^32 * high and 2^52 + low have the words high and low as their last bits. The integer is
// the first number, less 2^84 + 2^52, plus the second. Each step is exact.
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
