// SPDX-License-Identifier: Apache-2.0
#pragma once

// A Philox stream, converted by a kernel: any first element, any count, any carry of the counter.

#include <cstdint>

#include "cpu/rng/fill.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/x64/rng/philox_kernel.hpp"

namespace tombola::impl::cpu::x64 {

// What a conversion needs beside the words, as its kernel takes it (philox_convert.cpp).
struct PhiloxParameters {
    uint64_t values[PhiloxKernel::kParameters] = {};
    uint32_t form = 0;
};

// Values [min, min + range) of alignment tensorflow. The 16-bit types: both exact in f32.
PhiloxParameters f32_parameters(float range, float min);
PhiloxParameters f64_parameters(double range, double min);
PhiloxParameters f16_parameters(float range, float min);
PhiloxParameters bf16_parameters(float range, float min);
PhiloxParameters s32_parameters(uint32_t range, uint32_t min);
PhiloxParameters s64_parameters(uint64_t range, uint64_t min);

// Parts begin at whole cache lines of the narrowest element, and so at whole blocks.
inline constexpr FillOptions kPhiloxFillOptions{64};

class PhiloxFill {
  public:
    PhiloxFill(const PhiloxKernel& kernel, PhiloxCounter start, PhiloxKey key,
               const PhiloxParameters& parameters);

    // Elements [first, first + count) of the stream, numbered from the counter `start` on.
    void generate(Uint128 first, int64_t count, void* to, bool streaming) const;

  private:
    void generate_blocks(Uint128 first_block, int64_t count, void* to, bool streaming) const;

    const PhiloxKernel& kernel_;
    PhiloxCounter start_;
    PhiloxKey key_;
    PhiloxKernel::Args args_;  // all but what depends on the position
};

}  // namespace tombola::impl::cpu::x64
