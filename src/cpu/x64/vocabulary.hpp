// SPDX-License-Identifier: Apache-2.0
#pragma once

// The named operations that kernels are written in. Only the vocabulary branches on the ISA. A kernel is a class
// derived from Vocabulary. It is written once and generated for the ISA in its key.
//
// vec(i) is register i at the full width of the ISA: a Ymm of 32 bytes, or a Zmm of 64.
// Kernels call an instruction directly if it is spelt alike at both widths (vpaddd, vpmuludq, vpsrlq by a constant,
// vpshufd, vpunpckldq, vmulps ...). The vocabulary has an operation where the ISAs differ in spelling, in registers
// or in the number of steps.
//
// In comments, d is the destination, and a "lane" is an element of the type that the name ends in.
// Unless a comment says otherwise, sources and destination may be the same register.
//
// Mask registers that the vocabulary uses on AVX-512: k7 from set_tail() on, k6 from set_odd_lanes() on, k5 as scratch of
// mul_masked_f16(), and k1 as scratch of swap_by_sign_u32() and swap_by_sign_u64().

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/cpu_isa.hpp"
#include "cpu/x64/jit_base.hpp"
#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {

// The mask of the low `bits` bits, 33 to 64, of the number in a u64 lane, after the lane's two words have been swapped. In a lane, words
// lie in the order in which they were drawn, the first one low. But the first word is the high half of the number.
constexpr uint64_t swapped_words_mask(int bits) {
    return uint64_t{0xFFFFFFFF} << 32 | ((uint64_t{1} << (bits - 32)) - 1);
}

class Vocabulary : public JitKernel {
  protected:
    using Vec = Xbyak::Ymm;   // of either width; the object's kind says which
    using Half = Xbyak::Ymm;  // half a Vec: an Xmm or a Ymm by its kind
    using Reg = Xbyak::Reg64;
    // A truth table of vpternlogd: (d & a) | b.
    static constexpr uint8_t kAndOr = 0xEA;
    using Address = Xbyak::Address;
    using Label = Xbyak::Label;

    Vocabulary(CpuIsa isa, const std::string& name, size_t max_code_bytes = kDefaultCodeBytes);

    CpuIsa isa() const { return isa_; }
    bool is_avx512() const { return isa_ >= CpuIsa::avx512_core; }

    // -- shape
    Vec vec(int index) const {
        assert(0 <= index && index < registers());
        return is_avx512() ? Vec(index, Xbyak::Operand::ZMM, 512) : Vec(index);
    }
    Half half(int index) const;                                        // the low half of vec(index)
    Xbyak::Xmm quarter(int index) const { return Xbyak::Xmm(index); }  // its low 16 bytes
    Vec part(int index, int bytes) const;  // its low 16, 32 or 64 bytes; 16 for fewer
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

    // A constant in every lane. hold_u32() and hold_u64() load it into vec(index) on AVX-512, which has 32 registers. On
    // AVX2 it stays a memory operand.
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
    // The same for elements of 1, 2, 4 or 8 bytes.
    Held hold_elements(int index, uint64_t value, int element_bytes);
    // hold() is for kernels that may have more constants than free registers. After set_held_range(lowest), constants
    // take the registers from vec(registers() - 1) down to vec(lowest), in the order of the calls, on every ISA.
    // Later constants stay in memory.
    void set_held_range(int lowest);
    Vec take_held();  // the next register of that range, for a value that the kernel loads itself
    Held hold(const Address& value);  // a memory operand of the full width

    // -- run-time values as operands
    // An operand whose lanes all have the value at [base + offset]. It is for instructions whose EVEX form can
    // broadcast lanes of that width: arithmetic and logic can, shuffles cannot. AVX-512 broadcasts within each
    // instruction, so `base` must not change. AVX2 broadcasts once, here, and keeps the vector in the frame at rsp +
    // slot * 32. AVX2 overwrites scratch.
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
    // The number of bytes of the frame that `slots` such operands take.
    int spread_bytes(int slots) const { return is_avx512() ? 0 : slots * bytes(); }

