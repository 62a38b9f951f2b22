// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-256 as FIPS 180-4 defines it. It stands here because the test runs cross-compiled too, where no library that has
// SHA-256 is installed. determinism.cpp compares it with the standard's examples.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tombola::determinism {

// In hexadecimal digits.
inline std::string sha256(std::vector<uint8_t> message) {
    // 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    static constexpr uint32_t kRounds[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    // 5.3.3: those of the square roots of the first 8 primes.
    std::array<uint32_t, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const auto rotr = [](uint32_t x, int n) { return x >> n | x << (32 - n); };

    // 5.1.1: a bit of 1, zeros up to a whole number of blocks, and the number of bits.
    const uint64_t bits = 8 * static_cast<uint64_t>(message.size());
    message.push_back(0x80);
    while (message.size() % 64 != 56) message.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8)
        message.push_back(static_cast<uint8_t>(bits >> shift));

    for (size_t block = 0; block < message.size(); block += 64) {  // 6.2.2
        uint32_t w[64];
        for (size_t t = 0; t < 16; ++t) {
            const uint8_t* bytes = &message[block + 4 * t];
            w[t] = uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 |
                   bytes[3];
        }
        for (size_t t = 16; t < 64; ++t) {
            const uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
            const uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
            w[t] = s1 + w[t - 7] + s0 + w[t - 16];
        }
        auto [a, b, c, d, e, f, g, h] = hash;
        for (size_t t = 0; t < 64; ++t) {
            const uint32_t sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
            const uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kRounds[t] + w[t];
            const uint32_t sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
            const uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
        }
        const uint32_t words[8] = {a, b, c, d, e, f, g, h};
        for (size_t i = 0; i < 8; ++i) hash[i] += words[i];
    }

    std::string text;
    for (const uint32_t word : hash)
        for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
    return text;
}

}  // namespace tombola::determinism
