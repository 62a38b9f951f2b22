// SPDX-License-Identifier: Apache-2.0

// transform_by_bits(): each element gets its own bit, in any layout that it serves, and no two threads write bits of one byte of a mask.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/format_tag.hpp"
#include "common/parallel.hpp"
#include "cpu/rng/transform.hpp"

namespace tombola::impl::cpu {
namespace {

// The bit of an element.
bool bit_of(int64_t element) {
    return (static_cast<uint64_t>(element) * 0x9E3779B97F4A7C15) >> 63 != 0;
}

struct Drawn {
    int64_t first, count;
    std::thread::id thread;
};

MemoryDesc desc_of(const std::vector<dim_t>& dims, const char* tag) {
    return MemoryDesc::from_tag(static_cast<int>(dims.size()), dims.data(), DataType::u8,
                                tag_of(tag))
        .take();
}

// Writes each element's bit to its byte, with a mask of bits, by a work that is worth any number of threads. Returns what was drawn, in ascending
// order; nothing if there are more threads than what they can share.
std::vector<Drawn> drawn_for(const MemoryDesc& desc, std::vector<uint8_t>& bytes,
                             std::vector<uint8_t>& mask_bits) {
    constexpr double kNanosecondsPerElement = 1e4;
    std::vector<Drawn> drawn;
    std::mutex mutex;
    TransformMask mask;
    mask.kind = TransformMask::Kind::bits;
    mask.is_written = true;
    mask.data = mask_bits.data();
    const bool served = transform_by_bits(
        {desc, bytes.data()}, {desc, bytes.data()}, mask, kNanosecondsPerElement,
        [&](int64_t first, int64_t count, uint8_t* bits) {
            for (int64_t i = 0; i < count; ++i) {
                if (i % 8 == 0) bits[i / 8] = 0;
                bits[i / 8] =
                    static_cast<uint8_t>(bits[i / 8] | (bit_of(first + i) ? 1 << i % 8 : 0));
            }
            const std::lock_guard<std::mutex> lock(mutex);
            drawn.push_back({first, count, std::this_thread::get_id()});
        },
        [&](const TransformRun& run, uint8_t* written) {
            EXPECT_EQ(written, nullptr);
            for (int64_t i = 0; i < run.count; ++i)
                static_cast<uint8_t*>(run.to)[i] = run.mask[i / 8] >> (i % 8) & 1;
        });
    EXPECT_EQ(served, !drawn.empty());
    std::sort(drawn.begin(), drawn.end(),
              [](const Drawn& a, const Drawn& b) { return a.first < b.first; });
    return drawn;
}

void check(const std::vector<dim_t>& dims, const char* tag) {
    SCOPED_TRACE(std::string(tag) + " " +
                 dims_to_string(static_cast<int>(dims.size()), dims.data()));
    const MemoryDesc desc = desc_of(dims, tag);
    ASSERT_TRUE(serves_bits(desc, desc));
    std::vector<uint8_t> bytes(desc.size(), 0xEE);
    std::vector<uint8_t> bits(static_cast<size_t>((desc.nelems() + 7) / 8), 0xEE);
    std::vector<Drawn> drawn = drawn_for(desc, bytes, bits);
    if (drawn.empty()) {
        EXPECT_TRUE(
            std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0xEE; }));
        EXPECT_TRUE(
            std::all_of(bits.begin(), bits.end(), [](uint8_t byte) { return byte == 0xEE; }));
        const ThreadLimit one_thread(1);
        drawn = drawn_for(desc, bytes, bits);
    }

    int64_t next = 0;
    for (size_t i = 0; i < drawn.size(); next += drawn[i++].count) {
        ASSERT_EQ(drawn[i].first, next);
        if (i > 0 && drawn[i].thread != drawn[i - 1].thread) {
            EXPECT_EQ(next % 8, 0);
        }
    }
    ASSERT_EQ(next, desc.nelems());

    std::vector<uint8_t> expected(bytes.size(), 0);  // padding too
    Dims index{};
    for (int64_t e = 0; e < desc.nelems(); ++e) {
        int64_t rest = e;
        for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
        expected[static_cast<size_t>(desc.offset_of(index))] = bit_of(e) ? 1 : 0;
        ASSERT_EQ((bits[static_cast<size_t>(e / 8)] >> (e % 8) & 1) != 0, bit_of(e)) << e;
    }
    for (int64_t e = desc.nelems(); e % 8 != 0; ++e)
        EXPECT_EQ(bits[static_cast<size_t>(e / 8)] >> (e % 8) & 1, 0);
    EXPECT_TRUE(bytes == expected);
}

// Blocks of 60 and 120 elements, images of 195 and 285: where a part may begin differs.
TEST(TransformByBits, EachElementGetsItsBitAndNoByteIsShared) {
    for (const dim_t batch : {1, 2, 7, 61, 203})
        for (const dim_t channels : {4, 12, 13, 16, 19}) {
            for (const char* tag : {"aBcd4b", "aBcd8b", "aBcd16b"})
                check({batch, channels, 3, 5}, tag);
            if (channels == 4 || channels == 16) check({batch, channels, 3, 5}, "acdb");
        }
    check({3, 64, 29, 29}, "acdb");
    check({3, 120, 20, 21}, "acdb");
    check({5, 37, 31, 33}, "aBcd16b");
}

TEST(TransformByBits, ServesTensorsThatLieAlike) {
    const auto serves = [](const std::vector<dim_t>& dims, const char* src, const char* dst) {
        return serves_bits(desc_of(dims, src), desc_of(dims, dst));
    };
    EXPECT_TRUE(serves({2, 16, 7, 7}, "acdb", "acdb"));
    EXPECT_FALSE(serves({2, 16, 7, 7}, "acdb", "aBcd8b"));
    EXPECT_FALSE(serves({2, 16, 7, 7}, "abcd", "abcd"));     // row-major
    EXPECT_FALSE(serves({2, 19, 7, 7}, "acdb", "acdb"));     // 19 bits are no whole bytes
    EXPECT_FALSE(serves({2, 16, 1, 7}, "acdb", "acdb"));     // few pixels
    EXPECT_FALSE(serves({1, 256, 30, 30}, "acdb", "acdb"));  // too many elements
    EXPECT_FALSE(serves({0, 16, 7, 7}, "acdb", "acdb"));
}

}  // namespace
}  // namespace tombola::impl::cpu
