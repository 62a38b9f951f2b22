// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/types.hpp"

namespace tombola::impl {

// The settings that a caller may give for any primitive.
struct Attr {
    ScratchpadMode scratchpad_mode = ScratchpadMode::library;
};

}  // namespace tombola::impl
