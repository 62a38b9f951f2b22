// SPDX-License-Identifier: Apache-2.0
#pragma once

// PyTorch operators on tombola's primitives, for tensors on the CPU.
//
// The random ones draw from a torch::Generator, PyTorch's default one if none is given: they take its state over,
// draw, and hand it back, so that they continue PyTorch's own stream and PyTorch continues theirs.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <optional>

namespace tombola_torch {

using OptionalGenerator = c10::optional<at::Generator>;

// torch.rand: the same numbers, bit for bit. float32 (the default), float64, float16, bfloat16.
at::Tensor rand(at::IntArrayRef size, c10::optional<at::ScalarType> dtype = c10::nullopt,
                OptionalGenerator generator = c10::nullopt);

// Tensor.uniform_: the same numbers, in memory order as PyTorch fills, whatever the strides.
at::Tensor& uniform_(at::Tensor& self, double from = 0, double to = 1,
                     OptionalGenerator generator = c10::nullopt);

// torch.randint: the same numbers; how many words one takes follows the version of PyTorch this is built for.
at::Tensor randint(int64_t low, int64_t high, at::IntArrayRef size,
                   c10::optional<at::ScalarType> dtype = c10::nullopt,
                   OptionalGenerator generator = c10::nullopt);

// torch.multinomial. With replacement and more than one sample it draws the words that PyTorch draws and applies
// the same rule to them, with sums that are exact where PyTorch's are rounded. Otherwise PyTorch uses another
// method, and only the distribution is the same; then the generator is asked for one seed.
at::Tensor multinomial(const at::Tensor& probabilities, int64_t samples, bool replacement = false,
                       OptionalGenerator generator = c10::nullopt);

// torch.channel_shuffle, for any layout and any type of 1, 2, 4 or 8 bytes, differentiable to any order.
at::Tensor channel_shuffle(const at::Tensor& self, int64_t groups);

}  // namespace tombola_torch
