// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/random_uniform/pytorch_convert.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/mt19937_call.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
class PortablePytorch : public Executable {
  public:
    explicit PortablePytorch(const RandomUniformDesc& desc) : desc_(desc) {}

    Status execute(const ExecContext& context) const override {
        const auto convert = TOMBOLA_TRY(PytorchConvert<T>::resolve(context, desc_));
        Mt19937Call call(convert.words(), MtJumpLoops::portable());
        TOMBOLA_TRY(call.resolve(context, desc_.dst.nelems(), Mt19937Call::Draws::elements));
        fill_from_mt19937(desc_.dst, context.output(TOMBOLA_ARG_DST), call, convert);
        call.report(context);
        return {};
    }

  private:
    RandomUniformDesc desc_;
};

}  // namespace

Result<PlanPtr> plan_portable_pytorch_uniform(CpuIsa, const RandomUniformDesc& desc) {
    return with_element_type<RandomUniformDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(0,
                         [desc] { return make_executable<PortablePytorch<decltype(type)>>(desc); });
    });
}

}  // namespace tombola::impl::cpu
