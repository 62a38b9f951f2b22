// SPDX-License-Identifier: Apache-2.0

// random_generator against Philox's published vectors and, where Random123 is installed, against
// Random123 itself. Every implementation that the list holds, at the instruction set in force.

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "gtests/common/tensor.hpp"

#ifdef TOMBOLA_TEST_RANDOM123
#include <Random123/philox.h>
#endif

namespace tombola::test {
namespace {

using State = std::array<uint32_t, 6>;  // counter, least significant word first; key

struct Answer {
    std::vector<uint32_t> words;
    State state;
};

class RandomGenerator : public testing::Test {
  protected:
    PrimitiveDesc descriptor(const_tombola_memory_desc_t dst) const {
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_random_generator_primitive_desc_create(
                      desc.out(), engine_, tombola_philox4x32_10, dst, nullptr),
                  tombola_success)
            << last_error();
        return desc;
    }

    Answer run(const_tombola_primitive_desc_t desc, const_tombola_memory_desc_t dst,
               const State& state, Guard guard = Guard::behind) const {
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
        const MemoryDesc words6 = row_major({6}, tombola_u32);
        Tensor src_state(words6, engine_, guard);
        Tensor dst_state(words6, engine_, guard);
        Tensor out(dst, engine_, guard);
        std::memcpy(src_state.buffer().data(), state.data(), sizeof state);
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC_STATE, src_state.memory()},
                                           {TOMBOLA_ARG_DST, out.memory()},
                                           {TOMBOLA_ARG_DST_STATE, dst_state.memory()}};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_success)
            << last_error();
        EXPECT_TRUE(out.outside_is_intact());
        EXPECT_TRUE(out.padding_is_zero());
        EXPECT_TRUE(src_state.buffer().slack_is_intact());
        EXPECT_TRUE(dst_state.buffer().slack_is_intact());
        Answer answer{out.read_as<uint32_t>(), {}};
        std::memcpy(answer.state.data(), dst_state.buffer().data(), sizeof answer.state);
        return answer;
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

TEST_F(RandomGenerator, KnownAnswerVectors) {
    std::ifstream file(TOMBOLA_TEST_DATA "/philox4x32_10.txt");
    ASSERT_TRUE(file.is_open());
    int cases = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream text(line);
        State state{};
        std::vector<uint32_t> expected(4);
        text >> std::hex;
        for (uint32_t& word : state) text >> word;
        for (uint32_t& word : expected) text >> word;
        ASSERT_TRUE(text) << line;
        const MemoryDesc dst = row_major({4}, tombola_u32);
        for_each_implementation(descriptor(dst), [&](const_tombola_primitive_desc_t desc) {
            EXPECT_EQ(run(desc, dst, state).words, expected) << impl_name(desc) << ": " << line;
        });
        ++cases;
    }
    EXPECT_EQ(cases, 3);
}

// The page of DML_RANDOM_GENERATOR_OPERATOR_DESC: an output of {3,3,20,7219} moves the counter
// 0x48656c6c'6f46726f'6d536561'74746c65 by 324,855. (The page itself subtracts; 74746c65 + 0004f4f7
// = 7479615c by hand.)
TEST_F(RandomGenerator, StateMovesByTheBlocksUsed) {
    const State state = {0x74746c65, 0x6d536561, 0x6f46726f, 0x48656c6c, 1, 2};
    const State expected = {0x7479615c, 0x6d536561, 0x6f46726f, 0x48656c6c, 1, 2};
    const MemoryDesc dst = row_major({3, 3, 20, 7219}, tombola_u32);
    for_each_implementation(descriptor(dst), [&](const_tombola_primitive_desc_t desc) {
        EXPECT_EQ(run(desc, dst, state).state, expected) << impl_name(desc);
    });
}

// The counter is one number of 128 bits: ones everywhere plus one is zero.
TEST_F(RandomGenerator, CarryRunsThroughAllWords) {
    const State ones = {~0u, ~0u, ~0u, ~0u, 5, 6};
    const State low_ones = {~0u - 1, ~0u, 7, 0, 5, 6};
    const MemoryDesc dst = row_major({9}, tombola_u32);  // three blocks
    for_each_implementation(descriptor(dst), [&](const_tombola_primitive_desc_t desc) {
        EXPECT_EQ(run(desc, dst, ones).state, (State{2, 0, 0, 0, 5, 6})) << impl_name(desc);
        EXPECT_EQ(run(desc, dst, low_ones).state, (State{1, 0, 8, 0, 5, 6})) << impl_name(desc);
    });
}

TEST_F(RandomGenerator, NothingDrawnLeavesTheState) {
    const State state = {1, 2, 3, 4, 5, 6};
    const MemoryDesc dst = row_major({3, 0}, tombola_u32);
    for_each_implementation(descriptor(dst), [&](const_tombola_primitive_desc_t desc) {
        EXPECT_EQ(run(desc, dst, state).state, state) << impl_name(desc);
    });
}

