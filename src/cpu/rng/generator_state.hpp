// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state tensor of random_generator: u32[6] = counter, least significant word first, then key (DirectML,
// DML_RANDOM_GENERATOR_OPERATOR_DESC).

#include <cstdint>

#include "cpu/rng/philox.hpp"

namespace tombola::impl::cpu {

struct GeneratorState {
    PhiloxCounter counter;
    PhiloxKey key;

    static GeneratorState load(const uint32_t* words) {
        return {{words[0] | uint64_t{words[1]} << 32, words[2] | uint64_t{words[3]} << 32},
                {words[4], words[5]}};
    }
    void store(uint32_t* words) const {
        words[0] = static_cast<uint32_t>(counter.lo);
        words[1] = static_cast<uint32_t>(counter.lo >> 32);
        words[2] = static_cast<uint32_t>(counter.hi);
        words[3] = static_cast<uint32_t>(counter.hi >> 32);
        words[4] = key.k0;
        words[5] = key.k1;
    }
    // The state after `count` words. The rest of the last block is dropped.
    GeneratorState after(int64_t count) const {
        const auto blocks = static_cast<Uint128>(count) / kPhiloxBlockWords +
                            (count % kPhiloxBlockWords != 0 ? 1 : 0);
        return {counter.plus(blocks), key};
    }
};

}  // namespace tombola::impl::cpu
