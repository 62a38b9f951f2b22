// SPDX-License-Identifier: Apache-2.0
#include "cpu/lists/lists.hpp"

namespace tombola::impl::cpu {

ImplementationList multinomial_list() { return {nullptr, 0}; }

}  // namespace tombola::impl::cpu
