// SPDX-License-Identifier: Apache-2.0

// random_uniform under the pytorch alignment against std::mt19937 with the formulas of doc/random_uniform.md, and against
// the portable implementation.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gtests/primitives/random_uniform_pytorch_fixture.hpp"

namespace tombola::test {
namespace {

class Words {
  public:
    explicit Words(uint32_t seed) : engine_(seed) {}
    uint64_t next(int words) {
        const uint64_t first = engine_();
        return words == 2 ? first << 32 | engine_() : first;
    }
    void discard(uint64_t count) { engine_.discard(count); }

  private:
    std::mt19937 engine_;
};

// By the rule torch2 no number is MAX, also where rounding to the type would give it. A number of 24 bits is rounded to 1 in
// bf16 with the probability 2^-9, and in f16 with 2^-12. The expected values come from the definition.
TEST_F(PytorchUniform, TheLaterRuleExcludesMax) {
    constexpr int64_t kCount = 100000;
    for (const auto type : {tombola_bf16, tombola_f16}) {
        Request request;
        request.type = type;
        request.max = type == tombola_bf16 ? 0x3F80 : 0x3C00;
        request.float_draws = tombola_float_draws_torch2;
        const uint32_t first_one =
            type == tombola_bf16 ? 0xFF8000 : 0xFFF000;  // and above: rounded to 1
        const MemoryDesc dst = row_major({kCount}, type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, request, dst);
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            Words words(static_cast<uint32_t>(request.seed));
            int ones = 0;
            for (int64_t i = 0; i < kCount; ++i) {
                const bool one = (words.next(1) & 0xFFFFFF) >= first_one;
                const uint64_t value = element(answer.values, 2, static_cast<size_t>(i));
                ASSERT_LT(value, request.max);
                ASSERT_TRUE(!one || value == 0) << impl_name(desc) << " at " << i;
                ones += one ? 1 : 0;
            }
            EXPECT_GT(ones, 10);
        });
    }
}

int words_of(const Request& r) {
    if (r.type == tombola_f64) return 2;
    if (r.full_range) return r.type == tombola_s64 ? 2 : 1;
    if (r.type != tombola_s32 && r.type != tombola_s64) return 1;
    const bool is64 = r.type == tombola_s64;
    const auto min = static_cast<int64_t>(r.min), max = static_cast<int64_t>(r.max);
    const uint64_t range = is64 ? r.max - r.min : static_cast<uint32_t>(r.max - r.min);
    if (r.int_draws == tombola_int_draws_torch2) return range >= (1u << 28) ? 2 : 1;
    if (!is64) return 1;
    if (r.int_draws == tombola_int_draws_torch1) return range >= (uint64_t{1} << 32) ? 2 : 1;
    return min <= 0xFFFFFFFF && max <= 0xFFFFFFFF ? 1 : 2;
}

// The types that C++ has. random_uniform_pytorch_golden_test.cpp compares the 16-bit ones with PyTorch's own numbers.
uint64_t expected_value(const Request& r, uint64_t bits) {
    const bool torch2 = r.float_draws == tombola_float_draws_torch2;
    switch (r.type) {
        case tombola_f32: {
            float min, max;
            std::memcpy(&min, &r.min, sizeof min);
            std::memcpy(&max, &r.max, sizeof max);
            const float value =
                std::fma(static_cast<float>(bits % (1u << 24)) * 0x1p-24f, max - min, min);
            return bits_of(torch2 && value == max ? min : value);
        }
        case tombola_f64: {
            double min, max;
            std::memcpy(&min, &r.min, sizeof min);
            std::memcpy(&max, &r.max, sizeof max);
            const auto low = static_cast<double>(bits % (uint64_t{1} << 53));
            const double value = std::fma(low * 0x1p-53, max - min, min);
            return bits_of(torch2 && value == max ? min : value);
        }
        case tombola_s32:
            if (r.full_range) return bits & 0x7FFFFFFF;
            return static_cast<uint32_t>(bits % static_cast<uint32_t>(r.max - r.min) + r.min);
        default:
            if (r.full_range) return bits & 0x7FFFFFFF'FFFFFFFF;
            return bits % (r.max - r.min) + r.min;
    }
}

