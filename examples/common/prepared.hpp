// SPDX-License-Identifier: Apache-2.0
#pragma once

// Primitives that are ready to run, for bindings that call the same few primitives again and again. Making descriptors and
// memory objects takes longer than drawing 1,000 numbers, so they are kept from call to call.

#include <algorithm>
#include <initializer_list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tombola/tombola.hpp"

namespace tombola_examples {

using tombola::memory;

inline const tombola::engine& cpu() {
    static const tombola::engine engine(tombola::engine::kind::cpu, 0);
    return engine;
}

inline const tombola::stream& queue() {
    static const tombola::stream stream(cpu());
    return stream;
}

// A primitive with memory objects for its arguments. Only addresses change between two executions.
struct Prepared {
    tombola::primitive primitive;
    std::unordered_map<int, memory> args;

    void run(std::initializer_list<std::pair<int, const void*>> addresses) const {
        for (const auto& [arg, address] : addresses)
            if (address != nullptr) args.at(arg).set_data_handle(const_cast<void*>(address));
        primitive.execute(queue(), args);
    }
};

// Prepares a primitive that takes these arguments.
template <class Operator>
Prepared prepare(const typename Operator::primitive_desc& pd, std::initializer_list<int> args) {
    Prepared prepared{Operator(pd), {}};
    for (const int arg : args)
        prepared.args.emplace(arg, memory(pd.exec_arg_desc(arg), cpu(), TOMBOLA_MEMORY_NONE));
    return prepared;
}

// Returns what was prepared for a key on this thread, if it is one of the last 16 keys; otherwise prepares make().
template <class Key, class Make>
const Prepared& recent(const Key& key, const Make& make) {
    constexpr size_t kKept = 16;
    thread_local std::vector<std::pair<Key, Prepared>> kept;
    auto found =
        std::find_if(kept.begin(), kept.end(), [&](auto& one) { return one.first == key; });
    if (found == kept.end()) {
        if (kept.size() == kKept) kept.pop_back();
        found = kept.emplace(kept.end(), key, make());
    }
    std::rotate(kept.begin(), found, found + 1);
    return kept.front().second;
}

}  // namespace tombola_examples
