// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of multinomial share. A problem is the request that tests/reference takes. The fixture executes it by
// every implementation of its list and compares with the reference, which is written from doc/multinomial.md in integer
// arithmetic.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtests/common/noise.hpp"
#include "gtests/common/tensor.hpp"
#include "reference/multinomial_reference.hpp"
#include "reference/numeric.hpp"

namespace tombola::test {

using reference::MultinomialRequest;
using reference::to_bytes;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Problem {
    MultinomialRequest request;
    std::vector<uint8_t> probs;
    tombola_data_type_t index_type = tombola_s64;
    DimVector src_strides, dst_strides;  // none: row-major
    tombola_dim_t block = 1;             // more: both tensors are in blocks of so many columns
    bool use_seeds_argument = false;
};

struct Outcome {
    tombola_status_t status;
    std::string error;
    std::vector<int64_t> indices;
    bool untouched;  // no byte of DST was written
};

class Multinomial : public testing::Test {
  protected:
    PrimitiveDesc describe(const Problem& p) {
        const DimVector src_dims{p.request.batch, p.request.classes};
        const DimVector dst_dims{p.request.batch, p.request.samples};
        src_md_ = p.src_strides.empty() ? row_major(src_dims, p.request.type)
                                        : strided(src_dims, p.request.type, p.src_strides);
        dst_md_ = p.dst_strides.empty() ? row_major(dst_dims, p.index_type)
                                        : strided(dst_dims, p.index_type, p.dst_strides);
        if (p.block > 1) {
            src_md_ = in_blocks(src_dims, p.request.type, p.block);
            dst_md_ = in_blocks(dst_dims, p.index_type, p.block);
        }
        PrimitiveDesc desc;
        const bool from_argument = p.use_seeds_argument;
        EXPECT_EQ(tombola_multinomial_primitive_desc_create(
                      desc.out(), engine_, src_md_, dst_md_, p.request.with_replacement,
                      p.request.log_probs, from_argument ? 99 : p.request.global_seed,
                      from_argument ? 98 : p.request.op_seed, nullptr),
                  tombola_success)
            << last_error();
        return desc;
    }

    Outcome run(const Problem& p, const_tombola_primitive_desc_t desc) {
        Tensor src(src_md_, engine_);
        Tensor dst(dst_md_, engine_);
        src.write(p.probs);
        std::vector<tombola_exec_arg_t> args{{TOMBOLA_ARG_SRC, src.memory()},
                                             {TOMBOLA_ARG_DST, dst.memory()}};
        uint64_t seeds[2] = {p.request.global_seed, p.request.op_seed};
        uint64_t offset = p.request.offset;
        std::vector<double> uniforms = p.request.uniforms;
        const Memory seeds_memory = memory_over(row_major({2}, tombola_u64), engine_, seeds);
        const Memory offset_memory = memory_over(row_major({1}, tombola_u64), engine_, &offset);
        const Memory uniforms_memory =
            memory_over(row_major({p.request.batch, p.request.samples}, tombola_f64), engine_,
                        uniforms.empty() ? nullptr : uniforms.data());
        if (p.use_seeds_argument) args.push_back({TOMBOLA_ARG_SEEDS, seeds_memory});
        if (offset != 0) args.push_back({TOMBOLA_ARG_OFFSET, offset_memory});
        if (!uniforms.empty()) args.push_back({TOMBOLA_ARG_UNIFORMS, uniforms_memory});

        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
        Outcome outcome;
        outcome.status = tombola_primitive_execute(primitive, stream_,
                                                   static_cast<int>(args.size()), args.data());
        outcome.error = outcome.status == tombola_success ? "" : last_error();
        outcome.untouched = dst.buffer().is_poison();
        EXPECT_TRUE(dst.outside_is_intact());
        if (outcome.status != tombola_success) return outcome;
        EXPECT_TRUE(dst.padding_is_zero());
        if (p.index_type == tombola_s32) {
            for (const int32_t index : dst.read_as<int32_t>()) outcome.indices.push_back(index);
        } else {
            outcome.indices = dst.read_as<int64_t>();
        }
        return outcome;
    }

    // Every implementation gives what the reference gives: the same samples, or a refusal that names the place.
    void check(const Problem& p, const std::string& what) {
        std::vector<int64_t> expected;
        const std::string refusal =
            reference::multinomial_reference(p.request, p.probs.data(), expected);
        int implementations = 0;
        for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
            ++implementations;
            SCOPED_TRACE(what + " " + impl_name(desc));
            const Outcome outcome = run(p, desc);
            if (refusal.empty()) {
                ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
                ASSERT_EQ(outcome.indices, expected);
            } else {
                ASSERT_EQ(outcome.status, tombola_invalid_arguments);
                EXPECT_NE(outcome.error.find(refusal), std::string::npos)
                    << outcome.error << " should say \"" << refusal << '"';
                EXPECT_TRUE(outcome.untouched);
            }
        });
        EXPECT_GE(implementations, 1);
    }

    // The samples themselves, from elsewhere than the reference.
    void expect(const Problem& p, const std::vector<int64_t>& indices) {
        for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
            SCOPED_TRACE(impl_name(desc));
            const Outcome outcome = run(p, desc);
            EXPECT_EQ(outcome.status, tombola_success) << outcome.error;
            EXPECT_EQ(outcome.indices, indices);
        });
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
    MemoryDesc src_md_, dst_md_;
};

inline Problem problem(tombola_data_type_t type, int64_t batch, int64_t samples,
                       const std::vector<double>& probs) {
    Problem p;
    p.request.type = type;
    p.request.batch = batch;
    p.request.classes = static_cast<int64_t>(probs.size()) / batch;
    p.request.samples = samples;
    p.request.global_seed = 234;
    p.request.op_seed = 148;
    p.probs = to_bytes(type, probs);
    return p;
}

constexpr tombola_data_type_t kTypes[] = {tombola_f16, tombola_bf16, tombola_f32, tombola_f64};

// Weights or logits of a batch, of a kind that differs from row to row.
inline std::vector<double> varied(int64_t batch, int64_t classes, bool log_probs, uint64_t seed) {
    Noise noise(seed);
    std::vector<double> values;
    for (int64_t row = 0; row < batch; ++row) {
        for (int64_t k = 0; k < classes; ++k) {
            const double u = noise.next();
            if (log_probs)
                values.push_back(row % 3 == 0 ? 8 * u - 4 : row % 3 == 1 ? 200 * u - 100 : -u);
            else
                values.push_back(row % 3 == 0   ? u
                                 : row % 3 == 1 ? std::exp(20 * u - 20)
                                 : u < 0.5      ? 0
                                                : 1);
        }
        values.back() = 1;  // no row is all zeros
    }
    return values;
}

}  // namespace tombola::test
