// SPDX-License-Identifier: Apache-2.0
#include "common/cpu_isa.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/settings.hpp"

namespace tombola::impl {

CpuIsa effective_isa() {
    const CpuIsa detected = detected_isa();
    const CpuIsa cap = isa_cap();
    return detected < cap ? detected : cap;
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
    return executable_memory_denied(failure);
}

Status executable_memory_denied(int reason) {
    return unimplemented("this process may not have executable memory: %s", std::strerror(reason));
}

Status set_max_isa(CpuIsa isa) {
    for (const CpuIsa known : kAllIsas) {
        if (isa != known) continue;
        set_isa_cap(isa);
        return {};
    }
    return invalid("isa is %d; expected one of tombola_cpu_isa_t", static_cast<int>(isa));
}

const char* name_of(CpuIsa isa) {
    switch (isa) {
        case CpuIsa::none:
            return "none";
#define TOMBOLA_NAME(name, value) \
    case CpuIsa::name:            \
        return #name;
            TOMBOLA_CPU_ISAS(TOMBOLA_NAME)
#undef TOMBOLA_NAME
    }
    return "unknown";
}

}  // namespace tombola::impl
