// SPDX-License-Identifier: Apache-2.0
// The operator channel_shuffle, with its gradient.

#include <tuple>

#include "generator.hpp"
#include "registration.hpp"

namespace tombola_torch {
namespace {

void check_channel_shuffle(const at::Tensor& self, int64_t groups) {
    TORCH_CHECK(self.dim() >= 2, "channel_shuffle expects input with at least 2 dims, but got ",
                self.dim());
    TORCH_CHECK(
        groups > 0,
        "Number of groups to divide channels in must be positive. Value of groups:", groups);
    TORCH_CHECK(self.sym_size(1) % groups == 0,
                "Number of channels must be divisible by groups. Got ", self.sym_size(1),
                " channels and ", groups, " groups.");
}

// The result is contiguous, or channels_last if self is: as PyTorch's is.
at::Tensor channel_shuffle_meta(const at::Tensor& self, int64_t groups) {
    check_channel_shuffle(self, groups);
    return at::empty_like(self, self.options(), self.suggest_memory_format());
}

// A shuffle moves bytes: any type of the right size does.
memory::data_type type_of_size(size_t bytes) {
    switch (bytes) {
        case 1:
            return memory::data_type::u8;
        case 2:
            return memory::data_type::bf16;
        case 4:
            return memory::data_type::f32;
        case 8:
            return memory::data_type::f64;
        default:
            TORCH_CHECK(false, "channel_shuffle does not move elements of ", bytes, " bytes");
    }
}

at::Tensor channel_shuffle_cpu(const at::Tensor& self, int64_t groups) {
    at::Tensor result = channel_shuffle_meta(self, groups);
    if (result.numel() == 0) return result;
    const at::Tensor source =
        self.is_non_overlapping_and_dense() ? self : self.contiguous(self.suggest_memory_format());
    const std::tuple key(source.sizes().vec(), source.strides().vec(), result.strides().vec(),
                         source.element_size(), groups);
    translating_errors("channel_shuffle", [&] {
        const Prepared& shuffle = recent(key, [&] {
            const auto type = type_of_size(source.element_size());
            const memory::desc src(source.sizes().vec(), type, source.strides().vec());
            const memory::desc dst(source.sizes().vec(), type, result.strides().vec());
            // PyTorch counts the rows of the matrix that is transposed, oneDNN and tombola its columns.
            const int64_t group_size = source.size(1) / groups;
            return prepare<tombola::shuffle_forward>(
                {cpu(), tombola::prop_kind::forward_training, src, dst, 1, group_size},
                {TOMBOLA_ARG_SRC, TOMBOLA_ARG_DST});
        });
        shuffle.run({{TOMBOLA_ARG_SRC, source.data_ptr()}, {TOMBOLA_ARG_DST, result.data_ptr()}});
    });
    return result;
}

// The gradient of a shuffle is the shuffle back: the matrix of C / groups rows is transposed.
struct ShuffleBack : public torch::autograd::Node {
    int64_t groups = 1;
    torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
        const at::Tensor& gradient = gradients[0];
        return {gradient.defined() ? tombola_torch::channel_shuffle(gradient, groups) : gradient};
    }
};

at::Tensor channel_shuffle_autograd(const at::Tensor& self, int64_t groups) {
    check_channel_shuffle(self, groups);
    const auto gradient = gradient_to<ShuffleBack>(self);
    at::Tensor result;
    {
        const at::AutoDispatchBelowAutograd below;
        result = tombola_torch::channel_shuffle(self, groups);
    }
    if (gradient) {
        const int64_t channels = self.sym_size(1).guard_int(__FILE__, __LINE__);
        if (channels > 0) gradient->groups = channels / groups;
        torch::autograd::set_history(result, gradient);
    }
    if (const at::Tensor& tangent = self._fw_grad(0); tangent.defined())
        result._set_fw_grad(tombola_torch::channel_shuffle(tangent, groups), 0, false);
    return result;
}

TORCH_LIBRARY_FRAGMENT(tombola, library) {
    library.def("channel_shuffle(Tensor self, int groups) -> Tensor");
    library.impl("channel_shuffle", torch::dispatch(DispatchKey::CPU, &channel_shuffle_cpu));
    library.impl("channel_shuffle", torch::dispatch(DispatchKey::Meta, &channel_shuffle_meta));
    library.impl("channel_shuffle",
                 torch::dispatch(DispatchKey::Autograd, &channel_shuffle_autograd));
}

}  // namespace

at::Tensor channel_shuffle(const at::Tensor& self, int64_t groups) {
    static const auto op = find_operator<at::Tensor(const at::Tensor&, int64_t)>("channel_shuffle");
    return op.call(self, groups);
}

}  // namespace tombola_torch
