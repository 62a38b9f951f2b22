// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fields of a driver's problem, each defined once.
//
//   struct ShuffleProblem {
//       Direction dir = Direction::FWD_D;
//       ...
//       static std::vector<Field<ShuffleProblem>> fields() {
//           return {field<ShuffleProblem>("dir", &ShuffleProblem::dir, "direction"), ...};
//       }
//   };
//
// From this list derive the options that are parsed, the product over their lists (the first field varies
// slowest), the line that reproduces a problem, %name% in performance templates, and the help.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "common/value.hpp"

namespace tombola::bench {

template <class P>
struct Field {
    std::string name;  // the option without dashes, as in --dt
    std::string help;
    std::string expected;
    bool is_list;  // commas separate values
    std::function<bool(P&, const std::string&)> parse;
    std::function<std::string(const P&)> print;
};

// P is named in the call, field<P>("dt", &P::dt, ...), since the member may be one of a base class of P.
template <class P, class T, class Base>
Field<P> field(const char* name, T Base::*member, const char* help) {
    return {name,
            help,
            expected_value(T{}),
            !std::is_same_v<T, FileName>,
            [member](P& problem, const std::string& text) {
                return parse_value(text, problem.*member);
            },
            [member](const P& problem) { return print_value(problem.*member); }};
}

// The same where the driver takes some of the type's values only.
template <class P, class T, class Base>
Field<P> field(const char* name, T Base::*member, const char* help, const std::vector<T>& values) {
    Field<P> result = field<P>(name, member, help);
    result.expected.clear();
    for (T value : values)
        result.expected += (result.expected.empty() ? "one of " : ", ") + print_value(value);
    result.parse = [member, values](P& problem, const std::string& text) {
        return parse_value(text, problem.*member) &&
               std::find(values.begin(), values.end(), problem.*member) != values.end();
    };
    return result;
}

}  // namespace tombola::bench
