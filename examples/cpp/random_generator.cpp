// SPDX-License-Identifier: Apache-2.0

// Raw words of Philox 4x32-10, with a state that goes from call to call as DirectML's does.
// Build: c++ -std=c++17 random_generator.cpp -ltombola

#include <array>
#include <cstdint>
#include <cstdio>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

// The counter, least significant word first, then the key.
using State = std::array<uint32_t, 6>;

// Fills a tensor with words and advances the state.
memory draw(const engine& eng, stream& strm, const memory::dims& dims, memory::format_tag tag,
            State& state) {
    const random_generator::primitive_desc pd(eng, generator_kind::philox4x32_10,
                                              memory::desc(dims, memory::data_type::u32, tag));
    memory words(pd.dst_desc(), eng);
    memory in(pd.src_state_desc(), eng, state.data());  // DST_STATE may be SRC_STATE's buffer
    memory out(pd.dst_state_desc(), eng, state.data());
    random_generator(pd).execute(
        strm,
        {{TOMBOLA_ARG_SRC_STATE, in}, {TOMBOLA_ARG_DST, words}, {TOMBOLA_ARG_DST_STATE, out}});
    return words;
}

}  // namespace

int main() try {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);

    // Random123's known answer for counter 0, key 0.
    State zero = {};
    const memory words = draw(eng, strm, {4}, memory::format_tag::a, zero);
    const auto* word = static_cast<const uint32_t*>(words.get_data_handle());
    std::printf("%08x %08x %08x %08x\n", word[0], word[1], word[2], word[3]);
    bool right = word[0] == 0x6627e8d5 && word[1] == 0xe169c58d && word[2] == 0xbc57ac4c &&
                 word[3] == 0x9b00dbd8;
    right = right && zero == State{1, 0, 0, 0, 0, 0};

    // The specification's example: 3 x 3 x 20 x 7219 words are 324,855 blocks, by which the counter rises.
    State state = {0x74746c65, 0x6d536561, 0x6f46726f, 0x48656c6c, 1, 2};
    draw(eng, strm, {3, 3, 20, 7219}, memory::format_tag::abcd, state);
    std::printf("counter %08x'%08x'%08x'%08x\n", state[3], state[2], state[1], state[0]);
    right = right && state == State{0x74746c65 + 324855, 0x6d536561, 0x6f46726f, 0x48656c6c, 1, 2};
    return right ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
