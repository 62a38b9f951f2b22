// SPDX-License-Identifier: Apache-2.0

// random_permutation. Oracles: what torch.randperm drew (tests/golden, made by scripts/make-torch-golden.py), the
// reference that follows doc/random_permutation.md, and the distribution of uniform permutations.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "gtests/common/golden.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/handles.hpp"
#include "gtests/common/tensor.hpp"
#include "reference/random_permutation_reference.hpp"

namespace tombola::test {
namespace {

using Bytes = std::vector<uint8_t>;
using Elements = std::vector<int64_t>;
using Request = reference::PermutationRequest;

constexpr auto kPytorch = tombola_permutation_pytorch;
constexpr auto kPhilox = tombola_permutation_philox;
constexpr uint8_t kPoison = 0xA5;

struct Answer {
    tombola_status_t status = tombola_runtime_error;
    Elements elements;
    Bytes state;
};

class RandomPermutation : public testing::Test {
  protected:
    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);

    PrimitiveDesc describe(const Request& request, const_tombola_memory_desc_t dst) {
        PrimitiveDesc desc;
        tombola_random_permutation_primitive_desc_create(desc.out(), engine_, request.alignment,
                                                         dst, request.range, request.global_seed,
                                                         request.op_seed, nullptr);
        EXPECT_NE(desc.get(), nullptr) << last_error();
        return desc;
    }

    // With the implementation that `desc` stands at, into a tensor between guard pages.
    Answer draw(const_tombola_primitive_desc_t desc, const Request& request,
                const_tombola_memory_desc_t dst, Guard guard = Guard::behind) {
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
        uint64_t offset = request.offset;
        Bytes before = request.state;
        Answer answer;
        answer.state.assign(reference::permutation_state_bytes(request.alignment), kPoison);
        const bool philox = request.alignment == kPhilox;
        const MemoryDesc one = row_major({1}, tombola_u64);
        const MemoryDesc words =
            philox ? row_major({2}, tombola_u64) : row_major({625}, tombola_u32);
        const Memory offset_memory = memory_over(one, engine_, &offset);
        const Memory after_memory = memory_over(words, engine_, answer.state.data());
        Memory before_memory;
        Tensor tensor(dst, engine_, guard);
        std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_DST, tensor.memory()},
                                                {TOMBOLA_ARG_OFFSET, offset_memory},
                                                {TOMBOLA_ARG_DST_STATE, after_memory}};
        if (!before.empty()) {
            before_memory = memory_over(words, engine_, before.data());
            args.push_back({TOMBOLA_ARG_SRC_STATE, before_memory});
        }
        answer.status = tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                                  args.data());
        EXPECT_TRUE(tensor.outside_is_intact());
        if (answer.status != tombola_success) {
            EXPECT_TRUE(tensor.buffer().is_poison());
            EXPECT_EQ(answer.state, Bytes(answer.state.size(), kPoison));
        } else if (tensor.layout().element_size == sizeof(int32_t)) {
            for (const int32_t element : tensor.read_as<int32_t>())
                answer.elements.push_back(element);
        } else {
            answer.elements = tensor.read_as<int64_t>();
        }
        return answer;
    }
    // With the best implementation, into a dense s64 tensor.
    Answer draw(const Request& request, int64_t count) {
        const MemoryDesc dst = row_major({count}, tombola_s64);
        return draw(describe(request, dst), request, dst);
    }

    // All implementations give what the reference gives.
    void compare(const Request& request, const_tombola_memory_desc_t dst, int64_t count,
                 Guard guard = Guard::behind) {
        Bytes state;
        const Elements expected = reference::random_permutation_reference(request, count, &state);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, request, dst, guard);
            const std::string what = impl_name(desc) + ", range " + std::to_string(request.range) +
                                     ", " + std::to_string(count) + " from " +
                                     std::to_string(request.offset);
            ASSERT_EQ(answer.status, tombola_success) << what << ": " << last_error();
            ASSERT_EQ(answer.elements, expected) << what;
            ASSERT_EQ(answer.state, state) << what;
        });
    }
};

Request request_of(tombola_permutation_alignment_t alignment, int64_t range, uint64_t seed = 1,
                   uint64_t offset = 0) {
    Request request;
    request.alignment = alignment;
    request.range = range;
    request.global_seed = seed;
    request.op_seed = 2;
    request.offset = offset;
    return request;
}