    // -- moves
    void copy(const Vec& d, const Vec& a);
    void zero(const Vec& d);
    void broadcast_u32(const Vec& d, const Address& a) { vpbroadcastd(d, a); }
    void broadcast_u64(const Vec& d, const Address& a) { vpbroadcastq(d, a); }
    void broadcast_u32(const Vec& d, const Reg& a);
    void broadcast_u64(const Vec& d, const Reg& a);
    void load(const Vec& d, const Address& a) { vmovups(d, a); }
    // d = the words from `first` on of low, followed by those of high. AVX-512 only.
    void take_words_u32(const Vec& d, const Vec& low, const Vec& high, int first);
    bool takes_words() const { return is_avx512(); }  // in one instruction
    // Both halves of d become the bytes() / 2 bytes at a.
    void load_half_twice(const Vec& d, const Address& a);
    void store(const Address& d, const Vec& a) { vmovups(d, a); }
    // The low `bytes` bytes of a register: 4, 8, 16, 32 or 64. load_part() makes the others zero.
    void load_part(int d, const Address& a, int bytes);
    void store_part(const Address& d, int a, int bytes);
    // A streaming store bypasses the caches; d is aligned to the width of a. No kernel executes a fence: the caller got
    // its permission to stream from a StreamingStores (cpu/streaming.hpp), which does that.
    void store(const Address& d, const Vec& a, bool streaming) {
        streaming ? vmovntps(d, a) : vmovups(d, a);
    }
    // emit_loop(false), which runs if the u64 at `streaming` is 0, and emit_loop(true), which runs otherwise.
    template <class EmitLoop>
    void emit_with_and_without_streaming(const Xbyak::RegExp& streaming,
                                         const EmitLoop& emit_loop) {
        Xbyak::Label streams, done;
        cmp(qword[streaming], 0);
        jne(streams, T_NEAR);
        emit_loop(false);
        jmp(done, T_NEAR);
        L(streams);
        emit_loop(true);
        L(done);
    }
    // A vector as pieces of 16 or 32 bytes; `position` counts pieces.
    // insert_piece(): d = a, but the piece at `position` becomes `piece`. store_piece(): stores the piece of a.
    void insert_piece(const Vec& d, const Vec& a, const Xbyak::Operand& piece, int bytes,
                      int position);
    void store_piece(const Address& d, const Vec& a, int bytes, int position);

