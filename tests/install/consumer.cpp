// SPDX-License-Identifier: Apache-2.0

// What somebody else's project compiles against the installed library, in C++: a shuffle of six channels, and an
// exception that crosses the border as it should.

#include <array>
#include <cstdio>

#include "tombola/tombola.hpp"

using namespace tombola;

static_assert(__cplusplus >= 201703L, "tombola's target asks for C++17");

int main() {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const memory::desc desc({1, 6}, memory::data_type::f32, memory::format_tag::ab);
    std::array<float, 6> src = {0, 1, 2, 3, 4, 5};
    std::array<float, 6> dst = {};
    memory src_memory(desc, eng, src.data());
    memory dst_memory(desc, eng, dst.data());

    const shuffle_forward::desc op(prop_kind::forward_inference, desc, /*axis=*/1,
                                   /*group_size=*/2);
    shuffle_forward(shuffle_forward::primitive_desc(op, eng))
        .execute(strm, {{TOMBOLA_ARG_SRC, src_memory}, {TOMBOLA_ARG_DST, dst_memory}});
    strm.wait();

    bool refused = false;
    try {
        shuffle_forward::primitive_desc(
            shuffle_forward::desc(prop_kind::forward_inference, desc, 1, /*group_size=*/4), eng);
    } catch (const error& failure) {
        refused = failure.status == tombola_invalid_arguments;
        std::printf("%s\n", failure.what());
    }

    // Channels 0..5 as three rows of two, read by columns.
    const std::array<float, 6> expected = {0, 2, 4, 1, 3, 5};
    std::printf("tombola %d.%d.%d, %s: %g %g %g %g %g %g\n", version()->major, version()->minor,
                version()->patch, version()->cpu_runtime, dst[0], dst[1], dst[2], dst[3], dst[4],
                dst[5]);
    return dst == expected && refused ? 0 : 1;
}
