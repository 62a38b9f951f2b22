// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/random_normal/pytorch_call.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/x64/random_normal/normal_fill.hpp"
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"
#include "cpu/x64/rng/mt19937_stream.hpp"
#include "cpu/x64/rng/mt19937_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Words are drawn in windows, because the kernel of the words is fastest with whole windows. They are transformed in
// groups. Words of a window that do not fill a group stay in the buffer, before the next words.
class PytorchNormalStream {
  public:
    PytorchNormalStream(const NormalFill& fill, const Mt19937Kernel& words, const Mt19937& state)
        : fill_(fill), stream_(words, PackedParameters(), state) {}

    void generate(int64_t count, void* to, bool streaming) {
        const NormalTransform& transform = fill_.transform();
        int64_t undrawn = count * transform.words_per_value;
        int64_t held = 0;  // words in the buffer
        auto* at = static_cast<char*>(to);
        while (undrawn > 0) {
            const int64_t in_window = stream_.values_in_window();
            const int64_t drawn =
                std::min(undrawn, in_window > 0 ? in_window : kWindows * kMtWords);
            stream_.generate(drawn, buffer_ + held, false);
            held += drawn;
            undrawn -= drawn;
            const int64_t words = held - held % transform.group_words();
            const int64_t values = words / transform.words_per_value;
            fill_.values(buffer_, values, at, streaming);
            at += values * transform.value_bytes;
            held -= words;
            std::copy_n(buffer_ + words, held, buffer_);
        }
        fill_.values(buffer_, held / transform.words_per_value, at, false);
    }
    Mt19937 state() { return stream_.state(); }

  private:
    static constexpr int64_t kWindows = 2;

    const NormalFill& fill_;
    Mt19937Stream stream_;
    // Two windows. Before them there is space for the words of a partial group. After them there is space for words
    // that are read and not used.
    alignas(64) uint32_t buffer_[kWindows * kMtWords + 2 * NormalTransform::kMaxGroupWords] = {};
};

template <class T>
class JitPytorchNormal : public Executable {
  public:
    JitPytorchNormal(const MemoryDesc& dst, Mt19937Kernel words, NormalTransform transform,
                     JitMtJumpLoops loops)
        : dst_(dst),
          words_(std::move(words)),
          transform_(std::move(transform)),
          loops_(std::move(loops)) {}

    Status execute(const ExecContext& context) const override {
        const Moments<T> moments = TOMBOLA_TRY(resolve_moments<T>(context));
        const NormalFill fill(transform_, moments);
        const double transform_time =
            machine().nanoseconds_per_lane(kNormalInstructions, words_.vector_words * 4);
        const double time =
            (words_.nanoseconds_per_value + transform_time) * transform_.words_per_value;
        return execute_pytorch_normal<T>(
            context, dst_, loops_, moments, time, [&](Mt19937& state, const FillPart& part) {
                PytorchNormalStream stream(fill, words_, state);
                part.for_each_run(
                    [&](const Run& run) { stream.generate(run.count, run.to, run.streaming); });
                state = stream.state();
            });
    }

  private:
    MemoryDesc dst_;
    Mt19937Kernel words_;
    NormalTransform transform_;
    JitMtJumpLoops loops_;
};

}  // namespace

Result<PlanPtr> plan_pytorch_normal(CpuIsa isa, const RandomNormalDesc& desc) {
    return with_element_type<RandomNormalDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(0, [isa, dst = desc.dst]() -> Result<std::unique_ptr<Executable>> {
            auto words = TOMBOLA_TRY(mt19937_words_kernel(isa));
            auto transform = TOMBOLA_TRY(
                make_normal_transform(isa, Alignment::pytorch, float_type_of(dst.data_type)));
            auto loops = TOMBOLA_TRY(JitMtJumpLoops::create(isa));
            return make_executable<JitPytorchNormal<decltype(type)>>(
                dst, std::move(words), std::move(transform), std::move(loops));
        });
    });
}

}  // namespace tombola::impl::cpu::x64
