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
constexpr uint8_t kAnd = 0x80;  // d & a & b
constexpr uint8_t kXor = 0x96;  // d ^ a ^ b

// A table with `value` in every lane. It is as long as the widest register; narrower ISAs use the beginning.
template <class T>
std::array<uint8_t, kMaxVecBytes> repeat(T value) {
    std::array<uint8_t, kMaxVecBytes> table;
    for (size_t at = 0; at < table.size(); at += sizeof value)
        std::memcpy(table.data() + at, &value, sizeof value);
    return table;
}

}  // namespace

Vocabulary::Vocabulary(CpuIsa isa, const std::string& name, size_t max_code_bytes)
    : JitKernel(name + "." + name_of(isa), max_code_bytes), isa_(isa) {
    assert(isa != CpuIsa::none);
}

Vocabulary::Half Vocabulary::half(int index) const {
    assert(0 <= index && index < registers());
    return is_avx512() ? Half(index) : Half(index, Operand::XMM, 128);
}

Vocabulary::Vec Vocabulary::part(int index, int bytes) const {
    assert(0 <= index && index < registers() && bytes <= this->bytes());
    const int size = bytes <= 16 ? 16 : bytes;
    const auto kind = size == 16 ? Operand::XMM : size == 32 ? Operand::YMM : Operand::ZMM;
    return Vec(index, kind, 8 * size);
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

Vocabulary::Held Vocabulary::hold_in(int index, const Address& value) {
    if (!is_avx512()) return {vec(0), value, false};
    load(vec(index), value);
    return {vec(index), value, true};
}

Vocabulary::Held Vocabulary::hold_u32(int index, uint32_t value) {
    return hold_in(index, vector_u32(value));
}

Vocabulary::Held Vocabulary::hold_u64(int index, uint64_t value) {
    return hold_in(index, vector_u64(value));
}

Vocabulary::Held Vocabulary::hold_elements(int index, uint64_t value, int element_bytes) {
    for (int bits = 8 * element_bytes; bits < 64; bits *= 2) value |= value << bits;
    return hold_u64(index, value);
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

void Vocabulary::take_words_u32(const Vec& d, const Vec& low, const Vec& high, int first) {
    assert(takes_words());
    valignd(d, high, low, static_cast<uint8_t>(first));
}

void Vocabulary::load_half_twice(const Vec& d, const Address& a) {
    is_avx512() ? vbroadcasti64x4(Xbyak::Zmm(d.getIdx()), a) : vbroadcasti128(d, a);
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

void Vocabulary::load_part(int d, const Address& a, int bytes) {
    const Vec to = part(d, bytes);
    if (bytes == 4) return vmovd(to, a);
    bytes == 8 ? vmovq(to, a) : vmovups(to, a);
}

void Vocabulary::store_part(const Address& d, int a, int bytes) {
    const Vec from = part(a, bytes);
    if (bytes == 4) return vmovd(d, from);
    bytes == 8 ? vmovq(d, from) : vmovups(d, from);
}

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

// k7 = the lowest `count` bits, one per byte.
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

// Copies tail.count bytes, fewer than 32: for each bit of the count, a step of 16, 8, 4, 2 or 1 bytes. All xmm
// registers may be in use, so 16 bytes are copied as two words of 8.
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
    vpxor(a, a, b);
    vpxor(d, d, a);
}

void Vocabulary::and3(const Vec& d, const Vec& a, const Vec& b) {
    if (is_avx512()) return vpternlogd(d, a, b, kAnd);
    vpand(d, d, a);
    vpand(d, d, b);
}

void Vocabulary::select_bits(const Vec& d, const Operand& mask, const Operand& b) {
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

void Vocabulary::xor3_odd_u32(const Vec& d, const Vec& a, const Operand& b) {
    vpternlogd(d | k6, a, b, kXor);
}

void Vocabulary::and_or(const Vec& d, const Operand& mask, const Operand& value) {
    if (is_avx512()) return vpternlogd(d, static_cast<const Vec&>(mask), value, kAndOr);
    vpand(d, d, mask);
    vpor(d, d, value);
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

}  // namespace tombola::impl::cpu::x64
