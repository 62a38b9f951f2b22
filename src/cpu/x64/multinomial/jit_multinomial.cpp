// SPDX-License-Identifier: Apache-2.0
// The part of JitMultinomial that plans, reads and checks rows.
#include "cpu/x64/multinomial/jit_multinomial.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "common/scratchpad.hpp"
#include "cpu/implementations.hpp"
#include "cpu/rng/scatter.hpp"
#include "cpu/x64/rng/philox_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr dim_t kMaxGuideClasses = INT64_C(1) << 31;
// From a short row by itself, at most this many samples are drawn without a guide. Measured on Zen 4 alone.
constexpr dim_t kFewSamples = 16;

}  // namespace

// -- planning ------------------------------------------------------------------------------------

// A sample from blocks costs the weights of one block. That takes about as long as building the guide for 64 classes. A
// sample from a sparse tree costs the weights of a block and their sums, and a whole tree costs those of all blocks.
JitMultinomial::Way JitMultinomial::way_for(const Desc& desc) {
    const dim_t classes = desc.src.dims[1], samples = desc.dst.dims[1];
    if (takes_classes_out(desc))
        return samples <= classes / (2 * WeightTree::kBlock) ? Way::sparse_tree : Way::tree;
    if (classes <= RowPasses::kShortClasses)
        return samples <= kFewSamples || LaneDraws::serves(desc) ? Way::short_rows : Way::guide;
    const bool few = samples <= std::max<dim_t>(4, classes / 64);
    return few || classes >= kMaxGuideClasses ? Way::blocks : Way::guide;
}

dim_t JitMultinomial::block_units() const {
    static_assert(WeightTree::kBlock % kUnitClasses == 0);
    return way_ == Way::sparse_tree ? WeightTree::kBlock / kUnitClasses : RowPasses::kBlockUnits;
}

JitMultinomial::Scratch::Scratch(const Desc& desc) {
    const dim_t batch = desc.src.dims[0], classes = desc.src.dims[1], samples = desc.dst.dims[1];
    const Way way = way_for(desc);
    const dim_t blocks = (classes + RowPasses::kBlockClasses - 1) / RowPasses::kBlockClasses;
    results = 0;
    parts = aligned_size(to_size(way == Way::guide ? batch : batch * samples) * 8);
    row = 0;
    weights = MatrixLayout(desc.src).has_dense_rows()
                  ? 0
                  : aligned_size(to_size(classes) * size_of(desc.src.data_type));
    const dim_t stored = way == Way::short_rows ? 0
                         : way == Way::blocks   ? blocks
                         : way == Way::guide    ? classes
                                                : WeightTree::storage(classes);
    guide = weights + aligned_size(to_size(stored + kUnitClasses) * 8);
    lanes =
        guide +
        (way == Way::guide ? aligned_size(to_size(GuideTable::storage(classes, samples)) * 4) : 0);
    part_bytes = lanes + (LaneDraws::serves(desc) ? LaneDraws::scratch_bytes(desc) : 0);
}

Result<PlanPtr> JitMultinomial::plan(CpuIsa isa, const Desc& desc) {
    if (desc.dst.has_zero_dim()) return unimplemented("nothing to draw");
    const int parts = max_parts(desc.src.dims[0]);
    return make_plan(Scratch(desc).part_at(parts), [=] { return build(isa, desc, parts); });
}

JitMultinomial::JitMultinomial(const Desc& desc, RowPasses passes,
                               JitFunction<DrawKernel::Args> draw, PhiloxKernel words,
                               std::optional<LaneDraws> lanes, int max_parts)
    : desc_(desc),
      way_(way_for(desc)),
      scratch_(desc),
      passes_(std::move(passes)),
      draw_(std::move(draw)),
      words_(std::move(words)),
      lanes_(std::move(lanes)),
      src_(desc.src),
      dst_(desc.dst),
      max_parts_(max_parts) {}

