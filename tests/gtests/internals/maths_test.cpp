// SPDX-License-Identifier: Apache-2.0

// The transcendental functions of cpu/maths/: their error against a wider type, and the published operations, bit for bit,
// against the references, which are written from doc/maths.md (f32: at every 16th argument).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "cpu/maths/ln.hpp"
#include "cpu/maths/ln_f32.hpp"
#include "cpu/maths/sin_cos.hpp"
#include "reference/maths_reference.hpp"

namespace tombola::impl::cpu {
namespace {

// The distance of `value` from `exact` in units of the last place of the f64 nearest to `exact`.
double error_in_ulps(double value, long double exact) {
    if (exact == 0) return value == 0 ? 0 : std::numeric_limits<double>::infinity();
    int exponent = 0;
    std::frexp(static_cast<double>(exact), &exponent);
    return static_cast<double>(
        std::fabs(std::ldexp(static_cast<long double>(value) - exact, 53 - exponent)));
}

class Worst {
  public:
    void add(double x) {
        const double value = ln(x);
        EXPECT_EQ(value, reference::ln(x)) << x;
        const double error = error_in_ulps(value, std::log(static_cast<long double>(x)));
        if (!(error <= worst_)) worst_ = error, where_ = x;
    }
    // The long double logarithm itself errs by less than 1/1000 of an f64's last place.
    void expect_below_one_ulp() const { EXPECT_LT(worst_, 0.999) << "at x = " << where_; }

