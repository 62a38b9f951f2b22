// SPDX-License-Identifier: Apache-2.0
#include "common/arg_spec.hpp"

namespace tombola::impl {

using Role = ArgSpec::Role;
using Match = ArgSpec::Match;

ArgSpec required_input(int arg, const MemoryDesc& desc, Match match) {
    return {arg, name_of_arg(arg), Role::input, true, match, desc};
}

ArgSpec required_output(int arg, const MemoryDesc& desc, int may_alias) {
    return {arg, name_of_arg(arg), Role::output, true, Match::exact, desc, may_alias};
}

ArgSpec optional_input(int arg, const MemoryDesc& desc, ArgSpec::Match match) {
    return {arg, name_of_arg(arg), Role::input, false, match, desc};
}

ArgSpec optional_output(int arg, const MemoryDesc& desc, ArgSpec::Match match) {
    return {arg, name_of_arg(arg), Role::output, false, match, desc};
}

ArgSpec optional_input(int arg, DataType type, dim_t count) {
    return {arg,   name_of_arg(arg), Role::input,
            false, Match::vector,    MemoryDesc::vector(type, count)};
}

ArgSpec optional_output(int arg, DataType type, dim_t count, int may_alias) {
    return {arg,      name_of_arg(arg), Role::output,
            false,    Match::vector,    MemoryDesc::vector(type, count),
            may_alias};
}

}  // namespace tombola::impl
