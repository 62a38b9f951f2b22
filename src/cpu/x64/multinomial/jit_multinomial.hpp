// SPDX-License-Identifier: Apache-2.0
#pragma once

// multinomial by generated kernels. There are five ways to draw from a row by itself:
//
//   short_rows   few samples from few classes: the weights of the row
//   blocks       few samples from many classes: sums of blocks of classes, and for each sample the weights of the one
//                block that it falls into; no distribution is stored. Very few samples are first drawn by estimates of these sums
//   guide        many samples: the cumulative distribution and its guide table, O(1) per sample
//   tree         without replacement: a tree of sums (cpu/multinomial/weight_tree.hpp)
//   sparse_tree  the same for few samples: sums of small blocks of classes, and the weights of those that are drawn from
//
// Where LaneDraws serves, it draws from several rows at once, and the ways above are for rows that it cannot handle.
//
// All but guide read a row once for the check and the weights, or twice in succession while it is in cache. So they
// draw before every row has been checked, and the samples stay in the scratchpad until then. guide checks all rows
// first and draws into DST.

#include <memory>
#include <optional>

#include "common/implementation.hpp"
#include "cpu/multinomial/guide_table.hpp"
#include "cpu/multinomial/multinomial_call.hpp"
#include "cpu/multinomial/weight_tree.hpp"
#include "cpu/x64/multinomial/draw_kernel.hpp"
#include "cpu/x64/multinomial/lane_draws.hpp"
#include "cpu/x64/rng/philox_generator.hpp"
#include "cpu/x64/weights/estimated_row.hpp"
#include "cpu/x64/weights/row_passes.hpp"

namespace tombola::impl::cpu::x64 {

class JitMultinomial : public Executable {
  public:
    using Desc = MultinomialDesc;

    Status execute(const ExecContext& context) const override;

    static Result<PlanPtr> plan(CpuIsa isa, const Desc& desc);

  private:
    enum class Way { short_rows, blocks, guide, tree, sparse_tree };
    // The scratchpad: first what all rows share, then the area of each part. Offsets in bytes.
    struct Scratch {
        explicit Scratch(const Desc& desc);
        size_t part_at(int part) const { return parts + static_cast<size_t>(part) * part_bytes; }
        size_t results;  // the samples, of DST's type; guide: the greatest elements, f64[batch]
        size_t parts;
        size_t row, weights, guide, lanes;  // within a part
        size_t part_bytes;
    };
    // One execution.
    struct Call {
        const ExecContext& context;
        UniformSource uniforms;
        RowSource source;
        const char* src;
        char* scratch;
    };
    // The part's share of the scratchpad.
    struct Part {
        char* row;
        uint64_t* weights;
        uint64_t* sums;  // of blocks, for blocks and sparse_tree
        uint32_t* guide;
        char* lanes;  // for LaneDraws
    };
    static constexpr int kMaxRanges = 256;  // of one row, for threads that share it

    JitMultinomial(const Desc& desc, RowPasses passes, JitFunction<DrawKernel::Args> draw,
                   PhiloxKernel words, std::optional<LaneDraws> lanes, int max_parts);

    static Result<std::unique_ptr<Executable>> build(CpuIsa isa, const Desc& desc, int max_parts);
    static Way way_for(const Desc& desc);
    dim_t block_units() const;  // of the sums, for blocks and sparse_tree

    // How long one thread takes for a row.
    double nanoseconds_of_guide() const;
    double nanoseconds_of_draws() const;
    template <class Body>
    void for_rows(const Work& work, const Body& body) const;
    Part part_of(const Call& call, int part) const;
    const char* dense_row(const Call& call, const Part& part, dim_t row) const;
    template <class Body>
    bool share_row(dim_t count, dim_t grain, const Work& work, const Body& body,
                   double& greatest) const;
    bool find_greatest(const char* data, double& result) const;
    bool load_row(const Call& call, const Part& part, dim_t index, Row& row) const;
    bool sum_blocks(const Call& call, const Part& part, const Row& row, const char* ahead,
                    double& greatest) const;
    bool estimate_blocks(const Row& row, const char* ahead, double* sums, double& greatest) const;
    // What is known of a row before it is its turn.
    struct Found {
        // Weights: in the row before, a weight after the first block had a greater exponent than those in the block.
        bool later_is_greater = false;
        // Logits:
        bool is_known = false;
        bool is_allowed = false;  // no element is refused
        double greatest = 0;
    };
    enum class Draw { done, undecided, refused };
    // Draws all samples of a row by estimates. If one is undecided, the row has to be loaded.
    Draw draw_by_estimates(const Call& call, const Part& part, dim_t index, const char* ahead,
                           Found& found, Row& row) const;
    bool load_sums(const Call& call, const Part& part, dim_t index, const char* ahead, Found& found,
                   Row& row) const;
    bool load_logits(const Call& call, const Part& part, dim_t index, Found& found, Row& row) const;
    bool load_weight_sums(const Call& call, const Part& part, dim_t index, const char* ahead,
                          Found& found, Row& row) const;
    void draw_short_rows(const Call& call, const Part& part, Range rows, LowestRow& wrong) const;
    void draw_from_blocks(const Call& call, const Part& part, const Row& row) const;
    bool draw_from_tree(const Call& call, const Part& part, dim_t index, Row& row) const;
    bool draw_from_sparse_tree(const Call& call, const Part& part, const Row& row) const;
    template <class Take>
    bool draw_by_taking(const Call& call, const Row& row, WeightTree& tree, const Take& take) const;
    GuideTable make_guide(const Call& call, const Part& part, const Row& row, uint64_t& sum) const;
    void draw_by_guide(const Call& call, const Part& part, const Row& row) const;
    void draw_rows(const Call& call, const Part& part, Range rows, LowestRow& wrong) const;
    void draw_each_row(const Call& call, const Part& part, Range rows, LowestRow& wrong) const;

    Desc desc_;
    Way way_;
    Scratch scratch_;
    RowPasses passes_;
    JitFunction<DrawKernel::Args> draw_;  // guide alone
    PhiloxKernel words_;                  // guide alone
    std::optional<LaneDraws> lanes_;
    MatrixLayout src_, dst_;
    int max_parts_;
    mutable EstimateTries tries_;
};

}  // namespace tombola::impl::cpu::x64
