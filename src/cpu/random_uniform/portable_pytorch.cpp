// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/random_uniform/pytorch_convert.hpp"
#include "cpu/random_uniform/uniform_plan.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/mt19937_call.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
class PortablePytorch : public Executable {
  public:
    PortablePytorch(const MemoryDesc& dst, IntDraws int_draws) : dst_(dst), int_draws_(int_draws) {}

    Status execute(const ExecContext& context) const override {
        const Bounds<T> bounds = TOMBOLA_TRY(resolve_bounds<T>(context));
        const PytorchConvert<T> convert(bounds, int_draws_);
        Mt19937Call call(convert.words(), MtJumpLoops::portable());
        TOMBOLA_TRY(call.resolve(context, dst_.nelems()));
        call.fill(dst_, context.output(TOMBOLA_ARG_DST), [&](Mt19937& state, const FillPart& part) {
            generate_from_mt19937(convert, state, part);
        });
        call.report(context);
        return {};
    }

  private:
    MemoryDesc dst_;
    IntDraws int_draws_;
};

}  // namespace

Result<PlanPtr> plan_portable_pytorch_uniform(CpuIsa, const RandomUniformDesc& desc) {
    return plan_uniform(desc, [&](auto type) {
        return make_plan(0, [dst = desc.dst, int_draws = desc.int_draws] {
            return make_executable<PortablePytorch<decltype(type)>>(dst, int_draws);
        });
    });
}

}  // namespace tombola::impl::cpu
