// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operations of doc/multinomial.md on vectors: from the elements of SRC to weights as 62-bit integers.
//
//   element --load_wide--> x --(logits: exponential)--> bits of w --quantise--> q
//
// Lanes are f32 for f16, bf16 and f32, and f64 for f64. With E the exponent field of w and s its significand,
// 1 <= s < 2, as an integer s * 2^62,
//
//   q = max(1, floor(w * 2^(61-L-e))) = s * 2^62 >> min(top - E, 62),   top = 1 + L + E of the greatest weight,
//
// A shift by 62 leaves 1, which is the smallest q of a weight that is not 0. A subnormal w has E = 0 and no leading 1, so its s is wrong.
// But if the greatest weight has E >= kMinField, the shift of a subnormal w is 62, and the result is 1, which is right.
//
//   f32 lanes   | s1 E1 | s0 E0 | ...  are split into  even: s0 << 32 >> E0,  odd: (s1 << 32) >> E1

#include <cstdint>

#include "common/types.hpp"
#include "cpu/float_type.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

// The minimum exponent field of a row's greatest weight; these kernels cannot handle other rows.
inline constexpr int kMinField = 62;
// The exponent field of 1.0, the greatest weight of logits.
constexpr int field_of_one(FloatType type) { return type == FloatType::f64 ? 1023 : 127; }
// `top` of the comment above, for a greatest weight with this exponent field.
constexpr uint64_t top_of(int log_classes, int field) {
    return static_cast<uint64_t>(1 + log_classes + field);
}
// What a pass over a row finds.
struct RowFindings {
    uint64_t refused;             // not 0 if there is a NaN or, without logits, an element below 0
    alignas(64) char maxima[64];  // f32 or f64, in every lane of the ISA's width
};

// The blocks of a row that a kernel sums.
struct BlockArgs {
    const char* src;
    // The row that is read next, from the same class on, or src itself. For weights, if the machine has `read_ahead`: the address that
    // many bytes after src. Only kernels of unscaled logits read it; others prefetch it.
    const char* ahead;
    int64_t count;  // at least 1. Out, by a kernel that may stop at a block: how many are left
    int64_t units;  // of each block, at least 1
    void* sums;     // out: one per block, u64 or, of estimates, f64
};

// Kernels take classes in units of this many. They have no code for tails: the caller pads the rest of a row.
inline constexpr int kUnitClasses = 16;
// A block has at most this many units. The bounds of the kernels' sums and errors rest on it.
inline constexpr int kMaxBlockUnits = 32;

class WeightOps : public Vocabulary {
  protected:
    // scaled: the difference of each logit and the greatest one is multiplied by a ratio before the exponential. If the product is below
    // `flush`, the weight is 0.
    WeightOps(CpuIsa isa, FloatType type, bool log_probs, const std::string& name,
              bool scaled = false);

    FloatType type() const { return type_; }
    bool is_f64() const { return type_ == FloatType::f64; }
    bool log_probs() const { return log_probs_; }
    int element_bytes() const { return static_cast<int>(size_of(data_type_of(type_))); }
    int classes_per_vector() const { return lanes(is_f64() ? 8 : 4); }
    int vectors_per_unit() const { return kUnitClasses / classes_per_vector(); }
    int vector_step() const { return classes_per_vector() * element_bytes(); }  // bytes of SRC

    // Registers for the members of BlockArgs. load_blocks() loads them from `args`.
    struct BlockRegs {
        Reg src, ahead, count, units, sums;
    };
    void load_blocks(const BlockRegs& regs, const Xbyak::RegExp& args);

    // d = the elements at `a`, as f32 or f64.
    void load_wide(const Vec& d, const Address& a);
    // Sets `refused` in the lanes where x is not allowed in a row: NaN and, without logits, an element below 0. The
    // caller finds +inf by the maximum. k1 and `scratch` are overwritten.
    void note_refused(const Mask& refused, const Vec& x, const Vec& zeros, const Vec& scratch);

