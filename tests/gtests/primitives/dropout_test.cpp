// SPDX-License-Identifier: Apache-2.0

// dropout through the public API: every implementation of the list, both directions, in guarded memory, against the
// independent reference, bit for bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "gtests/common/tensor.hpp"
#include "reference/dropout_reference.hpp"

namespace tombola::test {
namespace {

using Bytes = std::vector<uint8_t>;
using Seeds = std::array<uint64_t, 2>;

constexpr tombola_data_type_t kTypes[] = {tombola_f32, tombola_f16, tombola_bf16};
constexpr int kDrawBits[] = {32, 16, 8};
constexpr tombola_dropout_mask_t kMasks[] = {tombola_dropout_mask_none, tombola_dropout_mask_u8,
                                             tombola_dropout_mask_bits};

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
        from.write(values);
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
                    from.write(values);
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
                if (has_mask && !c.backward) {
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

TEST_F(Dropout, EveryTypeNumberOfBitsAndMaskAtEverySize) {
    std::vector<tombola_dim_t> sizes = {255, 256, 257, 511, 512, 513, 700, 1025};
    for (tombola_dim_t size = 1; size <= 67; ++size) sizes.push_back(size);
    for (tombola_dim_t size = 120; size <= 136; ++size) sizes.push_back(size);
    for (const auto type : kTypes)
        for (const int bits : kDrawBits)
            for (const auto mask : kMasks)
                for (const tombola_dim_t size : sizes) {
                    const Guard guard = size % 2 == 0 ? Guard::behind : Guard::before;
                    Case c{type, bits, mask};
                    c.guard = guard;
                    c.backward = size % 3 == 0;
                    c.in_place = size % 5 == 0;
                    check(c, row_major({size}, type));
                    c.backward = !c.backward;
                    check(c, row_major({size}, type));
                }
}

TEST_F(Dropout, EveryOffsetWithinABlock) {
    for (const auto type : kTypes)
        for (const int bits : kDrawBits)
            for (const auto mask : kMasks)
                for (uint64_t offset = 1; offset <= 18; ++offset)
                    for (const bool backward : {false, true}) {
                        Case c{type, bits, mask};
                        c.offset = offset;
                        c.backward = backward;
                        check(c, row_major({3}, type));
                        check(c, row_major({517}, type));
                    }
}

// The lowest word of the counter wraps after 2^32 blocks: of 4, 8 or 16 draws.
TEST_F(Dropout, OffsetsAcrossTheCarriesOfTheCounter) {
    for (const auto type : kTypes)
        for (const int bits : kDrawBits) {
            const uint64_t wrap = (uint64_t{1} << 32) * static_cast<unsigned>(128 / bits);
            for (const uint64_t before : {1, 3, 16, 40, 64, 200, 513})
                for (const auto mask : kMasks) {
                    Case c{type, bits, mask};
                    c.seeds = {1, ~uint64_t{0}};
                    c.offset = wrap - before;
                    check(c, row_major({700}, type));
                }
            Case last{type, bits};
            last.offset = uint64_t{0} - 700;
            check(last, row_major({700}, type));
        }
}

TEST_F(Dropout, EveryKindOfProbability) {
    for (const auto type : kTypes)
        for (const int bits : kDrawBits)
            for (const auto mask : kMasks)
                for (const bool backward : {false, true})
                    for (const float p : {0.0f, -0.0f, std::numeric_limits<float>::denorm_min(),
                                          0x1p-23f, 0x1p-16f, 0.00390625f, 0.1f, 0.5f, 0.99609375f,
                                          0.99609381f, 0.9999f, 0x1.fffffep-1f, 1.0f}) {
                        Case c{type, bits, mask};
                        c.p = p;
                        c.backward = backward;
                        check(c, row_major({333}, type));
                    }
}

// Masks that no forward dropout wrote: any byte but 0 keeps, and the bits behind the last element do not matter.
TEST_F(Dropout, BackwardReadsAnyMask) {
    for (const auto type : kTypes)
        for (const auto mask : {tombola_dropout_mask_u8, tombola_dropout_mask_bits})
            for (const float p : {0.0f, 0.4f, 1.0f})
                for (const tombola_dim_t size : {1, 7, 31, 64, 333}) {
                    Case c{type, 16, mask};
                    c.p = p;
                    c.backward = true;
                    c.seeds = {0, 0};  // they do not count
                    c.given_mask = test_bytes(static_cast<size_t>(
                        mask == tombola_dropout_mask_bits ? (size + 7) / 8 : size));
                    for (size_t i = 0; i < c.given_mask->size(); i += 3)
                        if (mask == tombola_dropout_mask_u8) (*c.given_mask)[i] = 0;
                    check(c, row_major({size}, type));
                }
}

TEST_F(Dropout, MaskMayBeLeftOut) {
    for (const auto mask : {tombola_dropout_mask_u8, tombola_dropout_mask_bits})
        for (const bool backward : {false, true}) {
            Case c{tombola_f32, 32, mask};
            c.with_mask = false;
            c.backward = backward;
            check(c, row_major({300}, tombola_f32));
        }
}

TEST_F(Dropout, EveryLayoutInPlaceAndNot) {
    const DimVector dims = {2, 19, 5, 7};
    for (const auto type : kTypes)
        for (const auto mask : kMasks)
            for (const bool backward : {false, true})
                for (const bool in_place : {false, true}) {
                    Case c{type, 32, mask};
                    c.backward = backward;
                    c.in_place = in_place;
                    c.offset = 5;
                    for (const auto tag : {tombola_nchw, tombola_nhwc, tombola_nChw4c,
                                           tombola_nChw8c, tombola_nChw16c, tombola_cdba})
                        check(c, tagged(dims, type, tag));
                    check(c, strided({9, 21}, type, {50, 2}));
                    check(c, strided({9, 64}, type, {80, 1}));
                }
    // More than one run, and layouts that differ.
    for (const auto from : {tombola_nchw, tombola_nhwc, tombola_nChw16c})
        for (const auto to : {tombola_nchw, tombola_nhwc, tombola_nChw8c})
            for (const auto mask : kMasks)
                check({tombola_bf16, 16, mask}, tagged({2, 37, 12, 11}, tombola_bf16, from),
                      tagged({2, 37, 12, 11}, tombola_bf16, to));
}

// Large enough for stores past the caches. The tensors are whole pages, so they begin with a cache line.
TEST_F(Dropout, LargeTensorsFromACacheLineOn) {
    const MemoryDesc desc = row_major({(1 << 20) + 1024}, tombola_f32);
    for (const int bits : {8, 16, 32})
        for (const auto mask : kMasks) check({tombola_f32, bits, mask}, desc, desc);
}

// Large tensors, with a whole and a broken first block of draws.
TEST_F(Dropout, LargeTensorsOnSeveralThreads) {
    constexpr size_t kCount = (size_t{1} << 20) + 1031;
    for (const uint64_t offset : {0, 3}) {
        Case c{tombola_f32, offset == 0 ? 32 : 8, tombola_dropout_mask_bits};
        c.offset = offset;
        const std::vector<bool> keeps = reference::dropout_keeps(request(c), kCount);
        const Bytes bits = reference::dropout_mask_bits(keeps);
        std::vector<float> values(kCount), want(kCount), results(kCount);
        for (size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i % 1000) - 500;
        reference::dropout_reference(request(c), keeps, values.data(), want.data());
        const MemoryDesc desc = row_major({kCount}, tombola_f32);
        const Memory src = memory_over(desc, engine_, values.data());
        const Memory dst = memory_over(desc, engine_, results.data());
        const Memory p = memory_over(row_major({1}, tombola_f32), engine_, &c.p);
        const Memory at = memory_over(row_major({1}, tombola_u64), engine_, &c.offset);
        for_each_implementation(descriptor(c, desc, desc), [&](const_tombola_primitive_desc_t row) {
            SCOPED_TRACE(impl_name(row));
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
            Bytes mask_bytes(bits.size(), 0xA5);
            const Memory mask =
                memory_over(row_major({static_cast<tombola_dim_t>(bits.size())}, tombola_u8),
                            engine_, mask_bytes.data());
            std::fill(results.begin(), results.end(), -1.0f);
            const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src},
                                               {TOMBOLA_ARG_P, p},
                                               {TOMBOLA_ARG_OFFSET, at},
                                               {TOMBOLA_ARG_DST, dst},
                                               {TOMBOLA_ARG_MASK, mask}};
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 5, args), tombola_success)
                << last_error();
            EXPECT_TRUE(results == want);
            EXPECT_TRUE(mask_bytes == bits);
        });
        // Backward by the mask, in place and not.
        c.backward = true;
        for_each_implementation(descriptor(c, desc, desc), [&](const_tombola_primitive_desc_t row) {
            SCOPED_TRACE(impl_name(row));
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
            Bytes mask_bytes = bits;
            const Memory mask =
                memory_over(row_major({static_cast<tombola_dim_t>(bits.size())}, tombola_u8),
                            engine_, mask_bytes.data());
            for (const bool in_place : {false, true}) {
                results = values;
                const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_DIFF_DST, in_place ? dst : src},
                                                   {TOMBOLA_ARG_P, p},
                                                   {TOMBOLA_ARG_DIFF_SRC, dst},
                                                   {TOMBOLA_ARG_MASK, mask}};
                ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 4, args), tombola_success)
                    << last_error();
                EXPECT_TRUE(results == want) << in_place;
            }
        });
    }
}

