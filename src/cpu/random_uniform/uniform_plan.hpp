// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why an implementation of random_uniform that serves one alignment refuses a descriptor.

#include "common/op_desc.hpp"
#include "cpu/random_uniform/element_type.hpp"

namespace tombola::impl::cpu {

inline Status check_uniform(const RandomUniformDesc& desc, Alignment served) {
    if (desc.alignment != served)
        return unimplemented("alignment is %s; this one serves %s", name_of(desc.alignment),
                             name_of(served));
    return with_uniform_type(desc.dst.data_type, [](auto) { return Status(); });
}

}  // namespace tombola::impl::cpu
