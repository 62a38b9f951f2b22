// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/random_permutation/philox_permutation.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/random_permutation/feistel_kernel.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int64_t kMaxRange = int64_t{1} << 32;  // the kernel's values have 32 bits
constexpr int64_t kChunk = 2048;                 // values that are computed at once

// Computes elements of a permutation in chunks. All values of a chunk make the first pass. Those that are not below the
// range yet are gathered and make the next pass together, until none is left.
class FeistelWalk {
  public:
    FeistelWalk(const JitFunction<FeistelKernel::Args>& kernel, const FeistelNetwork& network)
        : kernel_(kernel),
          args_(FeistelKernel::arguments(network)),
          is_whole_(network.is_whole()),
          range_(static_cast<uint32_t>(network.range)) {}

    // Elements first ... first + count - 1, count <= kChunk.
    const uint32_t* elements(uint64_t first, int64_t count) {
        for (int64_t i = 0; i < count; ++i)
            values_[i] = static_cast<uint32_t>(first + static_cast<uint64_t>(i));
        pass(values_, count);
        if (!is_whole_) walk(count);
        return values_;
    }

  private:
    void pass(uint32_t* values, int64_t count) {
        args_.values = values;
        args_.count = count;
        kernel_(args_);
    }

    void walk(int64_t count) {
        int64_t walking = 0;
        for (int64_t i = 0; i < count; ++i) {
            places_[walking] = static_cast<uint16_t>(i);
            walking += values_[i] >= range_ ? 1 : 0;
        }
        while (walking > 0) {
            for (int64_t i = 0; i < walking; ++i) again_[i] = values_[places_[i]];
            pass(again_, walking);
            int64_t left = 0;
            for (int64_t i = 0; i < walking; ++i) {
                const uint16_t place = places_[i];
                values_[place] = again_[i];
                places_[left] = place;
                left += again_[i] >= range_ ? 1 : 0;
            }
            walking = left;
        }
    }

    static_assert(kChunk % FeistelKernel::kMaxStep == 0 && kChunk <= 65536);

    const JitFunction<FeistelKernel::Args>& kernel_;
    FeistelKernel::Args args_;
    bool is_whole_;
    uint32_t range_;
    alignas(64) uint32_t values_[kChunk];
    alignas(64) uint32_t again_[kChunk];
    uint16_t places_[kChunk];
};

template <class T>
class JitPhiloxPermutation : public Executable {
  public:
    JitPhiloxPermutation(CpuIsa isa, const RandomPermutationDesc& desc,
                         JitFunction<FeistelKernel::Args> kernel)
        : vector_bytes_(shape_of(isa).bytes), desc_(desc), kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        constexpr int kInstructions = 280;  // for a vector of elements of 32 bits
        return execute_philox_permutation<T>(
            context, desc_, machine().nanoseconds_per_lane(kInstructions, vector_bytes_),
            [this](const FeistelNetwork& network, uint64_t first, int64_t count, T* to) {
                FeistelWalk walk(kernel_, network);
                for (int64_t at = 0; at < count; at += kChunk) {
                    const int64_t some = std::min(kChunk, count - at);
                    std::copy_n(walk.elements(first + static_cast<uint64_t>(at), some), some,
                                to + at);
                }
            });
    }

  private:
    int vector_bytes_;
    RandomPermutationDesc desc_;
    JitFunction<FeistelKernel::Args> kernel_;
};

}  // namespace

Result<PlanPtr> plan_philox_permutation(CpuIsa isa, const RandomPermutationDesc& desc) {
    if (desc.range > kMaxRange) return unimplemented("the range has more than 32 bits");
    return with_element_type<RandomPermutationDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(0, [isa, desc]() -> Result<std::unique_ptr<Executable>> {
            auto kernel = TOMBOLA_TRY(cached_function<FeistelKernel>({isa}));
            return make_executable<JitPhiloxPermutation<decltype(type)>>(isa, desc,
                                                                         std::move(kernel));
        });
    });
}

}  // namespace tombola::impl::cpu::x64
