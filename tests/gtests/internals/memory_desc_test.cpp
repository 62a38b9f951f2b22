// SPDX-License-Identifier: Apache-2.0

// Memory descriptors against brute force: addresses are handed out by walking a tensor in the order
// that the tag's letters state.

#include "common/memory_desc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "common/format_tag.hpp"

namespace tombola::impl {
namespace {

using Index = std::vector<dim_t>;

// The offset of every index below padded_dims, from the tag's name alone: nested loops over the
// letters from left to right, then the block, each step one element further.
std::map<Index, dim_t> walk(const std::string& name, const Index& dims) {
    struct Loop {
        size_t dim;
        dim_t count;
        dim_t step;
    };
    std::vector<Loop> loops;
    const size_t letters = dims.size();
    dim_t block = 1;
    if (name.size() > letters) block = std::stoi(name.substr(letters));
    for (size_t i = 0; i < letters; ++i) {
        const bool blocked = std::isupper(name[i]) != 0;
        const auto d = static_cast<size_t>(std::tolower(name[i]) - 'a');
        const dim_t step = blocked ? block : 1;
        loops.push_back({d, (dims[d] + step - 1) / step, step});
    }
    if (block > 1) loops.push_back({static_cast<size_t>(name.back() - 'a'), block, 1});

    std::map<Index, dim_t> offsets;
    dim_t next = 0;
    Index counter(loops.size(), 0);
    const auto visit = [&](const auto& self, size_t level) -> void {
        if (level == loops.size()) {
            Index index(dims.size(), 0);
            for (size_t i = 0; i < loops.size(); ++i)
                index[loops[i].dim] += counter[i] * loops[i].step;
            offsets[index] = next++;
            return;
        }
        for (counter[level] = 0; counter[level] < loops[level].count; ++counter[level])
            self(self, level + 1);
    };
    visit(visit, 0);
    return offsets;
}

Dims to_dims(const Index& index) {
    Dims dims{};
    std::copy(index.begin(), index.end(), dims.begin());
    return dims;
}

MemoryDesc tagged(const Index& dims, DataType type, const char* tag) {
    auto desc = MemoryDesc::from_tag(static_cast<int>(dims.size()), dims.data(), type, tag_of(tag));
    EXPECT_TRUE(desc.ok()) << tag << ": " << desc.status().message();
    return desc.take();
}

MemoryDesc strided(const Index& dims, DataType type, const Index& strides) {
    auto desc =
        MemoryDesc::from_strides(static_cast<int>(dims.size()), dims.data(), type, strides.data());
    EXPECT_TRUE(desc.ok()) << desc.status().message();
    return desc.take();
}

std::string refusal(const Result<MemoryDesc>& desc) {
    return desc.ok() ? "accepted" : desc.status().message();
}

TEST(MemoryDesc, EveryTagPlacesElementsAsItsNameSays) {
    const Index sizes = {2, 5, 3, 4, 2, 3, 1, 2, 1, 1, 2, 1};
    int tags = 0;
    for (int value = tombola_format_tag_any + 1; value < tombola_format_tag_last; ++value) {
        const char* name = tag_name(static_cast<tombola_format_tag_t>(value));
        ASSERT_NE(name, nullptr) << value;
        const size_t ndims =
            std::min(std::string(name).find_first_of("0123456789"), std::string(name).size());
        for (const dim_t b : {1, 5, 16, 17}) {
            Index dims(sizes.begin(), sizes.begin() + static_cast<long>(ndims));
            if (ndims > 1) dims[1] = b;
            const MemoryDesc desc = tagged(dims, DataType::f32, name);
            const auto offsets = walk(name, dims);
            EXPECT_EQ(desc.padded_nelems(), static_cast<dim_t>(offsets.size())) << name;
            EXPECT_EQ(desc.size(), offsets.size() * 4) << name;
            EXPECT_TRUE(desc.is_dense()) << name;
            for (const auto& [index, offset] : offsets)
                ASSERT_EQ(desc.offset_of(to_dims(index)), offset) << name;
        }
        ++tags;
    }
    EXPECT_EQ(tags, 68);  // counted in tombola_types.h: 12 row-major, 44 permuted, 12 blocked
}

TEST(MemoryDesc, PaddedDimsRoundUpToBlocks) {
    const MemoryDesc desc = tagged({2, 17, 3, 3}, DataType::bf16, "nChw16c");
    EXPECT_EQ(desc.padded_dims[1], 32);
    EXPECT_TRUE(desc.has_padding());
    EXPECT_EQ(desc.nelems(), 2 * 17 * 9);
    EXPECT_EQ(desc.padded_nelems(), 2 * 32 * 9);
    EXPECT_FALSE(tagged({2, 32, 3, 3}, DataType::bf16, "nChw16c").has_padding());
}

TEST(MemoryDesc, StridesAreTakenAsGiven) {
    const MemoryDesc desc = strided({2, 3, 4}, DataType::s8, {100, 1, 7});
    EXPECT_EQ(desc.offset_of(to_dims({1, 2, 3})), 100 + 2 + 21);
    EXPECT_EQ(desc.size(), 124u);
    EXPECT_FALSE(desc.is_dense());
    EXPECT_FALSE(desc.is_row_major());
}

TEST(MemoryDesc, NoStridesIsRowMajor) {
    const Index dims = {2, 3, 4};
    auto desc = MemoryDesc::from_strides(3, dims.data(), DataType::s8, nullptr);
    ASSERT_TRUE(desc.ok());
    EXPECT_TRUE(desc.value().is_row_major());
    EXPECT_EQ(desc.value(), tagged(dims, DataType::s8, "abc"));
    EXPECT_FALSE(tagged(dims, DataType::s8, "acb").is_row_major());
    // Sizes of one make the two layouts the same.
    EXPECT_TRUE(tagged({2, 3, 1}, DataType::s8, "acb").is_row_major());
}

TEST(MemoryDesc, BlocksOfOnePixelAreRowMajor) {
    EXPECT_TRUE(tagged({2, 48, 1, 1}, DataType::f32, "nChw16c").is_row_major());
    EXPECT_TRUE(tagged({2, 16, 1, 1}, DataType::f32, "nChw16c").is_row_major());
    EXPECT_FALSE(tagged({2, 40, 1, 1}, DataType::f32, "nChw16c").is_row_major());  // padding
    EXPECT_FALSE(tagged({2, 48, 1, 2}, DataType::f32, "nChw16c").is_row_major());
    const Index dims = {2, 8, 1};
    const auto with_strides = [&](const Index& strides) {
        return MemoryDesc::from_block(3, dims.data(), DataType::f32, strides.data(), 1, 4, 0)
            .value()
            .is_row_major();
    };
    EXPECT_TRUE(with_strides({8, 4, 4}));
    EXPECT_FALSE(with_strides({16, 4, 4}));  // a gap between images
    EXPECT_FALSE(with_strides({8, 16, 4}));  // blocks of the images in turn
    EXPECT_FALSE(with_strides({4, 8, 4}));
}

TEST(MemoryDesc, OverlappingStridesAreRefused) {
    const Index dims = {2, 3};
    for (const Index& strides : {Index{0, 1}, Index{2, 1}, Index{1, 1}, Index{3, 2}, Index{1, 0}})
        EXPECT_NE(refusal(MemoryDesc::from_strides(2, dims.data(), DataType::f32, strides.data()))
                      .find("strides["),
                  std::string::npos)
            << strides[0] << ' ' << strides[1];
    for (const Index& strides : {Index{3, 1}, Index{1, 2}, Index{5, 2}, Index{1, 9}})
        EXPECT_TRUE(MemoryDesc::from_strides(2, dims.data(), DataType::f32, strides.data()).ok())
            << strides[0] << ' ' << strides[1];
    const Index one = {1, 3};
    const Index zero_stride = {0, 1};  // never taken
    EXPECT_TRUE(MemoryDesc::from_strides(2, one.data(), DataType::f32, zero_stride.data()).ok());
}

TEST(MemoryDesc, BadShapesAreRefusedWithTheirValue) {
    const Index dims = {2, -3};
    EXPECT_EQ(refusal(MemoryDesc::from_tag(2, dims.data(), DataType::f32, tombola_ab)),
              "dims[1] is -3; expected a size of at least 0");
    const Index runtime = {TOMBOLA_RUNTIME_DIM_VAL, 1};
    EXPECT_EQ(refusal(MemoryDesc::from_tag(2, runtime.data(), DataType::f32, tombola_ab)),
              "dims[0] is a run-time dimension; expected a size that is known now");
    EXPECT_EQ(refusal(MemoryDesc::from_tag(13, runtime.data(), DataType::f32, tombola_ab)),
              "ndims is 13; expected 0 to 12");
    const Index good = {2, 3};
    EXPECT_EQ(refusal(MemoryDesc::from_tag(2, good.data(), DataType::f32, tombola_abc)),
              "tag abc has 3 dimensions; expected 2, the number of dims");
    EXPECT_NE(refusal(MemoryDesc::from_tag(2, good.data(), static_cast<DataType>(77), tombola_ab))
                  .find("77"),
              std::string::npos);
    EXPECT_NE(refusal(MemoryDesc::from_tag(2, good.data(), DataType::f32,
                                           static_cast<tombola_format_tag_t>(9999)))
                  .find("9999"),
              std::string::npos);
}

// The public header's limit is 2^56 bytes.
TEST(MemoryDesc, SizesBeyondAddressesAreRefused) {
    constexpr dim_t k2To30 = dim_t{1} << 30;
    const auto make = [](const Index& dims, DataType type, tombola_format_tag_t tag) {
        return MemoryDesc::from_tag(static_cast<int>(dims.size()), dims.data(), type, tag);
    };
    constexpr dim_t k2To24 = dim_t{1} << 24;
    EXPECT_TRUE(make({k2To24 - 1, k2To30}, DataType::f32, tombola_ab).ok());   // 2^56 - 2^32 bytes
    EXPECT_FALSE(make({k2To24, k2To30}, DataType::f32, tombola_ab).ok());      // 2^56 bytes
    EXPECT_FALSE(make({k2To30, 2 * k2To30}, DataType::f32, tombola_ab).ok());  // 2^63 bytes
    EXPECT_FALSE(make({INT64_MAX, INT64_MAX}, DataType::s8, tombola_ab).ok());
    EXPECT_FALSE(make({INT64_MAX, 2}, DataType::s8, tombola_ab).ok());
    EXPECT_FALSE(make({1, INT64_MAX, 1}, DataType::s8, tombola_aBc16b).ok());
    EXPECT_FALSE(make({1, INT64_MAX - 14, 1}, DataType::s8, tombola_aBc16b).ok());
    EXPECT_FALSE(make({k2To30, 2 * k2To30}, DataType::f32, tombola_format_tag_any).ok());

    const Index dims = {2, 2};
    const Index far = {INT64_MAX, 1};
    EXPECT_FALSE(MemoryDesc::from_strides(2, dims.data(), DataType::s8, far.data()).ok());
    const Index near = {k2To24 * k2To30 * 2, 1};
    EXPECT_TRUE(MemoryDesc::from_strides(2, dims.data(), DataType::s8, near.data()).ok());
    const Index wide = {dim_t{1} << 50};  // the last element's distance is 2^100 bytes
    EXPECT_FALSE(MemoryDesc::from_strides(1, wide.data(), DataType::s8, wide.data()).ok());
    const Index single = {1, 2};  // a stride that no index multiplies
    EXPECT_FALSE(MemoryDesc::from_strides(2, single.data(), DataType::s8, far.data()).ok());
    EXPECT_FALSE(MemoryDesc::from_strides(2, dims.data(), DataType::f64, near.data()).ok());
    constexpr dim_t kLimit = dim_t{1} << 56;
    const Index last = {kLimit - 3, 1}, beyond = {kLimit - 2, 1};  // as many bytes, and 2
    EXPECT_TRUE(MemoryDesc::from_strides(2, dims.data(), DataType::s8, last.data()).ok());
    EXPECT_FALSE(MemoryDesc::from_strides(2, dims.data(), DataType::s8, beyond.data()).ok());
    const auto at = [&](dim_t offset) {
        const Index dense = {2, 1};
        return MemoryDesc::from_block(2, dims.data(), DataType::s8, dense.data(), -1, 1, offset);
    };
    EXPECT_TRUE(at(kLimit - 5).ok());
    EXPECT_FALSE(at(kLimit - 4).ok());
    const Index longest = {kLimit - 1, 1}, too_long = {kLimit, 1};  // along one element
    EXPECT_TRUE(MemoryDesc::from_strides(2, single.data(), DataType::s8, longest.data()).ok());
    EXPECT_FALSE(MemoryDesc::from_strides(2, single.data(), DataType::s8, too_long.data()).ok());
}

TEST(MemoryDesc, ZeroVolume) {
    const MemoryDesc desc = tagged({2, 0, 3}, DataType::f64, "abc");
    EXPECT_EQ(desc.nelems(), 0);
    EXPECT_EQ(desc.size(), 0u);
    EXPECT_TRUE(desc.has_zero_dim());
    EXPECT_FALSE(desc.is_empty());
    EXPECT_TRUE(MemoryDesc().is_empty());
}

TEST(MemoryDesc, SubmemoryPointsIntoTheParent) {
    const MemoryDesc parent = tagged({4, 6, 5}, DataType::f32, "acb");
    const Index sub = {2, 3, 4};
    const Index at = {1, 2, 1};
    auto box = parent.submemory(sub.data(), at.data());
    ASSERT_TRUE(box.ok()) << box.status().message();
    for (dim_t a = 0; a < sub[0]; ++a)
        for (dim_t b = 0; b < sub[1]; ++b)
            for (dim_t c = 0; c < sub[2]; ++c)
                EXPECT_EQ(box.value().offset0 + box.value().offset_of(to_dims({a, b, c})),
                          parent.offset_of(to_dims({a + 1, b + 2, c + 1})));
    // A box of a box.
    const Index inner = {1, 2, 2};
    const Index inner_at = {1, 1, 2};
    auto nested = box.value().submemory(inner.data(), inner_at.data());
    ASSERT_TRUE(nested.ok());
    EXPECT_EQ(nested.value().offset0, parent.offset_of(to_dims({2, 3, 3})));
}

TEST(MemoryDesc, SubmemoryOutsideIsRefused) {
    const MemoryDesc parent = tagged({4, 6}, DataType::f32, "ab");
    const auto cut = [&](const Index& dims, const Index& at) {
        return refusal(parent.submemory(dims.data(), at.data()));
    };
    EXPECT_EQ(cut({4, 6}, {0, 0}), "accepted");
    EXPECT_EQ(cut({4, 6}, {0, 1}), "dims[1] is 6 at offset 1; expected a box inside 0 to 6");
    EXPECT_NE(cut({5, 6}, {0, 0}), "accepted");
    EXPECT_NE(cut({-1, 6}, {0, 0}), "accepted");
    EXPECT_NE(cut({1, 1}, {-1, 0}), "accepted");
    EXPECT_NE(cut({INT64_MAX, 1}, {INT64_MAX, 0}), "accepted");
    EXPECT_NE(cut({1, TOMBOLA_RUNTIME_DIM_VAL}, {0, 0}), "accepted");
}

TEST(MemoryDesc, SubmemoryOfBlocksHasBordersAtBlocks) {
    const MemoryDesc parent = tagged({2, 20, 3, 3}, DataType::s8, "nChw8c");
    const auto cut = [&](const Index& dims, const Index& at) {
        return parent.submemory(dims.data(), at.data());
    };
    auto box = cut({1, 8, 2, 2}, {1, 8, 1, 0});
    ASSERT_TRUE(box.ok()) << box.status().message();
    EXPECT_EQ(box.value().offset0, parent.offset_of(to_dims({1, 8, 1, 0})));
    EXPECT_EQ(cut({1, 12, 2, 2}, {1, 8, 1, 0}).value().padded_dims[1], 16);  // to the end
    EXPECT_EQ(cut({1, 8, 2, 2}, {1, 4, 1, 0}).status().code(), StatusCode::unimplemented);
    EXPECT_EQ(cut({1, 4, 2, 2}, {1, 8, 1, 0}).status().code(), StatusCode::unimplemented);
    EXPECT_EQ(cut({1, 16, 2, 2}, {1, 8, 1, 0}).status().code(), StatusCode::invalid_arguments);
}

// Every reshape that is accepted keeps the order of the elements; one that would need a copy is
// refused.
TEST(MemoryDesc, ReshapeKeepsTheOrderOfElements) {
    const auto offsets_in_order = [](const MemoryDesc& desc) {
        std::vector<dim_t> offsets;
        Dims index{};
        for (dim_t e = 0; e < desc.nelems(); ++e) {
            dim_t rest = e;
            for (int d = desc.ndims - 1; d >= 0; --d) {
                index[d] = rest % desc.dims[d];
                rest /= desc.dims[d];
            }
            offsets.push_back(desc.offset0 + desc.offset_of(index));
        }
        return offsets;
    };
    const std::vector<MemoryDesc> parents = {tagged({4, 6, 2}, DataType::f32, "abc"),
                                             tagged({4, 6, 2}, DataType::f32, "bac"),
                                             tagged({4, 1, 12}, DataType::f32, "cba"),
                                             strided({4, 6, 2}, DataType::f32, {24, 2, 1}),
                                             strided({4, 6, 2}, DataType::f32, {12, 2, 1}),
                                             strided({1, 48, 1}, DataType::f32, {5, 3, 9})};
    const std::vector<Index> shapes = {
        {48},         {4, 12}, {24, 2}, {2, 2, 6, 2},       {4, 6, 2, 1}, {1, 4, 1, 12},
        {4, 2, 3, 2}, {3, 16}, {8, 6},  {2, 2, 3, 2, 2, 1}, {1, 1, 48},   {48, 1, 1}};
    int accepted = 0;
    int refused = 0;
    for (const MemoryDesc& parent : parents) {
        const auto expected = offsets_in_order(parent);
        for (const Index& shape : shapes) {
            auto desc = parent.reshape(static_cast<int>(shape.size()), shape.data());
            if (!desc.ok()) {
                EXPECT_EQ(desc.status().code(), StatusCode::invalid_arguments);
                ++refused;
                continue;
            }
            EXPECT_EQ(offsets_in_order(desc.value()), expected) << parent.to_string();
            ++accepted;
        }
    }
    EXPECT_GT(accepted, static_cast<int>(2 * shapes.size()));  // "abc" and the last two at least
    EXPECT_GT(refused, 0);

    // A dense row-major tensor takes every shape.
    for (const Index& shape : shapes)
        EXPECT_TRUE(parents[0].reshape(static_cast<int>(shape.size()), shape.data()).ok());
    const Index wrong = {47};
    EXPECT_NE(refusal(parents[0].reshape(1, wrong.data())).find("48"), std::string::npos);
}

TEST(MemoryDesc, ReshapeKeepsTheSubmemoryOffset) {
    const MemoryDesc parent = tagged({4, 6}, DataType::f32, "ab");
    const Index dims = {2, 6};
    const Index at = {1, 0};
    const MemoryDesc rows = parent.submemory(dims.data(), at.data()).take();
    const Index flat = {12};
    auto desc = rows.reshape(1, flat.data());
    ASSERT_TRUE(desc.ok());
    EXPECT_EQ(desc.value().offset0, 6);
}

TEST(MemoryDesc, PermuteMovesDimensions) {
    const MemoryDesc desc = tagged({2, 17, 3, 4}, DataType::f32, "nChw16c");
    const std::vector<int> permutation = {1, 2, 0, 3};  // dimension 0 becomes 1, 1 becomes 2, ...
    auto moved = desc.permute_axes(permutation.data());
    ASSERT_TRUE(moved.ok());
    EXPECT_EQ(moved.value().dims[0], 3);
    EXPECT_EQ(moved.value().dims[1], 2);
    EXPECT_EQ(moved.value().dims[2], 17);
    EXPECT_EQ(moved.value().block_dim, 2);
    for (dim_t a = 0; a < 2; ++a)
        for (dim_t b = 0; b < 17; ++b)
            for (dim_t c = 0; c < 3; ++c)
                EXPECT_EQ(moved.value().offset_of(to_dims({c, a, b, 1})),
                          desc.offset_of(to_dims({a, b, c, 1})));
    for (const std::vector<int>& bad : {std::vector<int>{0, 0, 1, 2}, std::vector<int>{0, 1, 2, 4},
                                        std::vector<int>{-1, 0, 1, 2}})
        EXPECT_NE(refusal(desc.permute_axes(bad.data())).find("permutation["), std::string::npos);
}

TEST(MemoryDesc, EqualityAndHash) {
    const MemoryDesc base = tagged({2, 16, 3}, DataType::f32, "abc");
    EXPECT_EQ(base, tagged({2, 16, 3}, DataType::f32, "abc"));
    EXPECT_EQ(hash_of(base), hash_of(tagged({2, 16, 3}, DataType::f32, "abc")));
    for (const MemoryDesc& other :
         {tagged({2, 16, 3}, DataType::s32, "abc"), tagged({2, 16, 3}, DataType::f32, "acb"),
          tagged({2, 16, 4}, DataType::f32, "abc"), tagged({2, 16, 3}, DataType::f32, "aBc16b"),
          tagged({2, 16, 3, 1}, DataType::f32, "abcd"), tagged({2, 16, 3}, DataType::f32, "any"),
          strided({2, 16, 3}, DataType::f32, {49, 3, 1}), MemoryDesc()}) {
        EXPECT_NE(base, other) << other.to_string();
        EXPECT_NE(hash_of(base), hash_of(other)) << other.to_string();
    }
    // The stride of a dimension of size 1 is never taken.
    const MemoryDesc one = strided({1, 3}, DataType::f32, {3, 1});
    const MemoryDesc other = strided({1, 3}, DataType::f32, {77, 1});
    EXPECT_EQ(one, other);
    EXPECT_EQ(hash_of(one), hash_of(other));
    // The offset of a box tells descriptors apart, but not layouts.
    const MemoryDesc parent = tagged({4, 3}, DataType::f32, "ab");
    const Index dims = {2, 3};
    const Index first = {0, 0};
    const Index second = {2, 0};
    const MemoryDesc upper = parent.submemory(dims.data(), first.data()).take();
    const MemoryDesc lower = parent.submemory(dims.data(), second.data()).take();
    EXPECT_NE(upper, lower);
    EXPECT_TRUE(same_layout(upper, lower));
}

TEST(MemoryDesc, TextNamesTypeAndLayout) {
    EXPECT_EQ(tagged({2, 17, 3, 3}, DataType::f32, "nChw16c").to_string(),
              "f32::blocked:aBcd16b::f0");
    EXPECT_EQ(tagged({2, 3, 4, 5}, DataType::bf16, "nhwc").to_string(), "bf16::blocked:acdb::f0");
    EXPECT_EQ(dims_to_string(3, Index{2, 16, 7}.data()), "2x16x7");
}

TEST(FormatTag, NamesReadBack) {
    for (int value = tombola_format_tag_any; value < tombola_format_tag_last; ++value) {
        const auto tag = static_cast<tombola_format_tag_t>(value);
        ASSERT_NE(tag_name(tag), nullptr) << value;
        EXPECT_EQ(tag_of(tag_name(tag)), tag) << tag_name(tag);
    }
    for (const int value : {0, static_cast<int>(tombola_format_tag_last), -1, 100000})
        EXPECT_EQ(tag_name(static_cast<tombola_format_tag_t>(value)), nullptr) << value;
    for (const char* name : {"", "abdcx", "ABCD", "aBcd64b", "nchw ", "undef"})
        EXPECT_EQ(tag_of(name), tombola_format_tag_undef) << name;
}

// oneDNN's further names and what they stand for (its dnnl_types.h, version 2.6.3).
TEST(FormatTag, FurtherNames) {
    EXPECT_EQ(tag_of("nchw"), tombola_abcd);
    EXPECT_EQ(tag_of("nhwc"), tombola_acdb);
    EXPECT_EQ(tag_of("chwn"), tombola_bcda);
    EXPECT_EQ(tag_of("ncdhw"), tombola_abcde);
    EXPECT_EQ(tag_of("ndhwc"), tombola_acdeb);
    EXPECT_EQ(tag_of("ncw"), tombola_abc);
    EXPECT_EQ(tag_of("nwc"), tombola_acb);
    EXPECT_EQ(tag_of("hwio"), tombola_cdba);
    EXPECT_EQ(tag_of("nCdhw16c"), tombola_aBcde16b);
    EXPECT_EQ(tag_of("tnc"), tombola_abc);
    EXPECT_EQ(tag_of("ntc"), tombola_bac);
    EXPECT_EQ(tag_of("x"), tombola_a);
}

}  // namespace
}  // namespace tombola::impl
