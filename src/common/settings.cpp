// SPDX-License-Identifier: Apache-2.0
#include "common/settings.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <vector>

#include "common/fork.hpp"

namespace tombola::impl {
namespace {

constexpr int kDefaultCacheCapacity = 1024;
constexpr int kNotSet = -1;

// The words that TOMBOLA_VERBOSE may contain, as in oneDNN. The numbers are those of set_verbose_level().
struct VerboseWord {
    const char* word;
    unsigned flags;
};
constexpr unsigned kLevels[] = {0, kVerboseWarn | kVerboseError | kVerboseCheck | kVerboseExec,
                                kVerboseWarn | kVerboseError | kVerboseCheck | kVerboseExec |
                                    kVerboseCreate | kVerboseDispatch};
constexpr VerboseWord kVerboseWords[] = {
    {"0", kLevels[0]},
    {"none", kLevels[0]},
    {"1", kLevels[1]},
    {"2", kLevels[2]},
    {"all", kLevels[2]},
    {"error", kVerboseWarn | kVerboseError},
    {"check", kVerboseWarn | kVerboseCheck},
    {"dispatch", kVerboseWarn | kVerboseDispatch},
    {"profile_create", kVerboseWarn | kVerboseCreate},
    {"profile_exec", kVerboseWarn | kVerboseExec},
    {"profile", kVerboseWarn | kVerboseCreate | kVerboseExec},
};

// Reads the environment, and collects complaints about invalid values. In a program with more rights than its user
// (setuid), every variable counts as not set.
class Environment {
  public:
    // Empty when the variable is not set.
    static std::string text(const char* name) {
        const char* value = secure_getenv(name);
        return value == nullptr ? "" : value;
    }

    // The same with small letters: those of ASCII alone, so that no locale matters.
    static std::string words(const char* name) {
        std::string value = text(name);
        for (char& c : value)
            if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return value;
    }

    int number(const char* name, int min, int max, int fallback) {
        const std::string value = text(name);
        if (value.empty()) return fallback;
        char* end = nullptr;
        errno = 0;
        const long parsed = std::strtol(value.c_str(), &end, 10);
        const bool has_blank = std::isspace(static_cast<unsigned char>(value[0])) != 0;
        if (errno == 0 && !has_blank && *end == '\0' && min <= parsed && parsed <= max)
            return static_cast<int>(parsed);
        refuse(name, format("a number from %d to %d", min, max));
        return fallback;
    }

    // Finds the value among enumerators by their names.
    template <class Enum, size_t count>
    std::optional<Enum> one_of(const char* name, const Enum (&all)[count]) {
        const std::string value = words(name);
        std::string names;
        for (const Enum candidate : all) {
            if (value == name_of(candidate)) return candidate;
            names += (names.empty() ? "" : ", ") + std::string(name_of(candidate));
        }
        if (!value.empty()) refuse(name, "one of " + names);
        return std::nullopt;
    }

    CpuIsa isa(const char* name) { return one_of(name, kAllIsas).value_or(kHighestIsa); }

    JitProfile profile(const char* name) {
        const std::string value = words(name);
        if (value == "perfmap") return JitProfile::perfmap;
        if (value == "jitdump") return JitProfile::jitdump;
        if (!value.empty()) refuse(name, "perfmap or jitdump");
        return JitProfile::none;
    }

    // Words and numbers, separated by commas. Without a value, only warnings are printed.
    unsigned verbose(const char* name) {
        const std::string value = words(name);
        if (value.empty()) return kVerboseWarn;
        unsigned flags = 0;
        for (size_t begin = 0; begin <= value.size();) {
            const size_t end = std::min(value.find(',', begin), value.size());
            const std::string word = value.substr(begin, end - begin);
            const auto* known =
                std::find_if(std::begin(kVerboseWords), std::end(kVerboseWords),
                             [&](const VerboseWord& candidate) { return word == candidate.word; });
            if (known == std::end(kVerboseWords)) {
                refuse(name,
                       "0, 1, 2, or some of none, error, check, dispatch, profile_create, "
                       "profile_exec, profile, all, separated by commas");
                return kVerboseWarn;
            }
            flags |= known->flags;
            begin = end + 1;
        }
        return flags;
    }

    const std::vector<std::string>& complaints() const { return complaints_; }

  private:
    void refuse(const char* name, const std::string& expected) {
        complaints_.push_back(
            format("%s=%s is ignored; expected %s", name, text(name).c_str(), expected.c_str()));
    }

    std::vector<std::string> complaints_;
};

struct Settings {
    Environment environment;
    std::atomic<unsigned> verbose{environment.verbose("TOMBOLA_VERBOSE")};
    std::atomic<CpuIsa> isa_cap{environment.isa("TOMBOLA_MAX_CPU_ISA")};
    const std::optional<Microarchitecture> machine =
        environment.one_of("TOMBOLA_MACHINE", kAllMachines);
    const int waking = environment.number("TOMBOLA_WAKING", 0, INT_MAX, kNotSet);
    const int cache_capacity =
        environment.number("TOMBOLA_PRIMITIVE_CACHE_CAPACITY", 0, INT_MAX, kDefaultCacheCapacity);
    const std::string dump_folder = Environment::text("TOMBOLA_JIT_DUMP");
    const JitProfile profile = environment.profile("TOMBOLA_JIT_PROFILE");
    const std::string jitdump_folder = Environment::text("JITDUMPDIR");
};

Settings& settings() {
    return *made_once([] {
        auto* made = new Settings;
        if ((made->verbose & kVerboseWarn) != 0)
            for (const std::string& complaint : made->environment.complaints())
                print_warning(complaint);
        return made;
    });
}

}  // namespace

unsigned verbose_flags() { return settings().verbose.load(std::memory_order_relaxed); }

Status set_verbose_level(int level) {
    if (level < 0 || level > 2) return invalid("level is %d; expected 0, 1 or 2", level);
    settings().verbose.store(kLevels[level], std::memory_order_relaxed);
    return {};
}

void print_warning(const std::string& message) {
    std::fprintf(stderr, "tombola_verbose,v1,common,warn,%s\n", message.c_str());
}

CpuIsa isa_cap() { return settings().isa_cap.load(std::memory_order_relaxed); }
void set_isa_cap(CpuIsa isa) { settings().isa_cap.store(isa, std::memory_order_relaxed); }
std::optional<Microarchitecture> machine_asked_for() { return settings().machine; }
std::optional<int> waking_asked_for() {
    if (settings().waking == kNotSet) return std::nullopt;
    return settings().waking;
}
int initial_cache_capacity() { return settings().cache_capacity; }
const std::string& jit_dump_folder() { return settings().dump_folder; }
JitProfile jit_profile() { return settings().profile; }
const std::string& jitdump_folder() { return settings().jitdump_folder; }

}  // namespace tombola::impl
