// SPDX-License-Identifier: Apache-2.0

// The search of the kernel that draws from a guide table ends whatever it reads.

#include "cpu/x64/multinomial/draw_kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/x64/jit_base.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class DrawKernelTest : public testing::TestWithParam<CpuIsa> {};

// Prefix sums of zero never reach a target, as after a faulty gather. Without its bound the search leaves the table.
TEST_P(DrawKernelTest, TheSearchIsBounded) {
    if (GetParam() > effective_isa()) GTEST_SKIP() << "not on this machine";
    const auto kernel = cached_function<DrawKernel>({GetParam(), DataType::s64});
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    constexpr uint64_t kClasses = 100;
    constexpr int kSamples = DrawKernel::kGroupSamples;
    const std::array<uint32_t, 2> guide{0, 0};
    const std::vector<uint64_t> prefix(kClasses + 1, 0);
    std::vector<uint32_t> words(2 * kSamples, 0xFFFFFFFF);
    std::vector<int64_t> indices(kSamples, -1);
    DrawKernel::Args args{words.data(),  indices.data(),    1,  guide.data(),
                          prefix.data(), uint64_t{1} << 40, 63, kClasses};
    kernel.value()(args);
    for (const int64_t k : indices) {
        EXPECT_GE(k, 0);
        EXPECT_LE(k, static_cast<int64_t>(kClasses));
    }
}

INSTANTIATE_TEST_SUITE_P(EachIsa, DrawKernelTest,
                         testing::Values(CpuIsa::avx2, CpuIsa::avx512_core),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace tombola::impl::cpu::x64
