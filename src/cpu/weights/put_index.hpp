// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/types.hpp"

namespace tombola::impl::cpu {

// Stores class k as element `at` of indices of the type s32 or s64.
inline void put_index(DataType type, void* indices, dim_t at, dim_t k) {
    if (type == DataType::s32)
        static_cast<int32_t*>(indices)[at] = static_cast<int32_t>(k);
    else
        static_cast<int64_t*>(indices)[at] = k;
}

}  // namespace tombola::impl::cpu