Result<std::unique_ptr<Executable>> JitMultinomial::build(CpuIsa isa, const Desc& desc,
                                                          int max_parts) {
    const Way way = way_for(desc);
    const bool sums_blocks = way == Way::blocks || way == Way::sparse_tree;
    auto passes = TOMBOLA_TRY(
        RowPasses::create(isa, desc.src, desc.log_probs,
                          way == Way::blocks && desc.dst.dims[1] <= EstimatedRow::kMaxSamples
                              ? RowPasses::Weights::estimated
                          : sums_blocks ? RowPasses::Weights::summed
                                        : RowPasses::Weights::stored));
    JitFunction<DrawKernel::Args> draw;
    PhiloxKernel words;
    if (way == Way::guide) {
        draw = TOMBOLA_TRY(cached_function<DrawKernel>({isa, desc.dst.data_type}));
        words = TOMBOLA_TRY(philox_words_kernel(isa));
    }
    std::optional<LaneDraws> lanes;
    if (LaneDraws::serves(desc)) lanes = TOMBOLA_TRY(LaneDraws::create(isa, desc));
    return std::unique_ptr<Executable>(new JitMultinomial(
        desc, std::move(passes), std::move(draw), std::move(words), std::move(lanes), max_parts));
}

// -- rows ----------------------------------------------------------------------------------------

JitMultinomial::Part JitMultinomial::part_of(const Call& call, int part) const {
    char* at = call.scratch + scratch_.part_at(part);
    auto* weights = reinterpret_cast<uint64_t*>(at + scratch_.weights);
    const dim_t sums_at = way_ == Way::sparse_tree ? WeightTree::sums_at(passes_.classes()) : 0;
    return {at + scratch_.row, weights, weights + sums_at,
            reinterpret_cast<uint32_t*>(at + scratch_.guide), at + scratch_.lanes};
}

// Calls body(part, rows) so that every row is covered, in order within a part. Rows are divided among the threads, or there is
// one part, and the threads share each row.
template <class Body>
void JitMultinomial::for_rows(const Work& work, const Body& body) const {
    const dim_t batch = desc_.src.dims[0];
    const dim_t grain = lanes_ ? lanes_->rows_per_group() : 1;
    const auto parts = static_cast<int>(
        std::min<dim_t>({parts_for_rows(batch, work), max_parts_, (batch + grain - 1) / grain}));
    if (parts == 1) return body(0, Range{0, batch});
    parallel(parts, [&](int part, int all) { body(part, split(batch, part, all, grain)); });
}

// The row with contiguous elements: in place, or a copy.
const char* JitMultinomial::dense_row(const Call& call, const Part& part, dim_t row) const {
    if (src_.has_dense_rows()) return call.src + src_.offset(row, 0) * passes_.element_bytes();
    src_.copy_row(call.src, row, part.row);
    return part.row;
}

// Calls body(range, greatest) for each part of [0, count) of a row that threads share. Returns false if one of the
// calls does.
template <class Body>
bool JitMultinomial::share_row(dim_t count, dim_t grain, const Work& work, const Body& body,
                               double& greatest) const {
    const dim_t grains = (count + grain - 1) / grain;
    const int parts =
        static_cast<int>(std::min<dim_t>({parts_for(work), dim_t{kMaxRanges}, grains}));
    if (parts == 1) return body(Range{0, count}, greatest);
    std::array<double, kMaxRanges> maxima;
    std::array<bool, kMaxRanges> good;
    parallel(parts, [&](int part, int all) {
        const auto at = to_size(part);
        good[at] = body(split(count, part, all, grain), maxima[at]);
    });
    greatest = *std::max_element(maxima.begin(), maxima.begin() + parts);
    return std::all_of(good.begin(), good.begin() + parts, [](bool g) { return g; });
}

bool JitMultinomial::find_greatest(const char* data, double& result) const {
    return share_row(
        passes_.classes(), kUnitClasses,
        moving(to_size(passes_.classes() * passes_.element_bytes())),
        [&](Range range, double& maximum) {
            return passes_.greatest(data, range.begin, range.end, maximum);
        },
        result);
}

