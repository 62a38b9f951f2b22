// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/random_uniform/tensorflow_convert.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/philox_call.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
class PortableTensorflow : public Executable {
  public:
    explicit PortableTensorflow(const MemoryDesc& dst) : dst_(dst) {}

    Status execute(const ExecContext& context) const override {
        const Bounds<T> bounds = TOMBOLA_TRY(resolve_bounds<T>(context));
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, dst_.nelems()));
        fill_from_philox(dst_, context.output(TOMBOLA_ARG_DST), call, TensorflowConvert<T>(bounds));
        report_philox_call(context, call);
        return {};
    }

  private:
    MemoryDesc dst_;
};

}  // namespace

Result<PlanPtr> plan_portable_tensorflow_uniform(CpuIsa, const RandomUniformDesc& desc) {
    return with_element_type<RandomUniformDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(0, [dst = desc.dst] {
            return make_executable<PortableTensorflow<decltype(type)>>(dst);
        });
    });
}

}  // namespace tombola::impl::cpu
