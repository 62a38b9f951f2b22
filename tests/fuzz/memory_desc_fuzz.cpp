// SPDX-License-Identifier: Apache-2.0

// Memory descriptors. The address of each element follows from the answers to queries by the formula of
// tombola_memory_desc_create_with_block(). With these addresses a descriptor must keep what its function promises.

#include <numeric>

#include "fuzz/tensors.hpp"

namespace tombola::fuzz {
namespace {

using test::MemoryDesc;

constexpr tombola_dim_t kMostElements = 2000;

// What queries tell.
struct Answers {
    int ndims = 0, blocked = 0;
    tombola_data_type_t type{};
    tombola_format_kind_t kind{};
    tombola_dim_t offset = 0, block = 1;
    int block_dim = -1;
    const tombola_dim_t *dims = nullptr, *padded = nullptr, *strides = nullptr;

    explicit Answers(const_tombola_memory_desc_t desc) {
        ask(desc, tombola_query_ndims_s32, &ndims);
        ask(desc, tombola_query_data_type, &type);
        ask(desc, tombola_query_format_kind, &kind);
        ask(desc, tombola_query_dims, &dims);
        if (kind != tombola_blocked) return;
        ask(desc, tombola_query_padded_dims, &padded);
        ask(desc, tombola_query_strides, &strides);
        ask(desc, tombola_query_submemory_offset_s64, &offset);
        ask(desc, tombola_query_inner_nblks_s32, &blocked);
        if (blocked == 0) return;
        const tombola_dim_t* list = nullptr;
        ask(desc, tombola_query_inner_blks, &list);
        block = list[0];
        ask(desc, tombola_query_inner_idxs, &list);
        block_dim = static_cast<int>(list[0]);
    }
    static void ask(const_tombola_memory_desc_t desc, tombola_query_t what, void* result) {
        expect(tombola_memory_desc_query(desc, what, result) == tombola_success, "a query fails");
    }
    tombola_dim_t count(const tombola_dim_t* sizes) const {
        tombola_dim_t product = 1;
        for (int d = 0; d < ndims; ++d)
            if (__builtin_mul_overflow(product, sizes[d], &product)) return INT64_MAX;
        return ndims == 0 ? 0 : product;
    }
    tombola_dim_t address(const Dims& index) const {
        tombola_dim_t at = offset;
        for (size_t d = 0; d < index.size(); ++d)
            at += static_cast<int>(d) == block_dim
                      ? index[d] / block * strides[d] + index[d] % block
                      : index[d] * strides[d];
        return at;
    }
    // In row-major order of `sizes`.
    Dims addresses(const tombola_dim_t* sizes) const {
        Dims all;
        Dims index(static_cast<size_t>(ndims));
        for (tombola_dim_t left = count(sizes); left > 0; --left) {
            all.push_back(address(index));
            for (size_t d = index.size(); d-- > 0 && ++index[d] == sizes[d];) index[d] = 0;
        }
        return all;
    }
};

bool is_walkable(const Answers& desc) {
    return desc.kind == tombola_blocked && desc.count(desc.padded) <= kMostElements;
}

void check(const_tombola_memory_desc_t desc) {
    MemoryDesc again;
    expect(tombola_memory_desc_clone(again.out(), desc) == tombola_success, "clone");
    expect(tombola_memory_desc_equal(desc, again) == 1, "a copy is not equal");
    const Answers answers(desc);
    if (answers.ndims == 0) {
        expect(tombola_memory_desc_get_size(desc) == 0, "an empty descriptor has a size");
        return;
    }
    if (answers.kind != tombola_blocked) return;
    expect(tombola_memory_desc_create_with_block(again.out(), answers.ndims, answers.dims,
                                                 answers.type, answers.strides, answers.block_dim,
                                                 answers.block, answers.offset) == tombola_success,
           "a descriptor is refused that queries have described");
    expect(tombola_memory_desc_equal(desc, again) == 1,
           "a descriptor made of the answers to queries is another one");

    if (!is_walkable(answers)) return;
    Dims all = answers.addresses(answers.padded);
    const size_t width = tombola_data_type_size(answers.type);
    std::sort(all.begin(), all.end());
    expect(std::adjacent_find(all.begin(), all.end()) == all.end(),
           "two elements share an address");
    expect(all.empty() || all.front() == answers.offset, "the first element is not at the offset");
    expect(tombola_memory_desc_get_size(desc) ==
               (all.empty() ? 0 : (static_cast<size_t>(all.back()) + 1) * width),
           "the size is not the end of the last element");
}

void check_submemory(Input& in, const_tombola_memory_desc_t parent) {
    const Answers before(parent);
    Dims dims(TOMBOLA_MAX_NDIMS), offsets(TOMBOLA_MAX_NDIMS);
    for (int d = 0; d < before.ndims; ++d) {
        const auto at = static_cast<size_t>(d);
        offsets[at] = mostly<tombola_dim_t>(in, 0, std::max<tombola_dim_t>(before.dims[d], 0));
        dims[at] = mostly<tombola_dim_t>(in, 0, std::max<tombola_dim_t>(before.dims[d], 0));
    }
    MemoryDesc made;
    if (!succeeded(
            tombola_memory_desc_create_submemory(made.out(), parent, dims.data(), offsets.data()),
            "memory_desc_create_submemory", {tombola_invalid_arguments, tombola_unimplemented}))
        return;
    check(made);
    const Answers after(made);
    if (after.ndims == 0 || !is_walkable(before)) return;
    Dims index(static_cast<size_t>(after.ndims));
    for (const tombola_dim_t address : after.addresses(after.dims)) {
        Dims inside = index;
        for (size_t d = 0; d < index.size(); ++d) inside[d] += offsets[d];
        expect(address == before.address(inside), "a submemory's element lies elsewhere");
        for (size_t d = index.size(); d-- > 0 && ++index[d] == after.dims[d];) index[d] = 0;
    }
}

void check_reshape(Input& in, const_tombola_memory_desc_t desc) {
    const Answers before(desc);
    Dims dims(TOMBOLA_MAX_NDIMS);
    const int ndims = mostly(in, 0, TOMBOLA_MAX_NDIMS);
    tombola_dim_t left = before.count(before.dims);
    for (int d = 0; d < std::min(ndims, TOMBOLA_MAX_NDIMS); ++d) {
        const auto at = static_cast<size_t>(d);
        dims[at] = mostly<tombola_dim_t>(in, 0, 9);
        if (in.ConsumeBool() && left > 0) {  // a divisor, so that the product can come out
            dims[at] = in.ConsumeIntegralInRange<tombola_dim_t>(1, 9);
            while (left % dims[at] != 0) --dims[at];
            if (d == ndims - 1) dims[at] = left;
            left /= dims[at];
        }
    }
    MemoryDesc made;
    if (!succeeded(tombola_memory_desc_reshape(made.out(), desc, ndims, dims.data()),
                   "memory_desc_reshape"))
        return;
    check(made);
    const Answers after(made);
    if (after.ndims == 0 || !is_walkable(before) || !is_walkable(after)) return;
    expect(after.addresses(after.dims) == before.addresses(before.dims),
           "a reshaped tensor has its elements elsewhere");
}

void check_permute(Input& in, const_tombola_memory_desc_t desc) {
    const Answers before(desc);
    int axes[TOMBOLA_MAX_NDIMS];
    std::iota(std::begin(axes), std::end(axes), 0);
    for (int d = before.ndims; d > 1; --d)
        std::swap(axes[d - 1], axes[in.ConsumeIntegralInRange(0, d - 1)]);
    const bool spoilt = in.ConsumeIntegral<uint8_t>() < 20;
    if (spoilt)
        axes[in.ConsumeIntegralInRange(0, TOMBOLA_MAX_NDIMS - 1)] = in.ConsumeIntegral<int>();
    MemoryDesc made;
    if (!succeeded(tombola_memory_desc_permute_axes(made.out(), desc, axes),
                   "memory_desc_permute_axes")) {
        expect(spoilt, "a permutation is refused");
        return;
    }
    check(made);
    const Answers after(made);
    for (int d = 0; d < before.ndims; ++d)
        expect(after.dims[axes[d]] == before.dims[d] &&
                   (before.kind != tombola_blocked || after.strides[axes[d]] == before.strides[d]),
               "a permuted dimension is another one");
}

void run(Input& in) {
    MemoryDesc desc;
    if (in.ConsumeBool()) {
        desc = any_layout(in, small_dims(in, TOMBOLA_MAX_NDIMS, kMostElements), any_type(in));
    } else {
        desc = wild_desc(in);
    }
    if (desc.get() == nullptr) return;
    check(desc);
    for (int steps = 0; steps < 4 && in.remaining_bytes() > 0; ++steps) {
        switch (in.ConsumeIntegralInRange(0, 2)) {
            case 0:
                check_submemory(in, desc);
                break;
            case 1:
                check_reshape(in, desc);
                break;
            default:
                check_permute(in, desc);
        }
    }
    int64_t result[2] = {-1, -1};
    succeeded(tombola_memory_desc_query(
                  desc, static_cast<tombola_query_t>(in.ConsumeIntegral<int>()), result),
              "memory_desc_query", {tombola_invalid_arguments, tombola_not_required});
    expect(result[1] == -1, "a query has written more than 8 bytes");
}

}  // namespace
}  // namespace tombola::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    tombola::fuzz::Input in(data, size);
    tombola::fuzz::run(in);
    return 0;
}