// [0, k) then [k, n) is [0, n), for any k.
TEST_F(Dropout, OffsetContinuesTheStream) {
    for (const int bits : kDrawBits) {
        Case c{tombola_f32, bits};
        const auto whole = drop_ones(c, 1000);
        for (const size_t cut : {1, 5, 64, 333, 999}) {
            auto joined = drop_ones(c, cut);
            Case rest = c;
            rest.offset = cut;
            const auto tail = drop_ones(rest, 1000 - cut);
            joined.insert(joined.end(), tail.begin(), tail.end());
            EXPECT_TRUE(joined == whole) << bits << " bits, cut at " << cut;
        }
    }
}

// The elements that are kept are those at which random_uniform's f32 numbers of the same seeds reach P, which is
// TensorFlow's rule (tf.nn.dropout: keep where uniform >= rate).
TEST_F(Dropout, KeepsWhereUniformNumbersReachP) {
    constexpr size_t kCount = 5000;
    const MemoryDesc desc = row_major({kCount}, tombola_f32);
    PrimitiveDesc uniform_desc;
    ASSERT_EQ(tombola_random_uniform_primitive_desc_create(uniform_desc.out(), engine_,
                                                           tombola_alignment_tensorflow, desc, 7, 8,
                                                           tombola_int_draws_spec, nullptr),
              tombola_success);
    Primitive uniform;
    ASSERT_EQ(tombola_primitive_create(uniform.out(), uniform_desc), tombola_success);
    std::vector<float> numbers(kCount);
    float zero = 0, one = 1;
    const MemoryDesc scalar = row_major({1}, tombola_f32);
    const Memory min = memory_over(scalar, engine_, &zero),
                 max = memory_over(scalar, engine_, &one);
    const Memory dst = memory_over(desc, engine_, numbers.data());
    const tombola_exec_arg_t args[] = {
        {TOMBOLA_ARG_MIN, min}, {TOMBOLA_ARG_MAX, max}, {TOMBOLA_ARG_DST, dst}};
    ASSERT_EQ(tombola_primitive_execute(uniform, stream_, 3, args), tombola_success);
    Case c;
    c.seeds = {7, 8};
    for (const float p : {0.1f, 0.5f, 0.9f}) {
        c.p = p;
        const auto dropped = drop_ones(c, kCount);
        for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(dropped[i] != 0, numbers[i] >= p) << i;
    }
}

