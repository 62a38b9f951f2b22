// SPDX-License-Identifier: Apache-2.0
#pragma once

// Channel shuffle on tensors in logical row-major order.

#include <cstddef>
#include <cstdint>
#include <string>

#include "reference/layout.hpp"

namespace tombola::reference {

// Why the operator must refuse these arguments; empty if it must not.
std::string shuffle_refusal(const Dims& dims, int axis, int64_t group_size);

// dst(ou, c, in) = src(ou, c', in) with c = u + v * C/G, c' = u * G + v, 0 <= u < C/G, 0 <= v < G; backward is
// forward with G replaced by C/G.
void shuffle_reference(const Dims& dims, size_t element_size, int axis, int64_t group_size,
                       bool backward, const void* src, void* dst);

}  // namespace tombola::reference
