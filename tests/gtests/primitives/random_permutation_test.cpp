// SPDX-License-Identifier: Apache-2.0

// random_permutation: what torch.randperm drew (tests/golden, made by scripts/make-torch-golden.py), the reference, and
// refusals.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "gtests/common/golden.hpp"
#include "gtests/primitives/random_permutation_fixture.hpp"

namespace tombola::test {
namespace {

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
        const std::array<uint64_t, 2> before = {used[0], used[1]};
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 2, fresh), tombola_success);
        EXPECT_NE(before, (std::array<uint64_t, 2>{used[0], used[1]}));
        EXPECT_NE(first, second);
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
    // DST is empty, but DST_STATE is written.
    for (const auto alignment : {kPytorch, kPhilox}) {
        EXPECT_EQ(draw(request_of(alignment, 100, 1, 100), 0).status, tombola_success);
        EXPECT_EQ(draw(request_of(alignment, 100, 1, 101), 0).status, tombola_invalid_arguments);
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

}  // namespace
}  // namespace tombola::test
