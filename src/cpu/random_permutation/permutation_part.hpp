// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which part of a permutation an execution writes: elements [first, first + count) of 0 ... range - 1, permuted.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/status.hpp"

namespace tombola::impl::cpu {

// Refuses an OFFSET at which DST would pass the end of the permutation.
inline Result<int64_t> resolve_first(const ExecContext& context,
                                     const RandomPermutationDesc& desc) {
    const auto* offset = context.input<uint64_t>(TOMBOLA_ARG_OFFSET);
    const int64_t count = desc.dst.nelems();
    if (offset == nullptr) return int64_t{0};
    const auto greatest = static_cast<uint64_t>(desc.range - count);
    if (*offset > greatest)
        return invalid(
            "OFFSET is %llu for %lld element%s; expected at most %llu, so that OFFSET + elements "
            "is at most the range %lld",
            *offset, count, plural(count), greatest, desc.range);
    return static_cast<int64_t>(*offset);
}

}  // namespace tombola::impl::cpu
