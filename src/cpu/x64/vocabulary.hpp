// SPDX-License-Identifier: Apache-2.0
#pragma once

// The named operations that kernels are written in, and the only code that branches on the ISA. A
// kernel is a class derived from Vocabulary; it is written once and generated for whichever ISA its
// key says.
//
// vec(i) is register i at the full width of the ISA: a Ymm of 32 bytes, or a Zmm of 64.
// Instructions that are spelt alike at both widths (vpaddd, vpmuludq, vpsrlq by a constant,
// vpshufd, vpunpckldq, vmulps ...) are used as they are; an operation stands here when the ISAs
// differ in spelling, in registers or in steps.
//
// In comments, d is the destination, and "lane" an element of the type that the name ends in.
// Unless a comment says otherwise, sources and destination may be the same register.
//
// Mask registers that the vocabulary claims: k7 by set_tail(), k6 by set_odd_lanes().

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/cpu_isa.hpp"
#include "cpu/x64/jit_base.hpp"
#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {

class Vocabulary : public JitKernel {
  protected:
    using Vec = Xbyak::Ymm;   // of either width; the object's kind says which
    using Half = Xbyak::Ymm;  // half a Vec: an Xmm or a Ymm by its kind
    using Reg = Xbyak::Reg64;
    using Address = Xbyak::Address;
    using Label = Xbyak::Label;

    Vocabulary(CpuIsa isa, const std::string& name, size_t max_code_bytes = kDefaultCodeBytes);

    CpuIsa isa() const { return isa_; }
    bool is_avx512() const { return isa_ >= CpuIsa::avx512_core; }

    // -- shape
    Vec vec(int index) const;
    Half half(int index) const;                                        // the low half of vec(index)
    Xbyak::Xmm quarter(int index) const { return Xbyak::Xmm(index); }  // its low 16 bytes
    int bytes() const { return shape_of(isa_).bytes; }
    int lanes(int element_bytes) const { return bytes() / element_bytes; }
    int registers() const { return shape_of(isa_).registers; }  // 16 or 32
    bool has_masks() const { return shape_of(isa_).masks; }

    // -- constants
    // Memory operands of the full width: every lane is `value`.
    Address vector_u16(uint16_t value);
    Address vector_u32(uint32_t value);
    Address vector_u64(uint64_t value);
    Address vector_f32(float value);
    Address vector_f64(double value);
    // A memory operand of the full width from a table of bytes() bytes.
    Address vector_table(const void* table) {
        return constant(table, static_cast<size_t>(bytes()), 64);
    }

    // A constant in every lane. AVX-512 has 32 registers and keeps it in one of them. AVX2 reads it from memory.
    // hold_u32() emits the load of the register.
    class Held {
      public:
        Held() = default;
        Held(const Vec& reg, const Address& memory, bool in_register)
            : register_(reg), memory_(memory), in_register_(in_register) {}
        operator const Xbyak::Operand&() const {
            if (in_register_) return register_;
            return *memory_;
        }
        // The register, for an operand that must be one. Call it only where the constant is known to be in a register.
        const Vec& reg() const {
            assert(in_register_);
            return register_;
        }

      private:
        Vec register_;
        std::optional<Address> memory_;
        bool in_register_ = false;
    };
    bool holds_constants() const { return registers() == 32; }  // in registers
    Held hold_u32(int index, uint32_t value);
    Held hold_u64(int index, uint64_t value);
    // The same for a kernel with so many constants that the registers may not suffice. Constants take the registers
    // from vec(registers() - 1) down to vec(lowest), in the order of the calls. Later constants stay in memory.
    void set_held_range(int lowest);
    Vec take_held();  // a register of that range for a value that the kernel loads itself
    Held hold(const Address& value);  // a memory operand of the full width

    // -- run-time values as operands
    // An operand of which every lane is the value at [base + offset], for instructions whose EVEX form
    // can broadcast lanes of that width (arithmetic and logic can, shuffles cannot). AVX-512 broadcasts within the
    // instruction, so `base` must not change. AVX2 broadcasts once, here, and keeps the vector in the frame at rsp +
    // slot * 32; scratch is overwritten.
    class Spread {
      public:
        Spread() = default;
        explicit Spread(const Address& address) : address_(address) {}
        operator const Xbyak::Operand&() const { return *address_; }

