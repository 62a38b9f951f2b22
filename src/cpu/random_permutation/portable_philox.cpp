// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/random_permutation/philox_permutation.hpp"
#include "cpu/rng/element_type.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
class PortablePhiloxPermutation : public Executable {
  public:
    explicit PortablePhiloxPermutation(const RandomPermutationDesc& desc) : desc_(desc) {}

    Status execute(const ExecContext& context) const override {
        return execute_philox_permutation<T>(
            context, desc_, kNanosecondsPerElement,
            [](const FeistelNetwork& network, uint64_t first, int64_t count, T* to) {
                network.elements(first, count, to);
            });
    }

  private:
    static constexpr double kNanosecondsPerElement = 3;

    RandomPermutationDesc desc_;
};

}  // namespace

Result<PlanPtr> plan_portable_philox_permutation(CpuIsa, const RandomPermutationDesc& desc) {
    return with_element_type<RandomPermutationDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(
            0, [desc] { return make_executable<PortablePhiloxPermutation<decltype(type)>>(desc); });
    });
}

}  // namespace tombola::impl::cpu
