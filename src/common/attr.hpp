// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/types.hpp"

namespace tombola::impl {

// What a caller may say about any primitive.
struct Attr {
    ScratchpadMode scratchpad_mode = ScratchpadMode::library;
};

}  // namespace tombola::impl
