// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

// One argument that an execution takes.
struct ArgSpec {
    enum class Role { input, output };
    // exact: the memory's descriptor equals `desc` (offset0 aside).
    // vector: any descriptor of desc's type whose elements, as many as desc's, lie behind one
    // another in the last dimension, the other dimensions being 1.
    enum class Match { exact, vector };
    int arg;
    const char* name;  // as messages spell it: "DST_STATE"
    Role role;
    bool required;
    Match match;
    MemoryDesc desc;
    int may_alias = 0;  // an output: the input whose buffer it may share whole
};

// One that has to be given.
ArgSpec required_input(int arg, const MemoryDesc& desc,
                       ArgSpec::Match match = ArgSpec::Match::exact);
ArgSpec required_output(int arg, const MemoryDesc& desc);
// One that may be left out: `count` numbers behind one another.
ArgSpec optional_input(int arg, DataType type, dim_t count);
ArgSpec optional_output(int arg, DataType type, dim_t count, int may_alias);

}  // namespace tombola::impl
