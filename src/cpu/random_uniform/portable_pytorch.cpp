// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"

#include "cpu/random_uniform/bounds.hpp"
#include "cpu/random_uniform/element_type.hpp"
#include "cpu/random_uniform/pytorch_draw.hpp"
#include "cpu/random_uniform/pytorch_execution.hpp"
#include "cpu/random_uniform/uniform_plan.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
class Execution : public Executable {
  public:
    explicit Execution(const RandomUniformDesc& desc) : desc_(desc) {}

    Status execute(const ExecContext& context) const override {
        Result<Bounds<T>> bounds = resolve_bounds<T>(context);
        TOMBOLA_TRY(bounds.take_status());
        const PytorchDraw<T> draw(bounds.value(), desc_.int_draws);
        return execute_pytorch(
            context, desc_, draw.words(), MtJumpLoops::portable(),
            [&](Mt19937& state, const FillPart& part) { generate_pytorch(draw, state, part); });
    }

  private:
    RandomUniformDesc desc_;
};

}  // namespace

Result<PlanPtr> plan_portable_pytorch_uniform(CpuIsa, const RandomUniformDesc& desc) {
    TOMBOLA_TRY(check_uniform(desc, Alignment::pytorch));
    return make_plan(0, [desc] {
        return with_uniform_type(desc.dst.data_type, [&](auto type) {
            return make_executable<Execution<decltype(type)>>(desc);
        });
    });
}

}  // namespace tombola::impl::cpu
