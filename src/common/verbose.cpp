// SPDX-License-Identifier: Apache-2.0
#include "common/verbose.hpp"

#include <cstdio>
#include <mutex>

#include "common/attr.hpp"
#include "common/c_locale.hpp"
#include "common/cpu_isa.hpp"
#include "common/fork.hpp"
#include "common/fp_env.hpp"
#include "common/machine.hpp"
#include "common/parallel.hpp"
#include "tombola/tombola.h"

namespace tombola::impl {
namespace {

// Sorts a descriptor's fields into the columns of the line.
struct Columns {
    std::string prop_kind = "undef";
    std::string memory_descs;
    std::string auxiliary;
    std::string problem, dims_of_first;

    void operator()(const char*, PropKind kind) { prop_kind = name_of(kind); }
    void operator()(const char* name, const MemoryDesc& desc) {
        memory_descs += (memory_descs.empty() ? "" : " ") + std::string(name) + '_';
        memory_descs += desc.to_string();
        const std::string dims = dims_to_string(desc);
        if (problem.empty()) {
            problem = dims_of_first = dims;
        } else if (dims != dims_of_first) {
            problem += ':' + dims;  // as oneDNN's matmul has it
        }
    }
    void operator()(const char* name, bool value) { add(name, value ? "true" : "false"); }
    void operator()(const char* name, int value) { add(name, std::to_string(value)); }
    void operator()(const char* name, int64_t value) { add(name, std::to_string(value)); }
    void operator()(const char* name, uint64_t value) { add(name, std::to_string(value)); }
    template <class Enum>
    void operator()(const char* name, Enum value) {
        add(name, name_of(value));
    }

    void add(const char* name, const std::string& value) {
        auxiliary += (auxiliary.empty() ? "" : " ") + std::string(name) + ':' + value;
    }
};

void print_header() {
    static std::once_flag once;
    std::call_once(once, [] {
        const tombola_version_t* version = tombola_version();
        std::printf("tombola_verbose,v1,info,tombola v%d.%d.%d\n", version->major, version->minor,
                    version->patch);
        std::printf("tombola_verbose,v1,info,cpu,runtime:%s,nthr:%d\n", version->cpu_runtime,
                    max_threads());
        std::printf("tombola_verbose,v1,info,cpu,isa:%s\n", name_of(effective_isa()));
        std::printf("tombola_verbose,v1,info,cpu,machine:%s\n", name_of(machine_in_use()));
        std::printf(
            "tombola_verbose,v1,primitive,info,template:operation,engine,primitive,implementation,"
            "prop_kind,memory_descriptors,attributes,auxiliary,problem_desc,exec_time\n");
    });
}

}  // namespace

bool verbose_failure(StatusCode code) {
    const bool wrong_arguments =
        code == StatusCode::invalid_arguments || code == StatusCode::unimplemented;
    return (verbose_flags() & (kVerboseError | (wrong_arguments ? kVerboseCheck : 0))) != 0;
}

std::string verbose_info(const OpDesc& op, const Attr& attr, const char* implementation) {
    Columns columns;
    std::visit([&](const auto& desc) { for_each_field(desc, columns); }, op);
    std::string text = "cpu,";
    text += name_of(kind_of(op));
    text += std::string(",") + implementation + ',' + columns.prop_kind + ',' +
            columns.memory_descs + ',';
    if (attr.scratchpad_mode != ScratchpadMode::library)
        text += std::string("attr-scratchpad:") + name_of(attr.scratchpad_mode);
    return text + ',' + columns.auxiliary + ',' + columns.problem;
}

void verbose_timed(const char* event, const std::string& info,
                   std::chrono::steady_clock::duration time) {
    const ForkHold hold;
    print_header();
    const CLocale locale;
    const DefaultFpEnv fp_env;
    const double milliseconds = std::chrono::duration<double, std::milli>(time).count();
    std::printf("tombola_verbose,v1,primitive,%s,%s,%g\n", event, info.c_str(), milliseconds);
    std::fflush(stdout);
}

void verbose_reason(const char* event, const std::string& info, const std::string& reason) {
    const ForkHold hold;
    print_header();
    std::printf("tombola_verbose,v1,primitive,%s,%s,%s\n", event, info.c_str(), reason.c_str());
    std::fflush(stdout);
}

void verbose_error(const std::string& message) {
    const ForkHold hold;
    print_header();
    std::printf("tombola_verbose,v1,common,error,%s\n", message.c_str());
    std::fflush(stdout);
}

}  // namespace tombola::impl
