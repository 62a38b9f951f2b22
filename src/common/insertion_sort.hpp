// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace tombola::impl {

// A stable sort of a few elements. std::stable_sort() allocates memory, which an execution may not do.
template <class Iterator, class Less>
void insertion_sort(Iterator begin, Iterator end, const Less& comes_before) {
    for (Iterator at = begin; at != end; ++at)
        std::rotate(std::upper_bound(begin, at, *at, comes_before), at, at + 1);
}

}  // namespace tombola::impl
