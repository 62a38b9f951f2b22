// SPDX-License-Identifier: Apache-2.0
#pragma once

// The vector registers of each ISA. VecTraits is for C++ that is written for one ISA; a kernel,
// which is written for all, asks its Vocabulary (vec(), bytes(), lanes()), which reads shape_of().

#include <xbyak/xbyak.h>

#include "common/cpu_isa.hpp"

namespace tombola::impl::cpu::x64 {

template <CpuIsa isa>
struct VecTraits;

template <>
struct VecTraits<CpuIsa::avx2> {
    using Vec = Xbyak::Ymm;
    static constexpr int kBytes = 32;
    static constexpr int kRegisters = 16;
    static constexpr int kOpmasks = 0;
};

template <>
struct VecTraits<CpuIsa::avx512_core> {
    using Vec = Xbyak::Zmm;
    static constexpr int kBytes = 64;
    static constexpr int kRegisters = 32;
    static constexpr int kOpmasks = 8;
};

template <>
struct VecTraits<CpuIsa::avx512_core_vbmi> : VecTraits<CpuIsa::avx512_core> {};

struct VecShape {
    int bytes;
    int registers;
    int opmasks;
};

template <CpuIsa isa>
constexpr VecShape make_shape() {
    return {VecTraits<isa>::kBytes, VecTraits<isa>::kRegisters, VecTraits<isa>::kOpmasks};
}

// Any ISA but none, which has no kernels.
constexpr VecShape shape_of(CpuIsa isa) {
    return isa == CpuIsa::avx2 ? make_shape<CpuIsa::avx2>() : make_shape<CpuIsa::avx512_core>();
}

static_assert(VecTraits<CpuIsa::avx512_core_vbmi>::kBytes ==
              VecTraits<CpuIsa::avx512_core>::kBytes);

}  // namespace tombola::impl::cpu::x64
