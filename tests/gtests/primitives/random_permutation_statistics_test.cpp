// SPDX-License-Identifier: Apache-2.0

// The distribution of permutations under the philox alignment, with fixed seeds.
//
// The statistics are compared with their expectation under uniform permutations as standard normal variables z. There
// are about 20; |z| > 4.5 has a probability of 7e-6 each.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "gtests/primitives/random_permutation_fixture.hpp"

namespace tombola::test {
namespace {

constexpr double kLimit = 4.5;

// Wilson and Hilferty's cube root.
double z_of_chi_square(double chi_square, double degrees) {
    const double variance = 2 / (9 * degrees);
    return (std::cbrt(chi_square / degrees) - (1 - variance)) / std::sqrt(variance);
}

class PermutationStatistics : public RandomPermutation {
  protected:
    // Calls visit(permutation) for `count` permutations of 0 ... n - 1 with the seeds (1, s), s = 0, 1, ...
    template <class Visit>
    void for_permutations(int64_t n, int64_t count, const Visit& visit) {
        const MemoryDesc dst = row_major({n}, tombola_s32), pair = row_major({2}, tombola_u64);
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), describe(request_of(kPhilox, n), dst)),
                  tombola_success);
        std::vector<int32_t> permutation(static_cast<size_t>(n));
        uint64_t seeds[2] = {1, 0};
        const Memory out = memory_over(dst, engine_, permutation.data());
        const Memory in = memory_over(pair, engine_, seeds);
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_DST, out}, {TOMBOLA_ARG_SEEDS, in}};
        for (int64_t i = 0; i < count; ++i) {
            seeds[1] = static_cast<uint64_t>(i);
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 2, args), tombola_success);
            visit(permutation);
        }
    }
};

// Every one of the n! permutations is as frequent as the others.
TEST_F(PermutationStatistics, SmallPermutationsAreEquallyFrequent) {
    int64_t permutations = 1;
    for (int64_t n = 2; n <= 6; ++n) {
        permutations *= n;
        const int64_t count = 60 * permutations;
        std::map<std::vector<int32_t>, int64_t> times;
        for_permutations(n, count, [&](const auto& permutation) { ++times[permutation]; });
        ASSERT_EQ(static_cast<int64_t>(times.size()), permutations);
        double chi_square = 0;
        for (const auto& [permutation, observed] : times) {
            const double difference = static_cast<double>(observed) - 60;
            chi_square += difference * difference / 60;
        }
        EXPECT_LT(std::abs(z_of_chi_square(chi_square, static_cast<double>(permutations) - 1)),
                  kLimit)
            << "n = " << n;
    }
}

struct Counts {
    std::vector<int64_t> positions, pairs, cycles;
    int64_t odd = 0;
};