      private:
        std::optional<Address> address_;
    };
    Spread spread_u32(const Reg& base, size_t offset, int slot, const Vec& scratch);
    Spread spread_u64(const Reg& base, size_t offset, int slot, const Vec& scratch);
    // The number of bytes that `slots` of them take in the frame.
    int spread_bytes(int slots) const { return is_avx512() ? 0 : slots * bytes(); }

    // -- moves
    void copy(const Vec& d, const Vec& a);
    void zero(const Vec& d);
    void broadcast_u32(const Vec& d, const Address& a) { vpbroadcastd(d, a); }
    void broadcast_u64(const Vec& d, const Address& a) { vpbroadcastq(d, a); }
    void broadcast_u32(const Vec& d, const Reg& a);
    void broadcast_u64(const Vec& d, const Reg& a);
    void load(const Vec& d, const Address& a) { vmovups(d, a); }
    void store(const Address& d, const Vec& a) { vmovups(d, a); }
    // The store bypasses the caches. d is aligned to bytes(). A kernel that uses it ends with store_fence(), or its caller does.
    void store_streaming(const Address& d, const Vec& a) { vmovntps(d, a); }
    void store_fence() { sfence(); }
    // Pieces of 16 or 32 bytes at `position`, counted in pieces: d = a with another piece there; d = the piece of a.
    void insert_piece(const Vec& d, const Vec& a, const Xbyak::Operand& piece, int bytes,
                      int position);
    void store_piece(const Address& d, const Vec& a, int bytes, int position);

    // -- tails: the first `count` bytes of a vector, 0 <= count < bytes(), known at run time
    // No byte beyond them is read or written. Call set_tail() once. Then any number of loads and stores may follow, as
    // long as `count` and k7 do not change. None of the three changes `count`; each overwrites `scratch`. AVX2 goes
    // through the red zone, 32 bytes below rsp.
    struct Tail {
        Reg count;
        Reg scratch;
        Reg scratch2;
    };
    void set_tail(const Tail& tail);
    void load_tail(const Vec& d, const Reg& address,
                   const Tail& tail);  // the lanes beyond are zero
    void store_tail(const Reg& address, const Vec& a, const Tail& tail);

    // -- masks: one truth value per lane
    // AVX-512 keeps a mask in an opmask, AVX2 in a vector whose lanes are all ones or all zeros. A kernel names a
    // register for each.
    struct Mask {
        Xbyak::Opmask opmask;
        Vec vector;
    };
    // Predicates of floating-point comparisons, quiet: Intel SDM, table "Comparison Predicate for CMPPD".
    static constexpr int kLess = 0x11, kUnordered = 0x03, kNotGreaterEqual = 0x19,
                         kGreaterEqual = 0x1D;
    void clear_mask(const Mask& d);
    void or_masks(const Mask& d, const Mask& a, const Mask& b);
    void compare_f32(const Mask& d, const Vec& a, const Xbyak::Operand& b, int predicate);
    void compare_f64(const Mask& d, const Vec& a, const Xbyak::Operand& b, int predicate);
    // d = a > b, signed.
    void compare_greater_s32(const Mask& d, const Vec& a, const Xbyak::Operand& b);
    void compare_greater_s64(const Mask& d, const Vec& a, const Xbyak::Operand& b);
    // The zero flag is set when neither mask is set in any lane. scratch is overwritten.
    void test_either(const Mask& a, const Mask& b, const Vec& scratch);
    // d becomes nonzero if and only if the mask is set in a lane. For masks of u32 or u64 lanes.
    void mask_to_reg(const Reg& d, const Mask& mask);
    // Appends first + i for each u32 lane i of the mask, in order, to the u32 array at `to`, and advances `to` behind the
    // last of them. bytes() bytes from `to` on may be overwritten. `count` and `bit` are overwritten, and so is scratch.
    void append_lanes_u32(const Reg& to, const Mask& mask, const Reg& first, const Reg& count,
                          const Reg& bit, const Vec& scratch);
    // d: a mask of u32 lanes, from two masks of u64 lanes. d is neither.
    void join_masks(const Mask& d, const Mask& low, const Mask& high);
    // Stores lanes(4) elements of 1, 2, 4 or 8 bytes: `value`, which holds an element in each of its lanes, where the mask of u32
    // lanes is set, otherwise 0. AVX-512: value is a register. scratch and, with 8 bytes, the mask are overwritten.
    void store_where(const Xbyak::RegExp& to, const Mask& mask, const Held& value,
                     int element_bytes, const Vec& scratch);
    // d = (d & bits) | value in the lanes of the mask, 0 in the others. AVX-512: bits is a register.
    void and_or_masked_u32(const Vec& d, const Mask& mask, const Held& bits, const Held& value);
    void and_or_masked_u64(const Vec& d, const Mask& mask, const Held& bits, const Held& value);
    // d = the greater of a and b in the lanes of the mask, 0 in the others; what a and b are there does not matter.
    void max_masked_f32(const Vec& d, const Mask& mask, const Vec& a, const Vec& b);
    // d = a + 1 in the lanes of the mask, a in the others. `ones` is 1 in each u64 lane.
    void increment_masked_u64(const Vec& d, const Mask& mask, const Vec& a, const Vec& ones);

