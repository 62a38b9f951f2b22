// SPDX-License-Identifier: Apache-2.0
// token_sampler by generated kernels: row_sampler.hpp handles one row.

#include <algorithm>
#include <memory>

#include "common/parallel.hpp"
#include "common/scratchpad.hpp"
#include "cpu/implementations.hpp"
#include "cpu/weights/lowest_row.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/token_sampler/row_sampler.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class JitTokenSampler : public Executable {
  public:
    JitTokenSampler(const TokenSamplerDesc& desc, SamplerKernels kernels, int max_parts)
        : desc_(desc), kernels_(std::move(kernels)), src_(desc.src), max_parts_(max_parts) {}

    Status execute(const ExecContext& context) const override;

  private:
    double nanoseconds(const RowParameters& row) const;
    Work batch_work(const SamplerCall& call) const;

    TokenSamplerDesc desc_;
    SamplerKernels kernels_;
    MatrixLayout src_;
    int max_parts_;
    mutable SamplerTries tries_;
};

// The nanoseconds that one thread takes for a row with these parameters. The constants were measured on Zen 5.
double JitTokenSampler::nanoseconds(const RowParameters& row) const {
    constexpr double kPerRow = 250, kPerTopP = 1000, kPerListedClass = 20;
    const dim_t classes = desc_.classes();
    double time = kPerRow + moving(to_size(classes) * size_of(desc_.src.data_type)).nanoseconds;
    if (row.is_greedy()) return time;
    if (row.top_p < 1) time += kPerTopP;
    if (row.top_k < classes) return time + kPerListedClass * static_cast<double>(row.top_k);
    const RowPasses& passes = kernels_.passes;
    using Sums = RowPasses::Sums;
    const bool estimated = passes.has_estimates() && desc_.samples() <= EstimatedRow::kMaxSamples;
    return time + passes.nanoseconds(classes, estimated ? Sums::estimated : Sums::exact);
}

// The parameters of rows may differ: the first row may be greedy, and the others not. So the cost of the batch is that of a few of its
// rows.
Work JitTokenSampler::batch_work(const SamplerCall& call) const {
    constexpr dim_t kMaxRows = 16;
    const dim_t batch = desc_.batch(), rows = std::min(batch, kMaxRows);
    double time = 0;
    for (dim_t i = 0; i < rows; ++i) time += nanoseconds(call.parameters(i * batch / rows));
    return {time * static_cast<double>(batch) / static_cast<double>(rows)};
}

// Rows are divided among the threads, or the threads share each row.
Status JitTokenSampler::execute(const ExecContext& context) const {
    auto* scratchpad = context.scratchpad<char>();
    const SamplerCall call = TOMBOLA_TRY(SamplerCall::resolve(desc_, context, scratchpad));
    const auto* src = context.input<char>(TOMBOLA_ARG_SRC);
    const RowSource source(src_, src, true);
    const size_t part_bytes = RowSampler::scratchpad_bytes(desc_);
    char* parts = scratchpad + SamplerCall::scratchpad_bytes(desc_);
    LowestRow wrong;
    const auto sample_rows = [&](int part, Range rows) {
        RowSampler sampler(desc_, kernels_, call, source, src_, src,
                           Arena(parts + to_size(part) * part_bytes), tries_);
        for (dim_t row = rows.begin; row < rows.end; ++row)
            if (!sampler.sample(row, std::min(row + 1, rows.end - 1))) return wrong.report(row);
    };
    const dim_t batch = desc_.batch();
    const int shares = std::min(parts_for_rows(batch, batch_work(call)), max_parts_);
    if (shares == 1)
        sample_rows(0, Range{0, batch});
    else
        parallel(shares, [&](int part, int all) { sample_rows(part, split(batch, part, all)); });
    if (wrong.any()) return wrong.reason(call.check_row(source, wrong.row()));
    call.finish(context);
    return {};
}

Result<SamplerKernels> make_kernels(CpuIsa isa, const TokenSamplerDesc& desc) {
    const FloatType type = float_type_of(desc.src.data_type);
    ListKernels list;
    const bool far =
        machine().is_far(desc.src.nelems() * static_cast<int64_t>(size_of(desc.src.data_type)));
    list.max_unread = TOMBOLA_TRY(cached_function<GroupMaxKernel>({isa, type, far}));
    list.max = TOMBOLA_TRY(cached_function<GroupMaxKernel>({isa, type, false}));
    list.count = TOMBOLA_TRY(cached_function<CountKernel>({isa, FloatType::f32}));
    list.count_row = TOMBOLA_TRY(cached_function<CountKernel>({isa, type}));
    list.collect = TOMBOLA_TRY(cached_function<CollectKernel>({isa, type, false}));
    list.collect_between = TOMBOLA_TRY(cached_function<CollectKernel>({isa, type, true}));
    list.weigh = TOMBOLA_TRY(cached_function<WeightStoreKernel>({isa, FloatType::f32, true, true}));
    RowPasses passes =
        TOMBOLA_TRY(RowPasses::create(isa, desc.src, true, RowPasses::Weights::estimated, true));
    auto mask = TOMBOLA_TRY(cached_function<MaskKernel>({isa, type}));
    return SamplerKernels{std::move(mask), std::move(list), std::move(passes)};
}

}  // namespace

Result<PlanPtr> plan_token_sampler(CpuIsa isa, const TokenSamplerDesc& desc) {
    if (desc.dst.has_zero_dim()) return unimplemented("nothing to draw");
    const int parts = max_parts(desc.batch());
    const size_t bytes =
        SamplerCall::scratchpad_bytes(desc) + to_size(parts) * RowSampler::scratchpad_bytes(desc);
    return make_plan(bytes, [=]() -> Result<std::unique_ptr<Executable>> {
        SamplerKernels kernels = TOMBOLA_TRY(make_kernels(isa, desc));
        return make_executable<JitTokenSampler>(desc, std::move(kernels), parts);
    });
}

}  // namespace tombola::impl::cpu::x64
