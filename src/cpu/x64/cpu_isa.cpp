// SPDX-License-Identifier: Apache-2.0
#include "common/cpu_isa.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <xbyak/xbyak_util.h>

#include <cerrno>
#include <cstring>

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
    static const CpuIsa isa = detect();
    return isa;
}

// Tries with one page what every kernel needs: memory that is writable first and executable afterwards.
Status check_executable_memory() {
    const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return Status(StatusCode::out_of_memory, "no memory for code pages");
    const int failure = mprotect(page, bytes, PROT_READ | PROT_EXEC) == 0 ? 0 : errno;
    munmap(page, bytes);
    if (failure == 0) return {};
    if (failure == ENOMEM) return Status(StatusCode::out_of_memory, "no memory for code pages");
    return unimplemented("this process may not have executable memory: %s", std::strerror(failure));
}

}  // namespace tombola::impl
