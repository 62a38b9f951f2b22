// SPDX-License-Identifier: Apache-2.0
#pragma once

// One execution with arguments made of a fuzzer's bytes, and what must hold of it:
//   - a failure has written nothing;
//   - a success has written neither to inputs nor outside of the tensors;
//   - the portable implementation ends with the same status and writes the same bytes, unless the execution drew entropy.

#include "fuzz/fuzz.hpp"

namespace tombola::fuzz {

// A primitive descriptor, and the portable implementation of the same problem.
struct Problem {
    test::PrimitiveDesc chosen, portable;
    bool zero_seeds = false;  // the descriptor's seeds are (0, 0): executions may draw entropy
};

// `create` fills a primitive descriptor under given attributes. The problem is empty where the library refuses.
template <class Create>
Problem make_problem(const_tombola_primitive_attr_t attr, const Create& create) {
    const std::initializer_list<tombola_status_t> kFailures = {tombola_invalid_arguments,
                                                               tombola_unimplemented};
    Problem made;
    if (!succeeded(create(made.chosen.out(), attr), "primitive_desc_create", kFailures)) {
        expect(made.chosen.get() == nullptr, "a failed creation has written a handle");
        return made;
    }
    expect(create(made.portable.out(), nullptr) == tombola_success,
           "the same descriptor is refused the second time");
    for (;;) {
        test::PrimitiveDesc next;
        tombola_primitive_desc_clone(next.out(), made.portable);
        if (tombola_primitive_desc_next_impl(next) != tombola_success) break;
        made.portable = std::move(next);
    }
    expect(test::impl_name(made.portable) == "portable",
           "the last implementation is not the portable one");
    return made;
}

// Whether the primitive's memory is small enough to be made thousands of times a second.
bool is_small(const_tombola_primitive_desc_t desc);

// The problem must be made and small. `foreign`: a memory object that now and then stands where another belongs; may be
// null.
void execute(Input& in, const Problem& problem, tombola_stream_t stream, tombola_memory_t foreign);

}  // namespace tombola::fuzz
