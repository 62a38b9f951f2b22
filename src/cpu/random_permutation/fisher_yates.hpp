// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_permutation under the pytorch alignment: torch.randperm's Fisher-Yates shuffle.
//
//     r = 0, 1, ..., range - 1
//     for i = 0 ... range - 2:  exchange r[i] and r[i + word i mod (range - i)]
//
// Element i is final after step i, so a part that ends at element e needs min(e, range - 1) steps. The state always
// advances by range - 1 words, whatever the part is.
//
// The exchanges of a large range wait for memory. So the targets are computed from the words in advance, and each is
// prefetched kAhead steps before its exchange.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/implementation.hpp"
#include "common/machine.hpp"
#include "common/status.hpp"
#include "cpu/random_permutation/permutation_part.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/mt19937_call.hpp"

namespace tombola::impl::cpu {

class FisherYates {
  public:
    static constexpr int64_t kChunk = 1024;  // targets that are computed at once
    static constexpr int64_t kSlack = 16;    // a source may write this many targets after them

    // A dense DST that is the whole permutation is shuffled in place, unless it is so large that the exchanges miss the
    // TLB at small pages. Otherwise the scratchpad holds the permutation. A large scratchpad has pages of 2 MiB. Ten
    // million s64 elements took 43 ms there and 9 ms for the copy, and 112 ms in place (Sapphire Rapids, one thread).
    static bool in_place(const RandomPermutationDesc& desc) {
        return desc.dst.is_row_major() && desc.dst.nelems() == desc.range &&
               desc.range < machine_sizes().paged_range;
    }
    static size_t scratchpad_bytes(const RandomPermutationDesc& desc) {
        constexpr size_t kElementsPerLine = 64 / sizeof(int32_t);
        const auto lines =
            (static_cast<size_t>(desc.range) + kElementsPerLine - 1) / kElementsPerLine;
        return in_place(desc) || desc.dst.has_zero_dim() ? 0 : 64 * lines;
    }

    // targets_from(state, range) returns a source of targets. source(first, count, to) writes
    // i + word i mod (range - i) for the next steps i = first ... first + count - 1, count <= kChunk. source.state() is
    // the state after the words drawn so far.
    template <class T, class TargetsFrom>
    static Status execute(const ExecContext& context, const RandomPermutationDesc& desc,
                          const MtJumpLoops& loops, const TargetsFrom& targets_from) {
        const int64_t first = TOMBOLA_TRY(resolve_first(context, desc));
        Mt19937Start start;
        TOMBOLA_TRY(resolve_mt19937_start(context, start));
        const int64_t count = desc.dst.nelems(), all = std::max<int64_t>(desc.range - 1, 0);
        const int64_t steps = count == 0 ? 0 : std::min(first + count, all);
        auto source = targets_from(start.state, desc.range);
        void* dst = context.output(TOMBOLA_ARG_DST);
        if (in_place(desc)) {
            shuffle(static_cast<T*>(dst), desc.range, steps, source);
        } else if (count > 0) {
            auto* elements = context.scratchpad<int32_t>();
            shuffle(elements, desc.range, steps, source);
            copy_part<T>(desc.dst, dst, elements + first);
        }
        Mt19937 after = source.state();
        after.skip(static_cast<uint64_t>(all - steps), loops);
        report_mt19937(context, start.seeds, after);
        return {};
    }

  private:
    // The same on every machine. 128 exchanges take longer than a load from memory, and the 8 KiB of lines that are prefetched for them
    // stay in the first-level cache.
    static constexpr int64_t kAhead = 128;

    template <class T, class Source>
    static void shuffle(T* r, int64_t range, int64_t steps, Source& source) {
        for (int64_t i = 0; i < range; ++i) r[i] = static_cast<T>(i);
        uint32_t targets[kAhead + kChunk + kSlack];  // of the steps from `step` on
        int64_t held = 0;
        for (int64_t step = 0; step < steps;) {
            const int64_t fresh = std::min(kChunk, steps - step - held);
            if (fresh > 0) source(step + held, fresh, targets + held);
            held += fresh;
            // The last kAhead targets wait for later ones, unless there are none.
            const int64_t ready = step + held == steps ? held : held - kAhead;
            const int64_t prefetching = std::max<int64_t>(held - kAhead, 0);
            for (int64_t i = 0; i < prefetching; ++i) {
                __builtin_prefetch(r + targets[i + kAhead], 1);
                std::swap(r[step + i], r[targets[i]]);
            }
            for (int64_t i = prefetching; i < ready; ++i) std::swap(r[step + i], r[targets[i]]);
            step += ready;
            held -= ready;
            std::memmove(targets, targets + ready, static_cast<size_t>(held) * sizeof *targets);
        }
    }

    template <class T>
    static void copy_part(const MemoryDesc& dst, void* data, const int32_t* elements) {
        fill(dst, data, {}, [&](const FillPart& part) {
            part.for_each_run([&](const Run& run) {
                std::copy_n(elements + run.first, run.count, static_cast<T*>(run.to));
            });
        });
    }
};

}  // namespace tombola::impl::cpu