// ---- what PyTorch drew ------------------------------------------------------------------------------------

TEST_F(RandomPermutation, GivesWhatPytorchDrew) {
    Request request = request_of(kPytorch, 0);
    int cases = 0;
    for (const std::string& line : golden_lines("torch_randperm.txt")) {
        std::istringstream in(line);
        if (line.rfind("seed ", 0) == 0) {
            std::string word;
            in >> word >> request.global_seed;
            request.op_seed = 1;  // the numbers of torch.manual_seed(0) have the seeds (0, 1)
            request.state.clear();
            continue;
        }
        uint64_t hash = 0;
        in >> request.range >> std::hex >> hash >> std::dec;
        ASSERT_TRUE(in) << line;
        const Answer answer = draw(request, request.range);
        ASSERT_EQ(answer.status, tombola_success) << last_error();
        int64_t expected = 0;
        for (size_t i = 0; in >> expected; ++i) ASSERT_EQ(answer.elements[i], expected) << line;
        ASSERT_EQ(fnv1a(answer.elements), hash) << line;
        request.state = answer.state;
        ++cases;
    }
    EXPECT_GT(cases, 1000);
}

// ---- every implementation against the reference ---------------------------------------------------------------

TEST_F(RandomPermutation, EveryImplementationGivesTheReferencesElements) {
    for (const auto alignment : {kPytorch, kPhilox})
        for (const auto type : {tombola_s32, tombola_s64})
            for (const int64_t range :
                 {1, 2, 3, 4, 5, 15, 16, 17, 33, 64, 100, 1000, 1024, 1025, 1089, 2500, 4096, 5000})
                for (const int64_t count : {range, (range + 1) / 2, int64_t{1}}) {
                    const auto offset = static_cast<uint64_t>((range - count) / 2);
                    const Request request = request_of(alignment, range, 9, offset);
                    const MemoryDesc dst = row_major({count}, type);
                    compare(request, dst, count, Guard::behind);
                    compare(request, dst, count, Guard::before);
                }
}

TEST_F(RandomPermutation, StridedTensorsKeepTheirGaps) {
    for (const auto alignment : {kPytorch, kPhilox})
        for (const auto type : {tombola_s32, tombola_s64})
            for (const int64_t count : {1, 7, 2049})
                compare(request_of(alignment, 2049), strided({count}, type, {3}), count);
}

TEST_F(RandomPermutation, NothingIsDrawnForATensorWithoutElements) {
    for (const auto alignment : {kPytorch, kPhilox})
        for (const int64_t range : {0, 1, 10})
            compare(request_of(alignment, range), row_major({0}, tombola_s64), 0);
}

// Ranges beyond 32 bits, up to the greatest.
TEST_F(RandomPermutation, PartsOfLargeRanges) {
    for (const int64_t range : {int64_t{0x7FFFFFFF}, int64_t{0x80000000}, int64_t{0x80000001},
                                int64_t{0x100000000}, int64_t{0x100000001}, INT64_MAX})
        for (const uint64_t offset :
             {uint64_t{0}, uint64_t{12345}, static_cast<uint64_t>(range) - 300})
            compare(request_of(kPhilox, range, 3, offset), row_major({300}, tombola_s64), 300);
    compare(request_of(kPhilox, int64_t{0x80000000}), row_major({300}, tombola_s32), 300);
}

// ---- parts and states ----------------------------------------------------------------------------------------

TEST_F(RandomPermutation, PartsGiveTheWhole) {
    for (const auto alignment : {kPytorch, kPhilox}) {
        const Answer whole = draw(request_of(alignment, 1000), 1000);
        Elements sorted = whole.elements;
        std::sort(sorted.begin(), sorted.end());
        for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(sorted[static_cast<size_t>(i)], i);
        Elements joined;
        for (const auto& [first, last] :
             {std::pair<int64_t, int64_t>{0, 1}, {1, 400}, {400, 1000}}) {
            const Answer part =
                draw(request_of(alignment, 1000, 1, static_cast<uint64_t>(first)), last - first);
            joined.insert(joined.end(), part.elements.begin(), part.elements.end());
            EXPECT_EQ(part.state, whole.state);
        }
        EXPECT_EQ(joined, whole.elements);
    }
}

