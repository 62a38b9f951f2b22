// SPDX-License-Identifier: Apache-2.0

// Dropout as it is defined (dropout_call.hpp), for every type and layout.

#include "cpu/dropout/dropout_call.hpp"
#include "cpu/implementations.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/philox_draws.hpp"

namespace tombola::impl::cpu {
namespace {

float scaled(float x, float scale) { return x * scale; }
Float16 scaled(Float16 x, float scale) { return to_f16(to_f32(x) * scale); }
BFloat16 scaled(BFloat16 x, float scale) { return to_bf16(to_f32(x) * scale); }

void write_mask(const DropoutCall& call, const TransformRun& run, int64_t i, bool keep) {
    if (run.mask == nullptr) return;
    if (!call.has_bits()) {
        run.mask[i] = keep ? 1 : 0;
        return;
    }
    if (i % 8 == 0) run.mask[i / 8] = 0;
    if (keep) run.mask[i / 8] = static_cast<uint8_t>(run.mask[i / 8] | 1 << i % 8);
}

constexpr double kNanosecondsPerElement = 8;  // measured on Sapphire Rapids alone

template <class T>
class PortableDropout : public DropoutExecutable {
  public:
    explicit PortableDropout(const DropoutDesc& desc)
        : DropoutExecutable(desc, kNanosecondsPerElement) {}

  private:
    // Sets element i of a run.
    static void set(const DropoutCall& call, const TransformRun& run, int64_t i, bool keep) {
        auto* to = static_cast<T*>(run.to);
        to[i] = keep ? scaled(static_cast<const T*>(run.from)[i], call.scale) : T{};
    }

    void draw_run(const DropoutCall& call, const TransformRun& run) const override {
        const uint32_t digits = (uint32_t{1} << dropout_digits(desc().draw_bits)) - 1;
        PhiloxDraws draws(call.philox.start, call.philox.key(), call.philox.number_of(run.first),
                          desc().draw_bits);
        for (int64_t i = 0; i < run.count; ++i) {
            const bool keep = (draws.next() & digits) >= call.threshold;
            write_mask(call, run, i, keep);
            set(call, run, i, keep);
        }
    }

    void mask_run(const DropoutCall& call, const TransformRun& run) const override {
        for (int64_t i = 0; i < run.count; ++i) set(call, run, i, is_kept(call, run, i));
    }
};

}  // namespace

Result<PlanPtr> plan_portable_dropout(CpuIsa, const DropoutDesc& desc) {
    return with_element_type<DropoutDesc::kTypes>(desc.src.data_type, [&](auto type) {
        using T = decltype(type);
        return make_plan(0, [desc] { return make_executable<PortableDropout<T>>(desc); });
    });
}

}  // namespace tombola::impl::cpu