  private:
    double worst_ = 0, where_ = 0;
};

constexpr int kArguments = 300'000;

TEST(Maths, LnOfEveryExponent) {
    if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no wider type";
    std::mt19937_64 random(1);
    Worst worst;
    for (int exponent = -1022; exponent <= 1023; ++exponent) {
        worst.add(std::ldexp(1.0, exponent));
        for (int i = 0; i < 100; ++i)
            worst.add(
                std::ldexp(1.0 + std::ldexp(static_cast<double>(random() >> 12), -52), exponent));
    }
    worst.add(std::numeric_limits<double>::max());
    worst.expect_below_one_ulp();
}

TEST(Maths, LnNearOne) {
    if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no wider type";
    std::mt19937_64 random(2);
    Worst worst;
    for (int i = 0; i < kArguments; ++i) {
        const double u = std::ldexp(static_cast<double>(random() >> 11), -53);
        worst.add(0.5 + 1.5 * u);
        worst.add(1 + std::ldexp(u, -1 - i % 52));
        worst.add(1 - std::ldexp(u, -1 - i % 52));
    }
    EXPECT_EQ(ln(1.0), 0);
    EXPECT_FALSE(std::signbit(ln(1.0)));
    worst.expect_below_one_ulp();
}

// Where the range reduction changes from one power of two to the next.
TEST(Maths, LnAroundTheBorderOfTheReduction) {
    if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no wider type";
    Worst worst;
    for (int exponent = -60; exponent <= 60; ++exponent) {
        const double border = std::ldexp(0x1.6a09ep-1, exponent);
        double below = border, above = border;
        for (int i = 0; i < 1000; ++i) {
            below = std::nextafter(below, 0.0);
            worst.add(above);
            worst.add(below);
            above = std::nextafter(above, 2 * border);
        }
    }
    worst.expect_below_one_ulp();
}

TEST(Maths, Log1pOfMinusUniforms) {
    if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no wider type";
    std::mt19937_64 random(3);
    double worst = 0;
    const auto add = [&](double u) {
        const double value = log1p_of_minus(u);
        const double error = error_in_ulps(value, std::log1p(-static_cast<long double>(u)));
        if (!(error <= worst)) worst = error;
        // Every C library errs by at most an ulp too.
        EXPECT_LE(
            std::fabs(value - std::log1p(-u)),
            2 * (std::nextafter(std::fabs(value), 2.0 * std::fabs(value) + 1) - std::fabs(value)))
            << u;
    };
    for (int i = 0; i < kArguments; ++i) add(std::ldexp(static_cast<double>(random() >> 11), -53));
    for (int i = 1; i < 2000; ++i) {
        add(std::ldexp(i, -53));
        add(1 - std::ldexp(i, -53));
    }
    for (int power = 1; power <= 53; ++power) add(std::ldexp(1.0, -power));
    EXPECT_EQ(log1p_of_minus(0), 0);
    EXPECT_LT(worst, 0.999);
}

// Every uniform number of 24 bits, as alignment pytorch takes its logarithm: 1 - k * 2^-24. f64 is the wider type: its own
// logarithm errs by less than 2^-28 of an f32's last place.
TEST(Maths, LnOfEveryF32Uniform) {
    double worst = 0;
    int different = 0;
    for (uint32_t k = 1; k <= 1u << 24; ++k) {
        const float x = static_cast<float>(k) * 0x1p-24f;
        const float value = ln(x);
        if (k % 16 == 0 && !(value == reference::ln(x))) ++different;
        const double exact = std::log(double{x});
        if (exact == 0) continue;
        int exponent = 0;
        std::frexp(exact, &exponent);
        worst = std::max(worst, std::abs(std::ldexp(value - exact, 24 - exponent)));
    }
    EXPECT_EQ(different, 0);
    EXPECT_EQ(ln(1.0f), 0);
    EXPECT_LT(worst, 0.999);
}

// Every angle of the f32 normal numbers: those of alignment pytorch, 2 pi in f32 times k * 2^-24. Those of alignment tensorflow
// are within an ulp of every second one.
TEST(Maths, SinCosOfEveryF32Angle) {
    double worst = 0;
    int different = 0;
    for (uint32_t k = 0; k < 1u << 24; ++k) {
        const float angle = 0x1.921fb6p+2f * (static_cast<float>(k) * 0x1p-24f);
        const SinCos<float> value = sin_cos(angle);
        if (k % 16 == 0) {
            const reference::DirectionF32 expected = reference::sin_cos(angle);
            if (!(value.sin == expected.sin && value.cos == expected.cos)) ++different;
        }
        worst = std::max({worst, std::abs(value.sin - std::sin(double{angle})),
                          std::abs(value.cos - std::cos(double{angle}))});
    }
    EXPECT_EQ(different, 0);
    EXPECT_LT(worst, 1.4 * 0x1p-24);
}

TEST(Maths, SinCosF64) {
    if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no wider type";
    std::mt19937_64 random(4);
    double worst = 0;
    const auto add = [&](double angle) {
        const SinCos<double> value = sin_cos(angle);
        const reference::Direction expected = reference::sin_cos(angle);
        EXPECT_TRUE(value.sin == expected.sin && value.cos == expected.cos) << angle;
        const auto wide = static_cast<long double>(angle);
        worst = std::max({worst, error_in_ulps(value.sin, std::sin(wide)),
                          error_in_ulps(value.cos, std::cos(wide))});
    };
    constexpr double kTwoPi = 0x1.921fb54442d18p+2;
    for (int i = 0; i < kArguments; ++i)
        add(kTwoPi * std::ldexp(static_cast<double>(random() >> 11), -53));
    // Around the multiples of pi / 4, where the reduction changes and where sine or cosine is near 0.
    for (int eighth = 0; eighth <= 8; ++eighth) {
        double below = kTwoPi / 8 * eighth, above = below;
        for (int i = 0; i < 500; ++i) {
            if (below >= 0) add(below);
            if (above <= kTwoPi) add(above);
            below = std::nextafter(below, -1.0);
            above = std::nextafter(above, 10.0);
        }
    }
    for (int power = 3; power <= 52; ++power) add(kTwoPi * std::ldexp(1.0, -power));
    EXPECT_LT(worst, 0.999);
}

}  // namespace
}  // namespace tombola::impl::cpu
