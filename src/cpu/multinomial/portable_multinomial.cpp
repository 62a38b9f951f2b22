// SPDX-License-Identifier: Apache-2.0
// multinomial as doc/multinomial.md defines it.

#include <algorithm>

#include "cpu/implementations.hpp"
#include "cpu/multinomial/multinomial_call.hpp"
#include "cpu/multinomial/weight_tree.hpp"
#include "cpu/weights/row_source.hpp"

namespace tombola::impl::cpu {
namespace {

// Scratchpad: the scale of each row, then for each part the weights of the row that it works on.
struct Scratch {
    explicit Scratch(const MultinomialDesc& desc)
        : scales(desc.src.dims[0]),
          weights(takes_classes_out(desc) ? WeightTree::storage(desc.src.dims[1])
                                          : desc.src.dims[1]) {}
    size_t bytes(int parts) const {
        return static_cast<size_t>(scales) * sizeof(RowScale) +
               static_cast<size_t>(parts) * static_cast<size_t>(weights) * sizeof(uint64_t);
    }
    dim_t scales;
    dim_t weights;
};

template <class Index>
void draw_row(const RowSource& source, const MatrixLayout& dst, Index* out, dim_t row,
              const RowScale& scale, UniformReader uniforms, bool take_out, uint64_t* weights) {
    const dim_t classes = source.classes();
    for (dim_t k = 0; k < classes; ++k) weights[k] = source.weight(row, k, scale);
    if (take_out) {
        WeightTree tree(weights, classes);
        for (dim_t s = 0; s < dst.columns(); ++s)
            out[dst.offset(row, s)] =
                static_cast<Index>(tree.take(draw_target(uniforms.next(), tree.sum())));
        return;
    }
    for (dim_t k = 1; k < classes; ++k) weights[k] += weights[k - 1];
    const uint64_t sum = weights[classes - 1];
    for (dim_t s = 0; s < dst.columns(); ++s)
        out[dst.offset(row, s)] = static_cast<Index>(
            std::lower_bound(weights, weights + classes - 1, draw_target(uniforms.next(), sum)) -
            weights);
}

class PortableMultinomial : public Executable {
  public:
    PortableMultinomial(const MultinomialDesc& desc, int max_parts)
        : desc_(desc), max_parts_(max_parts) {}

    Status execute(const ExecContext& context) const override;

  private:
    MultinomialDesc desc_;
    int max_parts_;
};

Status PortableMultinomial::execute(const ExecContext& context) const {
    const dim_t batch = desc_.dst.dims[0];
    const dim_t samples = desc_.dst.dims[1];
    const UniformSource uniforms = TOMBOLA_TRY(uniform_source(desc_, context));
    if (batch == 0 || samples == 0) {
        finish(desc_, context, uniforms);
        return {};
    }

    const MatrixLayout src_layout(desc_.src);
    const MatrixLayout dst_layout(desc_.dst);
    const RowSource source(src_layout, context.input(TOMBOLA_ARG_SRC), desc_.log_probs);
    const Scratch scratch(desc_);
    auto* scales = context.scratchpad<RowScale>();
    auto* all_weights = reinterpret_cast<uint64_t*>(scales + batch);
    constexpr double kNanosecondsPerClass = 2.7;
    const Work work{static_cast<double>(batch * (desc_.src.dims[1] + samples)) *
                    kNanosecondsPerClass};
    const int parts = std::min(parts_for(work), max_parts_);

    LowestRow wrong;
    parallel(parts, [&](int part, int all) {
        const Range rows = split(batch, part, all);
        for (dim_t row = rows.begin; row < rows.end; ++row)
            if (refuses([&] { return source.check(row, classes_needed(desc_), scales[row]); }))
                return wrong.report(row);
    });
    if (wrong.any())
        return wrong.reason(source.check(wrong.row(), classes_needed(desc_), scales[wrong.row()]));

    void* dst = context.output(TOMBOLA_ARG_DST);
    parallel(parts, [&](int part, int all) {
        const Range rows = split(batch, part, all);
        uint64_t* weights = all_weights + part * scratch.weights;
        for (dim_t row = rows.begin; row < rows.end; ++row) {
            const UniformReader reader(uniforms, row * samples);
            const bool take_out = takes_classes_out(desc_);
            if (desc_.dst.data_type == DataType::s32)
                draw_row(source, dst_layout, static_cast<int32_t*>(dst), row, scales[row], reader,
                         take_out, weights);
            else
                draw_row(source, dst_layout, static_cast<int64_t*>(dst), row, scales[row], reader,
                         take_out, weights);
        }
    });
    finish(desc_, context, uniforms);
    return {};
}

}  // namespace

Result<PlanPtr> plan_portable_multinomial(CpuIsa, const MultinomialDesc& desc) {
    const int parts = max_parts(desc.src.dims[0]);
    return make_plan(desc.dst.has_zero_dim() ? 0 : Scratch(desc).bytes(parts),
                     [=] { return make_executable<PortableMultinomial>(desc, parts); });
}

}  // namespace tombola::impl::cpu