    // -- tails: the first `count` bytes of a vector, 0 <= count < bytes(), known at run time
    // No byte beyond them is read or written. Call set_tail() once. Then any number of loads and stores may follow, as
    // long as `count` and k7 do not change. None of the three functions changes `count`. They may overwrite `scratch`
    // and `scratch2`. AVX2 copies through the red zone, the 32 bytes below rsp.
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
    // Quiet predicates of floating-point comparisons: Intel SDM, table "Comparison Predicate for CMPPD".
    static constexpr int kUnordered = 0x03, kOrdered = 0x07, kLess = 0x11, kLessEqual = 0x12,
                         kNotGreaterEqual = 0x19, kGreaterEqual = 0x1D;
    void clear_mask(const Mask& d);
    void fill_mask(const Mask& d);
    void or_masks(const Mask& d, const Mask& a, const Mask& b);
    void compare_f32(const Mask& d, const Vec& a, const Xbyak::Operand& b, int predicate);
    void compare_f64(const Mask& d, const Vec& a, const Xbyak::Operand& b, int predicate);
    // d = d, and the comparison holds. AVX2 overwrites scratch.
    void compare_also_f32(const Mask& d, const Vec& a, const Vec& b, int predicate,
                          const Vec& scratch);
    void compare_also_f64(const Mask& d, const Vec& a, const Vec& b, int predicate,
                          const Vec& scratch);
    // d = a > b, signed.
    void compare_greater_s32(const Mask& d, const Vec& a, const Xbyak::Operand& b);
    void compare_greater_s64(const Mask& d, const Vec& a, const Xbyak::Operand& b);
    // Sets the zero flag if neither mask is set in any lane. AVX2 overwrites scratch.
    void test_either(const Mask& a, const Mask& b, const Vec& scratch);
    // d becomes nonzero if and only if the mask is set in at least one lane. For masks of u32 or u64 lanes.
    void mask_to_reg(const Reg& d, const Mask& mask);
    // d becomes nonzero if and only if the mask, which a comparison has set, is not set in at least one lane.
    void unset_to_reg(const Reg& d, const Mask& mask, int element_bytes);
    // Appends first + i, for each set lane i of the mask of u32 lanes, in order, to the u32 array at `to`. `to` then
    // points after the last one. bytes() bytes from `to` on may be overwritten. `count`, `bit` and scratch are
    // overwritten. AVX2 overwrites the mask.
    void append_lanes_u32(const Reg& to, const Mask& mask, const Reg& first, const Reg& count,
                          const Reg& bit, const Vec& scratch);
    // d = a mask of u32 lanes: the u64 lanes of low, then those of high. d is neither of them.
    void join_masks(const Mask& d, const Mask& low, const Mask& high);
    // Stores lanes(4) elements of 1, 2, 4 or 8 bytes: element i is that of `value` if lane i of the mask of u32 lanes
    // is set, otherwise 0. `value` has the same element everywhere, and is in a register on AVX-512. scratch is
    // overwritten. With elements of 8 bytes AVX-512 also overwrites the mask. There is no streaming store of 8 bytes of a
    // vector: elements of one byte are always stored through the caches on AVX2.
    void store_where(const Xbyak::RegExp& to, const Mask& mask, const Held& value,
                     int element_bytes, const Vec& scratch, bool streaming);
    // d = (d & bits) | value in the lanes of the mask, 0 in the others. On AVX-512 bits is in a register.
    void and_or_masked_u32(const Vec& d, const Mask& mask, const Held& bits, const Held& value);
    void and_or_masked_u64(const Vec& d, const Mask& mask, const Held& bits, const Held& value);
    // d = the greater of a and b in the lanes of the mask, 0 in the others, whatever a and b are there.
    void max_masked_f32(const Vec& d, const Mask& mask, const Vec& a, const Vec& b);
    // d = a + 1 in the lanes of the mask, a in the others. `ones` is 1 in each u64 lane.
    void increment_masked_u64(const Vec& d, const Mask& mask, const Vec& a, const Vec& ones);
    // d = a in the lanes of the mask. The other lanes of d do not change.
    void select_masked_u32(const Vec& d, const Mask& mask, const Vec& a);
    void select_masked_u64(const Vec& d, const Mask& mask, const Vec& a);
    // d = d | value in the lanes of the mask. AVX2 overwrites the mask.
    void or_masked_u32(const Vec& d, const Mask& mask, const Address& value);
    // d = a << bits in the lanes of the mask, 0 in the others.
    void shift_left_masked_u32(const Vec& d, const Mask& mask, const Vec& a, uint8_t bits);
    // d = value in the lanes of the mask, 0 in the others.
    void copy_masked_u32(const Vec& d, const Mask& mask, const Held& value);
    // d = d + a in the lanes of the mask. AVX2 overwrites the mask.
    void add_masked_u32(const Vec& d, const Mask& mask, const Vec& a);
    // d = the smaller of d and value in the lanes of the mask. scratch is another register.
    void min_masked_f32(const Vec& d, const Mask& mask, const Held& value, const Vec& scratch);
    // Exchanges a and b in the lanes where the highest bit of `sign` is set. scratch, another register, is overwritten.
    // AVX-512 overwrites k1.
    void swap_by_sign_u32(const Vec& a, const Vec& b, const Vec& sign, const Vec& scratch);
    void swap_by_sign_u64(const Vec& a, const Vec& b, const Vec& sign, const Vec& scratch);

