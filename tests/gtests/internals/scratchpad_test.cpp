// SPDX-License-Identifier: Apache-2.0

#include "common/scratchpad.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace tombola::impl {
namespace {

// So large that malloc maps it by itself: once it is freed, its pages are gone.
constexpr size_t kBytes = size_t{40} << 20;

void write_to_scratchpad() { static_cast<volatile char*>(thread_scratchpad(kBytes))[0] = 1; }

struct Late {
    ~Late() {
        if (wanted) write_to_scratchpad();
    }
    bool wanted = false;
};

// They are destroyed after what belongs to the main thread. If this fails, the process crashes at its end.
TEST(Scratchpad, ServesStaticObjects) {
    static Late late;
    late.wanted = true;
    write_to_scratchpad();
}

TEST(Scratchpad, GrowsAndStays) {
    std::thread([] {
        EXPECT_EQ(thread_scratchpad(0), nullptr);
        char* small = static_cast<char*>(thread_scratchpad(64));
        ASSERT_NE(small, nullptr);
        EXPECT_EQ(thread_scratchpad(32), small);
        char* large = static_cast<char*>(thread_scratchpad(kBytes));
        ASSERT_NE(large, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % 64, 0u);
        large[kBytes - 1] = 1;
        EXPECT_EQ(thread_scratchpad(64), large);
    }).join();
}

}  // namespace
}  // namespace tombola::impl
