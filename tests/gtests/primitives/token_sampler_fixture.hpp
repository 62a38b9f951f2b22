// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of token_sampler share: a problem is the request that tests/reference takes. The fixture executes it by
// every implementation of its list and compares with the reference.

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>

#include "gtests/common/tensor.hpp"
#include "reference/numeric.hpp"
#include "reference/token_sampler_reference.hpp"

namespace tombola::test {

using reference::TokenSamplerRequest;
using reference::TokenSamplerResult;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr tombola_data_type_t kTypes[] = {tombola_f32, tombola_bf16, tombola_f16};
constexpr tombola_filter_order_t kOrders[] = {tombola_filter_order_transformers,
                                              tombola_filter_order_vllm, tombola_filter_order_joint,
                                              tombola_filter_order_temperature_last};

inline std::vector<uint8_t> to_bytes(tombola_data_type_t type, const std::vector<float>& values) {
    return reference::to_bytes(type, std::vector<double>(values.begin(), values.end()));
}

struct Problem {
    TokenSamplerRequest request;
    std::vector<uint8_t> logits;
    tombola_data_type_t index_type = tombola_s64;
    DimVector src_strides, dst_strides;  // none: row-major
    tombola_dim_t block = 1;             // more: both tensors are in blocks of so many columns
};

struct Outcome {
    tombola_status_t status = tombola_success;
    std::string error;
    TokenSamplerResult result;
    bool untouched = true;  // no byte of an output was written
};

template <class T>
std::vector<uint8_t> raw_bytes(const std::vector<T>& values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

class TokenSampler : public testing::Test {
  protected:
    PrimitiveDesc describe(const Problem& p) {
        const TokenSamplerRequest& r = p.request;
        const DimVector src_dims{r.batch, r.classes}, dst_dims{r.batch, r.samples};
        src_md_ = p.src_strides.empty() ? row_major(src_dims, r.type)
                                        : strided(src_dims, r.type, p.src_strides);
        dst_md_ = p.dst_strides.empty() ? row_major(dst_dims, p.index_type)
                                        : strided(dst_dims, p.index_type, p.dst_strides);
        if (p.block > 1) {
            src_md_ = in_blocks(src_dims, r.type, p.block);
            dst_md_ = in_blocks(dst_dims, p.index_type, p.block);
        }
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_token_sampler_primitive_desc_create(desc.out(), engine_, src_md_, dst_md_,
                                                              r.filter_order, r.logprobs, r.top_n,
                                                              99, 98, nullptr),
                  tombola_success)
            << last_error();
        return desc;
    }

    Outcome run(const Problem& p, const_tombola_primitive_desc_t desc) {
        const TokenSamplerRequest& r = p.request;
        std::vector<tombola_exec_arg_t> args;
        std::vector<std::unique_ptr<Tensor>> tensors;
        std::vector<MemoryDesc> descs;
        const auto add = [&](int arg, MemoryDesc md) -> Tensor& {
            tensors.push_back(std::make_unique<Tensor>(md, engine_));
            descs.push_back(std::move(md));
            args.push_back({arg, tensors.back()->memory()});
            return *tensors.back();
        };
        const auto add_given = [&](int arg, tombola_data_type_t type, const auto& values,
                                   int64_t columns = 1) {
            if (values.empty()) return;
            const auto rows = static_cast<int64_t>(values.size()) / columns;
            const DimVector dims = columns == 1 ? DimVector{rows}
                                   : rows == 1  ? DimVector{columns}
                                                : DimVector{rows, columns};
            add(arg, row_major(dims, type)).write(raw_bytes(values));
        };
        Tensor src(src_md_, engine_), dst(dst_md_, engine_);
        src.write(p.logits);
        args.push_back({TOMBOLA_ARG_SRC, src.memory()});
        args.push_back({TOMBOLA_ARG_DST, dst.memory()});
        add_given(TOMBOLA_ARG_TEMPERATURE, tombola_f32, r.temperature);
        add_given(TOMBOLA_ARG_TOP_K, tombola_s32, r.top_k);
        add_given(TOMBOLA_ARG_TOP_P, tombola_f32, r.top_p);
        add_given(TOMBOLA_ARG_MIN_P, tombola_f32, r.min_p);
        add_given(TOMBOLA_ARG_OFFSET, tombola_u64, r.offset);
        add_given(TOMBOLA_ARG_SEEDS, tombola_u64, r.seeds, 2);
        if (!r.mask.empty())
            add(TOMBOLA_ARG_MASK, row_major({r.batch, (r.classes + 31) / 32}, tombola_s32))
                .write(raw_bytes(r.mask));
        if (!r.uniforms.empty())
            add(TOMBOLA_ARG_UNIFORMS, row_major({r.batch, r.samples}, tombola_f64))
                .write(raw_bytes(r.uniforms));
        Tensor& kept = add(TOMBOLA_ARG_DST_KEPT, row_major({r.batch}, tombola_s32));
        std::vector<Tensor*> outputs{&dst, &kept};
        const bool logprobs = r.logprobs != tombola_logprobs_none;
        Tensor *sample_logprobs = nullptr, *top_ids = nullptr, *top_logprobs = nullptr;
        const auto add_output = [&](int arg, int64_t columns, tombola_data_type_t type) {
            outputs.push_back(&add(arg, row_major({r.batch, columns}, type)));
            return outputs.back();
        };
        if (logprobs)
            sample_logprobs = add_output(TOMBOLA_ARG_DST_LOGPROBS, r.samples, tombola_f32);
        if (r.top_n > 0) top_ids = add_output(TOMBOLA_ARG_DST_TOP_IDS, r.top_n, p.index_type);
        if (r.top_n > 0 && logprobs)
            top_logprobs = add_output(TOMBOLA_ARG_DST_TOP_LOGPROBS, r.top_n, tombola_f32);

        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
        Outcome outcome;
        outcome.status = tombola_primitive_execute(primitive, stream_,
                                                   static_cast<int>(args.size()), args.data());
        outcome.error = outcome.status == tombola_success ? "" : last_error();
        for (Tensor* output : outputs) {
            outcome.untouched = outcome.untouched && output->buffer().is_poison();
            EXPECT_TRUE(output->outside_is_intact());
        }
        if (outcome.status != tombola_success) return outcome;
        EXPECT_TRUE(dst.padding_is_zero());
        outcome.result.ids = indices(dst, p.index_type);
        outcome.result.kept = kept.read_as<int32_t>();
        if (logprobs) outcome.result.logprobs = sample_logprobs->read_as<float>();
        if (top_ids != nullptr) outcome.result.top_ids = indices(*top_ids, p.index_type);
        if (top_logprobs != nullptr) outcome.result.top_logprobs = top_logprobs->read_as<float>();
        return outcome;
    }

    // Every implementation gives what the reference gives, bit for bit, or a refusal that names the place.
    void check(const Problem& p, const std::string& what) {
        const TokenSamplerResult expected =
            reference::token_sampler_reference(p.request, p.logits.data());
        for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
            SCOPED_TRACE(what + " " + impl_name(desc));
            const Outcome outcome = run(p, desc);
            if (!expected.refusal.empty()) {
                ASSERT_EQ(outcome.status, tombola_invalid_arguments);
                EXPECT_NE(outcome.error.find(expected.refusal), std::string::npos)
                    << outcome.error << " should say \"" << expected.refusal << '"';
                EXPECT_TRUE(outcome.untouched);
                return;
            }
            ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
            ASSERT_EQ(outcome.result.kept, expected.kept);
            ASSERT_EQ(outcome.result.ids, expected.ids);
            ASSERT_EQ(raw_bytes(outcome.result.logprobs), raw_bytes(expected.logprobs));
            ASSERT_EQ(outcome.result.top_ids, expected.top_ids);
            ASSERT_EQ(raw_bytes(outcome.result.top_logprobs), raw_bytes(expected.top_logprobs));
        });
    }

    // For each implementation, what visit(result, name) says of a successful execution.
    template <class Visit>
    void for_each_result(const Problem& p, const Visit& visit) {
        for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
            SCOPED_TRACE(impl_name(desc));
            const Outcome outcome = run(p, desc);
            ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
            visit(outcome.result);
        });
    }

    static std::vector<int64_t> indices(const Tensor& tensor, tombola_data_type_t type) {
        if (type == tombola_s64) return tensor.read_as<int64_t>();
        const std::vector<int32_t> narrow = tensor.read_as<int32_t>();
        return {narrow.begin(), narrow.end()};
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
    MemoryDesc src_md_, dst_md_;
};

inline Problem problem(tombola_data_type_t type, int64_t batch, int64_t samples,
                       const std::vector<float>& logits) {
    Problem p;
    p.request.type = type;
    p.request.batch = batch;
    p.request.classes = static_cast<int64_t>(logits.size()) / batch;
    p.request.samples = samples;
    p.request.seeds = {234, 148};
    p.logits = to_bytes(type, logits);
    return p;
}

}  // namespace tombola::test
