// SPDX-License-Identifier: Apache-2.0
#pragma once

// Layout tags by name, and the layout that a name defines. "aBcd16b" lists the dimensions from the outermost to the
// innermost, with an upper-case letter for the blocked dimension. The block size and its dimension follow.

#include "common/types.hpp"

namespace tombola::impl {

struct TagLayout {
    int ndims = 0;
    int order[kMaxDims] = {};  // order[0] is the outermost dimension
    int block_dim = -1;
    dim_t block = 1;
};

// The name made of dimension letters; null for values that are not tags.
const char* tag_name(tombola_format_tag_t tag);

// The tag of a name or an alias; undef if there is none.
tombola_format_tag_t tag_of(const char* name);

// The layout of a tag with a name, other than undef and any.
TagLayout tag_layout(tombola_format_tag_t tag);

}  // namespace tombola::impl
