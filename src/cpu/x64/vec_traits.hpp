// SPDX-License-Identifier: Apache-2.0
#pragma once

// The vector registers of each ISA. A kernel asks its Vocabulary (vec(), bytes(), lanes()), which reads shape_of().

#include "common/cpu_isa.hpp"

namespace tombola::impl::cpu::x64 {

struct VecShape {
    int bytes;      // of one register
    int registers;  // how many there are
};

// For every ISA except none, which has no kernels.
constexpr VecShape shape_of(CpuIsa isa) {
    return isa == CpuIsa::avx2 ? VecShape{32, 16} : VecShape{64, 32};
}

}  // namespace tombola::impl::cpu::x64
