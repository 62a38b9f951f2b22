// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tombola::impl {

// The CPU. What was made with an engine keeps its address, to tell it to those who ask.
struct Engine {};

}  // namespace tombola::impl