TEST_F(PytorchUniform, EveryImplementationGivesTheNumbersOfTheStandardLibrary) {
    for (const Request& request : requests()) {
        if (request.type == tombola_f16 || request.type == tombola_bf16) continue;
        constexpr size_t kCount = 2600;
        const MemoryDesc dst = row_major({kCount}, request.type);
        const size_t size = tombola_data_type_size(request.type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, request, dst);
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            Words words(static_cast<uint32_t>(request.seed));
            const int per_value = words_of(request);
            for (size_t i = 0; i < kCount; ++i)
                ASSERT_EQ(element(answer.values, size, i),
                          expected_value(request, words.next(per_value)))
                    << impl_name(desc) << " type " << request.type << " min " << std::hex
                    << request.min << " max " << request.max << std::dec << " at " << i;
        });
    }
}

// Without DST_STATE, up to 226 words of a seed are drawn from a part of its state.
TEST_F(PytorchUniform, FewNumbersOfASeedAreTheFirstOfMany) {
    for (Request request : requests()) {
        if (request.type == tombola_f16 || request.type == tombola_bf16) continue;
        request.wants_state = false;
        const int per_value = words_of(request);
        const size_t size = tombola_data_type_size(request.type);
        for (const size_t count : {1, 2, 63, 112, 113, 114, 225, 226, 227, 228, 397, 623, 625})
            for (const uint64_t offset : {0, 1, 113, 226, 625}) {
                request.offset = offset;
                const MemoryDesc dst = row_major({static_cast<int64_t>(count)}, request.type);
                for_each_implementation(
                    describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
                        const Answer answer = draw(desc, request, dst);
                        ASSERT_EQ(answer.status, tombola_success) << last_error();
                        Words words(static_cast<uint32_t>(request.seed));
                        for (uint64_t i = 0; i < offset; ++i) words.next(per_value);
                        for (size_t i = 0; i < count; ++i)
                            ASSERT_EQ(element(answer.values, size, i),
                                      expected_value(request, words.next(per_value)))
                                << impl_name(desc) << " type " << request.type << " count " << count
                                << " offset " << offset << " at " << i;
                    });
            }
    }
}

TEST_F(PytorchUniform, EveryImplementationGivesThePortableBits) {
    const State from = draw(requests()[5], 1000).state;  // some words, and a position to replace
    for (Request request : requests()) {
        for (const int64_t count : {1, 2, 7, 8, 15, 16, 17, 33, 311, 312, 313, 623, 624, 625, 1247,
                                    1248, 1249, 1889, 5003}) {
            // Each size with a few of the positions and offsets, all of them in turn.
            const uint32_t positions[] = {0, 1, 2, 17, 311, 608, 622, 623, 624};
            const uint64_t offsets[] = {0, 1, 5, 311, 312, 624, 1249, 30000};
            for (int turn = 0; turn < 3; ++turn) {
                const auto at = static_cast<size_t>(count + 5 * turn);
                request.state = from;
                request.state[kStateWords - 1] = positions[at % 9];
                request.offset = offsets[(at / 3) % 8];
                const Guard guard = turn == 1 ? Guard::before : Guard::behind;
                const MemoryDesc dst = row_major({count}, request.type);
                Answer portable;
                const PrimitiveDesc first = describe(request, dst);
                for_each_implementation(first, [&](const_tombola_primitive_desc_t desc) {
                    if (impl_name(desc) == "portable") portable = draw(desc, request, dst, guard);
                });
                ASSERT_EQ(portable.status, tombola_success) << last_error();
                for_each_implementation(first, [&](const_tombola_primitive_desc_t desc) {
                    const Answer answer = draw(desc, request, dst, guard);
                    const std::string what =
                        impl_name(desc) + " type " + std::to_string(request.type) + " count " +
                        std::to_string(count) + " turn " + std::to_string(turn);
                    ASSERT_EQ(answer.status, tombola_success) << what;
                    ASSERT_EQ(answer.values, portable.values) << what;
                    ASSERT_EQ(answer.state, portable.state) << what;
                });
            }
        }
    }
}