    // -- masks of lanes of 8, 16 or 32 bits
    // d = a >= b, unsigned. On AVX2 d may be a, but not b.
    void compare_not_below(const Mask& d, const Vec& a, const Vec& b, int lane_bits);
    // The next four functions read the whole vector and apply the mask to a register. A load under a mask would save one instruction. But
    // Zen 5 does not prefetch what such loads read: beyond the caches they reach half of the speed of plain loads.
    //
    // d = the vector at the address in the lanes of the mask, which have 16 or 32 bits. The other lanes are those of
    // `other`, a register that is not d.
    void load_selected(const Vec& d, const Mask& mask, const Address& a, const Vec& other,
                       int lane_bits);
    // d = factor * the f32 lanes at the address in the lanes of the mask, 0 in the others. d is not factor.
    void mul_masked_f32(const Vec& d, const Mask& mask, const Vec& factor, const Address& a);
    // d = factor * the f16 or bf16 lanes at the address in the lanes of the mask, 0 in the others: a product in f32,
    // rounded once to the type, nearest even. factor has f32 lanes, none of them NaN, zero or infinite. The functions
    // handle every element; a bf16 NaN gives the same NaN, quiet. The registers d, factor and the scratch ones all differ.
    // On AVX2 a scratch register may be the mask's. AVX-512 overwrites k5 for f16.
    struct Bf16Product {
        Held high_halves, odd, rounding, order;
    };
    Bf16Product hold_bf16_product();  // by hold(); on AVX-512 four registers must be left
    void mul_masked_f16(const Vec& d, const Mask& mask, const Vec& factor,
                        const Xbyak::RegExp& from, const Vec& scratch, const Vec& scratch2);
    void mul_masked_bf16(const Vec& d, const Mask& mask, const Vec& factor,
                         const Xbyak::RegExp& from, const Bf16Product& constants,
                         const Vec& scratch, const Vec& scratch2);
    // Cuts a mask of lanes of `lane_bits` into 2 or 4 `parts`. Returns part `index` as a mask of lanes that are `parts`
    // times as wide. The result is `a` itself or `scratch`, which is another mask.
    Mask part_of_mask(const Mask& scratch, const Mask& a, int lane_bits, int parts, int index);
    // d = a mask of lanes of 16 bits: the u32 lanes of a, then those of b.
    void join_masks_u32(const Mask& d, const Mask& a, const Mask& b);
    // Stores a mask of lanes of 8, 16 or 32 bits: one bit per lane, the lowest lane first, or one byte, 0 or 1, per
    // lane. scratch and scratch_reg are overwritten.
    void store_mask_bits(const Xbyak::RegExp& d, const Mask& mask, int lane_bits,
                         const Vec& scratch, const Reg& scratch_reg);
    void store_mask_bytes(const Xbyak::RegExp& d, const Mask& mask, int lane_bits,
                          const Vec& scratch);
    // Loads a mask of lanes of 16 or 32 bits that was stored in this way. Any byte but 0 sets a lane.
    void load_mask_bits(const Mask& d, const Xbyak::RegExp& a, int lane_bits);
    void load_mask_bytes(const Mask& d, const Xbyak::RegExp& a, int lane_bits, const Vec& scratch);

    // -- gathers: the u64 lanes of a are indices into an array at `base`
    // `consumed` is overwritten.
    // d = the u32 elements with these indices, each as a u64 lane.
    void gather_u32_as_u64(const Vec& d, const Reg& base, const Vec& a, const Mask& consumed);
    // d = the u64 elements with these indices.
    void gather_u64(const Vec& d, const Reg& base, const Vec& a, const Mask& consumed);
    // The same in the lanes of the mask. The other lanes of d do not change.
    void gather_masked_u64(const Vec& d, const Reg& base, const Vec& a, const Mask& mask,
                           const Mask& consumed);

