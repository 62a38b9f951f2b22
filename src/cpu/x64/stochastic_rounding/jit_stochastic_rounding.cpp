// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/x64/stochastic_rounding/rounding_kernel.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class JitStochasticRounding : public Executable {
  public:
    JitStochasticRounding(const MemoryDesc& src, const MemoryDesc& dst,
                          PhiloxTransformKernel kernel)
        : src_(src), dst_(dst), kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, dst_.nelems()));
        const PhiloxTransform rounding(kernel_, call.start, call.key(),
                                       PackedParameters(RoundingKernel::Parameters{}));
        transform(
            {src_, context.input(TOMBOLA_ARG_SRC)}, {dst_, context.output(TOMBOLA_ARG_DST)}, {},
            kernel_.nanoseconds_per_element(),
            [&](const TransformRun& run) { rounding.transform(call.number_of(run.first), run); },
            kernel_.rows_at_once(call),
            [&](const TransformRows& run) {
                rounding.transform_rows(call.number_of(run.first), run);
            });
        report_philox_call(context, call);
        return {};
    }

  private:
    MemoryDesc src_, dst_;
    PhiloxTransformKernel kernel_;
};

}  // namespace

Result<PlanPtr> plan_stochastic_rounding(CpuIsa isa, const StochasticRoundingDesc& desc) {
    return with_element_type<StochasticRoundingDesc::kTypes>(desc.dst.data_type, [&](auto) {
        return make_plan(
            0, [isa, src = desc.src, dst = desc.dst]() -> Result<std::unique_ptr<Executable>> {
                auto kernel = TOMBOLA_TRY(make_transform_kernel<RoundingKernel>(
                    {isa, PhiloxLanes::run, dst.data_type}, rows_of_tiles(dst)));
                return make_executable<JitStochasticRounding>(src, dst, std::move(kernel));
            });
    });
}

}  // namespace tombola::impl::cpu::x64
