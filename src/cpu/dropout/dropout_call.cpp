// SPDX-License-Identifier: Apache-2.0
#include "cpu/dropout/dropout_call.hpp"

#include <cmath>
#include <cstring>

#include "common/types.hpp"
#include "cpu/rng/seeds.hpp"

namespace tombola::impl::cpu {
namespace {

using Kind = TransformMask::Kind;

// A mask that keeps, or drops, every element of a run.
void write_constant_mask(const DropoutCall& call, const TransformRun& run, bool keep) {
    if (run.mask == nullptr) return;
    if (!call.has_bits()) {
        std::memset(run.mask, keep ? 1 : 0, static_cast<size_t>(run.count));
        return;
    }
    std::memset(run.mask, keep ? 0xFF : 0, static_cast<size_t>(run.count / 8));
    if (run.count % 8 != 0)
        run.mask[run.count / 8] = keep ? static_cast<uint8_t>((1 << run.count % 8) - 1) : 0;
}

// scale = 1: the bits of the elements that the mask keeps.
template <class T>
void copy_kept(const DropoutCall& call, const TransformRun& run) {
    const auto* from = static_cast<const T*>(run.from);
    auto* to = static_cast<T*>(run.to);
    for (int64_t i = 0; i < run.count; ++i)
        to[i] = is_kept(call, run, i) ? from[i] : static_cast<T>(0);
}

Result<float> resolve_p(const ExecContext& context) {
    const float p = *context.input<float>(TOMBOLA_ARG_P);
    if (!(p >= 0 && p <= 1)) return invalid("P is %s; expected 0 to 1", digits(p).c_str());
    return p;
}

}  // namespace

Result<DropoutCall> DropoutExecutable::resolve(const ExecContext& context) const {
    DropoutCall call{};
    const double p = TOMBOLA_TRY(resolve_p(context));
    const int digits = dropout_digits(desc_.draw_bits);
    const uint32_t all = uint32_t{1} << digits;
    call.threshold = static_cast<uint32_t>(std::ceil(std::ldexp(p, digits)));
    call.keeps_all = call.threshold == 0;
    call.drops_all = call.threshold == all;
    call.scale = 1.0f / std::ldexp(static_cast<float>(all - call.threshold), -digits);
    if (auto* mask = context.output<uint8_t>(TOMBOLA_ARG_MASK)) {
        call.mask.kind = desc_.mask_kind == DropoutMask::bits ? Kind::bits : Kind::bytes;
        call.mask.is_written = desc_.is_forward();
        call.mask.desc = desc_.mask();
        call.mask.data = mask;
    }
    if (call.reads_mask()) return call;
    if (!desc_.is_forward()) {
        const Seeds seeds = TOMBOLA_TRY(resolve_seeds(context, SeedUse::none));
        if (seeds.global == 0 && seeds.op == 0)
            return invalid(
                "SEEDS is (0, 0), which draws a mask of its own; expected the seeds of the "
                "forward execution (its DST_SEEDS)%s",
                desc_.mask_kind == DropoutMask::none ? "" : " or MASK");
    }
    call.philox = TOMBOLA_TRY(resolve_philox_call(context, desc_.dst.nelems()));
    return call;
}

void DropoutExecutable::execute_run(const DropoutCall& call, const TransformRun& run) const {
    const size_t bytes = static_cast<size_t>(run.count) * size_of(desc_.dst.data_type);
    if (call.drops_all) {
        std::memset(run.to, 0, bytes);
        if (!call.reads_mask()) write_constant_mask(call, run, false);
    } else if (call.reads_mask()) {
        if (!call.keeps_all)
            mask_run(call, run);
        else if (size_of(desc_.dst.data_type) == sizeof(uint32_t))
            copy_kept<uint32_t>(call, run);
        else
            copy_kept<uint16_t>(call, run);
    } else if (call.keeps_all) {
        if (run.to != run.from) std::memcpy(run.to, run.from, bytes);
        write_constant_mask(call, run, true);
    } else {
        draw_run(call, run);
    }
}

Status DropoutExecutable::execute(const ExecContext& context) const {
    const DropoutCall call = TOMBOLA_TRY(resolve(context));
    const ReadTensor src{desc_.src, context.input(desc_.src_arg())};
    const WrittenTensor dst{desc_.dst, context.output(desc_.dst_arg())};
    const auto body = [&](const TransformRun& run) { execute_run(call, run); };
    if (!call.draws())
        transform_elements(src, dst, call.mask, nanoseconds_per_element_, body);
    else if (!draw_by_bits(call, src, dst))
        transform(src, dst, call.mask, nanoseconds_per_element_, body, rows_at_once(call),
                  [&](const TransformRows& run) { draw_rows(call, run); });
    if (desc_.is_forward()) report_seeds(context, call.philox.seeds);
    return {};
}

}  // namespace tombola::impl::cpu