    // -- logic
    void and_bits(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    void or_bits(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    void xor_bits(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    // The same for a `b` from spread_u64().
    void xor_bits_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    // d = d ^ a ^ b. AVX2 overwrites a: it takes b there first, so that only one operation waits for d.
    void xor3(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    void and3(const Vec& d, const Vec& a, const Vec& b);  // d = d & a & b
    bool has_xor3() const { return is_avx512(); }         // in one instruction
    // Odd words of d = d ^ a ^ b, after set_odd_lanes(). The even words do not change. AVX-512 only.
    void xor3_odd_u32(const Vec& d, const Vec& a, const Xbyak::Operand& b);
    // d = (d & mask) | value. On AVX-512 mask is a register.
    void and_or(const Vec& d, const Xbyak::Operand& mask, const Xbyak::Operand& value);

    // d = (d & mask) | (b & ~mask), bit by bit. On AVX-512 mask is a register.
    void select_bits(const Vec& d, const Xbyak::Operand& mask, const Xbyak::Operand& b);
    // d = d ^ (a & mask). AVX2 overwrites a.
    void xor_masked(const Vec& d, const Vec& a, const Xbyak::Operand& mask);
    // d = (d ^ a) & mask.
    void xor_then_mask(const Vec& d, const Vec& a, const Xbyak::Operand& mask);

    // -- integers
    // d = the 64-bit product of the low words of each u64 lane of a and b.
    void mul_u32_wide(const Vec& d, const Vec& a, const Xbyak::Operand& b) { vpmuludq(d, a, b); }
    // Swaps the words of each u64 lane: a rotation by 32.
    void swap_words_u64(const Vec& d, const Vec& a) { vpshufd(d, a, 0xB1); }
    // The low word of each u64 lane of d = the high word of a's. The high word of d is junk.
    void move_high_words(const Vec& d, const Vec& a) {
        // Philox is 1 % faster with shuffles than with shifts at 512 bits, and 4 % faster with shifts than with shuffles at 256 bits.
        is_avx512() ? vmovshdup(d, a) : vpsrlq(d, a, 32);
    }
    // Prepares blend_odd_u32(). AVX-512 sets k6 and overwrites scratch. AVX2 does nothing.
    void set_odd_lanes(const Reg& scratch);
    // Even words of d from `even`, odd words from `odd`.
    void blend_odd_u32(const Vec& d, const Vec& even, const Vec& odd);
    // d = (a >> 16) | (b & FFFF0000) in each u32 lane: the high halves of a and b, interleaved. d is not b.
    void interleave_high_u16(const Vec& d, const Vec& a, const Vec& b);
    // d = (a & FFFF) | (b << 16) in each u32 lane: the low halves of a and b, interleaved. d is not a.
    void interleave_low_u16(const Vec& d, const Vec& a, const Vec& b);
    // d = the low 64 bits of a * b in each u64 lane. b_high holds b >> 32 in each lane. d is neither source. The two
    // scratch registers differ from all others. AVX-512 does not change them.
    void mul_lo_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b,
                    const Xbyak::Operand& b_high, const Vec& scratch, const Vec& scratch2);

    // d = the smaller of a and (a - b modulo 2^64), unsigned. scratch and scratch2 are not sources.
    void min_with_difference_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b,
                                 const Vec& scratch, const Vec& scratch2);
    // d = the lower or upper half of a's u32 lanes, as u64 lanes. If `upper`, d is not a.
    void widen_u32(const Vec& d, const Vec& a, bool upper);
    // Stores the low words of the u64 lanes of `a` contiguously: bytes() / 2 bytes. scratch is overwritten.
    void store_low_u32(const Address& d, const Vec& a, const Vec& scratch);
    // Stores the sum of the u64 lanes of vec(a), modulo 2^64. vec(a) and vec(scratch) are overwritten.
    void store_sum_u64(const Address& d, int a, int scratch);
    // d = the entries of a table of 8 f32 (AVX2) or 32 f32 (AVX-512, in two registers) with the indices in the u32 lanes of a, modulo the size
    // of the table. d is not a.
    void lookup_f32(const Vec& d, const Vec& a, const Held (&table)[2]);
    // Stores the sum of all f32 lanes of the four registers, as an f64. The registers are added in f32, the lanes of the result in f64. All
    // registers are overwritten.
    void store_sums_f32(const Address& d, const std::array<Vec, 4>& sums, int scratch);
    // d = low, then high. d may be the register of low.
    void join_halves(const Vec& d, const Half& low, const Half& high);
    // The u64 lanes of even and odd alternate: even 0, odd 0, even 1, odd 1, ... The lower half of that sequence goes
    // to first, the upper half to second; neither is a source. Call set_zip_u64() once before. AVX-512 keeps its two
    // tables in the vectors of `order`. AVX2 overwrites odd and scratch.
    struct ZipOrder {
        Vec first, second;
    };
    void set_zip_u64(const ZipOrder& order);
    void zip_u64(const Vec& first, const Vec& second, const Vec& even, const Vec& odd,
                 const ZipOrder& order, const Vec& scratch);
    // d = the lower or upper half of a's u16 lanes, as u32 lanes. If `upper`, d is not a.
    void widen_u16(const Vec& d, const Vec& a, bool upper);
    // a and then b are a sequence of units of 32 bytes. The even units go to `even`, the odd ones to `odd`. Neither is
    // a source. On AVX2, where a vector is one unit, these are a and b themselves. The operation is its own inverse.
    void deal_32_bytes(const Vec& even, const Vec& odd, const Vec& a, const Vec& b);
    // narrow_u32(): d = a's u32 lanes, each below 65536, as u16 lanes. narrow_u64(): d = the low words of a's u64
    // lanes. AVX2 overwrites a.
    void narrow_u32(const Half& d, const Vec& a);
    void narrow_u64(const Half& d, const Vec& a);

    // -- conversions
    // f32 to f16, nearest even. d is the low half of a register.
    void cvt_f32_to_f16(const Half& d, const Vec& a) { vcvtps2ph(d, a, 0); }
    void cvt_f16_to_f32(const Vec& d, const Half& a) { vcvtph2ps(d, a); }
    // f32 to f16, towards zero. A finite number stays finite.
    void cvt_f32_to_f16_toward_zero(const Half& d, const Vec& a) { vcvtps2ph(d, a, 3); }
    // d = a + b, rounded towards zero. In each lane, either b is 0, or b is a power of two and 0 <= a < b. d and
    // scratch are not sources.
    void add_toward_zero_f32(const Vec& d, const Vec& a, const Vec& b, const Vec& scratch);
    // f32 to bf16, nearest even. Neither function handles NaN. scratch is neither d nor a.
    // The bf16 is in the high half of each u32 lane. The low half holds junk.
    void round_f32_to_bf16_high(const Vec& d, const Vec& a, const Vec& scratch);
    // The bf16 is in the low half of each u32 lane. The high half is zero.
    void round_f32_to_bf16(const Vec& d, const Vec& a, const Vec& scratch);
    // Rounds the f32 numbers x to `digits` digits, at most 11, to nearest even. |x| is 0 or at least the smallest normal number, and below
    // 2^(digits + 103). -0 becomes 0.
    void round_f32_to_digits(const Vec& x, const Vec& scratch, int digits);
    // d = the integers (low word << 32 | high word) of a's u64 lanes as f64. They are below 2^53, so this is exact.
    // scratch is neither d nor a.
    void cvt_swapped_u53_to_f64(const Vec& d, const Vec& a, const Vec& scratch);

  private:
    void copy_bytes(const Xbyak::RegExp& d, const Xbyak::RegExp& s, const Tail& tail);

    Held hold_in(int index, const Address& value);

    // The lower or upper half of a. The upper half is copied to the low half of scratch.
    Half half_of(const Vec& a, bool upper, const Vec& scratch);

    // Rounds an f32 to bf16, as round_f32_to_bf16_high() does, with the constants of a product.
    void round_bf16_product(const Vec& d, const Bf16Product& constants, const Vec& scratch);

    // Packs an AVX2 mask into one byte, 0 or 255, per lane, from the lowest byte of d on.
    void pack_mask(const Vec& d, const Vec& mask, int lane_bits);

    CpuIsa isa_;
    int next_held_ = -1;  // the register of the next constant
    int lowest_held_ = 0;
};

}  // namespace tombola::impl::cpu::x64
