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

using Scale = JitFunction<MaskedScaleKernel::Args>;
using Written = MaskedScaleKernel::Written;

struct Kernels {
    PhiloxTransformKernel plain;   // draws, without a mask
    PhiloxTransformKernel masked;  // draws, and writes the mask; forward only
    Scale by_mask;                 // reads the mask; backward only
    // Where transform_by_bits() serves the tensors: draws bits, and reads them. `by_bits_to_bytes` writes them as a mask of bytes too.
    PhiloxTransformKernel bits;
    Scale by_bits, by_bits_to_bytes;
    int64_t scale_step = 0;              // elements, of each Scale
    double nanoseconds_per_element = 0;  // of the kernel that an execution runs if it has the mask
};

Result<Kernels> make_kernels(CpuIsa isa, const DropoutDesc& desc) {
    const DataType type = desc.src.data_type;
    const int64_t rows = rows_of_tiles(desc.dst);
    const auto scale_by = [&](DropoutMask mask, Written written) {
        return cached_function<MaskedScaleKernel>({isa, type, mask, written});
    };
    Kernels kernels;
    kernels.scale_step = MaskedScaleKernel::step_elements(isa, type);
    kernels.plain = TOMBOLA_TRY(make_transform_kernel<DropoutKernel>(
        {isa, type, desc.draw_bits, DropoutMask::none, PhiloxLanes::run}, rows));
    kernels.nanoseconds_per_element = kernels.plain.nanoseconds_per_element();
    if (serves_bits(desc.src, desc.dst)) {
        kernels.bits = TOMBOLA_TRY(make_transform_kernel<DropoutKernel>(
            {isa, DataType::undef, desc.draw_bits, DropoutMask::bits, PhiloxLanes::run}, 1));
        kernels.by_bits = TOMBOLA_TRY(scale_by(DropoutMask::bits, Written::none));
        if (desc.is_forward() && desc.mask_kind == DropoutMask::u8)
            kernels.by_bits_to_bytes = TOMBOLA_TRY(scale_by(DropoutMask::bits, Written::bytes));
    }
    if (desc.mask_kind == DropoutMask::none) return kernels;
    if (desc.is_forward()) {
        kernels.masked = TOMBOLA_TRY(make_transform_kernel<DropoutKernel>(
            {isa, type, desc.draw_bits, desc.mask_kind, PhiloxLanes::run}, 1));
        // Rows have masks of bytes (TransformRows).
        kernels.masked.row_functions = TOMBOLA_TRY(make_row_functions<DropoutKernel>(
            {isa, type, desc.draw_bits, DropoutMask::u8, PhiloxLanes::run},
            static_cast<int>(size_of(type)), rows));
    } else {
        kernels.by_mask = TOMBOLA_TRY(scale_by(desc.mask_kind, Written::none));
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

    bool draw_by_bits(const DropoutCall& call, const ReadTensor& src,
                      const WrittenTensor& dst) const override {
        if (!kernels_.by_bits) return false;
        // Kernels that draw several rows at once, without a mask. Measured on Zen 5 alone.
        const bool rows_are_faster = desc().draw_bits == 32 &&
                                     desc().src.data_type == DataType::f32 &&
                                     call.mask.kind == TransformMask::Kind::none;
        if (rows_are_faster && RunCopier(dst.desc).serves(rows_at_once(call))) return false;
        const PhiloxTransform transform(
            kernels_.bits, call.philox.start, call.philox.key(),
            DropoutKernel::pack(call.threshold, desc().draw_bits, call.scale));
        return transform_by_bits(
            src, dst, call.mask, nanoseconds_per_element(),
            [&](int64_t first, int64_t count, uint8_t* bits) {
                transform.transform(call.philox.number_of(first),
                                    {first, count, bits, bits, bits, false});
            },
            [&](const TransformRun& run, uint8_t* written) {
                scale(written == nullptr ? kernels_.by_bits : kernels_.by_bits_to_bytes, call, run,
                      true, written);
            });
    }

    void mask_run(const DropoutCall& call, const TransformRun& run) const override {
        scale(kernels_.by_mask, call, run, call.has_bits(), nullptr);
    }

    // Scales what the run's mask keeps. `written`: a mask of bytes, which the function writes too.
    void scale(const Scale& function, const DropoutCall& call, const TransformRun& run,
               bool has_bits, uint8_t* written) const {
        const int64_t whole = run.count / kernels_.scale_step * kernels_.scale_step;
        const bool streaming = run.streaming && bytes_into_line(run.to) == 0;
        MaskedScaleKernel::Args args{
            run.from, run.to, run.mask, written, whole, call.scale, streaming ? uint64_t{1} : 0};
        if (whole > 0) function(args);
        if (whole < run.count) scale_tail(function, call, run, whole, has_bits, written);
    }

    // The elements from `at` on, fewer than a step.
    void scale_tail(const Scale& function, const DropoutCall& call, const TransformRun& run,
                    int64_t at, bool has_bits, uint8_t* written) const {
        constexpr int64_t kMaxStepElements = 128;
        alignas(64) char buffer[kMaxStepElements * sizeof(float)] = {};
        uint8_t mask[kMaxStepElements] = {}, written_mask[kMaxStepElements];
        const int64_t count = run.count - at;
        const size_t size = size_of(desc().src.data_type);
        const auto bytes = static_cast<size_t>(count) * size;
        const size_t skipped = static_cast<size_t>(at) * size;
        std::memcpy(buffer, static_cast<const char*>(run.from) + skipped, bytes);
        if (has_bits)
            std::memcpy(mask, run.mask + at / 8, static_cast<size_t>((count + 7) / 8));
        else
            std::memcpy(mask, run.mask + at, static_cast<size_t>(count));
        MaskedScaleKernel::Args args{buffer,     buffer, mask, written_mask, kernels_.scale_step,
                                     call.scale, 0};
        function(args);
        std::memcpy(static_cast<char*>(run.to) + skipped, buffer, bytes);
        if (written != nullptr) std::memcpy(written + at, written_mask, static_cast<size_t>(count));
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
