// SPDX-License-Identifier: Apache-2.0
// token_sampler by the definition, row by row.

#include <algorithm>

#include "common/parallel.hpp"
#include "cpu/implementations.hpp"
#include "cpu/token_sampler/sorted_row.hpp"
#include "cpu/weights/lowest_row.hpp"

namespace tombola::impl::cpu {
namespace {

class PortableTokenSampler : public Executable {
  public:
    PortableTokenSampler(const TokenSamplerDesc& desc, int max_parts)
        : desc_(desc), max_parts_(max_parts), src_(desc.src) {}

    Status execute(const ExecContext& context) const override;

  private:
    TokenSamplerDesc desc_;
    int max_parts_;
    MatrixLayout src_;
};

Status PortableTokenSampler::execute(const ExecContext& context) const {
    auto* scratchpad = context.scratchpad<char>();
    const SamplerCall call = TOMBOLA_TRY(SamplerCall::resolve(desc_, context, scratchpad));
    const RowSource source(src_, context.input(TOMBOLA_ARG_SRC), true);
    char* rows = scratchpad + SamplerCall::scratchpad_bytes(desc_);
    const size_t row_bytes = SortedRow::bytes(desc_.classes());
    Work work{0};
    for (dim_t row = 0; row < desc_.batch(); ++row)
        work.nanoseconds += nanoseconds_of_row(desc_, call.parameters(row));
    LowestRow wrong;
    parallel(std::min(parts_for(work), max_parts_), [&](int part, int all) {
        const Range range = split(desc_.batch(), part, all);
        Arena arena(rows + to_size(part) * row_bytes);
        SortedRow sorted(arena, desc_.classes());
        for (dim_t row = range.begin; row < range.end; ++row) {
            if (refuses([&] { return call.check_row(source, row); })) return wrong.report(row);
            sample_sorted_row(desc_, call, source, sorted, row);
        }
    });
    if (wrong.any()) return wrong.reason(call.check_row(source, wrong.row()));
    call.finish(context);
    return {};
}

}  // namespace

Result<PlanPtr> plan_portable_token_sampler(CpuIsa, const TokenSamplerDesc& desc) {
    const int parts = max_parts(desc.batch());
    const size_t rows_bytes =
        desc.batch() == 0 ? 0 : to_size(parts) * SortedRow::bytes(desc.classes());
    const size_t bytes = SamplerCall::scratchpad_bytes(desc) + rows_bytes;
    return make_plan(bytes, [=] { return make_executable<PortableTokenSampler>(desc, parts); });
}

}  // namespace tombola::impl::cpu
