// SPDX-License-Identifier: Apache-2.0
// Element e of the destination, in row-major order, is word e % 4 of the block at counter + e / 4.
#include "cpu/implementations.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/generator_state.hpp"

namespace tombola::impl::cpu {
namespace {

class PortableRandomGenerator : public Executable {
  public:
    explicit PortableRandomGenerator(const RandomGeneratorDesc& desc) : dst_(desc.dst) {}

    Status execute(const ExecContext& context) const override {
        const auto state = GeneratorState::load(context.input<uint32_t>(TOMBOLA_ARG_SRC_STATE));
        const FillOptions options{1, 1, kPortablePhiloxWordNanoseconds};
        fill(dst_, context.output(TOMBOLA_ARG_DST), options, [&](const FillPart& part) {
            PhiloxWords words(state.counter, state.key, static_cast<Uint128>(part.first()));
            part.for_each_run([&](const Run& run) {
                auto* to = static_cast<uint32_t*>(run.to);
                for (int64_t i = 0; i < run.count; ++i) to[i] = words.next();
            });
        });
        if (auto* next = context.output<uint32_t>(TOMBOLA_ARG_DST_STATE))
            state.after(dst_.nelems()).store(next);
        return {};
    }

  private:
    MemoryDesc dst_;
};

}  // namespace

Result<PlanPtr> plan_portable_random_generator(CpuIsa, const RandomGeneratorDesc& desc) {
    return make_plan(0, [desc] { return make_executable<PortableRandomGenerator>(desc); });
}

}  // namespace tombola::impl::cpu
