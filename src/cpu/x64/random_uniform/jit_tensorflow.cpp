// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/implementations.hpp"

#include "cpu/random_uniform/bounds.hpp"
#include "cpu/random_uniform/tensorflow_call.hpp"
#include "cpu/random_uniform/uniform_plan.hpp"
#include "cpu/x64/rng/philox_fill.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr PhiloxOutput output_of(Float16) { return PhiloxOutput::f16; }
constexpr PhiloxOutput output_of(BFloat16) { return PhiloxOutput::bf16; }
constexpr PhiloxOutput output_of(float) { return PhiloxOutput::f32; }
constexpr PhiloxOutput output_of(double) { return PhiloxOutput::f64; }
constexpr PhiloxOutput output_of(int32_t) { return PhiloxOutput::s32; }
constexpr PhiloxOutput output_of(int64_t) { return PhiloxOutput::s64; }

// The range is rounded to the type, as the specification has it.
PhiloxParameters parameters_of(Bounds<float> b) { return f32_parameters(b.max - b.min, b.min); }
PhiloxParameters parameters_of(Bounds<double> b) { return f64_parameters(b.max - b.min, b.min); }
PhiloxParameters parameters_of(Bounds<Float16> b) {
    return f16_parameters(to_f32(to_f16(to_f32(b.max) - to_f32(b.min))), to_f32(b.min));
}
PhiloxParameters parameters_of(Bounds<BFloat16> b) {
    return bf16_parameters(to_f32(to_bf16(to_f32(b.max) - to_f32(b.min))), to_f32(b.min));
}
PhiloxParameters parameters_of(Bounds<int32_t> b) {
    const auto min = static_cast<uint32_t>(b.min);
    return s32_parameters(static_cast<uint32_t>(b.max) - min, min);
}
PhiloxParameters parameters_of(Bounds<int64_t> b) {
    const auto min = static_cast<uint64_t>(b.min);
    return s64_parameters(static_cast<uint64_t>(b.max) - min, min);
}

class JitTensorflowUniform : public Executable {
  public:
    JitTensorflowUniform(const RandomUniformDesc& desc, std::shared_ptr<const PhiloxKernel> kernel)
        : desc_(desc), kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        return execute_tensorflow(
            context, desc_, [&](const auto& bounds, const TensorflowCall& call) {
                const PhiloxFill source(*kernel_, call.start, call.key, parameters_of(bounds));
                fill(desc_.dst, context.output(TOMBOLA_ARG_DST), kPhiloxFillOptions,
                     [&](const FillPart& part) {
                         part.for_each_run([&](const Run& run) {
                             source.generate(
                                 Uint128{call.offset} + static_cast<uint64_t>(run.first), run.count,
                                 run.to, run.streaming);
                         });
                     });
            });
    }

  private:
    RandomUniformDesc desc_;
    std::shared_ptr<const PhiloxKernel> kernel_;
};

}  // namespace

Result<PlanPtr> plan_tensorflow_uniform(CpuIsa isa, const RandomUniformDesc& desc) {
    TOMBOLA_TRY(check_uniform(desc, Alignment::tensorflow));
    return make_plan(0, [isa, desc] {
        return with_uniform_type(
            desc.dst.data_type, [&](auto type) -> Result<std::unique_ptr<Executable>> {
                auto kernel = philox_kernel(isa, output_of(type));
                TOMBOLA_TRY(kernel.take_status());
                return make_executable<JitTensorflowUniform>(desc, kernel.take());
            });
    });
}

}  // namespace tombola::impl::cpu::x64
