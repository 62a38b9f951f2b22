// SPDX-License-Identifier: Apache-2.0
#pragma once

// The conversion to raw words, in the order of the stream.

#include "cpu/x64/rng/philox_generator.hpp"

namespace tombola::impl::cpu::x64 {

Result<PhiloxKernel> philox_words_kernel(CpuIsa isa, int64_t rows = 1);

}  // namespace tombola::impl::cpu::x64
