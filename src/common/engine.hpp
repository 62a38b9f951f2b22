// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tombola::impl {

// The CPU. Objects that were created with an engine keep its address, because callers can query it.
struct Engine {};

}  // namespace tombola::impl
