// SPDX-License-Identifier: Apache-2.0
#pragma once

// A Philox stream, converted by a kernel: any first element, any count, any carry of the counter.

#include <cstdint>

#include "cpu/rng/fill.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/rng/philox_generator.hpp"

namespace tombola::impl::cpu::x64 {

// Parts begin at multiples of 64 elements: these are whole cache lines for elements of any size, and whole blocks. A jump in the
// stream costs little.
inline FillOptions philox_fill_options(double nanoseconds_per_element) {
    return {64, 1, nanoseconds_per_element, true};
}
// The instructions that make a vector of words, without the conversion of the words: 31.5 with AVX2, 27 with AVX-512. One value serves
// both, because the clock is lower with AVX-512.
inline constexpr int kPhiloxInstructions = 31;

class PhiloxFill {
  public:
    PhiloxFill(const PhiloxKernel& kernel, PhiloxCounter start, PhiloxKey key,
               const PackedParameters& parameters);

    // Elements [first, first + count) of the stream, numbered from the counter `start` on.
    void generate(Uint128 first, int64_t count, void* to, bool streaming) const;
    // The rows that generate_rows() can make at once. The tensor has `count` elements, and its first one is element `first` of the stream.
    RowsAtOnce rows_at_once(Uint128 first, int64_t count) const;
    // Makes several rows. The first row begins with element `first` of the stream.
    void generate_rows(Uint128 first, const RowsRun& run) const;
    double nanoseconds_per_element() const {
        return kernel_.words *
               machine().nanoseconds_per_lane(kPhiloxInstructions, kernel_.vector_bytes);
    }

  private:
    void generate_blocks(Uint128 first_block, int64_t count, void* to, bool streaming) const;

    const PhiloxKernel& kernel_;
    PhiloxCounter start_;
    PhiloxKey key_;
    PhiloxArgs args_;  // everything that does not depend on the position
};

// Fills `dst`, whose first element is the stream's number `first`.
void fill_from_philox(const MemoryDesc& dst, void* data, const PhiloxFill& source, Uint128 first);
// The same for the stream of an execution.
void fill_from_philox(const MemoryDesc& dst, void* data, const PhiloxCall& call,
                      const PhiloxKernel& kernel, const PackedParameters& parameters);

}  // namespace tombola::impl::cpu::x64
