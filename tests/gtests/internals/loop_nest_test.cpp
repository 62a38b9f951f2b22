// SPDX-License-Identifier: Apache-2.0

// The zeros in the padding of blocked tensors, against the offset of each element.

#include "cpu/loop_nest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr uint8_t kUntouched = 0xA5;

// Images of pixels with their channels in blocks. `gap` elements lie between two pixels.
MemoryDesc blocked(dim_t images, dim_t channels, dim_t pixels, DataType type, dim_t block,
                   dim_t gap) {
    const dim_t dims[] = {images, channels, pixels};
    const dim_t pixel = block + gap, blocks = (channels + block - 1) / block;
    const dim_t strides[] = {blocks * pixels * pixel, pixels * pixel, pixel};
    auto made = MemoryDesc::from_block(3, dims, type, strides, 1, block, 0);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.take();
}

void check(const MemoryDesc& desc) {
    const size_t size = size_of(desc.data_type);
    std::vector<uint8_t> memory(desc.size(), kUntouched), expected = memory;
    zero_padding(desc, memory.data());
    Dims index{};
    for (index[0] = 0; index[0] < desc.dims[0]; ++index[0])
        for (index[1] = desc.dims[1]; index[1] < desc.padded_dims[1]; ++index[1])
            for (index[2] = 0; index[2] < desc.dims[2]; ++index[2]) {
                const auto at = expected.begin() + desc.offset_of(index) * static_cast<dim_t>(size);
                std::fill_n(at, size, 0);
            }
    EXPECT_EQ(memory, expected);
}

TEST(ZeroPadding, WritesNothingElse) {
    for (const DataType type : {DataType::u8, DataType::bf16, DataType::f32, DataType::f64})
        for (dim_t block = 2; block <= kMaxBlock; block *= 2)
            for (dim_t channels = 1; channels <= 2 * block; ++channels)
                for (const dim_t gap : {0, 3}) {
                    SCOPED_TRACE(testing::Message() << name_of(type) << ", block " << block << ", "
                                                    << channels << " channels, gap " << gap);
                    check(blocked(2, channels, 3, type, block, gap));
                }
}

// The blocked dimension is the last but one, and the loops over the others do not join.
TEST(ZeroPadding, OfAnyDimension) {
    const dim_t dims[] = {2, 3, 5, 4}, strides[] = {1000, 300, 40, 9};
    auto made = MemoryDesc::from_block(4, dims, DataType::bf16, strides, 2, 4, 0);
    ASSERT_TRUE(made.ok()) << made.status().message();
    const MemoryDesc desc = made.take();
    std::vector<uint8_t> memory(desc.size(), kUntouched), expected = memory;
    zero_padding(desc, memory.data());
    Dims index{};
    for (index[0] = 0; index[0] < 2; ++index[0])
        for (index[1] = 0; index[1] < 3; ++index[1])
            for (index[2] = 5; index[2] < 8; ++index[2])
                for (index[3] = 0; index[3] < 4; ++index[3])
                    std::fill_n(expected.begin() + 2 * desc.offset_of(index), 2, uint8_t{0});
    EXPECT_EQ(memory, expected);
}

TEST(ZeroPadding, OfImagesWithoutLoops) {
    for (const dim_t images : {1, 4})
        for (const dim_t pixels : {1, 5}) check(blocked(images, 11, pixels, DataType::bf16, 8, 0));
}

// So much padding is shared among threads, if there are several.
TEST(ZeroPadding, OfLargeTensors) {
    check(blocked(200'000, 11, 2, DataType::f32, 8, 0));
    check(blocked(1, 11, 400'000, DataType::f32, 8, 0));
    check(blocked(400'000, 11, 1, DataType::f32, 8, 0));
    check(blocked(3, 3, 300'000, DataType::f32, 8, 0));
}

}  // namespace
}  // namespace tombola::impl::cpu
