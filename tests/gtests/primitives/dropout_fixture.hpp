// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of dropout share. The fixture runs every implementation of the list through the public API, in guarded
// memory, and compares it with the independent reference, bit for bit.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "gtests/common/tensor.hpp"
#include "reference/dropout_reference.hpp"

namespace tombola::test {

using Bytes = std::vector<uint8_t>;
using Seeds = std::array<uint64_t, 2>;

inline constexpr tombola_data_type_t kTypes[] = {tombola_f32, tombola_f16, tombola_bf16};
inline constexpr int kDrawBits[] = {32, 16, 8};
inline constexpr tombola_dropout_mask_t kMasks[] = {
    tombola_dropout_mask_none, tombola_dropout_mask_u8, tombola_dropout_mask_bits};

template <class T>
Bytes bytes_of(const T& value) {
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

struct Case {
    tombola_data_type_t type = tombola_f32;
    int draw_bits = 32;
    tombola_dropout_mask_t mask = tombola_dropout_mask_none;
    float p = 0.3f;
    Seeds seeds{150, 10};
    uint64_t offset = 0;
    bool backward = false;
    bool in_place = false;
    bool with_mask = true;  // otherwise MASK is left out, whatever the descriptor says
    Guard guard = Guard::behind;
    std::optional<Bytes> given_mask = std::nullopt;  // of backward
    uint8_t padding = 0;                             // the bytes of the source's padding
};

class Dropout : public testing::Test {
  protected:
    PrimitiveDesc descriptor(const Case& c, const_tombola_memory_desc_t from,
                             const_tombola_memory_desc_t to) const {
        PrimitiveDesc desc;
        const tombola_status_t status =
            c.backward ? tombola_dropout_backward_primitive_desc_create(
                             desc.out(), engine_, to, from, c.draw_bits, c.mask, c.seeds[0],
                             c.seeds[1], nullptr, nullptr)
                       : tombola_dropout_forward_primitive_desc_create(
                             desc.out(), engine_, tombola_forward_training, from, to, c.draw_bits,
                             c.mask, c.seeds[0], c.seeds[1], nullptr);
        EXPECT_EQ(status, tombola_success) << last_error();
        return desc;
    }

    static reference::DropoutRequest request(const Case& c) {
        return {c.type, c.draw_bits, c.p, c.seeds[0], c.seeds[1], c.offset};
    }

    static Bytes mask_of(const Case& c, const std::vector<bool>& keeps) {
        return c.mask == tombola_dropout_mask_bits ? reference::dropout_mask_bits(keeps)
                                                   : reference::dropout_mask_bytes(keeps);
    }

    // Each implementation gives the reference's bits and mask, and touches nothing else.
    void check(const Case& c, const_tombola_memory_desc_t from_desc,
               const_tombola_memory_desc_t to_desc) const {
        Tensor from(from_desc, engine_, c.guard), to(to_desc, engine_, c.guard);
        const size_t count = from.count();
        const Bytes values = test_bytes(count * from.layout().element_size);
        std::vector<bool> keeps = reference::dropout_keeps(request(c), count);
        Bytes mask_bytes = mask_of(c, keeps);
        if (c.given_mask) {
            mask_bytes = *c.given_mask;
            for (size_t i = 0; i < count; ++i)
                keeps[i] = c.mask == tombola_dropout_mask_bits
                               ? (mask_bytes[i / 8] >> i % 8 & 1) != 0
                               : mask_bytes[i] != 0;
        }
        Bytes want(values.size());
        reference::dropout_reference(request(c), keeps, values.data(), want.data());
        from.write(values, c.padding);
        const bool has_mask = c.mask != tombola_dropout_mask_none && c.with_mask;
        for_each_implementation(
            descriptor(c, from_desc, to_desc), [&](const_tombola_primitive_desc_t row) {
                SCOPED_TRACE(testing::Message()
                             << impl_name(row) << ": " << count << " elements, type " << c.type
                             << ", " << c.draw_bits << " bits, mask " << c.mask << ", P " << c.p
                             << ", offset " << c.offset << (c.backward ? ", backward" : "")
                             << (c.in_place ? ", in place" : ""));
                Primitive primitive;
                ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success)
                    << last_error();
                Tensor p(row_major({1}, tombola_f32), engine_);
                p.write(bytes_of(c.p));
                Tensor offset(row_major({1}, tombola_u64), engine_);
                offset.write(bytes_of(c.offset));
                Tensor& out = c.in_place ? from : to;
                if (c.in_place)
                    from.write(values, c.padding);
                else
                    to.buffer().poison();
                std::vector<tombola_exec_arg_t> args = {
                    {c.backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, from.memory()},
                    {TOMBOLA_ARG_P, p.memory()},
                    {c.backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, out.memory()}};
                if (c.offset != 0) args.push_back({TOMBOLA_ARG_OFFSET, offset.memory()});
                std::optional<Tensor> mask;
                if (has_mask) {
                    mask.emplace(tombola_primitive_desc_query_md(row, tombola_query_exec_arg_md,
                                                                 TOMBOLA_ARG_MASK),
                                 engine_, c.guard);
                    if (c.backward) mask->write(mask_bytes);
                    args.push_back({TOMBOLA_ARG_MASK, mask->memory()});
                }
                ASSERT_EQ(tombola_primitive_execute(primitive, stream_,
                                                    static_cast<int>(args.size()), args.data()),
                          tombola_success)
                    << last_error();
                EXPECT_TRUE(out.read() == want);
                EXPECT_TRUE(out.padding_is_zero());
                EXPECT_TRUE(out.outside_is_intact());
                EXPECT_TRUE(c.in_place || from.read() == values);
                if (has_mask) {  // written forward, only read backward
                    EXPECT_TRUE(mask->read() == mask_bytes);
                    EXPECT_TRUE(mask->padding_is_zero());
                    EXPECT_TRUE(mask->outside_is_intact());
                }
            });
    }
    void check(const Case& c, const_tombola_memory_desc_t desc) const { check(c, desc, desc); }

    // The status and the message of an execution that must be refused; nothing is written.
    void expect_refusal(const Case& c, const std::string& message) const {
        const MemoryDesc desc = row_major({100}, c.type);
        Tensor from(desc, engine_), to(desc, engine_), p(row_major({1}, tombola_f32), engine_),
            offset(row_major({1}, tombola_u64), engine_);
        from.write(test_bytes(from.buffer().bytes()));
        p.write(bytes_of(c.p));
        offset.write(bytes_of(c.offset));
        for_each_implementation(descriptor(c, desc, desc), [&](const_tombola_primitive_desc_t row) {
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
            const tombola_exec_arg_t args[] = {
                {c.backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, from.memory()},
                {TOMBOLA_ARG_P, p.memory()},
                {TOMBOLA_ARG_OFFSET, offset.memory()},
                {c.backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, to.memory()}};
            EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 4, args),
                      tombola_invalid_arguments);
            EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
            EXPECT_TRUE(to.buffer().is_poison());
        });
    }

    // A forward execution of f32 ones on the default implementation.
    std::vector<float> drop_ones(const Case& c, size_t count) const {
        const MemoryDesc desc = row_major({static_cast<tombola_dim_t>(count)}, tombola_f32);
        std::vector<float> values(count, 1.0f);
        uint64_t offset = c.offset;
        float p = c.p;
        const Memory data = memory_over(desc, engine_, values.data());
        const Memory p_memory = memory_over(row_major({1}, tombola_f32), engine_, &p);
        const Memory offset_memory = memory_over(row_major({1}, tombola_u64), engine_, &offset);
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), descriptor(c, desc, desc)),
                  tombola_success);
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, data},
                                           {TOMBOLA_ARG_P, p_memory},
                                           {TOMBOLA_ARG_OFFSET, offset_memory},
                                           {TOMBOLA_ARG_DST, data}};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 4, args), tombola_success)
            << last_error();
        return values;
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

}  // namespace tombola::test