bool JitMultinomial::load_row(const Call& call, const Part& part, dim_t index, Row& row) const {
    row.index = index;
    row.data = dense_row(call, part, index);
    double greatest = 0;
    if (!find_greatest(row.data, greatest) || !passes_.is_distribution(greatest)) return false;
    passes_.set_scale(row, greatest);
    return true;
}

// Writes the sums of all blocks to the part's sums. It also finds the greatest element: of this row for weights, of
// the row ahead for logits.
bool JitMultinomial::sum_blocks(const Call& call, const Part& part, const Row& row,
                                const char* ahead, double& greatest) const {
    const dim_t units = block_units(), block = units * kUnitClasses;
    const Work work{passes_.nanoseconds(passes_.classes())};
    return share_row((passes_.classes() + block - 1) / block, 1, work,
                     [&](Range range, double& maximum) {
                         return passes_.sum(row, call.source, range.begin, range.end, ahead,
                                            part.sums + range.begin, maximum, units);
                     },
                     greatest);
}

// The same for estimates of the sums.
bool JitMultinomial::estimate_blocks(const Row& row, const char* ahead, double* sums,
                                     double& greatest) const {
    const Work work{passes_.nanoseconds(passes_.classes(), RowPasses::Sums::estimated)};
    return share_row(
        passes_.blocks(), 1, work,
        [&](Range range, double& maximum) {
            return passes_.estimate(row, range.begin, range.end, ahead, sums + range.begin,
                                    maximum);
        },
        greatest);
}

// Does the work of load_row() and sum_blocks() in one pass, which reads the row for weights, and the row and the one
// ahead of it for logits. `found` is about this row before, and about the row ahead afterwards.
bool JitMultinomial::load_sums(const Call& call, const Part& part, dim_t index, const char* ahead,
                               Found& found, Row& row) const {
    if (!desc_.log_probs) return load_weight_sums(call, part, index, ahead, found, row);
    if (!load_logits(call, part, index, found, row)) return false;
    found.is_allowed = sum_blocks(call, part, row, ahead, found.greatest);
    found.is_known = src_.has_dense_rows();
    return true;
}

// Loads a row of logits, whose greatest logit may be known. Returns false if the row is refused.
bool JitMultinomial::load_logits(const Call& call, const Part& part, dim_t index, Found& found,
                                 Row& row) const {
    row.index = index;
    row.data = dense_row(call, part, index);
    if (!found.is_known) found.is_allowed = find_greatest(row.data, found.greatest);
    found.is_known = true;
    if (!found.is_allowed || !passes_.is_distribution(found.greatest)) return false;
    passes_.set_scale(row, found.greatest);
    return true;
}

// The sums need only the exponent of the greatest weight. So the pass assumes the exponent of the greatest weight of the
// first block. If a later weight has a greater exponent, the sums are computed again, and the next row is searched for its greatest weight
// first.
bool JitMultinomial::load_weight_sums(const Call& call, const Part& part, dim_t index,
                                      const char* ahead, Found& found, Row& row) const {
    double greatest = 0;
    row.index = index;
    row.data = dense_row(call, part, index);
    const dim_t first = std::min(passes_.classes(), RowPasses::kBlockClasses);
    if (!passes_.greatest(row.data, 0, first, greatest)) return false;
    if (greatest > 0) passes_.set_scale(row, greatest);
    const uint64_t assumed = greatest > 0 ? row.args.top : 0;
    if (assumed != 0 && !row.is_scalar && !found.later_is_greater) {
        if (!sum_blocks(call, part, row, ahead, greatest) || !passes_.is_distribution(greatest))
            return false;
        passes_.set_scale(row, greatest);
        found.later_is_greater = row.args.top != assumed;
        if (found.later_is_greater) sum_blocks(call, part, row, ahead, greatest);
        return true;
    }
    if (!load_row(call, part, index, row)) return false;
    found.later_is_greater = row.args.top != assumed;
    sum_blocks(call, part, row, ahead, greatest);
    return true;
}

// -- an execution --------------------------------------------------------------------------------

