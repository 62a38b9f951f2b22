// SPDX-License-Identifier: Apache-2.0

// Random123's philox4x32, the peer of random_generator and of random_uniform's alignment tensorflow. Compiled for
// this machine, as whoever wants speed of a header would.

#include <Random123/philox.h>
#include <benchmark/benchmark.h>

#include "uniform_rules.hpp"

namespace tombola::peers {

namespace {

using Philox = r123::Philox4x32;

// take(block, address) for consecutive blocks of 16 bytes.
template <class Take>
void fill_blocks(char* to, size_t bytes, const Take& take) {
    Philox philox;
    const Philox::key_type key = {{1, 2}};
    Philox::ctr_type counter = {{0, 0, 3, 4}};
    for (size_t at = 0; at < bytes; at += 16, counter.incr()) take(philox(counter, key), to + at);
    keep(to);
}

void fill_words(char* to, size_t bytes) {
    fill_blocks(to, bytes, [](const Philox::ctr_type& block, char* at) {
        std::memcpy(at, block.v, sizeof block.v);
    });
}

void fill(const Uniform& c, char* to, size_t bytes) {
    with_cpp_type(c.type, [&](auto zero) {
        using T = decltype(zero);
        fill_blocks(to, bytes, [&c](const Philox::ctr_type& block, char* at) {
            T values[16 / sizeof(T)];
            int word = 0;
            fill_uniform<TensorflowRule>(c, values, 16 / sizeof(T), sizeof(T) == 8,
                                         [&] { return block.v[word++]; });
            std::memcpy(at, values, sizeof values);
        });
    });
}

}  // namespace

void add_random123() {
    benchmark::AddCustomContext("Random123", "(unknown version)");  // its headers do not say
    for (const Size& size : kSizes)
        add(std::string("random_generator/words:") + size.name, "Random123", [n = size.bytes] {
            return Work{[n, to = destination(n)] { fill_words(to, n); }, n};
        });
    for_peers(kTensorflow, [](const Uniform& c, const std::string& name, size_t n) {
        if (has_cpp_type(c.type))
            add("tensorflow/" + name, "Random123", [c, n] {
                return Work{[c, n, to = destination(n)] { fill(c, to, n); }, n};
            });
    });
}

}  // namespace tombola::peers
