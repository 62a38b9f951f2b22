// SPDX-License-Identifier: Apache-2.0
#pragma once

// tombola's objects as the benchmarks of tombola use them.

#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "peers.hpp"
#include "tombola/tombola.hpp"

namespace tombola::peers {

inline const engine& cpu() {
    static const engine object(engine::kind::cpu, 0);
    return object;
}

inline stream& cpu_stream() {
    static stream object(cpu());
    return object;
}

inline memory::data_type data_type(Type type) {
    using data_type = memory::data_type;
    constexpr data_type kTypes[] = {data_type::f16, data_type::bf16, data_type::f32, data_type::f64,
                                    data_type::s8,  data_type::s32,  data_type::s64};
    return kTypes[static_cast<size_t>(type)];
}

inline memory::desc vector_of(Type type, size_t count) {
    return {{static_cast<memory::dim>(count)}, data_type(type), memory::format_tag::a};
}

// A bound of random_uniform, which every type here holds exactly, as the bits of the type.
inline uint64_t bits_of(Type type, double value) {
    const auto as = [](auto typed) {
        uint64_t bits = 0;
        std::memcpy(&bits, &typed, sizeof typed);
        return bits;
    };
    switch (type) {
        case Type::f64:
            return as(value);
        case Type::f32:
            return as(static_cast<float>(value));
        case Type::bf16:
            return as(static_cast<float>(value)) >> 16;
        case Type::f16: {  // normal or zero; its exponent's bias is 15 instead of 127
            const uint64_t bits = as(static_cast<float>(value));
            const uint64_t magnitude = (bits >> 13 & 0x3FFFF) - (uint64_t{127 - 15} << 10);
            return value == 0 ? 0 : (bits >> 16 & 0x8000) | magnitude;
        }
        case Type::s32:
            return as(static_cast<int32_t>(value));
        default:
            return as(static_cast<int64_t>(value));
    }
}

// An execution through the C API: a primitive, its arguments, and what GB/s are counted by.
using Arguments = std::unordered_map<int, memory>;
inline Work executing(const primitive& what, const Arguments& arguments, size_t bytes,
                      const char* implementation) {
    std::vector<tombola_exec_arg_t> args;
    for (const auto& [arg, object] : arguments) args.push_back({arg, object.get()});
    const auto run = [what, arguments, args] {  // the map owns what the vector points to
        error::check(tombola_primitive_execute(what.get(), cpu_stream().get(),
                                               static_cast<int>(args.size()), args.data()));
    };
    return {run, bytes, implementation};
}

}  // namespace tombola::peers
