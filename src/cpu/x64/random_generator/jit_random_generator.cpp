// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/rng/generator_state.hpp"
#include "cpu/x64/rng/philox_fill.hpp"
#include "cpu/x64/rng/philox_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class JitRandomGenerator : public Executable {
  public:
    JitRandomGenerator(const MemoryDesc& dst, PhiloxKernel kernel)
        : dst_(dst), kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        const auto state = GeneratorState::load(context.input<uint32_t>(TOMBOLA_ARG_SRC_STATE));
        const PhiloxFill source(kernel_, state.counter, state.key, {});
        fill_from_philox(dst_, context.output(TOMBOLA_ARG_DST), source, 0);
        if (auto* next = context.output<uint32_t>(TOMBOLA_ARG_DST_STATE))
            state.after(dst_.nelems()).store(next);
        return {};
    }

  private:
    MemoryDesc dst_;
    PhiloxKernel kernel_;
};

}  // namespace

Result<PlanPtr> plan_random_generator(CpuIsa isa, const RandomGeneratorDesc& desc) {
    return make_plan(0, [isa, dst = desc.dst]() -> Result<std::unique_ptr<Executable>> {
        PhiloxKernel kernel = TOMBOLA_TRY(philox_words_kernel(isa, rows_of_tiles(dst)));
        return make_executable<JitRandomGenerator>(dst, std::move(kernel));
    });
}

}  // namespace tombola::impl::cpu::x64
