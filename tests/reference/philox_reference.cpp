// SPDX-License-Identifier: Apache-2.0
#include "reference/philox_reference.hpp"

namespace tombola::reference {

std::array<uint32_t, 4> philox_block(PhiloxCounter counter, PhiloxKey key) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
        const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
        const auto hi0 = static_cast<uint32_t>(product0 >> 32);
        const auto hi1 = static_cast<uint32_t>(product1 >> 32);
        counter = {hi1 ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
                   hi0 ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
        key[0] += 0x9E3779B9;  // the golden ratio
        key[1] += 0xBB67AE85;  // sqrt(3) - 1
    }
    return counter;
}

PhiloxCounter philox_add(PhiloxCounter counter, unsigned __int128 n) {
    unsigned __int128 value = 0;
    for (int i = 3; i >= 0; --i) value = value << 32 | counter[static_cast<size_t>(i)];
    value += n;
    for (auto& word : counter) {
        word = static_cast<uint32_t>(value);
        value >>= 32;
    }
    return counter;
}

void philox_words(PhiloxCounter counter, PhiloxKey key, uint64_t count, uint32_t* words) {
    for (uint64_t e = 0; e < count; e += 4) {
        const auto block = philox_block(counter, key);
        for (uint64_t i = 0; i < 4 && e + i < count; ++i) words[e + i] = block[i];
        counter = philox_add(counter, 1);
    }
}

uint32_t philox_draw(uint64_t global_seed, uint64_t op_seed, int bits, unsigned __int128 number) {
    const unsigned __int128 first_bit = number * static_cast<unsigned>(bits);
    const PhiloxCounter start = {0, 0, static_cast<uint32_t>(op_seed),
                                 static_cast<uint32_t>(op_seed >> 32)};
    const PhiloxKey key = {static_cast<uint32_t>(global_seed),
                           static_cast<uint32_t>(global_seed >> 32)};
    const auto block = philox_block(philox_add(start, first_bit / 128), key);
    const auto bit = static_cast<unsigned>(first_bit % 128);
    const uint64_t word = block[bit / 32];
    return static_cast<uint32_t>(word >> bit % 32 & ((uint64_t{1} << bits) - 1));
}

}  // namespace tombola::reference
