// SPDX-License-Identifier: Apache-2.0

// The example of src/cpu/x64/README.md: it works, and the text quotes it as it is.

#include "gtests/x64/scale_kernel.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "gtests/common/guarded_buffer.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using test::Guard;
using test::GuardedBuffer;

class ScaleKernelTest : public testing::TestWithParam<CpuIsa> {
    void SetUp() override {
        if (effective_isa() < GetParam()) GTEST_SKIP() << "the effective ISA is below";
    }
};

TEST_P(ScaleKernelTest, EveryLength) {
    auto kernel = cached_function<ScaleKernel>({GetParam()});
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    for (size_t count = 0; count < 70; ++count) {
        const GuardedBuffer src(count * sizeof(float)), dst(count * sizeof(float));
        for (size_t i = 0; i < count; ++i) src.data<float>()[i] = static_cast<float>(i) + 0.5f;
        ScaleKernel::Args args{src.data<float>(), dst.data<float>(), static_cast<int64_t>(count),
                               -3.0f};
        kernel.value()(args);
        for (size_t i = 0; i < count; ++i)
            EXPECT_EQ(dst.data<float>()[i], (static_cast<float>(i) + 0.5f) * -3.0f) << i;
        EXPECT_TRUE(dst.slack_is_intact());
    }
}

TEST_P(ScaleKernelTest, EqualKeysShareAKernel) {
    auto one = cached_function<ScaleKernel>({GetParam()});
    auto other = cached_function<ScaleKernel>({GetParam()});
    ASSERT_TRUE(one.ok() && other.ok());
    EXPECT_TRUE(one.value() == other.value());
}

INSTANTIATE_TEST_SUITE_P(EachIsa, ScaleKernelTest,
                         testing::Values(CpuIsa::avx2, CpuIsa::avx512_core,
                                         CpuIsa::avx512_core_vbmi),
                         [](const auto& info) { return std::string(name_of(info.param)); });

std::string contents(const char* path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(Guide, QuotesTheKernel) {
    const std::string header = contents(TOMBOLA_SOURCE_DIR "/tests/gtests/x64/scale_kernel.hpp");
    const size_t begin = header.find("// dst[i] = src[i] * factor");
    const size_t end = header.find("};\n\n}  // namespace");
    ASSERT_TRUE(begin != std::string::npos && end != std::string::npos);
    const std::string guide = contents(TOMBOLA_SOURCE_DIR "/src/cpu/x64/README.md");
    EXPECT_NE(guide.find(header.substr(begin, end - begin)), std::string::npos);
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
