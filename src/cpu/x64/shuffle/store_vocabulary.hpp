// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stores of the kernels of shuffles.
//
// A store takes effect only when its cache line is in the first-level cache, and later stores wait for it. A prefetch does not wait. So the
// kernel prefetches the line of each store, for writing, beside the store. The processor executes these prefetches as soon as it decodes
// them, long before the stores, so several lines arrive at the same time. A longer distance gains no more, and fetches useless lines where
// a run of bytes ends. Processors that do not know the instruction ignore it.

#include <cstdint>
#include <utility>
#include <vector>

#include "cpu/x64/shuffle/permute_program.hpp"
#include "cpu/x64/shuffle/stores.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class StoreVocabulary : public Vocabulary {
  protected:
    template <class... Arguments>
    explicit StoreVocabulary(Stores stores, Sources sources, Arguments&&... arguments)
        : Vocabulary(std::forward<Arguments>(arguments)...), stores_(stores), sources_(sources) {}

    bool stores_in_parts() const { return stores_ == Stores::streaming_parts; }
    bool streams() const { return stores_ == Stores::streaming || stores_in_parts(); }
    bool prefetches_sources() const { return sources_ != Sources::plain; }

    void prefetch_source(const Address& line) {
        sources_ == Sources::prefetched ? prefetcht0(line) : prefetcht1(line);
    }

    // To be called beside the store of a line.
    void prefetch_line(const Address& line) {
        if (stores_ == Stores::prefetched) prefetchw(line);
    }

    // Beside a store to base + offset, whose last byte lies in the line that no earlier store has touched. Stores of a step
    // that end within half a line share a prefetch.
    void prefetch_once(const Reg& base, int64_t offset, int bytes) {
        const int64_t last = offset + bytes - 1;
        for (const int64_t at : prefetched_)
            if (at <= last && last <= at + kLineBytes / 2) return;
        prefetched_.push_back(last);
        prefetch_line(ptr[base + last]);
    }

    // Stores `a` past the caches. In parts, it stores only the lanes whose bits are set, and overwrites `scratch`.
    void store_streaming(const Xbyak::RegExp& to, const Vec& a, const Vec& scratch,
                         uint32_t lanes = ~0U) {
        if (!stores_in_parts()) return store(ptr[to], a, true);
        const Vec other = part(scratch.getIdx(), kLaneBytes);
        if ((lanes & 1) != 0) store(ptr[to], part(a.getIdx(), kLaneBytes), true);
        for (int lane = 1; lane * kLaneBytes < bytes(); ++lane) {
            if ((lanes >> lane & 1) == 0) continue;
            const auto number = static_cast<uint8_t>(lane);
            has_masks() ? vextracti32x4(other, a, number) : vextracti128(other, a, number);
            store(ptr[to + lane * kLaneBytes], other, true);
        }
    }

    void begin_step() { prefetched_.clear(); }

    // k1 = `bits`, by way of `scratch`.
    void set_mask(uint64_t bits, const Reg& scratch) {
        mov(scratch, bits);
        kmovq(k1, scratch);
    }

  private:
    Stores stores_;
    Sources sources_;
    std::vector<int64_t> prefetched_;  // offsets that were prefetched in this step
};

}  // namespace tombola::impl::cpu::x64
