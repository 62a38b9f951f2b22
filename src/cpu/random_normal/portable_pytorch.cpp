// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/implementations.hpp"
#include "cpu/random_normal/pytorch_call.hpp"
#include "cpu/rng/element_type.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
class PortablePytorchNormal : public Executable {
  public:
    explicit PortablePytorchNormal(const MemoryDesc& dst) : dst_(dst) {}

    Status execute(const ExecContext& context) const override {
        const Moments<T> moments = TOMBOLA_TRY(resolve_moments<T>(context));
        const PytorchNormal<T> normal(moments);
        return execute_pytorch_normal<T>(
            context, dst_, MtJumpLoops::portable(), moments, kPortableNormalNanoseconds,
            [&](Mt19937& state, const FillPart& part) {
                part.for_each_run([&](const Run& run) { generate(normal, state, run); });
            });
    }

  private:
    static void generate(const PytorchNormal<T>& normal, Mt19937& state, const Run& run) {
        auto* to = static_cast<T*>(run.to);
        const int64_t rest = run.count % kNormalBlock;
        for (const T* const end = to + (run.count - rest); to < end; to += kNormalBlock)
            normal.block(state, to);
        // A partial last block of the tensor takes its words here. execute_pytorch_normal() draws its values later.
        for (int64_t i = 0; i < rest * PytorchNormal<T>::kWords; ++i) state.next();
        std::fill_n(to, rest, T{});
    }

    MemoryDesc dst_;
};

}  // namespace

Result<PlanPtr> plan_portable_pytorch_normal(CpuIsa, const RandomNormalDesc& desc) {
    return with_element_type<RandomNormalDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(0, [dst = desc.dst] {
            return make_executable<PortablePytorchNormal<decltype(type)>>(dst);
        });
    });
}

}  // namespace tombola::impl::cpu
