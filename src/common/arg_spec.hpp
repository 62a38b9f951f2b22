// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

// One argument that an execution takes.
struct ArgSpec {
    enum class Role { input, output };
    // exact: the memory's descriptor equals `desc`; offset0 is not compared.
    // vector: the memory's descriptor has desc's type and desc's number of elements. They are contiguous along the last
    // dimension, and every other dimension is 1. Unless `rows` is kNoRows, the memory may instead hold `rows` such
    // vectors in a row-major tensor of the dimensions [rows, elements], or [rows] if a vector has one element.
    enum class Match { exact, vector };
    int arg;
    const char* name;  // as messages spell it: "DST_STATE"
    Role role;
    bool required;
    Match match;
    MemoryDesc desc;
    int may_alias = 0;  // of an output: the input whose whole buffer it may share; 0: none
    static constexpr dim_t kNoRows = -1;
    dim_t rows = kNoRows;
};

// An argument that must be given.
ArgSpec required_input(int arg, const MemoryDesc& desc,
                       ArgSpec::Match match = ArgSpec::Match::exact);
ArgSpec required_output(int arg, const MemoryDesc& desc, int may_alias = 0);
// An argument that may be left out.
ArgSpec optional_input(int arg, const MemoryDesc& desc, ArgSpec::Match match);
ArgSpec optional_output(int arg, const MemoryDesc& desc, ArgSpec::Match match);
// An argument that may be left out: a vector of `count` numbers.
ArgSpec optional_input(int arg, DataType type, dim_t count);
ArgSpec optional_output(int arg, DataType type, dim_t count, int may_alias);

}  // namespace tombola::impl
