// SPDX-License-Identifier: Apache-2.0
#include "common/cpu_isa.hpp"

#include "common/settings.hpp"

namespace tombola::impl {

CpuIsa effective_isa() {
    const CpuIsa detected = detected_isa();
    const CpuIsa cap = isa_cap();
    return detected < cap ? detected : cap;
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
