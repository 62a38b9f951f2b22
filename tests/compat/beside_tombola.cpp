// SPDX-License-Identifier: Apache-2.0

// Objects under oneDNN's names are tombola's, so an operator that oneDNN does not have takes them. Expected value: the
// first word of Philox 4x32-10 for counter 0 and key 0, from Random123's known answers.

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "oneapi/dnnl/dnnl.hpp"
#include "tombola/tombola.hpp"

int main() {
    const dnnl::engine eng(dnnl::engine::kind::cpu, 0);
    const dnnl::stream queue(eng);
    const dnnl::memory words(
        dnnl::memory::desc({4}, dnnl::memory::data_type::u32, dnnl::memory::format_tag::a), eng);
    const tombola::random_generator::primitive_desc pd(eng, tombola::generator_kind::philox4x32_10,
                                                       words.get_desc());
    const dnnl::memory state(pd.src_state_desc(), eng);
    std::memset(state.get_data_handle(), 0, state.get_desc().get_size());
    tombola::random_generator(pd).execute(
        queue, {{TOMBOLA_ARG_SRC_STATE, state}, {TOMBOLA_ARG_DST, words}});
    // Only shuffles are executed as leniently as by oneDNN: a state of more words is refused.
    const dnnl::memory more(
        dnnl::memory::desc({9}, dnnl::memory::data_type::u32, dnnl::memory::format_tag::a), eng);
    const dnnl_exec_arg_t args[] = {{TOMBOLA_ARG_SRC_STATE, more.get()},
                                    {TOMBOLA_ARG_DST, words.get()}};
    const tombola::random_generator generator(pd);
    if (dnnl_primitive_execute(generator.get(), queue.get(), 2, args) != dnnl_invalid_arguments)
        return 1;
    const uint32_t first = *static_cast<const uint32_t*>(words.get_data_handle());
    std::printf("%08x\n", static_cast<unsigned>(first));
    return first == 0x6627e8d5 ? 0 : 1;
}
