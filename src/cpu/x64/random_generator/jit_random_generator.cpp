// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_generator/jit_random_generator.hpp"

#include "cpu/random_generator/generator_state.hpp"
#include "cpu/x64/rng/philox_fill.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class JitRandomGeneratorExecutable : public Executable {
  public:
    JitRandomGeneratorExecutable(const MemoryDesc& dst, std::shared_ptr<const PhiloxKernel> kernel)
        : dst_(dst), kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        const auto state = GeneratorState::load(context.input<uint32_t>(TOMBOLA_ARG_SRC_STATE));
        const PhiloxFill source(*kernel_, state.counter, state.key, {});
        fill(dst_, context.output(TOMBOLA_ARG_DST), kPhiloxFillOptions, [&](const FillPart& part) {
            part.for_each_run([&](const Run& run) {
                source.generate(static_cast<Uint128>(run.first), run.count, run.to, run.streaming);
            });
        });
        if (auto* next = context.output<uint32_t>(TOMBOLA_ARG_DST_STATE))
            state.after(dst_.nelems()).store(next);
        return {};
    }

  private:
    MemoryDesc dst_;
    std::shared_ptr<const PhiloxKernel> kernel_;
};

}  // namespace

template <CpuIsa isa>
Result<Plan> JitRandomGenerator<isa>::plan(const Desc&) {
    return Plan{};
}

template <CpuIsa isa>
Result<std::unique_ptr<Executable>> JitRandomGenerator<isa>::create(const Desc& desc, const Plan&) {
    auto kernel = philox_kernel(isa, PhiloxOutput::words);
    TOMBOLA_TRY(kernel.take_status());
    return std::unique_ptr<Executable>(
        std::make_unique<JitRandomGeneratorExecutable>(desc.dst, kernel.take()));
}

template struct JitRandomGenerator<CpuIsa::avx2>;
template struct JitRandomGenerator<CpuIsa::avx512_core>;

}  // namespace tombola::impl::cpu::x64
