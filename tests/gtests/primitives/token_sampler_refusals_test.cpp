// SPDX-License-Identifier: Apache-2.0

// What token_sampler refuses, when it is described and when it is executed; and what it must not refuse.

#include <gtest/gtest.h>

#include <string>

#include "gtests/primitives/token_sampler_fixture.hpp"

namespace tombola::test {
namespace {

TEST_F(TokenSampler, RefusesWithArgumentAndRow) {
    const auto make = [] { return problem(tombola_f32, 3, 2, std::vector<float>(3 * 40, 1)); };
    const auto refuse = [&](const Problem& p, const std::string& what) {
        EXPECT_FALSE(reference::token_sampler_refusal(p.request, p.logits.data()).empty()) << what;
        check(p, what);
    };
    for (const float t : {-1.0f, kNan, kInf, 0x1p-65f, -0x1p-80f}) {
        Problem p = make();
        p.request.temperature = {t};
        refuse(p, "temperature");
        p.request.temperature = {1, 0, t};
        refuse(p, "temperature in rows");
    }
    for (const float v : {-0.1f, 1.0000001f, kNan, kInf}) {
        Problem p = make();
        p.request.top_p = {v};
        refuse(p, "top_p");
        p.request.top_p = {1, v, v};
        refuse(p, "top_p in rows");
        p = make();
        p.request.min_p = {0, 0, v};
        refuse(p, "min_p");
    }
    Problem p = make();
    p.request.top_k = {-1};
    refuse(p, "top_k");
    p.request.top_k = {0, 1, INT32_MIN};
    refuse(p, "top_k in rows");
    p = make();
    p.request.uniforms = {0, 1, 0.5, -0.0, 1.5, 0};
    refuse(p, "uniforms");
    p = make();
    p.request.mask = {1, 1, 0, 0, 1, 0};
    refuse(p, "mask");
    p = make();
    p.request.offset = {UINT64_MAX - 4};
    refuse(p, "offset");
    // The last row has the lowest limit, which the message names.
    p.request.offset = {UINT64_MAX};
    refuse(p, "offset at the end");
    p.request.offset = {0, 1, UINT64_MAX - 4};
    refuse(p, "offset in rows");
    for (const size_t classes : {40, 1500, 5003, 70001})
        for (const float x : {kNan, -kNan, kInf})
            for (const size_t at : {size_t{0}, 2 * classes - 1, 2 * classes + classes / 2}) {
                std::vector<float> logits(3 * classes, 1);
                logits[at] = x;
                for (const auto type : kTypes)
                    for (const int32_t top_k : {0, 1, 20}) {
                        Problem bad = problem(type, 3, 1, logits);
                        bad.request.top_k = {top_k};
                        refuse(bad, "logit");
                    }
            }
    std::vector<float> logits(120, -kInf);
    logits[7] = logits[90] = 0;
    refuse(problem(tombola_f32, 3, 1, logits), "all -inf");
}

// The last numbers of a stream may be drawn: those of the last row, or, where each row has a stream, those of every row.
TEST_F(TokenSampler, AStreamMayBeDrawnToItsEnd) {
    const auto accept = [&](const Problem& p, const std::string& what) {
        EXPECT_EQ(reference::token_sampler_refusal(p.request, p.logits.data()), "") << what;
        check(p, what);
    };
    Problem p = problem(tombola_f32, 3, 2, std::vector<float>(3 * 40, 1));
    p.request.offset = {UINT64_MAX - 5};
    accept(p, "one stream");
    p.request.seeds = {1, 2, 3, 4, 5, 6};
    p.request.row_seeds = true;
    p.request.offset = {UINT64_MAX - 1};
    accept(p, "a stream for each row");
    p.request.offset = {0, UINT64_MAX - 1, 7};
    accept(p, "an offset for each row");
}

// Masked classes may hold anything.
TEST_F(TokenSampler, MaskedClassesAreNeverLookedAt) {
    for (const auto type : kTypes)
        for (const int64_t classes : {3, 64, 700, 1500}) {
            std::vector<float> logits(static_cast<size_t>(classes), kNan);
            logits[1] = kInf;
            logits[2] = 3;
            logits.back() = 2;
            Problem p = problem(type, 1, 20, logits);
            p.request.mask.assign(static_cast<size_t>(classes + 31) / 32, 0);
            p.request.mask[0] |= 4;
            p.request.mask.back() |= 1u << ((classes - 1) % 32);
            p.request.top_n = 3;
            p.request.logprobs = tombola_logprobs_processed;
            check(p, std::to_string(classes));
            p.request.top_k = {1};
            check(p, std::to_string(classes));
        }
}

TEST_F(TokenSampler, DescriptorsAreChecked) {
    const auto create = [&](const MemoryDesc& src, const MemoryDesc& dst, int order, int logprobs,
                            int64_t top_n) {
        PrimitiveDesc desc;
        const tombola_status_t status = tombola_token_sampler_primitive_desc_create(
            desc.out(), engine_, src, dst, static_cast<tombola_filter_order_t>(order),
            static_cast<tombola_logprobs_t>(logprobs), top_n, 1, 2, nullptr);
        return status == tombola_success ? "" : last_error();
    };
    const auto expect = [&](const std::string& error, const std::string& part) {
        EXPECT_NE(error.find(part), std::string::npos) << error << " should say " << part;
    };
    const auto src = [](int64_t rows, int64_t classes) {
        return row_major({rows, classes}, tombola_f32);
    };
    const auto dst = [](int64_t rows, int64_t samples) {
        return row_major({rows, samples}, tombola_s32);
    };
    EXPECT_EQ(create(src(2, 5), dst(2, 1), 3, 2, 5), "");
    expect(create(src(2, 5), dst(3, 1), 0, 0, 0), "dst_desc has 3 rows; expected 2");
    expect(create(row_major({2, 5}, tombola_f64), dst(2, 1), 0, 0, 0), "logits_desc");
    expect(create(src(2, 5), row_major({2, 1}, tombola_f32), 0, 0, 0), "dst_desc");
    expect(create(row_major({5}, tombola_f32), dst(2, 1), 0, 0, 0), "logits_desc has 1 dimensions");
    expect(create(src(2, 5), row_major({2}, tombola_s32), 0, 0, 0), "dst_desc has 1 dimensions");
    expect(create(src(2, 5), dst(2, 1), 0, 0, 6), "top_n is 6; expected 0 to 5");
    expect(create(src(2, 5), dst(2, 1), 0, 0, -1), "top_n is -1");
    expect(create(src(2, 0), dst(2, 1), 0, 0, 0), "logits_desc has 0 classes");
    EXPECT_EQ(create(src(1, INT32_MAX), dst(1, 1), 0, 0, 0), "");
    expect(create(src(1, INT64_C(1) << 31), dst(1, 1), 0, 0, 0),
           "logits_desc has 2147483648 classes; expected at most 2147483647");
    expect(create(src(2, 5), dst(2, 1), 4, 0, 0), "filter_order is 4");
    expect(create(src(2, 5), dst(2, 1), 0, 3, 0), "logprobs is 3");
}

TEST_F(TokenSampler, ArgumentsOfAnotherShapeAreRefused) {
    std::vector<float> logits(3 * 40, 1);
    const MemoryDesc src_md = row_major({3, 40}, tombola_f32),
                     dst_md = row_major({3, 1}, tombola_s32);
    PrimitiveDesc desc;
    ASSERT_EQ(tombola_token_sampler_primitive_desc_create(desc.out(), engine_, src_md, dst_md,
                                                          tombola_filter_order_transformers,
                                                          tombola_logprobs_none, 0, 1, 2, nullptr),
              tombola_success);
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
    std::vector<int32_t> ids(3);
    std::vector<uint64_t> zeros(64, 0);
    const Memory src = memory_over(src_md, engine_, logits.data());
    const Memory dst = memory_over(dst_md, engine_, ids.data());
    const auto status_of = [&](int arg, const_tombola_memory_desc_t layout) {
        const Memory memory = memory_over(layout, engine_, zeros.data());
        const tombola_exec_arg_t args[] = {
            {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}, {arg, memory}};
        return tombola_primitive_execute(primitive, stream_, 3, args);
    };
    const auto status = [&](int arg, const DimVector& dims, tombola_data_type_t type) {
        return status_of(arg, row_major(dims, type));
    };
    for (const DimVector& dims : {DimVector{1}, {3}, {3, 1}, {1, 1}})
        EXPECT_EQ(status(TOMBOLA_ARG_TOP_K, dims, tombola_s32), tombola_success) << last_error();
    for (const DimVector& dims : {DimVector{2}, {4}, {1, 3}, {3, 2}, {0}}) {
        EXPECT_EQ(status(TOMBOLA_ARG_TOP_K, dims, tombola_s32), tombola_invalid_arguments);
        EXPECT_NE(last_error().find("TOP_K has the memory descriptor"), std::string::npos);
        EXPECT_NE(last_error().find("expected 1 element of s32, with leading dimensions of 1 if "
                                    "any, or 3 or 3x1 in rows"),
                  std::string::npos)
            << last_error();
    }
    EXPECT_EQ(status(TOMBOLA_ARG_TOP_K, {3}, tombola_s64), tombola_invalid_arguments);
    EXPECT_EQ(status(TOMBOLA_ARG_SEEDS, {3, 2}, tombola_u64), tombola_success) << last_error();
    EXPECT_EQ(status(TOMBOLA_ARG_SEEDS, {6}, tombola_u64), tombola_invalid_arguments);
    EXPECT_EQ(status(TOMBOLA_ARG_SEEDS, {3}, tombola_u64), tombola_invalid_arguments);
    EXPECT_EQ(status(TOMBOLA_ARG_MASK, {3, 1}, tombola_s32), tombola_invalid_arguments);
    // Rows lie one behind the other.
    for (const auto& [dims, strides] :
         {std::pair<DimVector, DimVector>{{3}, {2}}, {{3, 1}, {2, 1}}})
        EXPECT_EQ(status_of(TOMBOLA_ARG_TOP_K, strided(dims, tombola_s32, strides)),
                  tombola_invalid_arguments);
    EXPECT_EQ(status_of(TOMBOLA_ARG_SEEDS, strided({3, 2}, tombola_u64, {1, 3})),
              tombola_invalid_arguments);
    // What the descriptor does not ask for is no argument.
    EXPECT_EQ(status(TOMBOLA_ARG_DST_LOGPROBS, {3, 1}, tombola_f32), tombola_invalid_arguments);
    EXPECT_EQ(status(TOMBOLA_ARG_DST_TOP_IDS, {3, 1}, tombola_s32), tombola_invalid_arguments);
}

TEST_F(TokenSampler, EmptyTensors) {
    Problem p = problem(tombola_f32, 1, 0, {1, 2, 3});
    p.request.top_k = {2};
    check(p, "no samples: the set is counted all the same");
    const MemoryDesc src_md = row_major({0, 5}, tombola_f32),
                     dst_md = row_major({0, 2}, tombola_s32);
    PrimitiveDesc desc;
    ASSERT_EQ(tombola_token_sampler_primitive_desc_create(desc.out(), engine_, src_md, dst_md,
                                                          tombola_filter_order_vllm,
                                                          tombola_logprobs_raw, 1, 0, 0, nullptr),
              tombola_success)
        << last_error();
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
    const Memory src = memory_over(src_md, engine_, nullptr);
    const Memory dst = memory_over(dst_md, engine_, nullptr);
    const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}};
    EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 2, args), tombola_success)
        << last_error();
    // Parameters for each of no rows.
    const Memory temperature = memory_over(row_major({0}, tombola_f32), engine_, nullptr),
                 seeds = memory_over(row_major({0, 2}, tombola_u64), engine_, nullptr),
                 used = memory_over(row_major({0, 2}, tombola_u64), engine_, nullptr);
    const tombola_exec_arg_t of_rows[] = {{TOMBOLA_ARG_SRC, src},
                                          {TOMBOLA_ARG_TEMPERATURE, temperature},
                                          {TOMBOLA_ARG_SEEDS, seeds},
                                          {TOMBOLA_ARG_DST_SEEDS, used},
                                          {TOMBOLA_ARG_DST, dst}};
    EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 5, of_rows), tombola_success)
        << last_error();
    // Such seeds have an address when they come from an array of another library. Nothing is read there, not even to report them.
    const GuardedBuffer nothing(0);
    const Memory pairs = memory_over(row_major({0, 2}, tombola_u64), engine_, nothing.data());
    const tombola_exec_arg_t addressed[] = {{TOMBOLA_ARG_SRC, src},
                                            {TOMBOLA_ARG_SEEDS, pairs},
                                            {TOMBOLA_ARG_DST_SEEDS, used},
                                            {TOMBOLA_ARG_DST, dst}};
    EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 4, addressed), tombola_success)
        << last_error();
}

}  // namespace
}  // namespace tombola::test
