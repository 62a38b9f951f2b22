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
    using Vec = Xbyak::Ymm;   // of either width: its kind says which
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

    // A constant in every lane, which AVX-512, with its 32 registers, keeps in one, and AVX2 reads
    // from memory. hold_u32() emits the load of the register.
    class Held {
      public:
        Held(const Vec& reg, const Address& memory, bool in_register)
            : register_(reg), memory_(memory), in_register_(in_register) {}
        operator const Xbyak::Operand&() const {
            if (in_register_) return register_;
            return memory_;
        }

      private:
        Vec register_;
        Address memory_;
        bool in_register_;
    };
    Held hold_u32(int index, uint32_t value);
    Held hold_u64(int index, uint64_t value);

    // -- run-time values as operands
    // An operand of which every lane is the value at [base + offset], for instructions whose EVEX form
    // can broadcast lanes of that width (arithmetic and logic can, shuffles cannot). AVX-512
    // broadcasts within the instruction, so `base` has to stay. AVX2 broadcasts once, here, and keeps
    // the vector in the frame at rsp + slot * 32; scratch is overwritten.
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
    // Bytes of the frame that `slots` of them take.
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
    // Past the caches. d is aligned to bytes(); a kernel that used it ends with store_fence().
    void store_streaming(const Address& d, const Vec& a) { vmovntps(d, a); }
    void store_fence() { sfence(); }

    // -- tails: the first `count` bytes of a vector, 0 <= count < bytes(), known at run time
    // No byte beyond is read or written. set_tail() once, then any number of
    // loads and stores while `count`, which is kept, and k7 stay as they are. `scratch` is
    // overwritten by each of the three. AVX2 goes through the red zone, 32 bytes below rsp.
    struct Tail {
        Reg count;
        Reg scratch;
        Reg scratch2;
    };
    void set_tail(const Tail& tail);
    void load_tail(const Vec& d, const Reg& address,
                   const Tail& tail);  // the lanes beyond are zero
    void store_tail(const Reg& address, const Vec& a, const Tail& tail);

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
    // both scratches differ from all; AVX-512 leaves them alone.
    void mul_lo_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b,
                    const Xbyak::Operand& b_high, const Vec& scratch, const Vec& scratch2);

    // d = the lesser of a and a - b modulo 2^64, unsigned. scratch and scratch2 are not sources.
    void min_with_difference_u64(const Vec& d, const Vec& a, const Xbyak::Operand& b,
                                 const Vec& scratch, const Vec& scratch2);
    // d = the lower or upper half of a's u32 lanes, as u64. The upper: d is not a.
    void widen_u32(const Vec& d, const Vec& a, bool upper);
    // d, half a register: a's u32 lanes, each below 65536, as u16; a's u64 lanes as u32. AVX2
    // overwrites a.
    void narrow_u32(const Half& d, const Vec& a);
    void narrow_u64(const Half& d, const Vec& a);

    // -- conversions
    // f32 to f16, nearest even; d is the low half of a register.
    void cvt_f32_to_f16(const Half& d, const Vec& a) { vcvtps2ph(d, a, 0); }
    void cvt_f16_to_f32(const Vec& d, const Half& a) { vcvtph2ps(d, a); }
    // f32 to bf16, nearest even. Not for NaN. scratch is neither d nor a.
    // In the high half of each u32 lane; the low one holds junk.
    void round_f32_to_bf16_high(const Vec& d, const Vec& a, const Vec& scratch);
    // In the low half of each u32 lane, the high one zero.
    void round_f32_to_bf16(const Vec& d, const Vec& a, const Vec& scratch);
    // d = f64 of the integers (low word << 32 | high word) of a's u64 lanes, below 2^53: exact.
    // scratch is neither d nor a.
    void cvt_swapped_u53_to_f64(const Vec& d, const Vec& a, const Vec& scratch);

  private:
    void copy_bytes(const Xbyak::RegExp& d, const Xbyak::RegExp& s, const Tail& tail);

    CpuIsa isa_;
};

}  // namespace tombola::impl::cpu::x64