    // d = vector i of a unit at `src`, as load_wide() loads it, but its classes may be in any order within the unit.
    // load_constants() or hold_unordered_load() comes first, which may claim a register.
    void load_unordered(const Vec& d, const Reg& src, int i);
    void hold_unordered_load();

    // Prefetches `size` bytes at the machine's distance (`read_ahead`) after `src` + `offset`. Does nothing if that distance is 0.
    void prefetch_read(const Reg& src, int offset, int size);

    // Stores RowFindings at `to`: the maxima, and whether note_refused() noted anything. `scratch` is overwritten.
    void emit_findings(const Xbyak::RegExp& to, const Vec& maxima, const Mask& refused,
                       const Reg& scratch);
    // Where the search for a maximum begins: -inf or, for weights, 0.
    void load_lowest(const Vec& d);
    void emit_max(const Vec& d, const Vec& a, const Vec& b) {
        is_f64() ? vmaxpd(d, a, b) : vmaxps(d, a, b);
    }

    // The element or elements in x, and registers to calculate with.
    struct Lanes {
        Vec x, odd, scratch1, scratch2, scratch3;
        Xbyak::Opmask mask = Xbyak::Opmask(1);
    };

    // What a kernel finds besides sums of weights (see WeightSumKernel). emit_begin_findings() must come first. emit_ahead() reads or
    // prefetches the vectors [first, last) at `ahead`: one vector, or an even number of vectors that begin at a multiple of 64 bytes.
    // emit_end_findings() stores RowFindings.
    Vec maxima_found() const { return vec(7); }
    Mask mask_found() const { return {k2, vec(8)}; }
    void emit_begin_findings();
    void emit_ahead(const Reg& ahead, int first, int last, const Lanes& r);
    void emit_end_findings(const Xbyak::RegExp& to, const Reg& scratch);

    // Memory operands of the width of a lane. `ratio` and `flush` are used only if scaled.
    struct ScaleAddresses {
        Address greatest, ratio, flush;
    };
    // Loads the constants. Claims k1 and registers from kLowestHeld on.
    void load_constants(const ScaleAddresses& scale, const Address& top);
    // The same for kernels that have a row in each lane. The caller must then set the lanes of top() and, with logits, of greatest().
    void load_constants_for_rows();
    const Vec& top() const { return top_; }
    const Vec& greatest() const { return greatest_; }
    const Vec& zeros() const { return zeros_; }  // without logits
    // Turns the elements in x into weights as u64 lanes. With f32 lanes, x then has the weights of the classes 0, 2, 4
    // ..., and `odd` those of 1, 3, 5 ... With f64 lanes, x has all of them. scratch1 ... scratch3 are overwritten, and
    // `odd` too for logits.
    void emit_weights(const Lanes& r);

    // Constants take the registers from here on.
    static constexpr int kLowestHeld = 9;

  private:
    // The mask of the lanes whose weight is not 0.
    Mask positive(const Lanes& r) const { return {r.mask, r.scratch3}; }
    bool finds_ahead() const { return log_probs_ && !scaled_; }
    // A constant in every lane: f32 lanes take the first, f64 lanes the second.
    Held hold_bits(uint32_t narrow, uint64_t wide);
    Held hold_float(float narrow, double wide);
    void load_scale(const ScaleAddresses& scale);
    void take_greatest();
    void hold_constants();
    void hold_exp_constants();
    void emit_exp(const Lanes& r);
    void emit_quantise(const Lanes& r);

    FloatType type_;
    bool log_probs_;
    bool scaled_;
    Vec top_, greatest_, zeros_, ratio_;
    Held words_;  // of bf16, for load_unordered()
    Held max_shift_, fraction_, leading_, low_, high_;
    Held flush_, log2e_, round_, ln2_hi_, ln2_lo_, one_;
    Held c_[12];
};

}  // namespace tombola::impl::cpu::x64
