// SPDX-License-Identifier: Apache-2.0
#include "common/settings.hpp"

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace tombola::impl {
namespace {

constexpr int kDefaultCacheCapacity = 1024;
constexpr CpuIsa kAllIsas[] = {CpuIsa::none, CpuIsa::avx2, CpuIsa::avx512_core,
                               CpuIsa::avx512_core_vbmi};

// Parses a whole number in [min, max]; anything else, and an unset variable, gives `fallback`.
int environment_int(const char* name, int min, int max, int fallback) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') return fallback;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end == '\0' && min <= value && value <= max) return static_cast<int>(value);
    std::fprintf(stderr, "tombola: %s=%s is ignored; expected a number from %d to %d\n", name, text,
                 min, max);
    return fallback;
}

CpuIsa environment_isa(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') return kAllIsas[std::size(kAllIsas) - 1];
    for (const CpuIsa isa : kAllIsas)
        if (std::strcmp(text, name_of(isa)) == 0) return isa;
    std::fprintf(stderr,
                 "tombola: %s=%s is ignored; expected none, avx2, avx512_core or "
                 "avx512_core_vbmi\n",
                 name, text);
    return kAllIsas[std::size(kAllIsas) - 1];
}

JitProfile environment_profile(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') return JitProfile::none;
    if (std::strcmp(text, "perfmap") == 0) return JitProfile::perfmap;
    if (std::strcmp(text, "jitdump") == 0) return JitProfile::jitdump;
    std::fprintf(stderr, "tombola: %s=%s is ignored; expected perfmap or jitdump\n", name, text);
    return JitProfile::none;
}

struct Settings {
    std::atomic<int> verbose{environment_int("TOMBOLA_VERBOSE", 0, 2, 0)};
    std::atomic<CpuIsa> isa_cap{environment_isa("TOMBOLA_MAX_CPU_ISA")};
    const int cache_capacity =
        environment_int("TOMBOLA_PRIMITIVE_CACHE_CAPACITY", 0, INT_MAX, kDefaultCacheCapacity);
    const std::string dump_folder = [] {
        const char* text = std::getenv("TOMBOLA_JIT_DUMP");
        return std::string(text == nullptr ? "" : text);
    }();
    const JitProfile profile = environment_profile("TOMBOLA_JIT_PROFILE");
};

// Never destroyed, as in kernel_cache.hpp.
Settings& settings() {
    static Settings& instance = *new Settings;
    return instance;
}

}  // namespace

int verbose_level() { return settings().verbose.load(std::memory_order_relaxed); }

Status set_verbose_level(int level) {
    if (level < 0 || level > 2) return invalid("level is %d; expected 0, 1 or 2", level);
    settings().verbose.store(level, std::memory_order_relaxed);
    return {};
}

CpuIsa isa_cap() { return settings().isa_cap.load(std::memory_order_relaxed); }
void set_isa_cap(CpuIsa isa) { settings().isa_cap.store(isa, std::memory_order_relaxed); }
int initial_cache_capacity() { return settings().cache_capacity; }
const std::string& jit_dump_folder() { return settings().dump_folder; }
JitProfile jit_profile() { return settings().profile; }

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
        case CpuIsa::avx2:
            return "avx2";
        case CpuIsa::avx512_core:
            return "avx512_core";
        case CpuIsa::avx512_core_vbmi:
            return "avx512_core_vbmi";
    }
    return "unknown";
}

}  // namespace tombola::impl
