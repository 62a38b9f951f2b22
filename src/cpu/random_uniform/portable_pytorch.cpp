// SPDX-License-Identifier: Apache-2.0
#include "cpu/random_uniform/portable_pytorch.hpp"

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

Result<Plan> PortablePytorchUniform::plan(const Desc& desc) {
    return plan_uniform(desc, Alignment::pytorch);
}

Result<std::unique_ptr<Executable>> PortablePytorchUniform::create(const Desc& desc, const Plan&) {
    return with_uniform_type(desc.dst.data_type, [&](auto type) {
        return Result<std::unique_ptr<Executable>>(
            std::make_unique<Execution<decltype(type)>>(desc));
    });
}

}  // namespace tombola::impl::cpu
