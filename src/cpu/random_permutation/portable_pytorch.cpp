// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/random_permutation/fisher_yates.hpp"
#include "cpu/rng/element_type.hpp"

namespace tombola::impl::cpu {
namespace {

class PortableTargets {
  public:
    PortableTargets(const Mt19937& state, int64_t range) : state_(state), range_(range) {}

    void operator()(int64_t first, int64_t count, uint32_t* to) {
        for (int64_t i = first; i < first + count; ++i)
            *to++ = static_cast<uint32_t>(i) + state_.next() % static_cast<uint32_t>(range_ - i);
    }
    const Mt19937& state() const { return state_; }

  private:
    Mt19937 state_;
    int64_t range_;
};

template <class T>
class PortablePytorchPermutation : public Executable {
  public:
    explicit PortablePytorchPermutation(const RandomPermutationDesc& desc) : desc_(desc) {}

    Status execute(const ExecContext& context) const override {
        return FisherYates::execute<T>(
            context, desc_, MtJumpLoops::portable(),
            [](const Mt19937& state, int64_t range) { return PortableTargets(state, range); });
    }

  private:
    RandomPermutationDesc desc_;
};

}  // namespace

Result<PlanPtr> plan_portable_pytorch_permutation(CpuIsa, const RandomPermutationDesc& desc) {
    return with_element_type<RandomPermutationDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(FisherYates::scratchpad_bytes(desc), [desc] {
            return make_executable<PortablePytorchPermutation<decltype(type)>>(desc);
        });
    });
}

}  // namespace tombola::impl::cpu
