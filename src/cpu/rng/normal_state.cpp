// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/normal_state.hpp"

#include <cmath>

#include "common/bit_cast.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

Result<KeptNormal> load_kept_normal(const uint32_t* state, const char* name) {
    const uint32_t* words = state + kMtStateWords;
    if (words[0] > 1)
        return invalid("%s[%d], whether a normal number is kept, is %u; expected 0 or 1", name,
                       kMtStateWords, words[0]);
    if (words[0] == 0) return KeptNormal{};
    const auto value = bit_cast<double>(join_words(words[2], words[1]));
    if (!std::isfinite(value))
        return invalid(
            "%s[%d] and the next word, the kept normal number, are %g; expected a finite number",
            name, kMtStateWords + 1, value);
    return KeptNormal{true, value};
}

void store_kept_normal(const KeptNormal& kept, uint32_t* state) {
    const uint64_t bits = kept.valid ? bit_cast<uint64_t>(kept.value) : 0;
    state[kMtStateWords] = kept.valid ? 1 : 0;
    state[kMtStateWords + 1] = static_cast<uint32_t>(bits);
    state[kMtStateWords + 2] = static_cast<uint32_t>(bits >> 32);
}

}  // namespace tombola::impl::cpu