// The number kept is binomial. With the fixed seeds it lies within 4 standard deviations, and the mean of ones stays 1
// as nearly. With 8 bits P = 0.1 is 26/256, and the scale is 256/230.
TEST_F(Dropout, MeanIsThatOfTheMask) {
    constexpr size_t kCount = 200000;
    for (const int bits : kDrawBits) {
        Case c{tombola_f32, bits};
        c.p = 0.1f;
        const double drop = bits == 8 ? 26.0 / 256 : bits == 16 ? 6554.0 / 65536 : 0.1;
        double kept = 0, sum = 0;
        for (const float value : drop_ones(c, kCount)) {
            if (value != 0) {
                EXPECT_NEAR(value, 1 / (1 - drop), 1e-6);
            }
            kept += value != 0 ? 1 : 0;
            sum += value;
        }
        const double deviation = std::sqrt(drop * (1 - drop) / kCount);
        EXPECT_NEAR(kept / kCount, 1 - drop, 4 * deviation);
        EXPECT_NEAR(sum / kCount, 1, 4 * deviation / (1 - drop));
    }
}

TEST_F(Dropout, SeedsOfEntropyAreReported) {
    const MemoryDesc desc = row_major({200}, tombola_f32);
    Case c;
    c.seeds = {0, 0};
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), descriptor(c, desc, desc)),
              tombola_success);
    std::vector<float> ones(200, 1.0f), first(200), again(200);
    float p = 0.5f;
    Seeds used{}, other{};
    const Memory src = memory_over(desc, engine_, ones.data());
    const Memory p_memory = memory_over(row_major({1}, tombola_f32), engine_, &p);
    const auto run = [&](std::vector<float>& to, Seeds* seeds, Seeds& report) {
        const Memory dst = memory_over(desc, engine_, to.data());
        const Memory out = memory_over(row_major({2}, tombola_u64), engine_, report.data());
        std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_SRC, src},
                                                {TOMBOLA_ARG_P, p_memory},
                                                {TOMBOLA_ARG_DST, dst},
                                                {TOMBOLA_ARG_DST_SEEDS, out}};
        Memory in;
        if (seeds != nullptr) {
            in = memory_over(row_major({2}, tombola_u64), engine_, seeds->data());
            args.push_back({TOMBOLA_ARG_SEEDS, in});
        }
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                            args.data()),
                  tombola_success)
            << last_error();
    };
    run(first, nullptr, used);
    EXPECT_NE(used, (Seeds{0, 0}));
    run(again, nullptr, other);
    EXPECT_NE(used, other);
    run(again, &used, other);
    EXPECT_TRUE(first == again);
    EXPECT_EQ(used, other);
}

