// SPDX-License-Identifier: Apache-2.0
#pragma once

// The vector registers of each ISA, and which permutes and masks it has. Plans read shape_of(). A kernel asks its
// Vocabulary (vec(), bytes(), lanes()), which reads shape_of() too.

#include "common/cpu_isa.hpp"

namespace tombola::impl::cpu::x64 {

struct VecShape {
    int bytes;            // of one register
    int registers;        // how many there are
    bool masks;           // loads, stores and operations under masks of single bytes
    int permutes_from;    // units of this many bytes and more move anywhere within a register
    bool permutes_pairs;  // those units are also taken from two registers at once
};

// For every ISA except none, which has no kernels.
constexpr VecShape shape_of(CpuIsa isa) {
    if (isa == CpuIsa::avx2) return {32, 16, false, 4, false};
    return {64, 32, true, isa == CpuIsa::avx512_core ? 2 : 1, true};
}

// The widest register that any ISA has, for buffers that hold a vector.
inline constexpr int kMaxVecBytes = 64;

}  // namespace tombola::impl::cpu::x64
