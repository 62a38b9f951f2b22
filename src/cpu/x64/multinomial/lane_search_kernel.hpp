// SPDX-License-Identifier: Apache-2.0
#pragma once

// One sample from each of several short rows, a row per lane: the lowest class whose inclusive prefix sum is at least the target. The
// kernel counts the prefix sums below the target, so its time does not depend on where the samples lie.

#include <cstdint>
#include <tuple>

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class LaneSearchKernel : public Vocabulary {
  public:
    using Key = std::tuple<CpuIsa, int>;  // ISA, vectors of slots: 1 or 2
    struct Args {
        const uint64_t* weights;  // [classes][slots], as LaneWeightsKernel writes them
        int64_t classes;          // at least 1
        const uint64_t* targets;  // [slots], each at most the sum of its row
        uint64_t* samples;        // out: [slots]
    };
    static constexpr int kInstructions =
        6;  // for a class of a group of f32 rows, which are two vectors of slots

    explicit LaneSearchKernel(const Key& key)
        : Vocabulary(std::get<0>(key),
                     "multinomial.lane_search." + std::to_string(std::get<1>(key))),
          vectors_(std::get<1>(key)) {}

  private:
    void generate() override;

    int vectors_;
};

}  // namespace tombola::impl::cpu::x64