TEST_F(Dropout, RefusesValues) {
    Case c;
    for (const float p :
         {-0.1f, 1.1f, -std::numeric_limits<float>::denorm_min(),
          std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        c.p = p;
        expect_refusal(c, "dropout: P is ");
    }
    c.p = 0.5f;
    c.offset = uint64_t{0} - 99;
    expect_refusal(c, "OFFSET is ");
    c.offset = 0;
    c.backward = true;
    c.seeds = {0, 0};
    expect_refusal(c,
                   "SEEDS is (0, 0), which draws a mask of its own; expected the seeds of the "
                   "forward execution (its DST_SEEDS)");
    c.mask = tombola_dropout_mask_u8;
    expect_refusal(c, "(its DST_SEEDS) or MASK");
}

TEST_F(Dropout, RefusesDescriptors) {
    const MemoryDesc data = row_major({2, 8}, tombola_f32), other = row_major({2, 9}, tombola_f32);
    PrimitiveDesc forward;
    const auto create = [&](const_tombola_memory_desc_t src, const_tombola_memory_desc_t dst,
                            int bits, int mask, tombola_prop_kind_t prop_kind) {
        return tombola_dropout_forward_primitive_desc_create(
            forward.out(), engine_, prop_kind, src, dst, bits,
            static_cast<tombola_dropout_mask_t>(mask), 1, 2, nullptr);
    };
    const auto refused = [&](tombola_status_t status, const std::string& message) {
        EXPECT_EQ(status, tombola_invalid_arguments) << message;
        EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
    };
    constexpr auto kForward = tombola_forward_training;
    refused(create(data, data, 64, 0, kForward), "draw_bits is 64; expected 32, 16 or 8");
    refused(create(data, data, 32, 3, kForward), "mask_kind is 3; expected none, u8 or bits");
    refused(create(data, other, 32, 0, kForward), "dst_desc is 2x9 f32; expected 2x8 f32");
    refused(create(data, data, 32, 0, tombola_backward_data), "prop_kind is backward_data");
    for (const auto type :
         {tombola_f64, tombola_s8, tombola_u8, tombola_s32, tombola_f8_e5m2, tombola_f8_e4m3}) {
        const MemoryDesc desc = row_major({2, 8}, type);
        refused(create(desc, nullptr, 32, 0, kForward), std::string("src_desc has the data type ") +
                                                            tombola_dt2str(type) +
                                                            "; expected one of f32, f16, bf16");
    }
    refused(create(tagged({2, 8}, tombola_f32, tombola_format_tag_any), data, 32, 0, kForward),
            "src_desc has the layout any");

    // The hint must agree, and gives its layout.
    const MemoryDesc blocked = tagged({2, 20, 3, 3}, tombola_bf16, tombola_nChw8c);
    const MemoryDesc open = tagged({2, 20, 3, 3}, tombola_bf16, tombola_format_tag_any);
    ASSERT_EQ(create(blocked, nullptr, 16, 1, kForward), tombola_success) << last_error();
    PrimitiveDesc backward;
    const auto create_backward = [&](const_tombola_memory_desc_t diff_dst, int bits, int mask,
                                     const_tombola_primitive_desc_t hint) {
        return tombola_dropout_backward_primitive_desc_create(
            backward.out(), engine_, nullptr, diff_dst, bits,
            static_cast<tombola_dropout_mask_t>(mask), 1, 2, hint, nullptr);
    };
    refused(create_backward(open, 16, 1, nullptr), "diff_dst_desc has the layout any");
    refused(create_backward(open, 32, 1, forward), "draw_bits is 32; expected 16, as in hint");
    refused(create_backward(open, 16, 2, forward), "mask_kind is bits; expected u8, as in hint");
    refused(create_backward(data, 16, 1, forward), "diff_dst_desc is 2x8; expected 2x20x3x3");
    ASSERT_EQ(create_backward(open, 16, 1, forward), tombola_success) << last_error();
    EXPECT_TRUE(tombola_memory_desc_equal(
        tombola_primitive_desc_query_md(backward, tombola_query_diff_dst_md, 0), blocked));
    EXPECT_TRUE(tombola_memory_desc_equal(
        tombola_primitive_desc_query_md(backward, tombola_query_diff_src_md, 0), blocked));
    PrimitiveDesc copy(std::move(backward));
    refused(create_backward(open, 16, 1, copy), "hint_fwd_pd is not of a forward dropout");
}

// In place is for one descriptor: with another layout the elements would overwrite one another.
TEST_F(Dropout, RefusesSharedMemoryOfDifferentLayouts) {
    const MemoryDesc nchw = tagged({2, 4, 3, 3}, tombola_f32, tombola_nchw);
    const MemoryDesc nhwc = tagged({2, 4, 3, 3}, tombola_f32, tombola_nhwc);
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), descriptor({}, nchw, nhwc)),
              tombola_success);
    std::vector<float> data(72, 1.0f);
    float p = 0.5f;
    const Memory src = memory_over(nchw, engine_, data.data());
    const Memory dst = memory_over(nhwc, engine_, data.data());
    const Memory p_memory = memory_over(row_major({1}, tombola_f32), engine_, &p);
    const tombola_exec_arg_t args[] = {
        {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_P, p_memory}, {TOMBOLA_ARG_DST, dst}};
    EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("DST overlaps SRC"), std::string::npos) << last_error();
    EXPECT_TRUE(data == std::vector<float>(72, 1.0f));
}

}  // namespace
}  // namespace tombola::test
