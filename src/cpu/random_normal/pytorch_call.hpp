// SPDX-License-Identifier: Apache-2.0
#pragma once

// One execution of alignment pytorch, for portable and generated code alike: blocks of 16, the last 16 elements of a
// tensor whose size is not a multiple of 16, tensors of fewer than 16 elements, and the state.

#include <cmath>
#include <cstdint>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/random_normal/moments.hpp"
#include "cpu/random_normal/pytorch_normal.hpp"
#include "cpu/rng/mt19937_call.hpp"
#include "cpu/rng/normal_state.hpp"
#include "cpu/rng/scatter.hpp"

namespace tombola::impl::cpu {

inline Status check_normal_offset(const ExecContext& context, int64_t elements) {
    const auto* offset = context.input<uint64_t>(TOMBOLA_ARG_OFFSET);
    if (offset == nullptr || *offset == 0) return {};
    if (*offset % kNormalBlock != 0)
        return invalid(
            "OFFSET is %llu"
            "; expected a multiple of %d, because PyTorch draws normal numbers in blocks of "
            "that many",
            *offset, kNormalBlock);
    if (0 < elements && elements < kNormalBlock)
        return invalid(
            "OFFSET is %llu for %lld"
            " elements; expected 0 for 1 to %d elements, because the last %d elements of a "
            "tensor are drawn together",
            *offset, elements, kNormalBlock - 1, kNormalBlock);
    return {};
}

// Writes `count` values one after the other. Returns the normal number that is kept for the next call, if any.
template <class T>
KeptNormal draw_pairs(Mt19937& words, KeptNormal kept, const Moments<T>& moments, int64_t count,
                      T* to) {
    using Compute = typename FloatFormat<T>::Compute;
    const double mean = moments.mean, std = moments.std;
    NormalPairs pairs(words, kept);
    for (int64_t i = 0; i < count; ++i)
        to[i] = FloatFormat<T>::round(static_cast<Compute>(std::fma(pairs.next(), std, mean)));
    return pairs.kept();
}

// fill_blocks(state, part) writes the whole blocks of a part, and advances the state by the words of all its elements.
// It may write anything to the elements of a partial block.
template <class T, class FillBlocks>
Status execute_pytorch_normal(const ExecContext& context, const MemoryDesc& dst,
                              const MtJumpLoops& loops, const Moments<T>& moments,
                              double nanoseconds_per_value, const FillBlocks& fill_blocks) {
    const int64_t count = dst.nelems();
    TOMBOLA_TRY(check_normal_offset(context, count));
    KeptNormal kept;
    if (const auto* state = context.input<uint32_t>(TOMBOLA_ARG_SRC_STATE))
        kept = TOMBOLA_TRY(load_kept_normal(state, "SRC_STATE"));
    Mt19937Call call(PytorchNormal<T>::kWords, loops);
    TOMBOLA_TRY(call.resolve(context, count, Mt19937Call::Draws::more));

    void* data = context.output(TOMBOLA_ARG_DST);
    if (count >= kNormalBlock) {
        call.fill(dst, data, nanoseconds_per_value, fill_blocks, kNormalBlock);
        if (count % kNormalBlock != 0) {
            T values[kNormalBlock];
            PytorchNormal<T>(moments).block(call.after(), values);
            scatter(dst, data, count - kNormalBlock, kNormalBlock, values);
        }
    } else {
        // So few elements are one part and one run.
        call.fill(dst, data, nanoseconds_per_value, [&](Mt19937& words, const FillPart& part) {
            part.for_each_run([&](const Run& run) {
                kept = draw_pairs(words, kept, moments, run.count, static_cast<T*>(run.to));
            });
        });
    }
    call.report(context);
    if (auto* state = context.output<uint32_t>(TOMBOLA_ARG_DST_STATE))
        store_kept_normal(kept, state);
    return {};
}

}  // namespace tombola::impl::cpu
