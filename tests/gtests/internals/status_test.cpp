// SPDX-License-Identifier: Apache-2.0

#include "common/status.hpp"

#include <gtest/gtest.h>

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
