// SPDX-License-Identifier: Apache-2.0

// The transform of random_normal in f32, of all random bits that a number can have. The kernel finds the quarters of an angle
// from these bits; the definition finds them from the angle.

#include "cpu/x64/random_normal/normal_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "cpu/maths/ln_f32.hpp"
#include "cpu/maths/sin_cos.hpp"
#include "cpu/random_normal/tensorflow_normal.hpp"
#include "cpu/x64/random_normal/normal_fill.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class NormalKernelTest : public testing::Test {
  protected:
    static constexpr uint32_t kChunk = 1 << 14;  // values at a time
    static constexpr float kMean = 0.25f, kStd = 1.5f;

    // Under each limit of the ISA, once: avx512_core_vbmi has the code of avx512_core.
    void SetUp() override {
        if (effective_isa() != CpuIsa::avx2 && effective_isa() != CpuIsa::avx512_core)
            GTEST_SKIP() << "the effective ISA is " << name_of(effective_isa());
    }

    // The words of the angles and of the radii are each every number of `bits` bits. place(i, angle) is where pair i has its
    // words and its values, of which the sine's is at `sine`. pair(u, v) gives the radius and the angle.
    template <class Place, class Pair>
    static void run(Alignment alignment, int bits, const Place& place, bool sine_at_angle,
                    const Pair& pair) {
        auto transform = make_normal_transform(effective_isa(), alignment, FloatType::f32);
        ASSERT_TRUE(transform.ok()) << transform.status().message();
        const NormalFill fill(transform.value(), Moments<float>{kMean, kStd});
        const uint32_t end = uint32_t{1} << bits, mask = end - 1;
        std::vector<uint32_t> words(kChunk);
        std::vector<float> values(kChunk), expected(kChunk);
        for (uint32_t first = 0; first < end; first += kChunk / 2) {
            for (uint32_t i = 0; i < kChunk / 2; ++i) {
                constexpr uint32_t kOdd = 0x9E3779B1;
                const uint32_t v = first + i, u = v * kOdd & mask;
                // The bits above are not looked at.
                words[place(i, false)] = u | (v & 1) << 31;
                words[place(i, true)] = v | (u & 1) << 30;
                const float unit = std::ldexp(1.0f, -bits);
                const auto [radius, angle] =
                    pair(static_cast<float>(u) * unit, static_cast<float>(v) * unit);
                const SinCos<float> direction = sin_cos(angle);
                expected[place(i, sine_at_angle)] = radius * direction.sin;
                expected[place(i, !sine_at_angle)] = radius * direction.cos;
            }
            for (float& value : expected)
                value = alignment == Alignment::pytorch ? std::fma(value, kStd, kMean)
                                                        : value * kStd + kMean;
            fill.values(words.data(), kChunk, values.data(), false);
            ASSERT_TRUE(values == expected) << "from " << first;
        }
    }
};

TEST_F(NormalKernelTest, EveryWordOfPytorch) {
    run(
        Alignment::pytorch, 24,
        [](uint32_t i, bool angle) { return i / 8 * 16 + i % 8 + (angle ? 8 : 0); }, true,
        [](float u, float v) {
            return std::pair(std::sqrt(-2.0f * ln(1.0f - u)), static_cast<float>(kTwoPi) * v);
        });
}

TEST_F(NormalKernelTest, EveryWordOfTensorflow) {
    run(
        Alignment::tensorflow, 23, [](uint32_t i, bool angle) { return 2 * i + (angle ? 1 : 0); },
        false,
        [](float u, float v) {
            const float at_least = std::max(u, static_cast<float>(kTensorflowMinUniform));
            return std::pair(std::sqrt(-2.0f * ln(at_least)), static_cast<float>(kTwoPi * v));
        });
}

// Kernels for types of 16 bits have code for MEAN 0 and STD 1, and for other moments. It gives what the code for a MEAN of -0 gives, and 0 in
// place of -0. The words are every pair of PyTorch's numbers, which have 8 or 11 bits. For TensorFlow they are as many pairs, and some of their
// angles are next to multiples of pi / 2, where sine and cosine are least.
TEST_F(NormalKernelTest, MomentsOf16Bits) {
    for (const auto alignment : {Alignment::pytorch, Alignment::tensorflow})
        for (const auto type : {FloatType::bf16, FloatType::f16}) {
            auto transform = make_normal_transform(effective_isa(), alignment, type);
            ASSERT_TRUE(transform.ok()) << transform.status().message();
            const bool pytorch = alignment == Alignment::pytorch;
            const int bits = type == FloatType::bf16 ? 8 : 11;
            const uint32_t pairs = uint32_t{1} << (2 * bits), mask = (uint32_t{1} << bits) - 1;
            std::vector<uint32_t> words(2 * pairs);
            for (uint32_t i = 0; i < pairs; ++i) {
                constexpr uint32_t kOdd = 0x9E3779B1, kQuarter = uint32_t{1} << 21;
                const uint32_t place = pytorch ? i / 8 * 16 + i % 8 : 2 * i;
                const uint32_t drawn = i * kOdd >> 3;
                words[place] = pytorch ? i & mask : drawn;
                uint32_t& angle = words[place + (pytorch ? 8 : 1)];
                if (pytorch)
                    angle = i >> bits;
                else
                    angle = i % 2 == 0 ? drawn * kOdd : i / 2 * kQuarter + i / 8 % 3 - 1;
            }
            const auto values = [&](float mean, float std) {
                std::vector<uint16_t> all(words.size());
                NormalFill(transform.value(), Moments<float>{mean, std})
                    .values(words.data(), static_cast<int64_t>(words.size()), all.data(), false);
                return all;
            };
            for (const float std : {1.0f, 0.25f}) {
                constexpr uint16_t kMinusZero = 0x8000;
                std::vector<uint16_t> expected = values(-0.0f, std);
                std::replace(expected.begin(), expected.end(), kMinusZero, uint16_t{0});
                EXPECT_TRUE(values(0, std) == expected)
                    << name_of(alignment) << " " << name_of(data_type_of(type)) << " " << std;
            }
        }
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
