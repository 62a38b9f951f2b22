// SPDX-License-Identifier: Apache-2.0

// Which program a shuffle takes. The expected programs are those that were measured to be faster.

#include "cpu/x64/shuffle/permute_plan.hpp"

#include <gtest/gtest.h>

#include <array>

#include "common/memory_desc.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/operations.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// The plan for images in nCw16c with AVX-512 VBMI. Nothing of it runs, so any processor will do.
PermutePlan chosen_plan(DataType data_type, const std::array<dim_t, 3>& dims, dim_t groups) {
    const MemoryDesc data = MemoryDesc::from_tag(3, dims.data(), data_type, tombola_nCw16c).take();
    return choose_blocked(CpuIsa::avx512_core_vbmi,
                          {{PropKind::forward_training, data, data}, 1, groups})
        .take();
}

// The caches count too, and a hypervisor may report others.
bool has_costs_of(Microarchitecture kind) {
    return machine().kind == kind && machine().caches.l2 == machine().row.typical.l2;
}

// Sections that write 26 blocks at once took 2.06 times as long as a section for each block.
TEST(PermuteChoice, NearSourcesOnZen5) {
    if (!has_costs_of(Microarchitecture::zen5)) GTEST_SKIP() << "the costs are not those of Zen 5";
    EXPECT_GT(chosen_plan(DataType::s8, {7, 414, 64}, 2).operations->sections.size(), 1U);
}

// out_of_memory_test.cpp (StagedTilesFitASmallStack) runs this shuffle and needs it to be staged.
TEST(PermuteChoice, StagedTilesOnZen4) {
    if (!has_costs_of(Microarchitecture::zen4)) GTEST_SKIP() << "the costs are not those of Zen 4";
    EXPECT_TRUE(chosen_plan(DataType::f32, {1, 240, 256}, 12).is_staged());
}

// A program of 18,752 operations took 1.7 times as long as one of 9,376.
TEST(PermuteChoice, LongProgramsOnZen5) {
    if (!has_costs_of(Microarchitecture::zen5)) GTEST_SKIP() << "the costs are not those of Zen 5";
    EXPECT_LT(chosen_plan(DataType::bf16, {1, 3060, 64}, 12).operations->size(), 10000U);
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
