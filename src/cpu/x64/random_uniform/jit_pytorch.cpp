// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/implementations.hpp"

#include <utility>

#include "cpu/float16.hpp"
#include "cpu/random_uniform/bounds.hpp"
#include "cpu/random_uniform/element_type.hpp"
#include "cpu/random_uniform/pytorch_draw.hpp"
#include "cpu/random_uniform/pytorch_execution.hpp"
#include "cpu/random_uniform/uniform_plan.hpp"
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"
#include "cpu/x64/rng/mt19937_kernel.hpp"
#include "cpu/x64/rng/mt19937_stream.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using Params = Mt19937Kernel::Params;

// The kernel's outputs of a type. Integers have two, for one word a value and for two; MIN and MAX decide which.
struct Outputs {
    MtOutput narrow, wide;
};
constexpr Outputs outputs_of(Float16) { return {MtOutput::f16, MtOutput::f16}; }
constexpr Outputs outputs_of(BFloat16) { return {MtOutput::bf16, MtOutput::bf16}; }
constexpr Outputs outputs_of(float) { return {MtOutput::f32, MtOutput::f32}; }
constexpr Outputs outputs_of(double) { return {MtOutput::f64, MtOutput::f64}; }
constexpr Outputs outputs_of(int32_t) { return {MtOutput::s32, MtOutput::s32_wide}; }
constexpr Outputs outputs_of(int64_t) { return {MtOutput::s64, MtOutput::s64_wide}; }

// False when the kernel's arithmetic would not be PyTorch's: range * 2^-d must be exact, which fails for
// ranges of subnormal size alone.
template <class T>
bool make_params(const PytorchDraw<T>& draw, Params& params) {
    if constexpr (std::is_integral_v<T>) {
        params.minimum = draw.minimum();
        params.divisor = draw.range();
        if (draw.words() == 2)
            params.reciprocal = ~uint64_t{0} / params.divisor;
        else if (params.divisor <= 0xFFFFFFFF)
            params.reciprocal = 0xFFFFFFFF / params.divisor;
        else
            params.divisor = 0;  // a word is below the range
        return true;
    } else {
        using Draw = PytorchDraw<T>;
        using Bits = std::conditional_t<sizeof(typename Draw::Compute) == 8, uint64_t, uint32_t>;
        const auto scale = draw.range() * Draw::kUnit;
        params.minimum = bit_cast<Bits>(draw.minimum());
        params.scale = bit_cast<Bits>(scale);
        return scale / Draw::kUnit == draw.range();
    }
}

template <class T>
class Execution : public Executable {
  public:
    using Kernel = std::shared_ptr<const Mt19937Kernel>;
    using Loops = std::unique_ptr<const JitMtJumpLoops>;
    Execution(const RandomUniformDesc& desc, Kernel narrow, Kernel wide, Loops loops)
        : desc_(desc),
          narrow_(std::move(narrow)),
          wide_(std::move(wide)),
          loops_(std::move(loops)) {}

    Status execute(const ExecContext& context) const override {
        Result<Bounds<T>> bounds = resolve_bounds<T>(context);
        TOMBOLA_TRY(bounds.take_status());
        const PytorchDraw<T> draw(bounds.value(), desc_.int_draws);
        Params params;
        if (!make_params(draw, params))
            return execute_pytorch(
                context, desc_, draw.words(), *loops_,
                [&](Mt19937& state, const FillPart& part) { generate_pytorch(draw, state, part); });
        const Mt19937Kernel& kernel = draw.words() == 2 ? *wide_ : *narrow_;
        return execute_pytorch(
            context, desc_, draw.words(), *loops_, [&](Mt19937& state, const FillPart& part) {
                Mt19937Stream stream(kernel, params, state);
                part.for_each_run(
                    [&](const Run& run) { stream.generate(run.count, run.to, run.streaming); });
                state = stream.state();
            });
    }

  private:
    RandomUniformDesc desc_;
    Kernel narrow_, wide_;
    Loops loops_;
};

}  // namespace

Result<PlanPtr> plan_pytorch_uniform(CpuIsa isa, const RandomUniformDesc& desc) {
    TOMBOLA_TRY(check_uniform(desc, Alignment::pytorch));
    return make_plan(0, [isa, desc] {
        return with_uniform_type(
            desc.dst.data_type, [&](auto type) -> Result<std::unique_ptr<Executable>> {
                using T = decltype(type);
                auto narrow = cached_kernel<Mt19937Kernel>({isa, outputs_of(type).narrow});
                TOMBOLA_TRY(narrow.take_status());
                auto wide = cached_kernel<Mt19937Kernel>({isa, outputs_of(type).wide});
                TOMBOLA_TRY(wide.take_status());
                auto loops = JitMtJumpLoops::create(isa);
                TOMBOLA_TRY(loops.take_status());
                return make_executable<Execution<T>>(desc, narrow.take(), wide.take(),
                                                     loops.take());
            });
    });
}

}  // namespace tombola::impl::cpu::x64
