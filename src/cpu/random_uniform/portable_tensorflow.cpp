// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"

#include <type_traits>

#include "cpu/random_uniform/tensorflow_call.hpp"
#include "cpu/random_uniform/tensorflow_convert.hpp"
#include "cpu/random_uniform/uniform_plan.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/philox.hpp"

namespace tombola::impl::cpu {
namespace {

class PortableTensorflow : public Executable {
  public:
    explicit PortableTensorflow(const RandomUniformDesc& desc) : desc_(desc) {}

    Status execute(const ExecContext& context) const override {
        return execute_tensorflow(
            context, desc_, [&](const auto& bounds, const TensorflowCall& call) {
                using T = std::decay_t<decltype(bounds.min)>;
                generate(TensorflowConvert<T>(bounds), call, context.output<T>(TOMBOLA_ARG_DST));
            });
    }

  private:
    template <class T>
    void generate(const TensorflowConvert<T>& convert, const TensorflowCall& call, T* dst) const {
        constexpr int kWords = TensorflowConvert<T>::kWords;
        fill(desc_.dst, dst, {}, [&](const FillPart& part) {
            PhiloxWords source(call.start, call.key, call.first_word(part.first(), kWords));
            part.for_each_run([&](const Run& run) {
                T* to = static_cast<T*>(run.to);
                for (int64_t i = 0; i < run.count; ++i) {
                    uint32_t words[kWords];
                    for (uint32_t& word : words) word = source.next();
                    to[i] = convert(words);
                }
            });
        });
    }

    RandomUniformDesc desc_;
};

}  // namespace

Result<PlanPtr> plan_portable_tensorflow_uniform(CpuIsa, const RandomUniformDesc& desc) {
    TOMBOLA_TRY(check_uniform(desc, Alignment::tensorflow));
    return make_plan(0, [desc] { return make_executable<PortableTensorflow>(desc); });
}

}  // namespace tombola::impl::cpu
