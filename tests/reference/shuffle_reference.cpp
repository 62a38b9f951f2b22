// SPDX-License-Identifier: Apache-2.0
#include "reference/shuffle_reference.hpp"

#include <cstring>

namespace tombola::reference {

std::string shuffle_refusal(const Dims& dims, int axis, int64_t group_size) {
    if (axis < 0 || axis >= static_cast<int>(dims.size())) return "axis out of range";
    if (group_size < 1) return "group_size below 1";
    if (dims[static_cast<size_t>(axis)] % group_size != 0) return "group_size does not divide";
    return "";
}

void shuffle_reference(const Dims& dims, size_t element_size, int axis, int64_t group_size,
                       bool backward, const void* src, void* dst) {
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < axis; ++d) outer *= dims[static_cast<size_t>(d)];
    for (size_t d = static_cast<size_t>(axis) + 1; d < dims.size(); ++d) inner *= dims[d];
    const int64_t C = dims[static_cast<size_t>(axis)];
    if (outer * C * inner == 0) return;
    const int64_t G = backward ? C / group_size : group_size;

    const size_t row = static_cast<size_t>(inner) * element_size;
    const auto* from = static_cast<const uint8_t*>(src);
    auto* to = static_cast<uint8_t*>(dst);
    for (int64_t ou = 0; ou < outer; ++ou)
        for (int64_t u = 0; u < C / G; ++u)
            for (int64_t v = 0; v < G; ++v) {
                const int64_t c = u + v * (C / G);
                const int64_t c_src = u * G + v;
                std::memcpy(to + static_cast<size_t>(ou * C + c) * row,
                            from + static_cast<size_t>(ou * C + c_src) * row, row);
            }
}

}  // namespace tombola::reference
