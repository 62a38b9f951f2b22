// SPDX-License-Identifier: Apache-2.0

// What environment_test.cpp runs with this or that environment: creates a shuffle twice, executes
// it, has one refused, and prints what is in force.

#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

int main() {
    using namespace tombola;
    const engine eng(engine::kind::cpu, 0);
    const stream strm(eng);
    const memory::desc md({2, 16, 7, 7}, memory::data_type::f32, memory::format_tag::nchw);
    const shuffle_forward::primitive_desc pd(eng, prop_kind::forward_training, md, md, 1, 4);
    const memory src(md, eng);
    const memory dst(md, eng);
    for (int round = 0; round < 2; ++round)
        shuffle_forward(pd).execute(strm, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}});
    const shuffle_forward::primitive_desc bad(eng, prop_kind::forward_training, md, md, 1, 5,
                                              primitive_attr(), true);
    std::printf("probe isa %s\n",
                tombola_cpu_isa2str(static_cast<tombola_cpu_isa_t>(get_effective_cpu_isa())));
    std::printf("probe implementation %s\n", pd.impl_info_str());
    std::printf("probe capacity %d\n", get_primitive_cache_capacity());
    return bad ? 1 : 0;
}