    // d = a >= b, unsigned, in lanes of 8, 16 or 32 bits. b is a register. AVX2: d may be a.
    void compare_not_below(const Mask& d, const Vec& a, const Vec& b, int lane_bits);
    // d, in the lanes of the mask, becomes a (select) or d | value (or), in lanes of 32 bits. AVX2 overwrites the mask
    // of the second.
    void select_masked_u32(const Vec& d, const Mask& mask, const Vec& a);
    void select_masked_u64(const Vec& d, const Mask& mask, const Vec& a);  // of 64 bits
    void or_masked_u32(const Vec& d, const Mask& mask, const Address& value);
    // d = value in the lanes of the mask, 0 in the others.
    void copy_masked_u32(const Vec& d, const Mask& mask, const Held& value);
    // d = d + a in the lanes of the mask, in lanes of 32 bits. AVX2 overwrites the mask.
    void add_masked_u32(const Vec& d, const Mask& mask, const Vec& a);
    // d = the smaller of d and value in the lanes of the mask. scratch is another register.
    void min_masked_f32(const Vec& d, const Mask& mask, const Held& value, const Vec& scratch);
    // The lanes of the mask at the address, of 16 or 32 bits; the other lanes are zero.
    void load_masked(const Vec& d, const Mask& mask, const Address& a, int lane_bits);
    // d = factor * the f32 at the address, in the lanes of the mask; the other lanes are zero.
    void mul_masked_f32(const Vec& d, const Mask& mask, const Vec& factor, const Address& a);
    // Part `index` of `parts`, 2 or 4, of a mask of `lane_bits` as a mask of lanes that are `parts` times as wide. It is
    // `a` itself or in `scratch`, which is not `a`.
    Mask part_of_mask(const Mask& scratch, const Mask& a, int lane_bits, int parts, int index);
    // d = the lanes of 32 bits of a, then those of b, as a mask of lanes of 16 bits.
    void join_masks_u32(const Mask& d, const Mask& a, const Mask& b);
    // Stores a mask as a bit per lane, the lowest lane first, or as a byte of 0 or 1 per lane. For lanes of 8, 16 or 32
    // bits. The scratches are overwritten.
    void store_mask_bits(const Xbyak::RegExp& d, const Mask& mask, int lane_bits,
                         const Vec& scratch, const Reg& scratch_reg);
    void store_mask_bytes(const Xbyak::RegExp& d, const Mask& mask, int lane_bits,
                          const Vec& scratch);
    // Loads such a mask, for lanes of 16 or 32 bits. Any byte but 0 sets a lane.
    void load_mask_bits(const Mask& d, const Xbyak::RegExp& a, int lane_bits);
    void load_mask_bytes(const Mask& d, const Xbyak::RegExp& a, int lane_bits, const Vec& scratch);
    // Exchanges a and b in the lanes where the highest bit of `sign` is set. scratch is none of them. AVX-512 overwrites k1.
    void swap_by_sign_u32(const Vec& a, const Vec& b, const Vec& sign, const Vec& scratch);
    void swap_by_sign_u64(const Vec& a, const Vec& b, const Vec& sign, const Vec& scratch);

