// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/mt19937_state.hpp"

namespace tombola::impl::cpu {

Status check_state(const Mt19937& state, const char* name) {
    if (state.position > kMtWords)
        return invalid("%s[%d], the position, is %u; expected 0 to %d", name, kMtWords,
                       state.position, kMtWords);
    if (state.is_zero())
        return invalid(
            "%s is 0 in every bit that MT19937 uses (words 0 to %d but for the low 31 bits of word "
            "0), so that only "
            "zeros would follow; expected a bit that is 1",
            name, kMtWords - 1);
    return {};
}

}  // namespace tombola::impl::cpu
