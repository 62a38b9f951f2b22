// SPDX-License-Identifier: Apache-2.0
#pragma once

// The conversion to raw words, in the order of the stream.

#include "cpu/x64/rng/mt19937_generator.hpp"

namespace tombola::impl::cpu::x64 {

Result<Mt19937Kernel> mt19937_words_kernel(CpuIsa isa);

}  // namespace tombola::impl::cpu::x64
