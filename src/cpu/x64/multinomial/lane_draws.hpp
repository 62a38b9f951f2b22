// SPDX-License-Identifier: Apache-2.0
#pragma once

// Draws from several short rows at once, a row per lane. A group of as many rows as a vector has lanes is transposed, so that a vector has
// the same class of all rows. One kernel computes the weights of the group, another finds a sample of each row.

#include <cstddef>
#include <cstdint>

#include "common/function_ref.hpp"
#include "common/op_desc.hpp"
#include "common/parallel.hpp"
#include "common/status.hpp"
#include "cpu/rng/scatter.hpp"
#include "cpu/weights/uniform_source.hpp"
#include "cpu/x64/multinomial/lane_search_kernel.hpp"
#include "cpu/x64/rng/philox_generator.hpp"
#include "cpu/x64/weights/lane_weights_kernel.hpp"

namespace tombola::impl::cpu::x64 {

class LaneDraws {
  public:
    // Whether rows are drawn from in this way: few classes, enough rows, and few samples if no class is taken out. The same for every ISA.
    static bool serves(const MultinomialDesc& desc);
    static size_t scratch_bytes(const MultinomialDesc& desc);
    static Result<LaneDraws> create(CpuIsa isa, const MultinomialDesc& desc);

    dim_t rows_per_group() const { return lanes_; }
    // How long one thread takes to draw the samples of a row.
    double nanoseconds_of_draws() const;

    // One execution.
    struct Call {
        const char* src;
        const UniformSource& uniforms;
        void* results;  // the samples of the whole tensor, of DST's type
    };
    // Draws from the rows. Calls draw_others() for the last rows if they are too few, and for a group with a row that these kernels cannot
    // handle: a row that is refused, or one whose greatest weight is tiny.
    void draw(const Call& call, Range rows, char* scratch,
              FunctionRef<void(Range)> draw_others) const;

  private:
    LaneDraws(CpuIsa isa, const MultinomialDesc& desc);
    int slot(int row) const { return LaneWeightsKernel::slot(row, lanes_, type_); }
    void load_group(const char* src, Range rows, char* tile) const;
    bool draw_group(const Call& call, Range rows, char* scratch, const uint32_t* words) const;

    MultinomialDesc desc_;
    FloatType type_;
    int lanes_;
    RunCopier transposed_;  // SRC with its dimensions exchanged
    double nanoseconds_per_search_;
    JitFunction<LaneWeightsKernel::Args> weights_;
    JitFunction<LaneSearchKernel::Args> search_;
    PhiloxKernel words_;
};

}  // namespace tombola::impl::cpu::x64
