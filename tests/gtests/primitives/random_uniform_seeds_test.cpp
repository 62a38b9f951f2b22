// SPDX-License-Identifier: Apache-2.0

// random_uniform, alignment tensorflow: seeds, fresh ones among them, and states.

#include <gtest/gtest.h>

#include "gtests/primitives/random_uniform_fixture.hpp"

namespace tombola::test {
namespace {

// Seeds (0, 0): different at each execution, and told by DST_SEEDS, with which they can be had again.
TEST_F(RandomUniform, NoSeedsAreFreshSeeds) {
    const MemoryDesc dst = row_major({64}, tombola_f32);
    const Call call{bytes_of(0.0f), bytes_of(1.0f), {0, 0}, {}, {}};
    for_each_implementation(descriptor(dst, {0, 0}), [&](const_tombola_primitive_desc_t row) {
        SCOPED_TRACE(impl_name(row));
        const Answer one = run(row, dst, call), other = run(row, dst, call);
        EXPECT_NE(one.used_seeds, (Seeds{0, 0}));
        EXPECT_NE(one.used_seeds, other.used_seeds);
        EXPECT_FALSE(one.values == other.values);
        Call again = call;
        again.seeds = one.used_seeds;
        EXPECT_TRUE(run(row, dst, again, Guard::behind, true).values == one.values);
    });
}

// Primitives that differ in their seeds share their code, whichever is made first, and each draws its own numbers.
TEST_F(RandomUniform, PrimitivesThatShareTheirCodeKeepTheirSeeds) {
    const MemoryDesc dst = row_major({40}, tombola_f32);
    const Call call{bytes_of(0.0f), bytes_of(1.0f), {31, 32}, {}, {}};
    Call other = call;
    other.seeds = {33, 34};
    const PrimitiveDesc first = descriptor(dst, call.seeds), second = descriptor(dst, other.seeds);
    for (int round = 0; round < 2; ++round) {
        EXPECT_TRUE(run(first, dst, call).values == expected(tombola_f32, call, 40).values);
        EXPECT_TRUE(run(second, dst, other).values == expected(tombola_f32, other, 40).values);
        EXPECT_EQ(run(second, dst, other).used_seeds, other.seeds);
    }
}

// [0, n) and then, from the state left behind, what TensorFlow's reservation of 256 blocks an element gives.
TEST_F(RandomUniform, StateGoesOnBehindTheReservation) {
    const MemoryDesc dst = row_major({10}, tombola_f32);
    const Call call{bytes_of(0.0f), bytes_of(1.0f), {5, 6}, {}, {}};
    const Answer first = run(descriptor(dst, call.seeds), dst, call);
    EXPECT_EQ(first.next_state, (State{2560, 6}));
    Call next = call;
    next.state = first.next_state;
    Call skipped = call;
    skipped.offset = 2560 * 4;  // the same block, counted in elements of one word
    EXPECT_TRUE(run(descriptor(dst, call.seeds), dst, next).values ==
                run(descriptor(dst, call.seeds), dst, skipped).values);
}

// The state has no key: behind fresh seeds, the next call needs them as SEEDS.
TEST_F(RandomUniform, StateAndUsedSeedsGoOnBehindFreshSeeds) {
    const MemoryDesc dst = row_major({10}, tombola_f32);
    const PrimitiveDesc desc = descriptor(dst, {0, 0});
    const Call fresh{bytes_of(0.0f), bytes_of(1.0f), {0, 0}, {}, {}};
    const Answer first = run(desc, dst, fresh);
    Call next = fresh;
    next.seeds = first.used_seeds;
    next.state = first.next_state;
    Call skipped = fresh;
    skipped.seeds = first.used_seeds;
    skipped.offset = 2560 * 4;
    EXPECT_TRUE(run(desc, dst, next, Guard::behind, true).values ==
                run(desc, dst, skipped, Guard::behind, true).values);
    Call without = next;
    without.seeds = {0, 0};
    EXPECT_FALSE(run(desc, dst, without).values == run(desc, dst, without).values);
}

// A state replaces the op seed: (0, 0) draws the global seed alone, and DST_SEEDS has what was used.
TEST_F(RandomUniform, FreshSeedsBesideAStateAreTheGlobalSeedAlone) {
    const MemoryDesc dst = row_major({64}, tombola_f32);
    const Call call{bytes_of(0.0f), bytes_of(1.0f), {0, 0}, {}, State{256, 77}};
    for_each_implementation(descriptor(dst, {0, 0}), [&](const_tombola_primitive_desc_t row) {
        SCOPED_TRACE(impl_name(row));
        const Answer one = run(row, dst, call), other = run(row, dst, call);
        EXPECT_NE(one.used_seeds[0], 0u);
        EXPECT_NE(one.used_seeds[0], other.used_seeds[0]);
        EXPECT_EQ(one.used_seeds[1], 0u);
        Call again = call;
        again.seeds = one.used_seeds;
        EXPECT_TRUE(run(row, dst, again, Guard::behind, true).values == one.values);
    });
}

}  // namespace
}  // namespace tombola::test
