// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel of a permute program: the loops around its operations, and the operations as instructions.

#include <memory>
#include <tuple>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

struct PermuteKey {
    CpuIsa isa;
    std::shared_ptr<const Operations> operations;
    bool operator<(const PermuteKey& other) const {
        return std::tie(isa, *operations) < std::tie(other.isa, *other.operations);
    }
};

// The generated function, from the cache unless it is very large.
Result<JitFunction<PermuteArgs>> permute_function(const PermuteKey& key);

}  // namespace tombola::impl::cpu::x64
