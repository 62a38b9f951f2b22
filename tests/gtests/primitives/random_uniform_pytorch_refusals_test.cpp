// SPDX-License-Identifier: Apache-2.0

// What random_uniform refuses under the pytorch alignment, and seeds beside a state.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "gtests/primitives/random_uniform_pytorch_fixture.hpp"

namespace tombola::test {
namespace {

TEST_F(PytorchUniform, WrongValuesAreRefusedAndNothingIsWritten) {
    struct Case {
        tombola_data_type_t type;
        uint64_t min, max;
        const char* message;
    };
    const Case cases[] = {
        {tombola_f32, bits_of(1.0f), bits_of(1.0f), "expected MIN < MAX"},
        {tombola_f32, bits_of(2.0f), bits_of(1.0f), "expected MIN < MAX"},
        {tombola_f32, bits_of(NAN), bits_of(1.0f), "MIN"},
        {tombola_f32, bits_of(0.0f), bits_of(INFINITY), "MAX"},
        {tombola_f32, bits_of(-3e38f), bits_of(3e38f), "MAX - MIN"},
        {tombola_f64, bits_of(-1.7e308), bits_of(1.7e308), "MAX - MIN"},
        {tombola_f16, 0xFBFF, 0x7BFF, "MAX - MIN"},
        {tombola_bf16, 0x3F80, 0x3F80, "expected MIN < MAX"},
        {tombola_s32, 5, 5, "expected MIN < MAX"},
        {tombola_s64, 0, static_cast<uint64_t>(-1), "expected MIN < MAX"},
    };
    for (const Case& wrong : cases) {
        Request request;
        request.type = wrong.type;
        request.min = wrong.min;
        request.max = wrong.max;
        const MemoryDesc dst = row_major({10}, wrong.type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            EXPECT_EQ(draw(desc, request, dst).status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find(wrong.message), std::string::npos) << last_error();
        });
    }
}

// The last elements that 64 bits can number, of one word and of two. The oracle: the state that 2^63 elements
// leave, drawn from at the rest of the distance.
TEST_F(PytorchUniform, OffsetsOfWhichElementsPass64BitsAreRefused) {
    constexpr int64_t kCount = 9;
    for (const auto& [type, max] : {std::pair{tombola_f32, bits_of(1.0f)},
                                    {tombola_f64, bits_of(1.0)},
                                    {tombola_s64, static_cast<uint64_t>(INT64_MAX)}}) {
        Request request;
        request.type = type;
        request.max = max;
        request.offset = 0 - static_cast<uint64_t>(kCount);
        Request first = request, rest = request;
        first.offset = uint64_t{1} << 63;
        rest.offset = request.offset - first.offset;
        rest.state = draw(first, 0).state;
        const Answer expected = draw(rest, kCount);
        const MemoryDesc dst = row_major({kCount}, type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            SCOPED_TRACE(impl_name(desc));
            const Answer answer = draw(desc, request, dst);
            EXPECT_EQ(answer.values, expected.values);
            EXPECT_EQ(answer.state, expected.state);
            Request beyond = request;
            ++beyond.offset;
            EXPECT_EQ(draw(desc, beyond, dst).status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find("OFFSET is 18446744073709551608 for 9 elements; expected "
                                        "at most 18446744073709551607"),
                      std::string::npos)
                << last_error();
        });
    }
}

// The state is all there is: seeds (0, 0) draw nothing beside it, and DST_SEEDS has them as they were given.
TEST_F(PytorchUniform, SeedsBesideAStateAreReportedAsTheyWereGiven) {
    Request request = requests()[5];
    request.seed = 0;
    const MemoryDesc dst = row_major({10}, request.type), scalar = row_major({1}, request.type);
    const MemoryDesc words = row_major({kStateWords}, tombola_u32),
                     pair = row_major({2}, tombola_u64);
    State state = draw(requests()[5], 1).state;
    for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
        SCOPED_TRACE(impl_name(desc));
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        float values[10], min = 0, max = 1;
        const Memory dst_memory = memory_over(dst, engine_, values);
        const Memory min_memory = memory_over(scalar, engine_, &min);
        const Memory max_memory = memory_over(scalar, engine_, &max);
        const Memory state_memory = memory_over(words, engine_, state.data());
        using Pair = std::array<uint64_t, 2>;
        for (Pair given : {Pair{0, 0}, Pair{7, 8}}) {
            Pair used = {1, 1};
            const Memory seeds_memory = memory_over(pair, engine_, given.data());
            const Memory used_memory = memory_over(pair, engine_, used.data());
            const tombola_exec_arg_t args[] = {
                {TOMBOLA_ARG_DST, dst_memory},        {TOMBOLA_ARG_MIN, min_memory},
                {TOMBOLA_ARG_MAX, max_memory},        {TOMBOLA_ARG_SRC_STATE, state_memory},
                {TOMBOLA_ARG_DST_SEEDS, used_memory}, {TOMBOLA_ARG_SEEDS, seeds_memory}};
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 6, args), tombola_success)
                << last_error();
            EXPECT_EQ(used, given);
            // Without SEEDS, the descriptor's (0, 0).
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 5, args), tombola_success)
                << last_error();
            EXPECT_EQ(used, (Pair{0, 0}));
        }
    });
}

// The recurrence is linear: from a state of zeros only zeros follow. The low 31 bits of word 0 are no part of it.
TEST_F(PytorchUniform, AStateOfZerosIsRefused) {
    Request request = requests()[5];
    const MemoryDesc dst = row_major({10}, request.type);
    const auto check = [&](uint32_t position, size_t word, uint32_t value, bool refused) {
        request.state.assign(kStateWords, 0);
        request.state[word] = value;
        request.state[kStateWords - 1] = position;
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const tombola_status_t status = draw(desc, request, dst).status;
            EXPECT_EQ(status, refused ? tombola_invalid_arguments : tombola_success)
                << impl_name(desc) << " position " << position << " word " << word;
            if (!refused) return;
            EXPECT_NE(last_error().find("SRC_STATE is 0 in every bit that MT19937 uses"),
                      std::string::npos)
                << last_error();
        });
    };
    for (const uint32_t position : {0u, 1u, 300u, 624u}) {
        for (const uint32_t ignored : {0u, 1u, 0x7FFFFFFFu}) check(position, 0, ignored, true);
        check(position, 0, 0x80000000, false);
        check(position, 1, 1, false);
        check(position, 623, 0x100, false);
    }
}

TEST_F(PytorchUniform, APositionBeyondTheWindowIsRefused) {
    Request request = requests()[5];
    request.state.assign(kStateWords, 1);
    request.state[kStateWords - 1] = 625;
    const MemoryDesc dst = row_major({10}, request.type);
    for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
        EXPECT_EQ(draw(desc, request, dst).status, tombola_invalid_arguments);
        EXPECT_NE(last_error().find("SRC_STATE[624], the position, is 625; expected 0 to 624"),
                  std::string::npos)
            << last_error();
    });
}

}  // namespace
}  // namespace tombola::test
