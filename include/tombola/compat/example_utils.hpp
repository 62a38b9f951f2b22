// SPDX-License-Identifier: Apache-2.0

/// @file
/// What oneDNN's example programs in C++ take from the header of this name.

#ifndef TOMBOLA_COMPAT_EXAMPLE_UTILS_HPP
#define TOMBOLA_COMPAT_EXAMPLE_UTILS_HPP

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>

#include "dnnl.hpp"
#include "dnnl_debug.h"

/// Thrown by an example that needs what this machine does not have. It is reported, and does not count as a failure.
struct example_allows_unimplemented : public std::exception {
    explicit example_allows_unimplemented(const char* text) noexcept : message(text) {}
    const char* what() const noexcept override { return message; }
    const char* message;
};

inline const char* engine_kind2str_upper(dnnl::engine::kind kind) {
    return kind == dnnl::engine::kind::gpu ? "GPU" : "CPU";
}

/// Returns `kind` if there is such an engine. Otherwise prints this and ends the program with exit code 0.
inline dnnl::engine::kind validate_engine_kind(dnnl::engine::kind kind) {
    if (dnnl::engine::get_count(kind) == 0) {
        std::cout << "There is no " << engine_kind2str_upper(kind) << " engine.\n";
        std::exit(0);
    }
    return kind;
}

/// The engine kind that the command line names: "cpu" or "gpu"; the CPU by default.
inline dnnl::engine::kind parse_engine_kind(int argc, char** argv, int extra_args = 0) {
    if (argc == 1) return dnnl::engine::kind::cpu;
    const std::string name = argv[1];
    if (argc <= extra_args + 2 && name == "cpu") return dnnl::engine::kind::cpu;
    if (argc <= extra_args + 2 && name == "gpu")
        return validate_engine_kind(dnnl::engine::kind::gpu);
    std::cout << "usage: " << argv[0] << " [cpu|gpu]" << (extra_args ? " [arguments]" : "") << '\n';
    std::exit(1);
}

/// Runs an example and reports how it ended.
/// @return The exit code: 0, 1 for an error of the library, 2 for one of the example.
inline int handle_example_errors(std::initializer_list<dnnl::engine::kind> engine_kinds,
                                 const std::function<void()>& example) {
    int exit_code = 0;
    try {
        example();
    } catch (const example_allows_unimplemented& e) {
        std::cout << e.what() << '\n';
    } catch (const dnnl::error& e) {
        std::cout << "Library error: " << dnnl_status2str(e.status) << ": " << e.what() << '\n';
        exit_code = 1;
    } catch (const std::exception& e) {
        std::cout << "Error in the example: " << e.what() << '\n';
        exit_code = 2;
    }
    std::string kinds;
    for (const auto kind : engine_kinds) {
        if (!kinds.empty()) kinds += '/';
        kinds += engine_kind2str_upper(kind);
    }
    std::cout << "Example " << (exit_code == 0 ? "passed" : "failed") << " on " << kinds << ".\n";
    return exit_code;
}
inline int handle_example_errors(
    const std::function<void(dnnl::engine::kind, int, char**)>& example,
    dnnl::engine::kind engine_kind, int argc, char** argv) {
    return handle_example_errors({engine_kind}, [&] { example(engine_kind, argc, argv); });
}
inline int handle_example_errors(const std::function<void(dnnl::engine::kind)>& example,
                                 dnnl::engine::kind engine_kind) {
    return handle_example_errors({engine_kind}, [&] { example(engine_kind); });
}

/// The number of elements of a tensor.
inline dnnl::memory::dim product(const dnnl::memory::dims& dims) {
    return std::accumulate(dims.begin(), dims.end(), dnnl::memory::dim{1},
                           std::multiplies<dnnl::memory::dim>());
}

/// Copies all bytes of a memory object to a buffer.
inline void read_from_dnnl_memory(void* handle, const dnnl::memory& mem) {
    const void* data = mem.get_data_handle();
    if (handle == nullptr || data == nullptr)
        throw std::runtime_error("no data to read from or to");
    std::memcpy(handle, data, mem.get_desc().get_size());
}
/// Copies a buffer to all bytes of a memory object.
inline void write_to_dnnl_memory(const void* handle, const dnnl::memory& mem) {
    void* data = mem.get_data_handle();
    if (handle == nullptr || data == nullptr)
        throw std::runtime_error("no data to write from or to");
    std::memcpy(data, handle, mem.get_desc().get_size());
}

#endif
