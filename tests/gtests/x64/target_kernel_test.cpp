// SPDX-License-Identifier: Apache-2.0

// The remainders of the kernel that computes a shuffle's targets, where a quotient is nearest to an integer.

#include "cpu/x64/random_permutation/target_kernel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/x64/jit_base.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class TargetKernelTest : public testing::TestWithParam<CpuIsa> {};

// Multiples of the divisor and their neighbours, and the greatest words, for divisors of every size.
TEST_P(TargetKernelTest, RemaindersAreExact) {
    if (GetParam() > effective_isa()) GTEST_SKIP() << "not on this machine";
    const auto kernel = cached_function<TargetKernel>({GetParam()});
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    constexpr int kStep = TargetKernel::kMaxStep;
    constexpr int64_t kCount = 3 * kStep - 5;
    constexpr int64_t kRefined = TargetKernel::kMinRefined + kStep + kCount;
    for (const int64_t range : {200, 1000, 65537, 16777217, 214748363}) {
        // Around the divisor from which on nothing is divided, too.
        for (const int64_t left : {range, range / 2, range / 3, kCount + 1, kRefined - kStep,
                                   kRefined, kRefined + kStep}) {
            if (left > range) continue;
            const int64_t first = range - left;
            for (const uint32_t kind : {0, 1, 2, 3, 4, 5}) {
                std::vector<uint32_t> words(3 * kStep), targets(3 * kStep, 7);
                for (int64_t j = 0; j < kCount; ++j) {
                    const auto d = static_cast<uint32_t>(left - j);
                    const uint32_t greatest = 0xFFFFFFFF / d * d;
                    const uint32_t choices[] = {greatest - 1, greatest,     0xFFFFFFFF,
                                                d - 1,        greatest / 2, 0};
                    words[static_cast<size_t>(j)] = choices[kind];
                }
                TargetKernel::Args args{words.data(), targets.data(), kCount,
                                        static_cast<double>(first), static_cast<double>(left)};
                kernel.value()(args);
                for (int64_t j = 0; j < kCount; ++j) {
                    const auto at = static_cast<size_t>(j);
                    const auto d = static_cast<uint32_t>(left - j);
                    ASSERT_EQ(targets[at], static_cast<uint64_t>(first + j) + words[at] % d)
                        << words[at] << " mod " << d;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(EachIsa, TargetKernelTest,
                         testing::Values(CpuIsa::avx2, CpuIsa::avx512_core),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace tombola::impl::cpu::x64
