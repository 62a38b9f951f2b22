// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/random_uniform/uniform_plan.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/x64/random_uniform/tensorflow_conversions.hpp"
#include "cpu/x64/rng/philox_fill.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

template <class T>
class JitTensorflow : public Executable {
  public:
    JitTensorflow(const MemoryDesc& dst, PhiloxKernel kernel)
        : dst_(dst), kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        auto bounds = resolve_bounds<T>(context);
        TOMBOLA_TRY(bounds.take_status());
        auto call = resolve_philox_call(context, dst_.nelems());
        TOMBOLA_TRY(call.take_status());
        fill_from_philox(dst_, context.output(TOMBOLA_ARG_DST), call.value(), kernel_,
                         TensorflowConversion<T>::pack(bounds.value()));
        report_philox_call(context, call.value());
        return {};
    }

  private:
    MemoryDesc dst_;
    PhiloxKernel kernel_;
};

}  // namespace

Result<PlanPtr> plan_tensorflow_uniform(CpuIsa isa, const RandomUniformDesc& desc) {
    return plan_uniform(desc, [&](auto type) {
        using T = decltype(type);
        return make_plan(0, [isa, dst = desc.dst]() -> Result<std::unique_ptr<Executable>> {
            auto kernel = TensorflowConversion<T>::kernel(isa);
            TOMBOLA_TRY(kernel.take_status());
            return make_executable<JitTensorflow<T>>(dst, kernel.take());
        });
    });
}

}  // namespace tombola::impl::cpu::x64
