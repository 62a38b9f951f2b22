// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

namespace tombola::impl {

// The bytes of a value as another type of the same size, as C++20's std::bit_cast.
template <class To, class From>
To bit_cast(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

}  // namespace tombola::impl
