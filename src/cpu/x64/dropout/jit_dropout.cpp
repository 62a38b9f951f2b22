// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <utility>

#include "cpu/dropout/dropout_call.hpp"
#include "cpu/implementations.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/streaming.hpp"
#include "cpu/x64/dropout/dropout_kernel.hpp"
#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

struct Kernels {
    PhiloxTransformKernel plain;                        // draws, without a mask
    PhiloxTransformKernel masked;                       // draws, and writes the mask; forward only
    JitFunction<MaskedScaleKernel::Args> masked_scale;  // reads the mask; backward only
    int64_t masked_scale_step = 0;
    double nanoseconds_per_element = 0;  // of the kernel that an execution runs
};

Result<Kernels> make_kernels(CpuIsa isa, const DropoutDesc& desc) {
    const DataType type = desc.src.data_type;
    const int64_t rows = rows_of_tiles(desc.dst);
    Kernels kernels;
    kernels.plain = TOMBOLA_TRY(make_transform_kernel<DropoutKernel>(
        {isa, type, desc.draw_bits, DropoutMask::none, PhiloxLanes::run}, rows));
    kernels.nanoseconds_per_element = kernels.plain.nanoseconds_per_element();
    if (desc.mask_kind == DropoutMask::none) return kernels;
    if (desc.is_forward()) {
        kernels.masked = TOMBOLA_TRY(make_transform_kernel<DropoutKernel>(
            {isa, type, desc.draw_bits, desc.mask_kind, PhiloxLanes::run}, 1));
        // Rows have masks of bytes (TransformRows).
        kernels.masked.row_functions = TOMBOLA_TRY(make_row_functions<DropoutKernel>(
            {isa, type, desc.draw_bits, DropoutMask::u8, PhiloxLanes::run},
            static_cast<int>(size_of(type)), rows));
    } else {
        const MaskedScaleKernel::Key key{isa, type, desc.mask_kind};
        kernels.masked_scale = TOMBOLA_TRY(cached_function<MaskedScaleKernel>(key));
        kernels.masked_scale_step = MaskedScaleKernel::step_elements(key);
        kernels.nanoseconds_per_element =
            machine().nanoseconds_per_lane(kTransformInstructions, kernels.plain.vector_bytes);
    }
    return kernels;
}

class JitDropout : public DropoutExecutable {
  public:
    JitDropout(const DropoutDesc& desc, Kernels kernels)
        : DropoutExecutable(desc, kernels.nanoseconds_per_element), kernels_(std::move(kernels)) {}

  private:
    RowsAtOnce rows_at_once(const DropoutCall& call) const override {
        return drawing_kernel(call).rows_at_once(call.philox);
    }

    void draw_run(const DropoutCall& call, const TransformRun& run) const override {
        transform(call).transform(call.philox.number_of(run.first), run);
    }
    void draw_rows(const DropoutCall& call, const TransformRows& run) const override {
        transform(call).transform_rows(call.philox.number_of(run.first), run);
    }

    const PhiloxTransformKernel& drawing_kernel(const DropoutCall& call) const {
        return call.mask.kind == TransformMask::Kind::none ? kernels_.plain : kernels_.masked;
    }
    PhiloxTransform transform(const DropoutCall& call) const {
        return {drawing_kernel(call), call.philox.start, call.philox.key(),
                DropoutKernel::pack(call.threshold, desc().draw_bits, call.scale)};
    }

    void mask_run(const DropoutCall& call, const TransformRun& run) const override {
        const auto size = size_of(desc().src.data_type);
        const int64_t whole = run.count / kernels_.masked_scale_step * kernels_.masked_scale_step;
        const bool streaming = run.streaming && bytes_into_line(run.to) == 0;
        if (whole > 0) scale(call, whole, run.from, run.to, run.mask, streaming);
        if (whole < run.count) scale_tail(call, run, whole, size);
    }

    void scale(const DropoutCall& call, int64_t count, const void* from, void* to,
               const uint8_t* mask, bool streaming) const {
        MaskedScaleKernel::Args args{from,  to,         mask,
                                     count, call.scale, streaming ? uint64_t{1} : 0};
        kernels_.masked_scale(args);
    }

    // The elements from `at` on, fewer than a step.
    void scale_tail(const DropoutCall& call, const TransformRun& run, int64_t at,
                    size_t size) const {
        constexpr int64_t kMaxStepElements = 128;
        alignas(64) char buffer[kMaxStepElements * sizeof(float)] = {};
        uint8_t mask[kMaxStepElements] = {};
        const int64_t count = run.count - at;
        const auto bytes = static_cast<size_t>(count) * size;
        const size_t skipped = static_cast<size_t>(at) * size;
        std::memcpy(buffer, static_cast<const char*>(run.from) + skipped, bytes);
        if (call.has_bits())
            std::memcpy(mask, run.mask + at / 8, static_cast<size_t>((count + 7) / 8));
        else
            std::memcpy(mask, run.mask + at, static_cast<size_t>(count));
        scale(call, kernels_.masked_scale_step, buffer, buffer, mask, false);
        std::memcpy(static_cast<char*>(run.to) + skipped, buffer, bytes);
    }

    Kernels kernels_;
};

}  // namespace

Result<PlanPtr> plan_dropout(CpuIsa isa, const DropoutDesc& desc) {
    return with_element_type<DropoutDesc::kTypes>(desc.src.data_type, [&](auto) {
        return make_plan(0, [isa, desc]() -> Result<std::unique_ptr<Executable>> {
            Kernels kernels = TOMBOLA_TRY(make_kernels(isa, desc));
            return make_executable<JitDropout>(desc, std::move(kernels));
        });
    });
}

}  // namespace tombola::impl::cpu::x64
