// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fields of an operator's descriptor. Its fields() lists them once; hash, equality and the verbose line use that
// list.

#include <cstdint>
#include <tuple>

namespace tombola::impl {

// A field of a descriptor: its name in verbose lines, and its member. A default field holds the value that an execution
// uses if the argument for it is absent. Plans and code do not depend on that value. So equality and hash ignore
// default fields, and one cache entry serves all of their values.
template <class Desc, class T>
struct Field {
    const char* name;
    T Desc::*member;
    bool is_default;
};
template <class Desc, class T>
constexpr Field<Desc, T> field(const char* name, T Desc::*member) {
    return {name, member, false};
}
template <class Desc, class T>
constexpr Field<Desc, T> default_field(const char* name, T Desc::*member) {
    return {name, member, true};
}

// The seeds of a random stream: the defaults of the argument SEEDS.
struct Seeds {
    uint64_t global = 0, op = 0;
};

// Calls visit(name, value) for each field in order.
template <class Desc, class Visitor>
void for_each_field(const Desc& desc, Visitor&& visit) {
    std::apply([&](auto... f) { (visit(f.name, desc.*f.member), ...); }, Desc::fields());
}

}  // namespace tombola::impl
