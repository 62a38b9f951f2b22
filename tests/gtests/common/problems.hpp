// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small problem of each kind: every primitive, and every way in which one works. Making the table allocates nothing, for
// tests that count allocations.

#include "tombola/tombola.h"

namespace tombola::test {

constexpr int kMaxArgs = 4;

// A problem: what creates the primitive descriptor, and the tensors of an execution.
struct Problem {
    const char* name;
    tombola_status_t (*create)(tombola_primitive_desc_t*, tombola_engine_t,
                               const tombola_memory_desc_t*, const_tombola_primitive_attr_t);
    struct Tensor {
        int arg;
        int ndims;
        tombola_dim_t dims[4];
        tombola_data_type_t type;
        tombola_format_tag_t tag;
        double value;  // of all elements, where it is an input of f32
    } tensors[kMaxArgs];
};

constexpr auto kNoArg = 0;

template <tombola_dim_t group>
tombola_status_t create_shuffle(tombola_primitive_desc_t* pd, tombola_engine_t engine,
                                const tombola_memory_desc_t* mds,
                                const_tombola_primitive_attr_t attr) {
    return tombola_shuffle_forward_primitive_desc_create(pd, engine, tombola_forward_inference,
                                                         mds[0], mds[1], 1, group, attr);
}

inline const Problem kProblems[] = {
    {"shuffle of rows",
     create_shuffle<4>,
     {{TOMBOLA_ARG_SRC, 4, {1, 8, 3, 5}, tombola_f32, tombola_nchw, 1},
      {TOMBOLA_ARG_DST, 4, {1, 8, 3, 5}, tombola_f32, tombola_nchw, 0}}},
    {"shuffle of neighbours",
     create_shuffle<4>,
     {{TOMBOLA_ARG_SRC, 4, {1, 48, 2, 2}, tombola_u8, tombola_nhwc, 1},
      {TOMBOLA_ARG_DST, 4, {1, 48, 2, 2}, tombola_u8, tombola_nhwc, 0}}},
    {"backward shuffle of blocks",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_shuffle_backward_primitive_desc_create(pd, engine, mds[1], mds[0], 1, 2,
                                                               nullptr, attr);
     },
     {{TOMBOLA_ARG_DIFF_DST, 4, {1, 32, 1, 1}, tombola_bf16, tombola_nChw16c, 1},
      {TOMBOLA_ARG_DIFF_SRC, 4, {1, 32, 1, 1}, tombola_bf16, tombola_nChw16c, 0}}},
    {"shuffle of padded blocks",
     create_shuffle<3>,
     {{TOMBOLA_ARG_SRC, 4, {2, 18, 5, 7}, tombola_f32, tombola_nchw, 1},
      {TOMBOLA_ARG_DST, 4, {2, 18, 5, 7}, tombola_f32, tombola_nChw16c, 0}}},
    {"random_generator",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_generator_primitive_desc_create(pd, engine, tombola_philox4x32_10,
                                                               mds[0], attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_u32, tombola_ba, 0},
      {TOMBOLA_ARG_SRC_STATE, 1, {6}, tombola_u32, tombola_a, 0}}},
    {"random_uniform as TensorFlow",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_uniform_primitive_desc_create(
             pd, engine, tombola_alignment_tensorflow, mds[0], 1, 2, tombola_int_draws_spec, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_f32, tombola_ba, 0},
      {TOMBOLA_ARG_MIN, 1, {1}, tombola_f32, tombola_a, 0},
      {TOMBOLA_ARG_MAX, 1, {1}, tombola_f32, tombola_a, 1}}},
    {"random_uniform as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_uniform_primitive_desc_create(
             pd, engine, tombola_alignment_pytorch, mds[0], 1, 2, tombola_int_draws_spec, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {8, 6500}, tombola_f32, tombola_ba, 0},
      {TOMBOLA_ARG_MIN, 1, {1}, tombola_f32, tombola_a, 0},
      {TOMBOLA_ARG_MAX, 1, {1}, tombola_f32, tombola_a, 1},
      {TOMBOLA_ARG_OFFSET, 1, {1}, tombola_u64, tombola_a, 0}}},
    {"random_normal as TensorFlow",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_normal_primitive_desc_create(
             pd, engine, tombola_alignment_tensorflow, mds[0], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_f32, tombola_ba, 0}}},
    {"random_normal as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_normal_primitive_desc_create(pd, engine, tombola_alignment_pytorch,
                                                            mds[0], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {16, 3200}, tombola_f32, tombola_ba, 0},
      {TOMBOLA_ARG_MEAN, 1, {1}, tombola_f32, tombola_a, 0},
      {TOMBOLA_ARG_STD, 1, {1}, tombola_f32, tombola_a, 1}}},
    {"random_exponential as TensorFlow",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_exponential_primitive_desc_create(
             pd, engine, tombola_alignment_tensorflow, mds[0], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_f32, tombola_ba, 0}}},
    {"random_exponential as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_exponential_primitive_desc_create(
             pd, engine, tombola_alignment_pytorch, mds[0], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {16, 3200}, tombola_f32, tombola_ba, 0},
      {TOMBOLA_ARG_OFFSET, 1, {1}, tombola_u64, tombola_a, 0}}},
    {"random_bernoulli as TensorFlow",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_bernoulli_primitive_desc_create(
             pd, engine, tombola_alignment_tensorflow, mds[0], mds[1], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_u8, tombola_ba, 0},
      {TOMBOLA_ARG_P, 2, {3, 50}, tombola_f32, tombola_ab, 0}}},
    {"random_bernoulli as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_bernoulli_primitive_desc_create(
             pd, engine, tombola_alignment_pytorch, mds[0], mds[1], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {16, 3200}, tombola_f32, tombola_ba, 0},
      {TOMBOLA_ARG_P, 2, {16, 3200}, tombola_f64, tombola_ba, 0}}},
    {"multinomial with replacement",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_multinomial_primitive_desc_create(pd, engine, mds[0], mds[1], 1, 0, 1, 2,
                                                          attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {2, 100}, tombola_f32, tombola_ab, 1},
      {TOMBOLA_ARG_DST, 2, {2, 60}, tombola_s32, tombola_ab, 0}}},
    {"multinomial without replacement",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_multinomial_primitive_desc_create(pd, engine, mds[0], mds[1], 0, 1, 1, 2,
                                                          attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {2, 100}, tombola_f32, tombola_ba, 1},
      {TOMBOLA_ARG_DST, 2, {2, 7}, tombola_s64, tombola_ab, 0}}},
    {"random_permutation as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_permutation_primitive_desc_create(
             pd, engine, tombola_permutation_pytorch, mds[0], 3000, 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 1, {2000}, tombola_s64, tombola_a, 0}}},
    {"random_permutation by Philox",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_permutation_primitive_desc_create(
             pd, engine, tombola_permutation_philox, mds[0], 3000, 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 1, {2000}, tombola_s32, tombola_a, 0}}},
    {"dropout with a mask of bits",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_dropout_forward_primitive_desc_create(
             pd, engine, tombola_forward_training, mds[0], mds[1], 16, tombola_dropout_mask_bits, 1,
             2, attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {3, 50}, tombola_bf16, tombola_ba, 0},
      {TOMBOLA_ARG_DST, 2, {3, 50}, tombola_bf16, tombola_ba, 0},
      {TOMBOLA_ARG_P, 1, {1}, tombola_f32, tombola_a, 0.5},
      {TOMBOLA_ARG_MASK, 1, {19}, tombola_u8, tombola_a, 0}}},
    {"dropout of padded blocks",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_dropout_forward_primitive_desc_create(pd, engine, tombola_forward_training,
                                                              mds[0], mds[1], 32,
                                                              tombola_dropout_mask_u8, 1, 2, attr);
     },
     {{TOMBOLA_ARG_SRC, 4, {2, 18, 5, 7}, tombola_f32, tombola_nChw16c, 0},
      {TOMBOLA_ARG_DST, 4, {2, 18, 5, 7}, tombola_f32, tombola_nChw16c, 0},
      {TOMBOLA_ARG_P, 1, {1}, tombola_f32, tombola_a, 0.5},
      {TOMBOLA_ARG_MASK, 4, {2, 18, 5, 7}, tombola_u8, tombola_nChw16c, 0}}},
    {"stochastic_rounding",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_stochastic_rounding_primitive_desc_create(pd, engine, mds[0], mds[1], 1, 2,
                                                                  attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {3, 500}, tombola_f32, tombola_ab, 1},
      {TOMBOLA_ARG_DST, 2, {3, 500}, tombola_f16, tombola_ab, 0}}},
    {"token_sampler",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_token_sampler_primitive_desc_create(
             pd, engine, mds[0], mds[1], tombola_filter_order_transformers,
             tombola_logprobs_processed, 2, 1, 2, attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {2, 1000}, tombola_f32, tombola_ba, 1},
      {TOMBOLA_ARG_DST, 2, {2, 3}, tombola_s64, tombola_ab, 0}}},
};

}  // namespace tombola::test
