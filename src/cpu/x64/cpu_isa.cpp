// SPDX-License-Identifier: Apache-2.0
#include "common/cpu_isa.hpp"

#include "common/fork.hpp"
#include "cpu/x64/xbyak.hpp"

namespace tombola::impl {
namespace {

// Xbyak's Cpu asks CPUID for the instructions, and XCR0 for whether the operating system saves the
// registers.
CpuIsa detect() {
    using Xbyak::util::Cpu;
    const Cpu cpu;
    if (!(cpu.has(Cpu::tAVX2) && cpu.has(Cpu::tFMA) && cpu.has(Cpu::tF16C) && cpu.has(Cpu::tBMI1) &&
          cpu.has(Cpu::tBMI2) && cpu.has(Cpu::tPOPCNT) && cpu.has(Cpu::tPCLMULQDQ)))
        return CpuIsa::none;
    if (!(cpu.has(Cpu::tAVX512F) && cpu.has(Cpu::tAVX512CD) && cpu.has(Cpu::tAVX512BW) &&
          cpu.has(Cpu::tAVX512DQ) && cpu.has(Cpu::tAVX512VL)))
        return CpuIsa::avx2;
    if (!(cpu.has(Cpu::tAVX512_VBMI) && cpu.has(Cpu::tAVX512_VBMI2) && cpu.has(Cpu::tVPCLMULQDQ)))
        return CpuIsa::avx512_core;
    return CpuIsa::avx512_core_vbmi;
}

}  // namespace

CpuIsa detected_isa() {
    return made_once([] { return detect(); });
}

}  // namespace tombola::impl
