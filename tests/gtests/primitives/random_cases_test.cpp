// SPDX-License-Identifier: Apache-2.0

// Random cases of the primitives that read a tensor, and of permutations. token_sampler has its own (token_sampler_cases_test.cpp).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "gtests/primitives/random_cases_fixture.hpp"
#include "reference/dropout_reference.hpp"
#include "reference/multinomial_reference.hpp"
#include "reference/numeric.hpp"
#include "reference/random_permutation_reference.hpp"
#include "reference/shuffle_reference.hpp"
#include "reference/stochastic_rounding_reference.hpp"

namespace tombola::test {
namespace {

TEST_F(RandomCases, Shuffle) {
    repeat([&] {
        const auto type = one_of({tombola_s8, tombola_bf16, tombola_f32, tombola_f64});
        DimVector dims = shape(chance(10) ? 200000 : 4000);
        const auto axis = static_cast<size_t>(pick(0, static_cast<int64_t>(dims.size()) - 1));
        const int64_t max_groups = std::max<int64_t>(1, 8000 / elements(dims));
        const int64_t groups = pick(1, chance(50) ? 9 : 70);
        dims[axis] = groups * pick(1, std::min<int64_t>(max_groups, 70));
        const bool backward = chance(50);
        const MemoryDesc src = layout(dims, type), dst = layout(dims, type);
        PrimitiveDesc desc;
        ASSERT_EQ(backward ? tombola_shuffle_backward_primitive_desc_create(
                                 desc.out(), engine_, dst, src, static_cast<int>(axis), groups,
                                 nullptr, nullptr)
                           : tombola_shuffle_forward_primitive_desc_create(
                                 desc.out(), engine_, tombola_forward_inference, src, dst,
                                 static_cast<int>(axis), groups, nullptr),
                  tombola_success)
            << last_error();
        const size_t size = tombola_data_type_size(type);
        const auto count = static_cast<size_t>(elements(dims));
        const Bytes values = test_bytes(count * size, static_cast<uint32_t>(random_()));
        Bytes expected(values.size());
        reference::shuffle_reference(dims, size, static_cast<int>(axis), groups, backward,
                                     values.data(), expected.data());
        check(desc, {{backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, src, values}},
              backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, dst, &expected);
    });
}

TEST_F(RandomCases, Multinomial) {
    repeat([&] {
        reference::MultinomialRequest request;
        request.type = one_of({tombola_f16, tombola_bf16, tombola_f32, tombola_f64});
        request.with_replacement = chance(60);
        request.log_probs = chance(50);
        request.batch = pick(1, 5);
        request.classes = pick(1, chance(30) ? 5000 : 60);
        request.samples = pick(1, chance(20) ? 3000 : 20);
        if (!request.with_replacement) request.samples = std::min(request.samples, request.classes);
        request.global_seed = word() + 1;
        request.op_seed = word();
        request.offset = chance(50) ? 0 : word();
        // Weights of many magnitudes, of one, or of few values; now and then one that must be refused.
        const int spread = static_cast<int>(one_of({0, 3, 12, 200}));
        const int zeros = static_cast<int>(one_of({0, 20, 95}));
        const bool bad = chance(5);
        const size_t size = tombola_data_type_size(request.type);
        const auto count = static_cast<size_t>(request.batch * request.classes);
        Bytes probs(count * size);
        for (size_t i = 0; i < count; ++i) {
            double v = std::ldexp(static_cast<double>(pick(0, 4095)) / 4096.0,
                                  static_cast<int>(pick(-spread, spread)));
            if (request.log_probs && chance(50)) v = -v;
            if (chance(zeros)) v = request.log_probs ? -INFINITY : 0.0;
            if (bad && i == count / 2) v = one_of<double>({-1.0, NAN, INFINITY});
            std::memcpy(&probs[i * size], reference::nearest(request.type, v).data(), size);
        }
        const auto index_type = one_of({tombola_s32, tombola_s64});
        const MemoryDesc src = layout({request.batch, request.classes}, request.type),
                         dst = layout({request.batch, request.samples}, index_type),
                         u64x1 = row_major({1}, tombola_u64), u64x2 = row_major({2}, tombola_u64);
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_multinomial_primitive_desc_create(desc.out(), engine_, src, dst,
                                                            request.with_replacement,
                                                            request.log_probs, 1, 1, nullptr),
                  tombola_success)
            << last_error();
        std::vector<int64_t> indices;
        const bool refused =
            !reference::multinomial_reference(request, probs.data(), indices).empty();
        Bytes expected;
        for (const int64_t index : indices) {
            const Bytes bytes = bytes_of(index);
            expected.insert(
                expected.end(), bytes.begin(),
                bytes.begin() + static_cast<ptrdiff_t>(tombola_data_type_size(index_type)));
        }
        check(desc,
              {{TOMBOLA_ARG_SRC, src, probs},
               {TOMBOLA_ARG_SEEDS, u64x2,
                bytes_of(std::array<uint64_t, 2>{request.global_seed, request.op_seed})},
               {TOMBOLA_ARG_OFFSET, u64x1, bytes_of(request.offset)}},
              TOMBOLA_ARG_DST, dst, refused ? nullptr : &expected);
    });
}

// Forward writes no mask, which has tests of its own. Backward reads one, or draws it again.
TEST_F(RandomCases, Dropout) {
    repeat([&] {
        reference::DropoutRequest request;
        request.type = one_of({tombola_f16, tombola_bf16, tombola_f32});
        request.draw_bits = one_of({32, 16, 8});
        request.global_seed = word() + 1;
        request.op_seed = word();
        request.offset = chance(50) ? 0 : word() >> 1;
        request.p = chance(80)   ? static_cast<float>(pick(0, 1 << 24)) * 0x1p-24f
                    : chance(70) ? one_of({0.0f, 1.0f, 0x1p-24f})
                                 : one_of({-0x1p-149f, 1.0000001f, NAN, INFINITY});
        const bool backward = chance(50);
        const auto mask_kind =
            one_of({tombola_dropout_mask_none, tombola_dropout_mask_u8, tombola_dropout_mask_bits});
        // A mask that is written is left out here.
        const bool has_mask = backward && mask_kind != tombola_dropout_mask_none && chance(70);
        const DimVector dims = shape(8000);
        const auto before_src = random_;
        const MemoryDesc src = layout(dims, request.type);
        if (chance(50)) random_ = before_src;  // for the same layout
        const MemoryDesc dst = layout(dims, request.type), one = row_major({1}, tombola_f32),
                         u64x1 = row_major({1}, tombola_u64), u64x2 = row_major({2}, tombola_u64);
        PrimitiveDesc desc;
        ASSERT_EQ(backward ? tombola_dropout_backward_primitive_desc_create(
                                 desc.out(), engine_, dst, src, request.draw_bits, mask_kind, 1, 1,
                                 nullptr, nullptr)
                           : tombola_dropout_forward_primitive_desc_create(
                                 desc.out(), engine_, tombola_forward_training, src, dst,
                                 request.draw_bits, mask_kind, 1, 1, nullptr),
                  tombola_success)
            << last_error();
        const auto count = static_cast<size_t>(elements(dims));
        const Bytes values = test_bytes(count * tombola_data_type_size(request.type),
                                        static_cast<uint32_t>(random_()));
        std::vector<Input> inputs = {
            {backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, src, values},
            {TOMBOLA_ARG_P, one, bytes_of(request.p)},
            {TOMBOLA_ARG_SEEDS, u64x2,
             bytes_of(std::array<uint64_t, 2>{request.global_seed, request.op_seed})},
            {TOMBOLA_ARG_OFFSET, u64x1, bytes_of(request.offset)}};
        const bool refused = !reference::dropout_refusal(request.p).empty();
        Bytes expected(values.size());
        if (!refused) {
            std::vector<bool> keeps = reference::dropout_keeps(request, count);
            if (has_mask)
                for (size_t i = 0; i < count; ++i) keeps[i] = chance(60);
            reference::dropout_reference(request, keeps, values.data(), expected.data());
            if (has_mask)
                inputs.push_back({TOMBOLA_ARG_MASK,
                                  tombola_primitive_desc_query_md(desc, tombola_query_exec_arg_md,
                                                                  TOMBOLA_ARG_MASK),
                                  mask_kind == tombola_dropout_mask_bits
                                      ? reference::dropout_mask_bits(keeps)
                                      : reference::dropout_mask_bytes(keeps)});
        }
        check(desc, inputs, backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, dst,
              refused ? nullptr : &expected);
    });
}

TEST_F(RandomCases, StochasticRounding) {
    repeat([&] {
        reference::RoundingRequest request;
        request.type = one_of({tombola_f16, tombola_bf16});
        request.global_seed = word() + 1;
        request.op_seed = word();
        request.offset = chance(50) ? 0 : word() >> 1;
        const DimVector dims = shape(8000);
        const MemoryDesc src = layout(dims, tombola_f32), dst = layout(dims, request.type),
                         u64x1 = row_major({1}, tombola_u64), u64x2 = row_major({2}, tombola_u64);
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_stochastic_rounding_primitive_desc_create(desc.out(), engine_, src, dst,
                                                                    1, 1, nullptr),
                  tombola_success)
            << last_error();
        const auto count = static_cast<size_t>(elements(dims));
        Bytes values = test_bytes(count * sizeof(float), static_cast<uint32_t>(random_()));
        // Any bits, or numbers around the smallest normal and the greatest finite number of f16.
        if (const uint32_t near = one_of({0u, 0x38800000u, 0x477FE000u}); near != 0)
            for (size_t i = 0; i < count; ++i) {
                const auto bits = near + static_cast<uint32_t>(pick(-0x8000, 0x8000)) +
                                  (chance(50) ? 0x80000000u : 0);
                std::memcpy(&values[i * sizeof bits], &bits, sizeof bits);
            }
        Bytes expected(count * sizeof(uint16_t));
        reference::stochastic_rounding_reference(request, count, values.data(), expected.data());
        check(desc,
              {{TOMBOLA_ARG_SRC, src, values},
               {TOMBOLA_ARG_SEEDS, u64x2,
                bytes_of(std::array<uint64_t, 2>{request.global_seed, request.op_seed})},
               {TOMBOLA_ARG_OFFSET, u64x1, bytes_of(request.offset)}},
              TOMBOLA_ARG_DST, dst, &expected);
    });
}

