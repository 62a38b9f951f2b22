// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/random_normal/tensorflow_normal.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/x64/random_normal/normal_fill.hpp"
#include "cpu/x64/rng/philox_fill.hpp"
#include "cpu/x64/rng/philox_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Words that are drawn at a time: with their values they stay in the first-level cache.
constexpr int64_t kChunkWords = 2048;

template <class T>
class JitTensorflowNormal : public Executable {
  public:
    JitTensorflowNormal(const MemoryDesc& dst, PhiloxKernel words, NormalTransform transform)
        : dst_(dst), words_(std::move(words)), transform_(std::move(transform)) {}

    Status execute(const ExecContext& context) const override {
        const Moments<T> moments = TOMBOLA_TRY(resolve_moments<T>(context));
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, dst_.nelems()));
        const NormalFill fill(transform_, moments);
        const PhiloxFill words(words_, call.start, call.key(), PackedParameters());
        const auto options = philox_fill_options(
            machine().nanoseconds_per_lane(kPhiloxInstructions + kNormalInstructions,
                                           words_.vector_bytes) *
            kPhiloxBlockWords / TensorflowNormal<T>::kBlockValues);
        cpu::fill(dst_, context.output(TOMBOLA_ARG_DST), options, [&](const FillPart& part) {
            part.for_each_run(
                [&](const Run& run) { generate(fill, words, call.number_of(run.first), run); });
        });
        report_philox_call(context, call);
        return {};
    }

  private:
    // If the first value does not begin a block, the values of that block are computed in a buffer.
    static void generate(const NormalFill& fill, const PhiloxFill& words, Uint128 first,
                         const Run& run) {
        constexpr int64_t kValues = TensorflowNormal<T>::kBlockValues;
        constexpr int64_t kWords = kPhiloxBlockWords / kValues;  // of a value
        alignas(64) uint32_t buffer[kChunkWords + NormalTransform::kMaxGroupWords];
        std::fill_n(buffer + kChunkWords, NormalTransform::kMaxGroupWords, 0u);
        auto* to = static_cast<T*>(run.to);
        int64_t left = run.count;
        const auto skip = static_cast<int64_t>(first % kValues);
        Uint128 word = (first - static_cast<uint64_t>(skip)) * kWords;
        if (skip != 0) {
            T values[kValues];
            words.generate(word, kPhiloxBlockWords, buffer, false);
            fill.values(buffer, kValues, values, false);
            const int64_t count = std::min(left, kValues - skip);
            to = std::copy_n(values + skip, count, to);
            left -= count;
            word += kPhiloxBlockWords;
        }
        while (left > 0) {
            const int64_t count = std::min(left, kChunkWords / kWords);
            // Whole blocks are drawn. The last one may have more values than are left.
            const int64_t drawn =
                (count * kWords + kPhiloxBlockWords - 1) / kPhiloxBlockWords * kPhiloxBlockWords;
            words.generate(word, drawn, buffer, false);
            fill.values(buffer, count, to, run.streaming);
            to += count;
            left -= count;
            word += static_cast<uint64_t>(drawn);
        }
    }

    MemoryDesc dst_;
    PhiloxKernel words_;
    NormalTransform transform_;
};

}  // namespace

Result<PlanPtr> plan_tensorflow_normal(CpuIsa isa, const RandomNormalDesc& desc) {
    return with_element_type<RandomNormalDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(0, [isa, dst = desc.dst]() -> Result<std::unique_ptr<Executable>> {
            auto words = TOMBOLA_TRY(philox_words_kernel(isa));
            auto transform = TOMBOLA_TRY(
                make_normal_transform(isa, Alignment::tensorflow, float_type_of(dst.data_type)));
            return make_executable<JitTensorflowNormal<decltype(type)>>(dst, std::move(words),
                                                                        std::move(transform));
        });
    });
}

}  // namespace tombola::impl::cpu::x64