    // -- gathers: a lane's element is the u32 or u64 at base + index * its size
    // `consumed` is overwritten.
    // d = the u32 elements, as u64 lanes, at the u64 lanes of a.
    void gather_u32_as_u64(const Vec& d, const Reg& base, const Vec& a, const Mask& consumed);
    // d = the u64 elements at the u64 lanes of a.
    void gather_u64(const Vec& d, const Reg& base, const Vec& a, const Mask& consumed);
    // The same in the lanes of the mask; d keeps its others.
    void gather_masked_u64(const Vec& d, const Reg& base, const Vec& a, const Mask& mask,
                           const Mask& consumed);

    // -- logic
    void and_bits(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    void or_bits(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    void xor_bits(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    // The same; for a b that spread_u64() gave.
    void xor_bits_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    // d = d ^ a ^ b: one instruction on AVX-512.
    void xor3(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    void xor3_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b);  // b from spread_u64()
    // d = (d & mask) | value: one instruction on AVX-512, where mask is a register.
    void and_or(const Vec& d, const Xbyak::Operand& mask, const Xbyak::Operand& value);

    // d = (d & mask) | (b & ~mask), bit by bit.
    void select_bits(const Vec& d, const Xbyak::Operand& mask, const Address& b);
    // d = d ^ (a & mask). AVX2 overwrites a.
    void xor_masked(const Vec& d, const Vec& a, const Xbyak::Operand& mask);
    // d = (d ^ a) & mask.
    void xor_then_mask(const Vec& d, const Vec& a, const Xbyak::Operand& mask);

    // -- integers
    // d = a * b, 64 bits, of the low words of each u64 lane.
    void mul_u32_wide(const Vec& d, const Vec& a, const Xbyak::Operand& b) { vpmuludq(d, a, b); }
    // Swaps the words of each u64 lane: a rotation by 32.
    void swap_words_u64(const Vec& d, const Vec& a) { vpshufd(d, a, 0xB1); }
    // For blend_odd_u32(): k6 on AVX-512, nothing on AVX2.
    void set_odd_lanes(const Reg& scratch);
    // Even words of d from `even`, odd words from `odd`.
    void blend_odd_u32(const Vec& d, const Vec& even, const Vec& odd);
    // The halves of u32 lanes, interleaved as u16 lanes.
    // d = (a >> 16) | (b & FFFF0000). d is not b.
    void interleave_high_u16(const Vec& d, const Vec& a, const Vec& b);
    // d = (a & FFFF) | (b << 16). d is not a.
    void interleave_low_u16(const Vec& d, const Vec& a, const Vec& b);
    // d = the low 64 bits of a * b in each u64 lane. b_high holds b >> 32 in each lane. d is neither source;
    // both scratches differ from all other registers; AVX-512 does not change them.
    void mul_lo_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b,
                    const Xbyak::Operand& b_high, const Vec& scratch, const Vec& scratch2);

    // d = the smaller of a and a - b modulo 2^64, unsigned. scratch and scratch2 are not sources.
    void min_with_difference_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b,
                                 const Vec& scratch, const Vec& scratch2);
    // d = the lower or upper half of a's u32 lanes, as u64. The upper: d is not a.
    void widen_u32(const Vec& d, const Vec& a, bool upper);
    // Stores the low words of the u64 lanes of `a` contiguously: bytes() / 2 bytes. scratch is overwritten.
    void store_low_u32(const Address& d, const Vec& a, const Vec& scratch);
    // The sum of the u64 lanes of vec(a), modulo 2^64, stored at d. vec(a) and vec(scratch) are overwritten.
    void store_sum_u64(const Address& d, int a, int scratch);
    // d: half registers joined. d may be low.
    void join_halves(const Vec& d, const Half& low, const Half& high);
    // The u64 lanes of even and odd, alternating: even 0, odd 0, even 1, ...: the lower half into first, the upper half
    // into second. Call set_zip_u64() once before. AVX-512 keeps its two tables in the vectors of `order`. AVX2
    // overwrites odd and scratch. first and second are no sources.
    struct ZipOrder {
        Vec first, second;
    };
    void set_zip_u64(const ZipOrder& order);
    void zip_u64(const Vec& first, const Vec& second, const Vec& even, const Vec& odd,
                 const ZipOrder& order, const Vec& scratch);
    // d = the lower or upper half of a's u16 lanes, as u32. The upper: d is not a.
    void widen_u16(const Vec& d, const Vec& a, bool upper);
    // Of the units of 32 bytes of a and then b: the even ones into `even`, the odd ones into `odd`. AVX2: a and b themselves.
    // even and odd are no sources. The operation is its own inverse.
    void deal_32_bytes(const Vec& even, const Vec& odd, const Vec& a, const Vec& b);
    // d, half a register: a's u32 lanes, each below 65536, as u16; a's u64 lanes as u32. AVX2
    // overwrites a.
    void narrow_u32(const Half& d, const Vec& a);
    void narrow_u64(const Half& d, const Vec& a);

    // -- conversions
    // d = floor(a * 2^bits) + bias, modulo 2^32, in lanes of 32 bits, for 0 <= a < 1 and 0 <= bits <= 23. AVX-512 adds a
    // power of two, rounding towards zero: the bits of the sum are what is wanted, and those of the power.
    struct FixedPoint {
        float operand;  // cvt_to_fixed_point() wants it in every lane
        uint32_t bias;
    };
    static FixedPoint fixed_point(CpuIsa isa, int bits);
    void cvt_to_fixed_point(const Vec& d, const Vec& a, const Vec& operand);
    // f32 to f16, nearest even; d is the low half of a register.
    void cvt_f32_to_f16(const Half& d, const Vec& a) { vcvtps2ph(d, a, 0); }
    void cvt_f16_to_f32(const Vec& d, const Half& a) { vcvtph2ps(d, a); }
    // The same, towards zero: a finite number becomes no infinite one.
    void cvt_f32_to_f16_toward_zero(const Half& d, const Vec& a) { vcvtps2ph(d, a, 3); }
    // d = a + b towards zero, for b = 0, or 0 <= a < b and b a power of two. Any a + 0 is a. d and scratch are no sources.
    void add_toward_zero_f32(const Vec& d, const Vec& a, const Vec& b, const Vec& scratch);
    // f32 to bf16, nearest even. Does not handle NaN. scratch is neither d nor a.
    // In the high half of each u32 lane; the low one holds junk.
    void round_f32_to_bf16_high(const Vec& d, const Vec& a, const Vec& scratch);
    // In the low half of each u32 lane, the high one zero.
    void round_f32_to_bf16(const Vec& d, const Vec& a, const Vec& scratch);
    // d = d * factor in lanes of f16 or bf16: one product in f32, rounded to the type, nearest even. f16: every value;
    // bf16: the product of a NaN is that NaN, quiet. factor: f32 lanes, neither NaN, zero nor infinite. The scratches
    // are neither d nor factor.
    void mul_f16_by_f32(const Vec& d, const Vec& factor, const Vec& scratch, const Vec& scratch2);
    void mul_bf16_by_f32(const Vec& d, const Vec& factor, const Vec& scratch, const Vec& scratch2);
    // d = f64 of the integers (low word << 32 | high word) of a's u64 lanes, below 2^53: exact.
    // scratch is neither d nor a.
    void cvt_swapped_u53_to_f64(const Vec& d, const Vec& a, const Vec& scratch);

  private:
    void copy_bytes(const Xbyak::RegExp& d, const Xbyak::RegExp& s, const Tail& tail);

    // Packs a mask of AVX2 into a byte of 0 or 255 per lane, from the lowest byte of d on.
    void pack_mask(const Vec& d, const Vec& mask, int lane_bits);

    CpuIsa isa_;
    int next_held_ = -1;  // the register of the next constant
    int lowest_held_ = 0;
};

}  // namespace tombola::impl::cpu::x64
