// SPDX-License-Identifier: Apache-2.0
// The operators stochastic_round and stochastic_round_.

#include <ATen/MemoryOverlap.h>

#include <tuple>

#include "generator.hpp"
#include "registration.hpp"

namespace tombola_torch {
namespace {

at::Tensor& stochastic_round_meta(at::Tensor& self, const at::Tensor& source, OptionalGenerator) {
    TORCH_CHECK(self.scalar_type() == at::kBFloat16 || self.scalar_type() == at::kHalf,
                "stochastic_round_ serves bfloat16 and float16, but got ", self.scalar_type());
    TORCH_CHECK(source.scalar_type() == at::kFloat, "source is float32, but got ",
                source.scalar_type());
    TORCH_CHECK(source.device() == self.device(), "source is on ", source.device(),
                ", but expected ", self.device());
    TORCH_CHECK(self.sym_sizes() == source.sym_sizes(), "source has the shape ", source.sym_sizes(),
                ", but expected ", self.sym_sizes());
    return self;
}

at::Tensor& stochastic_round_cpu(at::Tensor& self, const at::Tensor& source,
                                 OptionalGenerator generator) {
    stochastic_round_meta(self, source, generator);
    if (self.numel() == 0) return self;
    at::assert_no_internal_overlap(self);
    const at::Tensor from = source.is_non_overlapping_and_dense() ? source : source.contiguous();
    const auto type = type_of(self.scalar_type());
    const std::tuple key(self.sizes().vec(), from.strides().vec(), self.strides().vec(), type);
    drawing("stochastic_round_", generator, [&](Words& words) {
        int64_t seeds[2];
        words.uniform<int64_t>({{2}, {1}}, seeds, 1, INT64_MAX);
        const Prepared& rounding = recent(key, [&] {
            const bool scalar = self.dim() == 0;
            const auto sizes = scalar ? memory::dims{1} : self.sizes().vec();
            const memory::desc src(sizes, memory::data_type::f32,
                                   scalar ? memory::dims{1} : from.strides().vec());
            const memory::desc dst(sizes, type, scalar ? memory::dims{1} : self.strides().vec());
            return prepare<tombola::stochastic_rounding>(
                {cpu(), src, dst, 0, 1}, {TOMBOLA_ARG_SRC, TOMBOLA_ARG_DST, TOMBOLA_ARG_SEEDS});
        });
        rounding.run({{TOMBOLA_ARG_SRC, from.data_ptr()},
                      {TOMBOLA_ARG_DST, self.data_ptr()},
                      {TOMBOLA_ARG_SEEDS, seeds}});
    });
    return self;
}

using RoundSignature = at::Tensor&(at::Tensor&, const at::Tensor&, OptionalGenerator);

// The functional form: a new tensor of self's type.
at::Tensor stochastic_round_functional(const at::Tensor& self, const at::Tensor& source,
                                       OptionalGenerator generator) {
    at::Tensor result = at::empty_like(self);
    return stochastic_round_(result, source, generator);
}

// Recorded programs hold the functional form in place of a write.
at::Tensor& stochastic_round_functionalize(at::Tensor& self, const at::Tensor& source,
                                           OptionalGenerator generator) {
    static const auto op =
        find_operator<at::Tensor(const at::Tensor&, const at::Tensor&, OptionalGenerator)>(
            "stochastic_round");
    namespace functional = at::functionalization::impl;
    const auto plain = [](const at::Tensor& tensor) {
        if (!functional::isFunctionalTensor(tensor)) return tensor;
        functional::sync(tensor);
        return functional::from_functional_tensor(tensor);
    };
    const at::Tensor from = plain(source), before = plain(self);
    at::Tensor after;
    {
        const at::AutoDispatchSkipFunctionalize below;
        if (!functional::isFunctionalTensor(self)) return stochastic_round_(self, from, generator);
        after = op.call(before, from, generator);
    }
    functional::replace_(self, after);
    functional::commit_update(self);
    functional::sync(self);
    return self;
}

// Autograd finds by a tensor's version that a saved tensor was overwritten.
at::Tensor& stochastic_round_new_version(at::Tensor& self, const at::Tensor& source,
                                         OptionalGenerator generator) {
    check_not_inference(self);
    {
        const at::AutoDispatchBelowADInplaceOrView below;
        stochastic_round_(self, source, generator);
    }
    torch::autograd::increment_version(self);
    return self;
}

at::Tensor& stochastic_round_autograd(at::Tensor& self, const at::Tensor& source,
                                      OptionalGenerator generator) {
    TORCH_CHECK(!torch::autograd::compute_requires_grad(self, source),
                "stochastic_round_ has no gradient: call it under torch.no_grad()");
    TORCH_CHECK(!source._fw_grad(0).defined(),
                "stochastic_round_ has no gradient, but source has a tangent: call it with its "
                "primal");
    {
        const at::AutoDispatchBelowAutograd below;
        stochastic_round_(self, source, generator);
    }
    if (const at::Tensor& tangent = self._fw_grad(0); tangent.defined()) tangent.zero_();
    return self;
}

TORCH_LIBRARY_FRAGMENT(tombola, library) {
    define_random(
        library,
        "stochastic_round_(Tensor(a!) self, Tensor source, *, Generator? generator=None) -> "
        "Tensor(a!)");
    library.impl("stochastic_round_", torch::dispatch(DispatchKey::CPU, &stochastic_round_cpu));
    library.impl("stochastic_round_", torch::dispatch(DispatchKey::Meta, &stochastic_round_meta));
    library.impl("stochastic_round_",
                 torch::dispatch(DispatchKey::Autograd, &stochastic_round_autograd));
    library.impl("stochastic_round_",
                 torch::dispatch(DispatchKey::ADInplaceOrView, &stochastic_round_new_version));
    library.impl("stochastic_round_",
                 torch::dispatch(DispatchKey::Functionalize, &stochastic_round_functionalize));
    define_random(
        library,
        "stochastic_round(Tensor self, Tensor source, *, Generator? generator=None) -> Tensor");
    library.impl("stochastic_round", torch::dispatch(DispatchKey::CompositeExplicitAutograd,
                                                     &stochastic_round_functional));
    not_differentiable(library, "stochastic_round");
    for (const char* name : {"stochastic_round_", "stochastic_round"}) not_in_vmap(library, name);
}

}  // namespace

at::Tensor& stochastic_round_(at::Tensor& self, const at::Tensor& source,
                              OptionalGenerator generator) {
    static const auto op = find_operator<RoundSignature>("stochastic_round_");
    return op.call(self, source, generator);
}

}  // namespace tombola_torch
