// SPDX-License-Identifier: Apache-2.0

// oneDNN's shuffle.

#include <benchmark/benchmark.h>

#include <array>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

#include "dnnl_shuffle.hpp"
#include "peers.hpp"

namespace tombola::peers {

namespace {

using dnnl::memory;

const dnnl::engine& cpu() {
    static const dnnl::engine object(dnnl::engine::kind::cpu, 0);
    return object;
}

memory::data_type data_type(Type type) {
    return type == Type::f32    ? memory::data_type::f32
           : type == Type::bf16 ? memory::data_type::bf16
           : type == Type::f16  ? memory::data_type::f16
                                : memory::data_type::s8;
}

memory::format_tag format_tag(const std::string& layout) {
    return layout == "nchw"     ? memory::format_tag::nchw
           : layout == "nhwc"   ? memory::format_tag::nhwc
           : layout == "nChw8c" ? memory::format_tag::nChw8c
                                : memory::format_tag::nChw16c;
}

// Both descriptors and the primitive of one direction.
struct Created {
    dnnl::primitive primitive;
    std::string implementation;
};
memory::desc desc_of(const Shuffle& c) {
    return {{c.dims.begin(), c.dims.end()}, data_type(c.type), format_tag(c.layout)};
}
Created create(const Shuffle& c) {
    const auto group_size = static_cast<int>(c.group_size);
    const auto forward = dnnl_forward(cpu(), desc_of(c), 1, group_size);
    if (c.forward) return {dnnl::shuffle_forward(forward), forward.impl_info_str()};
    const auto backward = dnnl_backward(cpu(), desc_of(c), 1, group_size, forward);
    return {dnnl::shuffle_backward(backward), backward.impl_info_str()};
}

Work shuffle(const Shuffle& c) {
    const Created created = create(c);
    const memory from(desc_of(c), cpu(), source(c.bytes()));
    const memory to(desc_of(c), cpu(), destination(c.bytes()));
    const std::array<dnnl_exec_arg_t, 2> arguments = {
        dnnl_exec_arg_t{c.forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, from.get()},
        dnnl_exec_arg_t{c.forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, to.get()}};
    // As tombola's, by the C API. With OpenMP an execution has ended when its call returns.
    const auto run = [=, stream = dnnl::stream(cpu())] {
        dnnl::error::wrap_c_api(
            dnnl_primitive_execute(created.primitive.get(), stream.get(),
                                   static_cast<int>(arguments.size()), arguments.data()),
            "dnnl_primitive_execute");
        static_cast<void>(from), static_cast<void>(to);  // what the arguments point to
    };
    return {run, 2 * c.bytes(), created.implementation};
}

// Version 2 has no f16, and its bf16 shuffle of nChw4c and nChw8c writes out of bounds: that is never run.
bool served(const Shuffle& c) {
    if (dnnl_version()->major < 3 && c.type == Type::bf16 &&
        (c.channels_per_block() == 4 || c.channels_per_block() == 8))
        return false;
    return static_cast<bool>(dnnl_forward(cpu(), desc_of(c), 1, static_cast<int>(c.group_size)));
}

}  // namespace

void add_dnnl() {
    const dnnl_version_t* version = dnnl_version();
    benchmark::AddCustomContext("oneDNN", std::to_string(version->major) + "." +
                                              std::to_string(version->minor) + "." +
                                              std::to_string(version->patch));
    for (const Shuffle& c : shuffles())
        if (served(c)) add("shuffle/" + c.name(), "oneDNN", [c] { return shuffle(c); });
    add("calls/execute:shuffle of 32 bytes", "oneDNN", [] { return shuffle(kSmallShuffle); });
    add("calls/create:shuffle", "oneDNN", [] { return Work{[] { create(kSmallShuffle); }}; });
}

}  // namespace tombola::peers