Status JitMultinomial::execute(const ExecContext& context) const {
    const UniformSource uniforms = TOMBOLA_TRY(uniform_source(desc_, context));
    const Call call{context, uniforms,
                    RowSource(src_, context.input(TOMBOLA_ARG_SRC), desc_.log_probs),
                    context.input<char>(TOMBOLA_ARG_SRC), context.scratchpad<char>()};
    const auto batch = static_cast<double>(desc_.src.dims[0]);
    using Sums = RowPasses::Sums;
    const double reading = passes_.nanoseconds(
        desc_.src.nelems(), passes_.has_estimates() ? Sums::estimated : Sums::exact);
    LowestRow wrong;
    if (way_ == Way::guide) {
        auto* greatest = reinterpret_cast<double*>(call.scratch + scratch_.results);
        for_rows({reading}, [&](int index, Range rows) {
            const Part part = part_of(call, index);
            Row row;
            for (dim_t r = rows.begin; r < rows.end; ++r) {
                if (!load_row(call, part, r, row)) return wrong.report(r);
                greatest[r] = row.scale.greatest;
            }
        });
    } else {
        for_rows({reading + batch * nanoseconds_of_draws()}, [&](int index, Range rows) {
            draw_rows(call, part_of(call, index), rows, wrong);
        });
    }
    if (wrong.any()) {
        RowScale scale;
        return wrong.reason(call.source.check(wrong.row(), classes_needed(desc_), scale));
    }
    if (way_ == Way::guide) {
        const auto* greatest = reinterpret_cast<const double*>(call.scratch + scratch_.results);
        for_rows({batch * (nanoseconds_of_guide() + nanoseconds_of_draws())},
                 [&](int index, Range rows) {
                     const Part part = part_of(call, index);
                     Row row;
                     for (row.index = rows.begin; row.index < rows.end; ++row.index) {
                         row.data = dense_row(call, part, row.index);
                         passes_.set_scale(row, greatest[row.index]);
                         draw_by_guide(call, part, row);
                     }
                 });
    } else {
        scatter(desc_.dst, context.output(TOMBOLA_ARG_DST), 0, desc_.dst.nelems(),
                call.scratch + scratch_.results);
    }
    finish(desc_, context, call.uniforms);
    return {};
}

// For every way but guide: reads the rows and draws from them.
void JitMultinomial::draw_rows(const Call& call, const Part& part, Range rows,
                               LowestRow& wrong) const {
    if (!lanes_) return draw_each_row(call, part, rows, wrong);
    lanes_->draw({call.src, call.uniforms, call.scratch + scratch_.results}, rows, part.lanes,
                 [&](Range others) { draw_each_row(call, part, others, wrong); });
}

void JitMultinomial::draw_each_row(const Call& call, const Part& part, Range rows,
                                   LowestRow& wrong) const {
    if (way_ == Way::short_rows) return draw_short_rows(call, part, rows, wrong);
    Row row;
    Found found;
    for (dim_t r = rows.begin; r < rows.end; ++r) {
        if (way_ == Way::tree) {
            if (!draw_from_tree(call, part, r, row)) return wrong.report(r);
            continue;
        }
        // The next row, if it is read in place, is read or prefetched while this row's weights are computed.
        const char* ahead = part.row;
        if (src_.has_dense_rows())
            ahead =
                call.src + src_.offset(std::min(r + 1, rows.end - 1), 0) * passes_.element_bytes();
        if (passes_.has_estimates() && tries_.try_next()) {
            const Draw draw = draw_by_estimates(call, part, r, ahead, found, row);
            if (draw == Draw::done) continue;
            if (draw == Draw::refused) return wrong.report(r);
        }
        if (!load_sums(call, part, r, ahead, found, row)) return wrong.report(r);
        if (way_ == Way::blocks)
            draw_from_blocks(call, part, row);
        else if (!draw_from_sparse_tree(call, part, row))
            return wrong.report(r);
    }
}

Result<PlanPtr> plan_multinomial(CpuIsa isa, const MultinomialDesc& desc) {
    return JitMultinomial::plan(isa, desc);
}

}  // namespace tombola::impl::cpu::x64
