// SPDX-License-Identifier: Apache-2.0
#include "cpu/random_permutation/feistel.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr int kMinBits = 4;

uint32_t round_function(uint32_t x, uint32_t key, int bits) {
    uint32_t h = (x ^ key) * kFeistelC1;
    h ^= h >> kFeistelShift;
    return (h * kFeistelC2) >> (32 - bits);
}

}  // namespace

FeistelNetwork::FeistelNetwork(uint64_t range, PhiloxCounter start, PhiloxKey key) : range(range) {
    int bits = kMinBits;
    while (bits < 63 && uint64_t{1} << bits < range) ++bits;
    left = bits / 2;
    right = bits - left;
    PhiloxWords words(start, key, 0);
    for (uint32_t& k : keys) k = words.next();
    exchange = words.next() & 1;
}

uint64_t FeistelNetwork::pass(uint64_t value) const {
    auto l = static_cast<uint32_t>(value >> right);
    auto r = static_cast<uint32_t>(value & ((uint64_t{1} << right) - 1));
    for (int round = 0; round < kFeistelRounds; round += 2) {
        l ^= round_function(r, keys[round], left);
        r ^= round_function(l, keys[round + 1], right);
    }
    value = uint64_t{l} << right | r;
    return value < 2 ? value ^ exchange : value;
}

void FeistelNetwork::pass_together(uint64_t* values) const {
    uint32_t l[kTogether], r[kTogether];
    for (int i = 0; i < kTogether; ++i) {
        l[i] = static_cast<uint32_t>(values[i] >> right);
        r[i] = static_cast<uint32_t>(values[i] & ((uint64_t{1} << right) - 1));
    }
    for (int round = 0; round < kFeistelRounds; round += 2) {
        for (int i = 0; i < kTogether; ++i) l[i] ^= round_function(r[i], keys[round], left);
        for (int i = 0; i < kTogether; ++i) r[i] ^= round_function(l[i], keys[round + 1], right);
    }
    for (int i = 0; i < kTogether; ++i) {
        const uint64_t value = uint64_t{l[i]} << right | r[i];
        values[i] = value < 2 ? value ^ exchange : value;
    }
}

}  // namespace tombola::impl::cpu
