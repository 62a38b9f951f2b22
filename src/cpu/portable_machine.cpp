// SPDX-License-Identifier: Apache-2.0

// A processor that no kernels are generated for: it has none of the instruction sets, and nobody has measured it.

#include "common/cpu_isa.hpp"
#include "common/machine.hpp"

namespace tombola::impl {

CpuIsa detected_isa() { return CpuIsa::none; }

Microarchitecture machine_in_use() { return Microarchitecture::unknown; }

// The sizes that suited the x86-64 machine on which they were first measured.
const MachineSizes& machine_sizes() {
    static constexpr MachineSizes kSizes{44e3, 24, 0, size_t{4} << 20, int64_t{1} << 23};
    return kSizes;
}

}  // namespace tombola::impl
