// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/element_type.hpp"
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
        const Bounds<T> bounds = TOMBOLA_TRY(resolve_bounds<T>(context));
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, dst_.nelems()));
        fill_from_philox(dst_, context.output(TOMBOLA_ARG_DST), call, kernel_,
                         TensorflowConversion<T>::pack(bounds));
        report_philox_call(context, call);
        return {};
    }

  private:
    MemoryDesc dst_;
    PhiloxKernel kernel_;
};

}  // namespace

Result<PlanPtr> plan_tensorflow_uniform(CpuIsa isa, const RandomUniformDesc& desc) {
    return with_element_type<RandomUniformDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        using T = decltype(type);
        return make_plan(0, [isa, dst = desc.dst]() -> Result<std::unique_ptr<Executable>> {
            PhiloxKernel kernel = TOMBOLA_TRY(tensorflow_kernel<T>(isa, rows_of_tiles(dst)));
            return make_executable<JitTensorflow<T>>(dst, std::move(kernel));
        });
    });
}

}  // namespace tombola::impl::cpu::x64
