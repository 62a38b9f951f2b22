// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all targets share.

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtests/common/handles.hpp"
#include "tombola/tombola.h"

namespace tombola::fuzz {

using Input = FuzzedDataProvider;

// A finding: libFuzzer keeps the input of a process that aborts.
[[noreturn]] inline void report(const std::string& what) {
    std::fprintf(stderr, "finding: %s\n", what.c_str());
    std::abort();
}
inline void expect(bool condition, const char* what) {
    if (!condition) report(what);
}

// The engine of all calls: descriptors in the cache belong to one.
inline tombola_engine_t the_engine() {
    static const test::Engine made = test::cpu_engine();
    return made;
}

// What an interface lets be: a success, or a failure that is one of the listed ones and has a message. No other status
// can happen where nothing is denied to the process.
inline bool succeeded(tombola_status_t status, const char* call,
                      std::initializer_list<tombola_status_t> failures = {
                          tombola_invalid_arguments}) {
    if (status == tombola_success) return true;
    if (std::find(failures.begin(), failures.end(), status) == failures.end())
        report(std::string(call) + ": " + tombola_status2str(status) + ": " + test::last_error());
    if (test::last_error().empty()) report(std::string(call) + ": a failure without a message");
    return false;
}

// Mostly a value that means something; sometimes any.
template <class T>
T mostly(Input& in, T low, T high) {
    return in.ConsumeIntegral<uint8_t>() < 250 ? in.ConsumeIntegralInRange<T>(low, high)
                                               : in.ConsumeIntegral<T>();
}
template <class E>
E enumerator(Input& in, int highest) {
    return static_cast<E>(mostly<int>(in, 0, highest));
}
inline uint64_t seed(Input& in) {
    return in.ConsumeBool() ? in.ConsumeIntegralInRange<uint64_t>(0, 3)
                            : in.ConsumeIntegral<uint64_t>();
}

}  // namespace tombola::fuzz
