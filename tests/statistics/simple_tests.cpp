// SPDX-License-Identifier: Apache-2.0
#include "simple_tests.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace tombola::test {
namespace {

constexpr double kBound = 5.5;

// Chi-square of counts that all have the same expectation, as a normal number (Wilson and Hilferty, 1931).
double chi_square(const std::vector<uint64_t>& counts, double total) {
    const double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (const uint64_t count : counts) {
        const double difference = static_cast<double>(count) - expected;
        sum += difference * difference / expected;
    }
    const double freedom = static_cast<double>(counts.size() - 1);
    const double ninth = 2 / (9 * freedom);
    return (std::cbrt(sum / freedom) - (1 - ninth)) / std::sqrt(ninth);
}

uint64_t bits_at(const std::vector<uint8_t>& bytes, size_t bit) {
    uint64_t low;
    std::memcpy(&low, &bytes[bit / 8], sizeof low);
    if (bit % 8 == 0) return low;
    return low >> bit % 8 | uint64_t{bytes[bit / 8 + 8]} << (64 - bit % 8);
}

}  // namespace

std::string remarkable(const std::vector<uint8_t>& bytes) {
    std::string found;
    const auto judge = [&](double z, const std::string& what) {
        char text[64];
        std::snprintf(text, sizeof text, ": %.1f standard deviations; ", z);
        if (!(std::fabs(z) <= kBound)) found += what + text;
    };
    std::vector<uint64_t> singles(256), doubles(65536);
    for (size_t i = 0; i < bytes.size(); ++i) {
        ++singles[bytes[i]];
        if (i % 2 == 1) ++doubles[bytes[i - 1] * size_t{256} + bytes[i]];
    }
    judge(chi_square(singles, static_cast<double>(bytes.size())), "bytes");
    judge(chi_square(doubles, static_cast<double>(bytes.size() / 2)), "pairs of bytes");
    const size_t words = bytes.size() / 8 - 2;
    for (size_t distance = 0; distance <= 64; ++distance) {
        uint64_t ones = 0;
        for (size_t w = 0; w < words; ++w) {
            const uint64_t here = bits_at(bytes, 64 * w);
            const uint64_t there = distance == 0 ? 0 : bits_at(bytes, 64 * w + distance);
            ones += static_cast<uint64_t>(__builtin_popcountll(here ^ there));
        }
        const double bits = 64.0 * static_cast<double>(words);
        judge((static_cast<double>(ones) - bits / 2) / (std::sqrt(bits) / 2),
              "bits at the distance " + std::to_string(distance));
    }
    return found;
}

// With the polynomials as words of 64 bits: bit i of `now` is the coefficient of x^i, and bit i of `window` is the bit that was
// read i steps ago.
size_t linear_complexity(const std::vector<bool>& bits) {
    const size_t words = bits.size() / 64 + 2;
    std::vector<uint64_t> now(words), before(words), window(words);
    now[0] = before[0] = 1;
    size_t length = 0, shift = 1;
    for (size_t n = 0; n < bits.size(); ++n, ++shift) {
        for (size_t w = words - 1; w > 0; --w) window[w] = window[w] << 1 | window[w - 1] >> 63;
        window[0] = window[0] << 1 | (bits[n] ? 1 : 0);
        uint64_t sum = 0;
        for (size_t w = 0; w <= length / 64; ++w) sum ^= now[w] & window[w];
        if (__builtin_popcountll(sum) % 2 == 0) continue;
        const std::vector<uint64_t> kept = now;
        const size_t whole = shift / 64, part = shift % 64;
        for (size_t w = whole; w < words; ++w) {
            now[w] ^= before[w - whole] << part;
            if (part != 0 && w > whole) now[w] ^= before[w - whole - 1] >> (64 - part);
        }
        if (2 * length > n) continue;
        length = n + 1 - length;
        before = kept;
        shift = 0;
    }
    return length;
}

}  // namespace tombola::test
