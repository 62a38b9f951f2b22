// SPDX-License-Identifier: Apache-2.0
#include "fuzz/tensors.hpp"

#include <cstring>
#include <numeric>

namespace tombola::fuzz {
namespace {

constexpr tombola_data_type_t kTypes[] = {
#define TOMBOLA_TYPE(name, value, bytes) tombola_##name,
    TOMBOLA_DATA_TYPES(TOMBOLA_TYPE)
#undef TOMBOLA_TYPE
};

uint64_t next(uint64_t& state) {  // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1Du;
}

// The bits of 1.0 and of infinity, or of the greatest number where there is none; 0 for integers. A floating-point
// number from 0 to 1 is any integer from 0 to the bits of 1.
struct FloatBits {
    uint64_t one, infinity;
};
FloatBits float_bits(tombola_data_type_t type) {
    switch (type) {
        case tombola_f64:
            return {0x3FF0000000000000, 0x7FF0000000000000};
        case tombola_f32:
            return {0x3F800000, 0x7F800000};
        case tombola_bf16:
            return {0x3F80, 0x7F80};
        case tombola_f16:
            return {0x3C00, 0x7C00};
        default:
            return {0, 0};
    }
}

}  // namespace

Dims small_dims(Input& in, int most_ndims, tombola_dim_t most_elements) {
    Dims dims(in.ConsumeIntegralInRange<size_t>(1, static_cast<size_t>(most_ndims)));
    tombola_dim_t elements = 1;
    for (auto& size : dims) {
        size = in.ConsumeIntegral<uint8_t>();
        if (size > 200) size = (size - 200) * 32;  // 32 to 1,760
        size = std::min(size, most_elements / elements);
        elements *= std::max<tombola_dim_t>(size, 1);
    }
    return dims;
}

tombola_data_type_t any_type(Input& in) {
    return in.ConsumeIntegral<uint8_t>() < 250
               ? in.PickValueInArray(kTypes)
               : static_cast<tombola_data_type_t>(in.ConsumeIntegral<int>());
}

test::MemoryDesc any_layout(Input& in, const Dims& dims, tombola_data_type_t type) {
    const int ndims = static_cast<int>(dims.size());
    const uint8_t kind = in.ConsumeIntegralInRange<uint8_t>(0, 9);
    if (kind < 3) return test::row_major(dims, type);
    if (kind == 3) return test::tagged(dims, type, tombola_format_tag_any);
    if (kind == 4)
        return test::tagged(
            dims, type,
            static_cast<tombola_format_tag_t>(mostly<int>(in, 0, tombola_format_tag_last)));

    const int block_dim = in.ConsumeIntegralInRange(0, ndims - 1);
    const tombola_dim_t block =
        kind < 7 ? 1 : tombola_dim_t{1} << in.ConsumeIntegralInRange<int>(1, 6);
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    if (kind != 5)
        for (size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[in.ConsumeIntegralInRange<size_t>(0, i - 1)]);
    const bool gaps = in.ConsumeBool();
    Dims strides(dims.size());
    tombola_dim_t stride = block;
    for (size_t i = dims.size(); i-- > 0;) {
        const size_t d = order[i];
        if (gaps) stride += in.ConsumeIntegralInRange<tombola_dim_t>(0, 20);
        strides[d] = stride;
        stride *= std::max<tombola_dim_t>(
            static_cast<int>(d) == block_dim ? (dims[d] + block - 1) / block : dims[d], 1);
    }
    const tombola_dim_t offset =
        in.ConsumeBool() ? 0 : in.ConsumeIntegralInRange<tombola_dim_t>(0, 40);
    test::MemoryDesc made;
    tombola_memory_desc_create_with_block(made.out(), ndims, dims.data(), type, strides.data(),
                                          block_dim, block, offset);
    return made;
}

test::MemoryDesc wild_desc(Input& in) {
    const int ndims = mostly(in, 0, TOMBOLA_MAX_NDIMS);
    Dims dims(TOMBOLA_MAX_NDIMS), strides(TOMBOLA_MAX_NDIMS);
    for (auto& size : dims)
        size = in.ConsumeBool()
                   ? in.ConsumeIntegralInRange<tombola_dim_t>(0, 9)
                   : in.ConsumeIntegral<tombola_dim_t>() >> in.ConsumeIntegralInRange<int>(0, 63);
    for (auto& stride : strides)
        stride = in.ConsumeIntegral<tombola_dim_t>() >> in.ConsumeIntegralInRange<int>(0, 63);
    const tombola_data_type_t type = any_type(in);
    test::MemoryDesc made;
    switch (in.ConsumeIntegralInRange(0, 2)) {
        case 0:
            succeeded(
                tombola_memory_desc_create_with_tag(
                    made.out(), ndims, dims.data(), type,
                    static_cast<tombola_format_tag_t>(mostly<int>(in, 0, tombola_format_tag_last))),
                "memory_desc_create_with_tag");
            break;
        case 1:
            succeeded(tombola_memory_desc_create_with_strides(
                          made.out(), ndims, in.ConsumeIntegral<uint8_t>() ? dims.data() : nullptr,
                          type, in.ConsumeBool() ? strides.data() : nullptr),
                      "memory_desc_create_with_strides");
            break;
        default:
            succeeded(
                tombola_memory_desc_create_with_block(
                    made.out(), ndims, dims.data(), type, strides.data(),
                    in.ConsumeIntegral<int8_t>(), in.ConsumeIntegral<int8_t>(),
                    in.ConsumeIntegral<tombola_dim_t>() >> in.ConsumeIntegralInRange<int>(0, 63)),
                "memory_desc_create_with_block");
    }
    return made;
}

void fill(Input& in, tombola_data_type_t type, uint8_t* data, size_t bytes) {
    const size_t width = tombola_data_type_size(type);
    const auto [one, infinity] = float_bits(type);
    const auto kind = in.ConsumeIntegralInRange<uint8_t>(0, 5);
    uint64_t state = in.ConsumeIntegral<uint32_t>() | 1u << 31;
    const uint64_t sign = uint64_t{1} << (8 * width - 1);
    const uint64_t special[] = {
        0, sign, 1, one, one + 1, infinity - 1, infinity, infinity | sign, infinity + 1};
    const uint64_t constant = in.ConsumeIntegral<uint64_t>();
    for (size_t at = 0; at + width <= bytes; at += width) {
        uint64_t bits = next(state);
        switch (kind) {
            case 0:
                bits = 0;
                break;
            case 1:
                bits = one == 0 ? bits % 2 : bits % (one + 1);
                break;
            case 2:  // up to 2^64 or the greatest number, of both signs
                bits = one == 0 ? bits % 256
                                : bits % (one + (infinity - one) / 2) | (bits >> 63) * sign;
                break;
            case 3:
                bits = special[bits % std::size(special)];
                break;
            case 4:
                bits = constant;
                break;
            default:
                break;
        }
        std::memcpy(data + at, &bits, width);  // the lowest bytes: x86-64 is little-endian
    }
}

}  // namespace tombola::fuzz