TEST_F(PytorchUniform, EveryLayoutHasTheValuesOfTheRowMajorOne) {
    for (const Request& request : requests()) {
        const DimVector dims = {3, 37, 5, 7};
        const Answer expected = draw(request, row_major(dims, request.type));
        ASSERT_EQ(expected.status, tombola_success) << last_error();
        std::vector<MemoryDesc> layouts;
        layouts.push_back(tagged(dims, request.type, tombola_nhwc));
        layouts.push_back(tagged(dims, request.type, tombola_nChw16c));
        layouts.push_back(tagged(dims, request.type, tombola_dcba));
        layouts.push_back(strided(dims, request.type, {37 * 5 * 8 + 3, 5 * 8, 8, 1}));
        for (const MemoryDesc& layout : layouts) {
            ASSERT_NE(layout.get(), nullptr) << last_error();
            for_each_implementation(
                describe(request, layout), [&](const_tombola_primitive_desc_t desc) {
                    const Answer answer = draw(desc, request, layout);
                    ASSERT_EQ(answer.status, tombola_success) << last_error();
                    ASSERT_EQ(answer.values, expected.values) << impl_name(desc);
                    ASSERT_EQ(answer.state, expected.state) << impl_name(desc);
                });
        }
    }
}

// ---- one stream --------------------------------------------------------------------------------------------

TEST_F(PytorchUniform, ATensorCutInTwoIsTheTensor) {
    constexpr int64_t kCount = 4000;
    for (const Request& whole : requests()) {
        const Answer expected = draw(whole, kCount);
        const size_t size = tombola_data_type_size(whole.type);
        for (const int64_t k : {1, 311, 312, 623, 624, 625, 2001, 3999}) {
            const Answer head = draw(whole, k);
            Request by_offset = whole;
            by_offset.offset = static_cast<uint64_t>(k);
            Request by_state = whole;
            by_state.state = head.state;
            for (const Request& rest : {by_offset, by_state}) {
                const Answer tail = draw(rest, kCount - k);
                Bytes both = head.values;
                both.insert(both.end(), tail.values.begin(), tail.values.end());
                ASSERT_EQ(both.size(), static_cast<size_t>(kCount) * size);
                ASSERT_EQ(both, expected.values) << whole.type << " at " << k;
                ASSERT_EQ(tail.state, expected.state) << whole.type << " at " << k;
            }
        }
    }
}

// More than two of the parts that threads take, and streaming stores, at addresses that are aligned to 16 bytes or to the element alone.
TEST_F(PytorchUniform, ALargeTensorIsItsSmallPieces) {
    constexpr int64_t kCount = (int64_t{9} << 20) + 12345;
    for (const size_t which : {1u, 2u, 5u, 10u, 13u, 18u, 20u, 24u, 34u, 35u, 36u, 41u}) {
        Request request = requests()[which];
        request.offset = 3;
        const Answer whole =
            draw_large(request, kCount, which % 2 * tombola_data_type_size(request.type));
        ASSERT_EQ(whole.status, tombola_success) << last_error();
        const size_t size = tombola_data_type_size(request.type);
        constexpr int64_t kPiece = 98765;
        for (int64_t at = 0; at < kCount; at += kPiece) {
            Request piece = request;
            piece.offset = request.offset + static_cast<uint64_t>(at);
            const int64_t count = std::min(kPiece, kCount - at);
            const Answer answer = draw_large(piece, count);
            ASSERT_EQ(
                std::memcmp(answer.values.data(), &whole.values[static_cast<size_t>(at) * size],
                            answer.values.size()),
                0)
                << which << " at " << at;
        }
        Request nothing = request;
        nothing.offset += static_cast<uint64_t>(kCount);
        EXPECT_EQ(draw(nothing, 0).state, whole.state) << which;
    }
}

TEST_F(PytorchUniform, FarOffsetsAddUp) {
    Request request = requests()[9];  // f64: two words a value
    request.offset = (uint64_t{1} << 63) + 17;
    const Answer far = draw(request, 100);
    Request first = request;
    first.offset = uint64_t{1} << 62;
    request.state = draw(first, 0).state;
    request.offset = (uint64_t{1} << 62) + 17;
    const Answer in_two = draw(request, 100);
    EXPECT_EQ(far.values, in_two.values);
    EXPECT_EQ(far.state, in_two.state);
}

TEST_F(PytorchUniform, AnEmptyTensorMovesTheStateByItsOffsetAlone) {
    Request request = requests()[5];
    request.offset = 700;
    const Answer none = draw(request, 0);
    ASSERT_EQ(none.status, tombola_success) << last_error();
    request.offset = 0;
    EXPECT_EQ(none.state, draw(request, 700).state);
}

}  // namespace
}  // namespace tombola::test
