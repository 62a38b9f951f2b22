// SPDX-License-Identifier: Apache-2.0
#pragma once

// PyTorch operators on tombola's primitives, for tensors on the CPU.
//
// The random ones draw from a torch::Generator, PyTorch's default one if none is given. They take its state, draw, and
// hand it back: they continue PyTorch's own stream, and PyTorch continues theirs. A call that fails draws nothing.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/util/string_view.h>

#include <tuple>

namespace tombola_torch {

using OptionalGenerator = c10::optional<at::Generator>;

// torch.rand: the same numbers, bit for bit. float32, float64, float16, bfloat16 and complex types.
at::Tensor rand(at::IntArrayRef size, const at::TensorOptions& options = {},
                OptionalGenerator generator = c10::nullopt);
at::Tensor& rand_out(at::Tensor& out, at::IntArrayRef size,
                     OptionalGenerator generator = c10::nullopt);

// Tensor.uniform_: the same numbers, in memory order as PyTorch fills, whatever the strides.
at::Tensor& uniform_(at::Tensor& self, double from = 0, double to = 1,
                     OptionalGenerator generator = c10::nullopt);

// torch.randn and Tensor.normal_: the same numbers, bit for bit in float32, bfloat16 and float16, with rare exceptions in fewer than 16
// elements (doc/random_normal.md); in float64 up to the rounding of the C library's functions. Where tombola has not PyTorch's numbers,
// PyTorch itself draws: 16 and more elements that are not contiguous, and float16 before version 2.6.
at::Tensor randn(at::IntArrayRef size, const at::TensorOptions& options = {},
                 OptionalGenerator generator = c10::nullopt);
at::Tensor& randn_out(at::Tensor& out, at::IntArrayRef size,
                      OptionalGenerator generator = c10::nullopt);
at::Tensor& normal_(at::Tensor& self, double mean = 0, double std = 1,
                    OptionalGenerator generator = c10::nullopt);

// Tensor.exponential_: the same numbers, bit for bit, with rare exceptions (doc/random_exponential.md); in float64 with PyTorch 1.13 up
// to the rounding of the C library's log. A PyTorch that is built with MKL takes those of exponential_ (some releases of 2.x) and of
// bernoulli_ with a number from another stream.
at::Tensor& exponential_(at::Tensor& self, double lambda = 1,
                         OptionalGenerator generator = c10::nullopt);

// Tensor.bernoulli_ with a number and with a tensor of probabilities, and torch.bernoulli: the same numbers.
at::Tensor& bernoulli_(at::Tensor& self, double p = 0.5,
                       OptionalGenerator generator = c10::nullopt);
at::Tensor& bernoulli_(at::Tensor& self, const at::Tensor& p,
                       OptionalGenerator generator = c10::nullopt);
at::Tensor bernoulli(const at::Tensor& probabilities, OptionalGenerator generator = c10::nullopt);
at::Tensor& bernoulli_out(at::Tensor& out, const at::Tensor& probabilities,
                          OptionalGenerator generator = c10::nullopt);

// Tensor.random_ with two bounds: the same numbers, for every integer and floating-point type. How many words one
// takes follows the version of PyTorch this is built for.
at::Tensor& random_(at::Tensor& self, int64_t from, int64_t to,
                    OptionalGenerator generator = c10::nullopt);

// torch.randint: random_ on a new tensor, of int64 if options name no type.
at::Tensor randint(int64_t high, at::IntArrayRef size, const at::TensorOptions& options = {},
                   OptionalGenerator generator = c10::nullopt);
at::Tensor randint(int64_t low, int64_t high, at::IntArrayRef size,
                   const at::TensorOptions& options = {},
                   OptionalGenerator generator = c10::nullopt);
at::Tensor& randint_out(at::Tensor& out, int64_t low, int64_t high, at::IntArrayRef size,
                        OptionalGenerator generator = c10::nullopt);

// torch.randperm: the same permutation, of int64 if options name no type.
at::Tensor randperm(int64_t n, const at::TensorOptions& options = {},
                    OptionalGenerator generator = c10::nullopt);
at::Tensor& randperm_out(at::Tensor& out, int64_t n, OptionalGenerator generator = c10::nullopt);

// torch.multinomial. With replacement and more than one sample it draws the words that PyTorch draws and applies
// the same rule to them, with sums that are exact where PyTorch's are rounded. Otherwise PyTorch uses another
// method, and only the distribution is the same; then the generator is asked for one seed.
at::Tensor multinomial(const at::Tensor& probabilities, int64_t samples, bool replacement = false,
                       OptionalGenerator generator = c10::nullopt);

// Token ids drawn from the logits of a language model, float32, float16 or bfloat16 [classes] or [batch, classes], by tombola's
// token_sampler: see doc/token_sampler.md. Parameters have one element, or one per row; what is not given is 1, 0 (all
// classes), 1 and 0. Without seeds the generator is asked for two. The second tensor holds log probabilities, or nothing.
struct TokenParameters {
    c10::optional<at::Tensor> temperature, top_k, top_p, min_p;
    int64_t num_samples = 1;
    c10::string_view filter_order = "transformers";  // vllm, joint, temperature_last
    c10::optional<at::Tensor> mask;                  // int32 [batch, ceil(classes / 32)]
    c10::optional<at::Tensor> seeds;     // int64 [2], or [batch, 2]: a stream for each row
    c10::optional<at::Tensor> offset;    // int64: where in the stream the rows start
    c10::string_view logprobs = "none";  // processed, raw
};
std::tuple<at::Tensor, at::Tensor> sample_tokens(const at::Tensor& logits,
                                                 const TokenParameters& parameters = {},
                                                 OptionalGenerator generator = c10::nullopt);

// torch.channel_shuffle, for any layout and any type of 1, 2, 4 or 8 bytes, differentiable to any order.
at::Tensor channel_shuffle(const at::Tensor& self, int64_t groups);

// torch.nn.functional.dropout of float32, float16 or bfloat16, differentiable to any order. Its numbers are tombola's, not
// PyTorch's: the generator is asked for two seeds, from which the mask follows. Autograd keeps these seeds and no mask.
at::Tensor dropout(const at::Tensor& self, double p = 0.5, bool training = true,
                   OptionalGenerator generator = c10::nullopt);

// Writes source, float32, into self, bfloat16 or float16 of the same shape, rounded up or down at random: the expected
// value is source's. The generator is asked for two seeds. There is no gradient.
at::Tensor& stochastic_round_(at::Tensor& self, const at::Tensor& source,
                              OptionalGenerator generator = c10::nullopt);

}  // namespace tombola_torch
