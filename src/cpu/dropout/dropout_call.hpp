// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all implementations of dropout share: P, the seeds, the mask, and the probabilities that need no draw.
//
//   T = ceil(P * 2^b)             b = 23, 16, 8 for draws of 32, 16, 8 bits; exact
//   keep element i iff draw >= T  draw OFFSET + i of the stream; only the low 23 of 32 bits are used
//   scale = 1 / (1 - T * 2^-b)    the divisor is exact, and there is one division in f32
//   kept: element * scale         one product in f32, rounded to the type
//   dropped: +0
//
// T = 0 copies the elements' bits, and T = 2^b writes zeros.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/rng/transform.hpp"

namespace tombola::impl::cpu {

struct DropoutCall {
    PhiloxCall philox;
    uint32_t threshold;  // T
    float scale;
    bool keeps_all, drops_all;  // T = 0, T = 2^b
    TransformMask mask;

    bool reads_mask() const { return mask.kind != TransformMask::Kind::none && !mask.is_written; }
    bool draws() const { return !keeps_all && !drops_all && !reads_mask(); }
    bool has_bits() const { return mask.kind == TransformMask::Kind::bits; }
};

// How many bits of a draw are used.
constexpr int dropout_digits(int draw_bits) { return draw_bits == 32 ? 23 : draw_bits; }

// Whether a mask keeps element i of a run.
inline bool is_kept(const DropoutCall& call, const TransformRun& run, int64_t i) {
    return call.has_bits() ? (run.mask[i / 8] >> (i % 8) & 1) != 0 : run.mask[i] != 0;
}

// An executable of either direction.
class DropoutExecutable : public Executable {
  public:
    DropoutExecutable(const DropoutDesc& desc, double nanoseconds_per_element)
        : desc_(desc), nanoseconds_per_element_(nanoseconds_per_element) {}
    Status execute(const ExecContext& context) const final;

  protected:
    const DropoutDesc& desc() const { return desc_; }
    double nanoseconds_per_element() const { return nanoseconds_per_element_; }

  private:
    // Draws, and writes the run's mask if there is one. 0 < T < 2^b.
    virtual void draw_run(const DropoutCall& call, const TransformRun& run) const = 0;
    // Reads the run's mask. 0 < T < 2^b.
    virtual void mask_run(const DropoutCall& call, const TransformRun& run) const = 0;
    // For executions that draw: the rows that draw_rows() draws at once.
    virtual RowsAtOnce rows_at_once(const DropoutCall&) const { return {}; }
    virtual void draw_rows(const DropoutCall&, const TransformRows&) const {}
    // For executions that draw: transforms the tensors by transform_by_bits(). Returns false, and does nothing, if that does not suit.
    virtual bool draw_by_bits(const DropoutCall&, const ReadTensor&, const WrittenTensor&) const {
        return false;
    }

    void execute_run(const DropoutCall& call, const TransformRun& run) const;
    Result<DropoutCall> resolve(const ExecContext& context) const;

    DropoutDesc desc_;
    double nanoseconds_per_element_;
};

}  // namespace tombola::impl::cpu
