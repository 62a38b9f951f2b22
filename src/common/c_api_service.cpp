// SPDX-License-Identifier: Apache-2.0
// Errors and the library's own settings.
#include <algorithm>
#include <cstring>

#include "common/c_api.hpp"
#include "common/fork.hpp"
#include "common/format_tag.hpp"
#include "common/parallel_runtime.hpp"
#include "common/primitive_cache.hpp"
#include "common/settings.hpp"
#include "common/verbose.hpp"

namespace tombola::impl {
namespace {

// The buffer has a fixed size and no destructor, because a failure must be reported even when there is no memory left,
// and also while static objects are destroyed. That happens after the main thread's thread_local objects are destroyed.
constexpr size_t kMaxMessage = 2048;
thread_local char last_error[kMaxMessage];

// Appends as much of `text` as fits. Returns the new end.
char* append(char* at, const char* text) {
    const size_t room = static_cast<size_t>(last_error + kMaxMessage - 1 - at);
    const size_t length = std::min(std::strlen(text), room);
    std::memmove(at, text, length);
    at[length] = '\0';
    return at + length;
}

}  // namespace

tombola_status_t report(const char* function, StatusCode code, const char* message) noexcept {
    append(append(append(last_error, function), ": "), message);
    try {
        if (code != StatusCode::last_impl_reached && verbose_failure(code))
            verbose_error(last_error);
    } catch (...) {  // there is no memory for the printed line
    }
    return static_cast<tombola_status_t>(code);
}

}  // namespace tombola::impl

using namespace tombola::impl;

const char* tombola_get_last_error(void) { return last_error; }

const tombola_version_t* tombola_version(void) {
    return &made_once([] {
        return tombola_version_t{TOMBOLA_VERSION_MAJOR, TOMBOLA_VERSION_MINOR,
                                 TOMBOLA_VERSION_PATCH, runtime_name()};
    });
}

tombola_status_t tombola_set_max_cpu_isa(tombola_cpu_isa_t isa) {
    return api_call("set_max_cpu_isa", [&] { return set_max_isa(static_cast<CpuIsa>(isa)); });
}

tombola_cpu_isa_t tombola_get_effective_cpu_isa(void) {
    auto isa = tombola_cpu_isa_none;
    api_call("get_effective_cpu_isa",
             [&] { isa = static_cast<tombola_cpu_isa_t>(effective_isa()); });
    return isa;
}

tombola_status_t tombola_set_verbose(int level) {
    return api_call("set_verbose", [&] { return set_verbose_level(level); });
}

tombola_status_t tombola_get_primitive_cache_capacity(int* capacity) {
    return api_call("get_primitive_cache_capacity", {{capacity, "capacity"}},
                    [&] { *capacity = cache_capacity(); });
}

tombola_status_t tombola_set_primitive_cache_capacity(int capacity) {
    return api_call("set_primitive_cache_capacity", [&] { return set_cache_capacity(capacity); });
}

const char* tombola_status2str(tombola_status_t status) {
    switch (status) {
        case tombola_success:
            return "success";
        case tombola_out_of_memory:
            return "out_of_memory";
        case tombola_invalid_arguments:
            return "invalid_arguments";
        case tombola_unimplemented:
            return "unimplemented";
        case tombola_last_impl_reached:
            return "last_impl_reached";
        case tombola_runtime_error:
            return "runtime_error";
        case tombola_not_required:
            return "not_required";
    }
    return "unknown";
}

const char* tombola_dt2str(tombola_data_type_t data_type) {
    return name_of(static_cast<DataType>(data_type));
}

const char* tombola_fmt_tag2str(tombola_format_tag_t tag) {
    const char* name = tag_name(tag);
    return name == nullptr ? "undef" : name;
}

tombola_format_tag_t tombola_str2fmt_tag(const char* name) {
    return name == nullptr ? tombola_format_tag_undef : tag_of(name);
}

const char* tombola_prop_kind2str(tombola_prop_kind_t prop_kind) {
    // No primitive has this direction, but oneDNN has the name.
    if (prop_kind == tombola_backward) return "backward";
    return name_of(static_cast<PropKind>(prop_kind));
}

const char* tombola_cpu_isa2str(tombola_cpu_isa_t isa) { return name_of(static_cast<CpuIsa>(isa)); }
