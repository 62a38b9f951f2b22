// SPDX-License-Identifier: Apache-2.0

// Stochastic rounding as it is defined (stochastic_round.hpp), for every layout.

#include "cpu/implementations.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/rng/philox_draws.hpp"
#include "cpu/rng/transform.hpp"
#include "cpu/stochastic_rounding/stochastic_round.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr int kDrawBits = 16;

template <class T>
class PortableStochasticRounding : public Executable {
  public:
    PortableStochasticRounding(const MemoryDesc& src, const MemoryDesc& dst)
        : src_(src), dst_(dst) {}

    Status execute(const ExecContext& context) const override {
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, dst_.nelems()));
        transform({src_, context.input(TOMBOLA_ARG_SRC)}, {dst_, context.output(TOMBOLA_ARG_DST)},
                  {}, kPortablePhiloxWordNanoseconds, [&](const TransformRun& run) {
                      PhiloxDraws draws(call.start, call.key(), call.number_of(run.first),
                                        kDrawBits);
                      const auto* from = static_cast<const float*>(run.from);
                      auto* to = static_cast<T*>(run.to);
                      for (int64_t i = 0; i < run.count; ++i)
                          stochastic_round(from[i], draws.next(), to[i]);
                  });
        report_philox_call(context, call);
        return {};
    }

  private:
    MemoryDesc src_, dst_;
};

}  // namespace

Result<PlanPtr> plan_portable_stochastic_rounding(CpuIsa, const StochasticRoundingDesc& desc) {
    return with_element_type<StochasticRoundingDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        using T = decltype(type);
        return make_plan(0, [src = desc.src, dst = desc.dst] {
            return make_executable<PortableStochasticRounding<T>>(src, dst);
        });
    });
}

}  // namespace tombola::impl::cpu