TEST_F(RandomPermutation, StatesGoOn) {
    for (const auto alignment : {kPytorch, kPhilox}) {
        Request request = request_of(alignment, 700);
        const Answer first = draw(request, 700);
        request.state = first.state;
        const Answer second = draw(request, 700);
        EXPECT_NE(first.elements, second.elements);
        EXPECT_NE(first.state, second.state);
        compare(request, row_major({700}, tombola_s64), 700);
    }
    // The state {n, op} takes the place of the op seed, and n rises by the 7 blocks of the key, with a carry.
    Request request = request_of(kPhilox, 700);
    request.state.assign(16, 0xFF);
    std::fill(request.state.begin() + 8, request.state.end(), uint8_t{0});
    Bytes expected(16, 0);
    expected[0] = 6;
    expected[8] = 1;
    EXPECT_EQ(draw(request, 700).state, expected);
}

// Seeds (0, 0) draw entropy and say which; those seeds draw the same again.
TEST_F(RandomPermutation, FreshSeedsAreReported) {
    for (const auto alignment : {kPytorch, kPhilox}) {
        const MemoryDesc dst = row_major({500}, tombola_s64), pair = row_major({2}, tombola_u64);
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_random_permutation_primitive_desc_create(desc.out(), engine_, alignment,
                                                                   dst, 500, 0, 0, nullptr),
                  tombola_success);
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        Elements first(500), second(500);
        uint64_t used[2] = {0, 0};
        const Memory first_memory = memory_over(dst, engine_, first.data());
        const Memory second_memory = memory_over(dst, engine_, second.data());
        const Memory seeds = memory_over(pair, engine_, used);
        const tombola_exec_arg_t fresh[] = {{TOMBOLA_ARG_DST, first_memory},
                                            {TOMBOLA_ARG_DST_SEEDS, seeds}};
        const tombola_exec_arg_t again[] = {{TOMBOLA_ARG_DST, second_memory},
                                            {TOMBOLA_ARG_SEEDS, seeds}};
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 2, fresh), tombola_success);
        EXPECT_TRUE(used[0] != 0 || used[1] != 0);
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 2, again), tombola_success);
        EXPECT_EQ(first, second);
    }
}

// ---- refusals ----------------------------------------------------------------------------------------------

TEST_F(RandomPermutation, AnOffsetBeyondTheRangeIsRefused) {
    for (const auto alignment : {kPytorch, kPhilox})
        for (const uint64_t offset : {uint64_t{91}, UINT64_MAX}) {
            const Request request = request_of(alignment, 100, 1, offset);
            EXPECT_EQ(draw(request, 10).status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find("OFFSET is " + std::to_string(offset) +
                                        " for 10 elements; expected at most 90"),
                      std::string::npos)
                << last_error();
        }
}

TEST_F(RandomPermutation, BadDescriptorsAreRefusedByName) {
    const auto refused = [&](int alignment, const MemoryDesc& dst, int64_t range) {
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_random_permutation_primitive_desc_create(
                      desc.out(), engine_, static_cast<tombola_permutation_alignment_t>(alignment),
                      dst, range, 1, 2, nullptr),
                  tombola_invalid_arguments);
        EXPECT_EQ(desc.get(), nullptr);
        return last_error();
    };
    const auto expect = [](const std::string& message, const char* part) {
        EXPECT_NE(message.find(part), std::string::npos) << message;
    };
    const MemoryDesc ten = row_major({10}, tombola_s64), small = row_major({10}, tombola_s32);
    expect(refused(0, ten, 10), "random_permutation: alignment is 0; expected pytorch or philox");
    expect(refused(kPhilox, row_major({2, 5}, tombola_s64), 10),
           "dst_desc has 2 dimensions; expected 1");
    expect(refused(kPhilox, row_major({10}, tombola_f32), 10),
           "dst_desc has the data type f32; expected one of s32, s64");
    expect(refused(kPhilox, ten, 9), "range is 9; expected at least 10");
    expect(refused(kPytorch, ten, -1), "range is -1; expected at least 10");
    expect(refused(kPhilox, small, 0x80000001),
           "dst_desc has the data type s32; expected s64 for a range of 2147483649");
    expect(refused(kPytorch, ten, 214748364),
           "range is 214748364; expected less than 214748364 under the pytorch alignment");
}

// ---- the distribution under the philox alignment, with fixed seeds ----------------------------------------------
//
// The statistics are compared with their expectation under uniform permutations as standard normal variables z. There
// are about 20; |z| > 4.5 has a probability of 7e-6 each.

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
