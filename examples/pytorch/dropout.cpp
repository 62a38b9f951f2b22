// SPDX-License-Identifier: Apache-2.0
// The operator dropout, with its gradient, and the two that it consists of: draw_seeds and seeded_dropout.

#include <tuple>

#include "generator.hpp"
#include "registration.hpp"

namespace tombola_torch {
namespace {

// Two seeds from PyTorch's generator, none of them 0.
at::Tensor draw_seeds_meta(const at::Tensor& like, OptionalGenerator) {
    return at::empty({2}, like.options().dtype(at::kLong));
}

at::Tensor draw_seeds_cpu(const at::Tensor&, OptionalGenerator generator) {
    at::Tensor seeds = at::empty({2}, at::kLong);
    drawing("draw_seeds", generator, [&](Words& words) {
        words.uniform<int64_t>({{2}, {1}}, seeds.data_ptr(), 1, INT64_MAX);
    });
    return seeds;
}

void check_probability(double p) {
    TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

void check_dropout(const at::Tensor& self, double p) {
    check_probability(p);
    const auto type = self.scalar_type();
    TORCH_CHECK(type == at::kFloat || type == at::kHalf || type == at::kBFloat16,
                "dropout serves float32, float16 and bfloat16, but got ", type);
    TORCH_CHECK(self.dim() <= TOMBOLA_MAX_NDIMS, "dropout serves up to ", TOMBOLA_MAX_NDIMS,
                " dimensions, but got ", self.dim());
}

at::Tensor seeded_dropout_meta(const at::Tensor& self, double p, const at::Tensor& seeds) {
    check_dropout(self, p);
    TORCH_CHECK(seeds.device() == self.device(), "seeds are on ", seeds.device(), ", but expected ",
                self.device());
    return at::empty_like(self);
}

// The element with logical index i takes draw i, so a mask does not depend on the memory format.
at::Tensor seeded_dropout_cpu(const at::Tensor& self, double p, const at::Tensor& seeds) {
    TORCH_CHECK(seeds.scalar_type() == at::kLong && seeds.numel() == 2 && seeds.is_contiguous(),
                "seeds are 2 int64");
    const auto* pair = seeds.data_ptr<int64_t>();
    TORCH_CHECK(pair[0] != 0 || pair[1] != 0,
                "seeds are 0 and 0, by which each call draws another mask; expected another pair");
    at::Tensor result = seeded_dropout_meta(self, p, seeds);
    if (result.numel() == 0) return result;
    const at::Tensor source =
        self.is_non_overlapping_and_dense() ? self : self.contiguous(self.suggest_memory_format());
    const auto type = type_of(source.scalar_type());
    const auto probability = static_cast<float>(p);
    const std::tuple key(source.sizes().vec(), source.strides().vec(), result.strides().vec(),
                         type);
    translating_errors("dropout", [&] {
        const Prepared& dropout = recent(key, [&] {
            const auto sizes = source.dim() == 0 ? memory::dims{1} : source.sizes().vec();
            const auto desc = [&](const at::Tensor& tensor) {
                return memory::desc(sizes, type,
                                    source.dim() == 0 ? memory::dims{1} : tensor.strides().vec());
            };
            return prepare<tombola::dropout_forward>(
                {cpu(), tombola::prop_kind::forward_training, desc(source), desc(result), 32,
                 tombola::dropout_mask::none, 0, 1},
                {TOMBOLA_ARG_SRC, TOMBOLA_ARG_P, TOMBOLA_ARG_SEEDS, TOMBOLA_ARG_DST});
        });
        dropout.run({{TOMBOLA_ARG_SRC, source.data_ptr()},
                     {TOMBOLA_ARG_P, &probability},
                     {TOMBOLA_ARG_SEEDS, seeds.data_ptr()},
                     {TOMBOLA_ARG_DST, result.data_ptr()}});
    });
    return result;
}

at::Tensor seeded_dropout(const at::Tensor& self, double p, const at::Tensor& seeds) {
    static const auto op =
        find_operator<at::Tensor(const at::Tensor&, double, const at::Tensor&)>("seeded_dropout");
    return op.call(self, p, seeds);
}

// Dropout is linear: the gradient is the dropout of the gradient, by the same seeds.
struct DropoutBack : public torch::autograd::Node {
    double p = 0;
    at::Tensor seeds;
    torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
        const at::Tensor& gradient = gradients[0];
        return {gradient.defined() ? seeded_dropout(gradient, p, seeds) : gradient};
    }
};

at::Tensor seeded_dropout_autograd(const at::Tensor& self, double p, const at::Tensor& seeds) {
    check_dropout(self, p);
    const auto gradient = gradient_to<DropoutBack>(self);
    at::Tensor result;
    {
        const at::AutoDispatchBelowAutograd below;
        result = seeded_dropout(self, p, seeds);
    }
    if (gradient) {
        gradient->p = p;
        gradient->seeds = seeds.clone();  // whoever has the seeds may write them
        torch::autograd::set_history(result, gradient);
    }
    if (const at::Tensor& tangent = self._fw_grad(0); tangent.defined())
        result._set_fw_grad(seeded_dropout(tangent, p, seeds), 0, false);
    return result;
}

at::Tensor dropout_composite(const at::Tensor& self, double p, bool training,
                             OptionalGenerator generator) {
    static const auto op =
        find_operator<at::Tensor(const at::Tensor&, OptionalGenerator)>("draw_seeds");
    check_probability(p);
    if (!training) return self;
    check_dropout(self, p);
    // A tensor of its own, because PyTorch would take two equal calls for one while it compiles a program, but never two of at::empty().
    const at::Tensor like = at::empty({0}, self.options().dtype(at::kLong));
    return seeded_dropout(self, p, op.call(like, generator));
}

at::Tensor dropout_in_vmap(const at::Tensor& self, double p, bool training, OptionalGenerator) {
    check_probability(p);
    TORCH_CHECK(!training, "tombola::dropout", kRefusedInVmap);
    return self;
}

using DropoutSignature = at::Tensor(const at::Tensor&, double, bool, OptionalGenerator);

TORCH_LIBRARY_FRAGMENT(tombola, library) {
    define_random(library, "draw_seeds(Tensor like, *, Generator? generator=None) -> Tensor");
    library.impl("draw_seeds", torch::dispatch(DispatchKey::CPU, &draw_seeds_cpu));
    library.impl("draw_seeds", torch::dispatch(DispatchKey::Meta, &draw_seeds_meta));
    not_differentiable(library, "draw_seeds");
    not_in_vmap(library, "draw_seeds");
    library.def("seeded_dropout(Tensor self, float p, Tensor seeds) -> Tensor");
    library.impl("seeded_dropout", torch::dispatch(DispatchKey::CPU, &seeded_dropout_cpu));
    library.impl("seeded_dropout", torch::dispatch(DispatchKey::Meta, &seeded_dropout_meta));
    library.impl("seeded_dropout",
                 torch::dispatch(DispatchKey::Autograd, &seeded_dropout_autograd));
    define_random(
        library,
        "dropout(Tensor self, float p=0.5, bool training=True, *, Generator? generator=None) -> "
        "Tensor");
    library.impl("dropout",
                 torch::dispatch(DispatchKey::CompositeImplicitAutograd, &dropout_composite));
    library.impl("dropout", torch::dispatch(DispatchKey::FuncTorchVmapMode, &dropout_in_vmap));
}

}  // namespace

at::Tensor dropout(const at::Tensor& self, double p, bool training, OptionalGenerator generator) {
    static const auto op = find_operator<DropoutSignature>("dropout");
    return op.call(self, p, training, generator);
}

}  // namespace tombola_torch