TEST_F(RandomGenerator, StateMayBeUpdatedInPlace) {
    const MemoryDesc dst_desc = row_major({10}, tombola_u32);
    const MemoryDesc state_desc = row_major({1, 1, 1, 6}, tombola_u32);
    for_each_implementation(descriptor(dst_desc), [&](const_tombola_primitive_desc_t desc) {
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        State state = {0xfffffffe, 0, 0, 0, 8, 9};
        const Answer expected = run(desc, dst_desc, state);
        const Memory state_memory = memory_over(state_desc, engine_, state.data());
        Tensor dst(dst_desc, engine_);
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC_STATE, state_memory},
                                           {TOMBOLA_ARG_DST, dst.memory()},
                                           {TOMBOLA_ARG_DST_STATE, state_memory}};
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_success)
            << last_error();
        EXPECT_EQ(dst.read_as<uint32_t>(), expected.words);
        EXPECT_EQ(state, (State{1, 1, 0, 0, 8, 9}));
    });
}

#ifdef TOMBOLA_TEST_RANDOM123

// Element e is word e % 4 of the block at counter + e / 4.
std::vector<uint32_t> random123(const State& state, size_t count) {
    std::vector<uint32_t> words(count);
    philox4x32_ctr_t counter = {{state[0], state[1], state[2], state[3]}};
    const philox4x32_key_t key = {{state[4], state[5]}};
    for (size_t e = 0; e < count; ++e) {
        words[e] = philox4x32(counter, key).v[e % 4];
        for (int w = 0; e % 4 == 3 && w < 4; ++w)
            if (++counter.v[w] != 0) break;
    }
    return words;
}

const std::vector<State>& states() {
    static const std::vector<State> kStates = {
        {0, 0, 0, 0, 0, 0},
        {1, 2, 3, 4, 5, 6},
        {0xffffffff, 0, 0, 0, 0xdeadbeef, 0x01234567},
        {0xfffffff0, 0xffffffff, 0xffffffff, 0, 1, 0},
        {0xffffffc1, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x80000000},
        {0x7fffffff, 0x80000000, 0, 0x80000000, 0, 1}};
    return kStates;
}

TEST_F(RandomGenerator, EqualsRandom123AtEverySize) {
    std::vector<tombola_dim_t> counts;
    for (tombola_dim_t n = 1; n <= 130; ++n) counts.push_back(n);
    for (const tombola_dim_t n : {255, 256, 257, 511, 513, 1023, 1025, 4099}) counts.push_back(n);
    for (const tombola_dim_t count : counts) {
        const MemoryDesc dst = row_major({count}, tombola_u32);
        for_each_implementation(descriptor(dst), [&](const_tombola_primitive_desc_t desc) {
            for (const State& state : states()) {
                const auto expected = random123(state, static_cast<size_t>(count));
                for (const Guard guard : {Guard::behind, Guard::before})
                    ASSERT_EQ(run(desc, dst, state, guard).words, expected)
                        << impl_name(desc) << ", " << count << " words";
            }
        });
    }
}

TEST_F(RandomGenerator, EqualsRandom123WhateverTheLayout) {
    std::vector<MemoryDesc> layouts;
    layouts.push_back(tagged({3, 5, 4, 7}, tombola_u32, tombola_acdb));
    layouts.push_back(tagged({3, 5, 4, 7}, tombola_u32, tombola_dcba));
    layouts.push_back(tagged({3, 21, 4, 7}, tombola_u32, tombola_aBcd16b));
    layouts.push_back(tagged({3, 21, 4, 7}, tombola_u32, tombola_aBcd8b));
    layouts.push_back(tagged({2, 5, 7}, tombola_u32, tombola_aBc4b));
    layouts.push_back(strided({4, 33}, tombola_u32, {40, 1}));
    layouts.push_back(strided({4, 33}, tombola_u32, {67, 2}));
    layouts.push_back(tagged({1, 2, 1, 3, 1, 2, 1, 5}, tombola_u32, tombola_abcdefgh));
    for (const MemoryDesc& dst : layouts) {
        ASSERT_NE(dst.get(), nullptr) << last_error();
        for_each_implementation(descriptor(dst), [&](const_tombola_primitive_desc_t desc) {
            for (const State& state : states()) {
                const Answer answer = run(desc, dst, state);
                ASSERT_EQ(answer.words, random123(state, answer.words.size())) << impl_name(desc);
            }
        });
    }
}

// Long enough to be shared among threads.
TEST_F(RandomGenerator, EqualsRandom123AboveTheThreadingThreshold) {
    constexpr tombola_dim_t kCount = (tombola_dim_t{1} << 20) + 3;
    const State state = {0xfffe0000, 0xffffffff, 0, 0, 0x12345678, 0x9abcdef0};
    const auto expected = random123(state, kCount);
    const MemoryDesc dst = row_major({kCount}, tombola_u32);
    for_each_implementation(descriptor(dst), [&](const_tombola_primitive_desc_t desc) {
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        std::vector<uint32_t> words(kCount);
        State counter = state;
        const Memory src = memory_over(row_major({6}, tombola_u32), engine_, counter.data());
        const Memory out = memory_over(dst, engine_, words.data());
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC_STATE, src}, {TOMBOLA_ARG_DST, out}};
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 2, args), tombola_success)
            << last_error();
        EXPECT_TRUE(words == expected) << impl_name(desc);
        EXPECT_EQ(counter, state);
    });
}

#endif

}  // namespace
}  // namespace tombola::test
