// SPDX-License-Identifier: Apache-2.0
#pragma once

// Draws from a row by estimates of the sums of its blocks. A uniform number u falls between the prefix sums of two classes. If it is farther
// from both than the error of the estimates, its class is certain: the class that exact sums give. Otherwise the draw is not decided, and the
// caller needs exact sums.
//
// With S the sum of the row, C the sum of the blocks before the one that u falls into, and R = S - C the sum of the others, the target within
// the block is u * S - C = u * R - (1 - u) * C. With E the bound of the error (estimate_error()), the estimates of R and C each differ by at most
// E * S from the exact numbers. So the target is known up to u * E * S + (1 - u) * E * S = E * S. The weights within the block are exact.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "cpu/weights/uniform_source.hpp"
#include "cpu/x64/weights/row_passes.hpp"

namespace tombola::impl::cpu::x64 {

class EstimatedRow {
  public:
    // Only few samples are worth an estimate, because all of them must be decided.
    static constexpr dim_t kMaxSamples = 8;
    static constexpr dim_t kUndecided = -1;

    // `sums`: what RowPasses::estimate() wrote for all blocks of the row. They become prefix sums.
    EstimatedRow(const RowPasses& passes, const RowSource& source, const Row& row, double* sums);

    // The class of the uniform number u, or kUndecided.
    dim_t draw(double u) const;

    // Calls put(s, class) for one sample after the other. Returns false if one is undecided.
    template <class Put>
    bool draw_all(dim_t samples, UniformReader uniforms, const Put& put) const {
        for (dim_t s = 0; s < samples; ++s) {
            const dim_t k = draw(uniforms.next());
            if (k == kUndecided) return false;
            put(s, k);
        }
        return true;
    }

    // The exact sum of the row is between these.
    struct Bounds {
        uint64_t lower, upper;
    };
    Bounds sum() const;

  private:
    const RowPasses& passes_;
    const RowSource& source_;
    Row row_;
    const double* prefix_;
    double margin_;  // of a target within its block, and of the sum
};

// Which rows are tried by estimates. Rows are much alike, from one execution to the next. So after each row that was not decided twice as many
// are left out, up to kMostLeftOut, and after each row that was decided half as many. Thread-safe; a row more or less does not matter.
class EstimateTries {
  public:
    // Whether the next row is tried.
    bool try_next() {
        const int left_out = left_out_.load(std::memory_order_relaxed);
        if (left_out > 0) left_out_.store(left_out - 1, std::memory_order_relaxed);
        return left_out == 0;
    }
    // Most often nothing is written, so that threads can share the cache line.
    void note(bool decided) {
        const int next = next_.load(std::memory_order_relaxed);
        if (decided && next == 0) return;
        if (!decided) left_out_.store(next, std::memory_order_relaxed);
        next_.store(decided ? next / 2 : std::clamp(2 * next, 1, kMostLeftOut),
                    std::memory_order_relaxed);
    }

  private:
    static constexpr int kMostLeftOut = 64;
    std::atomic<int> left_out_{0};
    std::atomic<int> next_{0};  // how many, after the next row that is not decided
};

}  // namespace tombola::impl::cpu::x64
