// SPDX-License-Identifier: Apache-2.0

// oneDNN's shuffle by one call for both of its lines: version 2 makes a primitive descriptor of an operation
// descriptor, version 3 makes it of the arguments themselves.

#ifndef TOMBOLA_TESTS_PEERS_DNNL_SHUFFLE_HPP
#define TOMBOLA_TESTS_PEERS_DNNL_SHUFFLE_HPP

#include <oneapi/dnnl/dnnl.hpp>

namespace tombola::peers {

// Source and destination have one descriptor. Where oneDNN does not serve the case, the result is empty.
inline dnnl::shuffle_forward::primitive_desc dnnl_forward(const dnnl::engine& engine,
                                                          const dnnl::memory::desc& desc, int axis,
                                                          int group_size) {
    const auto kind = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
    return {engine, kind, desc, desc, axis, group_size, {}, /*allow_empty=*/true};
#else
    return {{kind, desc, axis, group_size}, engine, {}, /*allow_empty=*/true};
#endif
}

inline dnnl::shuffle_backward::primitive_desc dnnl_backward(
    const dnnl::engine& engine, const dnnl::memory::desc& desc, int axis, int group_size,
    const dnnl::shuffle_forward::primitive_desc& forward) {
#if DNNL_VERSION_MAJOR >= 3
    return {engine, desc, desc, axis, group_size, forward, {}, /*allow_empty=*/true};
#else
    return {{desc, axis, group_size}, engine, forward, {}, /*allow_empty=*/true};
#endif
}

}  // namespace tombola::peers

#endif
