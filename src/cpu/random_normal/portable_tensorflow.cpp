// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/implementations.hpp"
#include "cpu/random_normal/tensorflow_normal.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/philox_call.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
class PortableTensorflowNormal : public Executable {
  public:
    explicit PortableTensorflowNormal(const MemoryDesc& dst) : dst_(dst) {}

    Status execute(const ExecContext& context) const override {
        const Moments<T> moments = TOMBOLA_TRY(resolve_moments<T>(context));
        const TensorflowNormal<T> normal(moments);
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, dst_.nelems()));
        constexpr FillOptions kOptions{1, 1, kPortableNormalNanoseconds};
        fill(dst_, context.output(TOMBOLA_ARG_DST), kOptions, [&](const FillPart& part) {
            part.for_each_run([&](const Run& run) { generate(normal, call, run); });
        });
        report_philox_call(context, call);
        return {};
    }

  private:
    // A run may begin and end within a block.
    static void generate(const TensorflowNormal<T>& normal, const PhiloxCall& call,
                         const Run& run) {
        constexpr int64_t kValues = TensorflowNormal<T>::kBlockValues;
        const Uint128 first = call.number_of(run.first);
        PhiloxCounter counter = call.start.plus(first / kValues);
        auto skip = static_cast<int64_t>(first % kValues);
        auto* to = static_cast<T*>(run.to);
        for (int64_t left = run.count; left > 0; counter = counter.plus(1), skip = 0) {
            T values[kValues];
            normal.block(philox_block(counter, call.key()), values);
            const int64_t count = std::min(left, kValues - skip);
            to = std::copy_n(values + skip, count, to);
            left -= count;
        }
    }

    MemoryDesc dst_;
};

}  // namespace

Result<PlanPtr> plan_portable_tensorflow_normal(CpuIsa, const RandomNormalDesc& desc) {
    return with_element_type<RandomNormalDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(0, [dst = desc.dst] {
            return make_executable<PortableTensorflowNormal<decltype(type)>>(dst);
        });
    });
}

}  // namespace tombola::impl::cpu