TEST_F(RandomCases, RandomPermutation) {
    repeat([&] {
        reference::PermutationRequest request;
        request.alignment = one_of({tombola_permutation_pytorch, tombola_permutation_philox});
        const bool is_philox = request.alignment == tombola_permutation_philox;
        const auto type = one_of({tombola_s32, tombola_s64});
        request.range = pick(1, chance(50) ? 50 : 20000);
        if (is_philox && chance(40))
            request.range =
                pick(1, int64_t{1} << (type == tombola_s32 ? pick(1, 31) : pick(1, 60)));
        request.global_seed = word() + 1;
        request.op_seed = word();
        const int64_t count = chance(30) && request.range <= 20000
                                  ? request.range
                                  : pick(1, std::min<int64_t>(request.range, 5000));
        // Now and then beyond the end.
        request.offset =
            static_cast<uint64_t>(pick(0, request.range - count + (chance(10) ? 5 : 0)));
        const DimVector dims = {count}, strides = {pick(1, 3)};
        MemoryDesc dst;
        ASSERT_EQ(
            tombola_memory_desc_create_with_block(dst.out(), 1, dims.data(), type, strides.data(),
                                                  0, 1, chance(20) ? pick(1, 40) : 0),
            tombola_success)
            << last_error();
        const MemoryDesc u64x1 = row_major({1}, tombola_u64), u64x2 = row_major({2}, tombola_u64);
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_random_permutation_primitive_desc_create(
                      desc.out(), engine_, request.alignment, dst, request.range, 1, 1, nullptr),
                  tombola_success)
            << last_error();
        const bool refused = !reference::permutation_refusal(request, count).empty();
        Bytes expected;
        if (!refused)
            for (const int64_t element :
                 reference::random_permutation_reference(request, count, nullptr)) {
                const Bytes bytes = bytes_of(element);
                expected.insert(
                    expected.end(), bytes.begin(),
                    bytes.begin() + static_cast<ptrdiff_t>(tombola_data_type_size(type)));
            }
        check(desc,
              {{TOMBOLA_ARG_SEEDS, u64x2,
                bytes_of(std::array<uint64_t, 2>{request.global_seed, request.op_seed})},
               {TOMBOLA_ARG_OFFSET, u64x1, bytes_of(request.offset)}},
              TOMBOLA_ARG_DST, dst, refused ? nullptr : &expected);
    });
}

}  // namespace
}  // namespace tombola::test
