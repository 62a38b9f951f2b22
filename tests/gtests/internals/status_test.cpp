// SPDX-License-Identifier: Apache-2.0

#include "common/status.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>

namespace tombola::impl {
namespace {

TEST(Status, SuccessIsOnePointer) {
    EXPECT_TRUE(Status().ok());
    EXPECT_EQ(Status().code(), StatusCode::success);
    EXPECT_EQ(Status().message(), "");
    EXPECT_EQ(sizeof(Status), sizeof(void*));
}

TEST(Status, FailureCarriesCodeAndText) {
    const Status status = invalid("axis is %d; expected 0 to %d", 7, 3);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.code(), StatusCode::invalid_arguments);
    EXPECT_EQ(status.message(), "axis is 7; expected 0 to 3");
    EXPECT_EQ(unimplemented("%s", "no").code(), StatusCode::unimplemented);
    // Longer than any fixed buffer, and with a percent sign in the text.
    const std::string longer(5000, '%');
    EXPECT_EQ(invalid("%s", longer.c_str()).message(), longer);
}

// Sanitized builds ask this for each message that the tests provoke.
TEST(Status, FormatsFitTheirArguments) {
    EXPECT_TRUE(fits<int>("%d, 100 %%"));
    EXPECT_EQ(invalid("100 % of it").message(), "100 % of it");  // without arguments, no format
    EXPECT_TRUE((fits<int, const char*, double, unsigned>("%d %s%g: %5u")));
    EXPECT_TRUE((fits<long long, unsigned long long>("%lld%llu")));
    EXPECT_FALSE(fits<>("%d"));
    EXPECT_FALSE(fits<int>("none"));
    EXPECT_FALSE(fits<int>("%s"));
    EXPECT_FALSE(fits<long long>("%d"));
    EXPECT_FALSE(fits<int>("%lld"));
    EXPECT_FALSE((fits<int, int>("%d")));
    EXPECT_FALSE(fits<std::string>("%s"));
}

TEST(Digits, AreAsFewAsReadBackAsTheNumber) {
    EXPECT_EQ(digits(1.1f), "1.1");
    EXPECT_EQ(digits(1.1), "1.1");
    EXPECT_EQ(digits(-0.0f), "-0");
    EXPECT_EQ(digits(100.0f), "100");
    EXPECT_EQ(digits(1e6f), "1e+06");
    // The neighbours of 1: 1 + 2^-23, and 1 + 2^-52.
    EXPECT_EQ(digits(1.00000012f), "1.0000001");
    EXPECT_EQ(digits(1 + 0x1p-52), "1.0000000000000002");
    EXPECT_EQ(digits(static_cast<double>(1.1f)), "1.100000023841858");
    EXPECT_EQ(digits(std::numeric_limits<float>::denorm_min()), "1.4013e-45");
    EXPECT_EQ(digits(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(digits(std::numeric_limits<float>::quiet_NaN()), "nan");
}

TEST(Status, TryReturnsTheFailureAndGoesOnAfterSuccess) {
    int reached = 0;
    const auto run = [&](bool fail) -> Status {
        TOMBOLA_TRY(fail ? invalid("no") : Status());
        ++reached;
        return {};
    };
    EXPECT_TRUE(run(false).ok());
    EXPECT_EQ(reached, 1);
    EXPECT_EQ(run(true).message(), "no");
    EXPECT_EQ(reached, 1);
}

TEST(Result, TryGivesTheValueOrReturnsTheFailure) {
    int reached = 0;
    const auto run = [&](bool fail) -> Result<std::string> {
        const auto half = [&]() -> Result<std::unique_ptr<int>> {
            if (fail) return invalid("no half");
            return std::make_unique<int>(21);
        };
        const std::unique_ptr<int> value = TOMBOLA_TRY(half());
        ++reached;
        return std::to_string(2 * *value);
    };
    EXPECT_EQ(run(false).take(), "42");
    EXPECT_EQ(run(true).take_status().message(), "no half");
    EXPECT_EQ(reached, 1);
}

TEST(Result, ValueOrFailure) {
    Result<std::unique_ptr<int>> value(std::make_unique<int>(5));
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(*value.value(), 5);
    EXPECT_EQ(*value.take(), 5);
    Result<int> failure(invalid("no"));
    EXPECT_FALSE(failure.ok());
    EXPECT_EQ(failure.take_status().message(), "no");
}

}  // namespace
}  // namespace tombola::impl