// Where each element goes, where two neighbours go together, the number of cycles, and the parity: 16 and 64 are
// powers of two, where a Feistel network alone gives even permutations only.
TEST_F(PermutationStatistics, PositionsPairsCyclesAndParity) {
    constexpr int64_t kCount = 20000;
    for (const size_t n : {16, 17, 31, 64}) {
        Counts counts;
        counts.positions.assign(n * n, 0);
        counts.pairs.assign(n * n, 0);
        counts.cycles.assign(n + 1, 0);
        for_permutations(static_cast<int64_t>(n), kCount, [&](const std::vector<int32_t>& p) {
            const auto at = [&](size_t i) { return static_cast<size_t>(p[i]); };
            std::vector<bool> seen(n);
            size_t cycles = 0;
            for (size_t i = 0; i < n; ++i) {
                ++counts.positions[i * n + at(i)];
                if (seen[i]) continue;
                ++cycles;
                for (size_t j = i; !seen[j]; j = at(j)) seen[j] = true;
            }
            ++counts.pairs[at(0) * n + at(1)];
            ++counts.cycles[cycles];
            counts.odd += static_cast<int64_t>((n - cycles) % 2);
        });
        const auto sizes = static_cast<double>(n), count = static_cast<double>(kCount);
        const auto distance = [](int64_t observed, double expected) {
            const double difference = static_cast<double>(observed) - expected;
            return difference * difference / expected;
        };

        double positions = 0, pairs = 0;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) {
                positions += distance(counts.positions[i * n + j], count / sizes);
                if (i == j) {
                    EXPECT_EQ(counts.pairs[i * n + j], 0);
                } else {
                    pairs += distance(counts.pairs[i * n + j], count / sizes / (sizes - 1));
                }
            }
        // The rows and columns of the matrix of positions have known sums: (n - 1)^2 degrees of freedom.
        const double z_positions = z_of_chi_square(positions, (sizes - 1) * (sizes - 1));
        const double z_pairs = z_of_chi_square(pairs, sizes * (sizes - 1) - 1);

        // The share of permutations with k cycles is |s(m, k)| / m!, with Stirling numbers of the first kind:
        // element m closes a cycle of its own with probability 1 / m.
        std::vector<double> share(n + 1, 0.0);
        share[0] = 1;
        for (size_t m = 1; m <= n; ++m)
            for (size_t k = m + 1; k-- > 0;)
                share[k] = (k > 0 ? share[k - 1] : 0) / static_cast<double>(m) +
                           share[k] * static_cast<double>(m - 1) / static_cast<double>(m);
        double cycles = 0, degrees = -1, rare = 0;
        int64_t observed_rare = 0;
        for (size_t k = 1; k <= n; ++k) {
            if (share[k] * count >= 10) {
                cycles += distance(counts.cycles[k], share[k] * count);
                ++degrees;
            } else {
                rare += share[k] * count;
                observed_rare += counts.cycles[k];
            }
        }
        cycles += distance(observed_rare, rare);
        const double z_cycles = z_of_chi_square(cycles, degrees + 1);
        const double z_odd = (static_cast<double>(counts.odd) - count / 2) / std::sqrt(count / 4);

        EXPECT_LT(std::abs(z_positions), kLimit) << "n = " << n;
        EXPECT_LT(std::abs(z_pairs), kLimit) << "n = " << n;
        EXPECT_LT(std::abs(z_cycles), kLimit) << "n = " << n;
        EXPECT_LT(std::abs(z_odd), kLimit) << "n = " << n;
    }
}

// In a long permutation neighbours have nothing to do with each other, nor an element with its place.
TEST_F(PermutationStatistics, NeighboursOfALongPermutationAreIndependent) {
    constexpr int64_t kCount = 1 << 20;
    constexpr size_t kBins = 16;
    for (const int64_t range : {kCount, int64_t{0x40000001}}) {
        const Elements elements = draw(request_of(kPhilox, range), kCount).elements;
        const auto bin = [&](int64_t value, int64_t all) {
            return static_cast<size_t>(static_cast<double>(value) / static_cast<double>(all) *
                                       kBins);
        };
        for (const size_t distance : {size_t{0}, size_t{1}, size_t{2}, size_t{1024}}) {
            std::vector<double> table(kBins * kBins, 0.0);
            const size_t count = elements.size() - distance;
            for (size_t i = 0; i < count; ++i) {
                // Distance 0: an element and its place.
                const size_t row = distance == 0 ? bin(static_cast<int64_t>(i), kCount)
                                                 : bin(elements[i + distance], range);
                ++table[row * kBins + bin(elements[i], range)];
            }
            const double expected = static_cast<double>(count) / (kBins * kBins);
            double chi_square = 0;
            for (const double observed : table)
                chi_square += (observed - expected) * (observed - expected) / expected;
            // Between (kBins - 1)^2, where the sums of rows and columns are known, and kBins^2 - 1 degrees of freedom.
            EXPECT_LT(z_of_chi_square(chi_square, kBins * kBins - 1), kLimit) << distance;
            EXPECT_GT(z_of_chi_square(chi_square, (kBins - 1) * (kBins - 1)), -kLimit) << distance;
        }
    }
}

}  // namespace
}  // namespace tombola::test
