// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_uniform/jit_tensorflow.hpp"

#include "cpu/random_uniform/bounds.hpp"
#include "cpu/random_uniform/tensorflow_call.hpp"
#include "cpu/random_uniform/uniform_plan.hpp"
#include "cpu/x64/rng/philox_fill.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

PhiloxOutput output_of(DataType type) {
    switch (type) {
        case DataType::f16:
            return PhiloxOutput::f16;
        case DataType::bf16:
            return PhiloxOutput::bf16;
        case DataType::f32:
            return PhiloxOutput::f32;
        case DataType::f64:
            return PhiloxOutput::f64;
        case DataType::s32:
            return PhiloxOutput::s32;
        default:
            return PhiloxOutput::s64;
    }
}

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

class JitTensorflowExecutable : public Executable {
  public:
    JitTensorflowExecutable(const RandomUniformDesc& desc,
                            std::shared_ptr<const PhiloxKernel> kernel)
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

template <CpuIsa isa>
Result<Plan> JitTensorflowUniform<isa>::plan(const Desc& desc) {
    return plan_uniform(desc, Alignment::tensorflow);
}

template <CpuIsa isa>
Result<std::unique_ptr<Executable>> JitTensorflowUniform<isa>::create(const Desc& desc,
                                                                      const Plan&) {
    auto kernel = philox_kernel(isa, output_of(desc.dst.data_type));
    TOMBOLA_TRY(kernel.take_status());
    return std::unique_ptr<Executable>(
        std::make_unique<JitTensorflowExecutable>(desc, kernel.take()));
}

template struct JitTensorflowUniform<CpuIsa::avx2>;
template struct JitTensorflowUniform<CpuIsa::avx512_core>;

}  // namespace tombola::impl::cpu::x64
