// SPDX-License-Identifier: Apache-2.0
// The operators bernoulli and bernoulli_: one probability, or one for each element.

#include <ATen/native/DistributionTemplates.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "generator.hpp"
#include "registration.hpp"

namespace tombola_torch {
namespace {

// Draws 0 and 1 into a tensor, whose box is given, by draw(words, box, type, data). Types that tombola does not draw are drawn as
// bytes; those of one byte are bytes.
template <class Draw>
void draw_bernoulli(const at::Tensor& self, const Box& box, const OptionalGenerator& generator,
                    const Draw& draw) {
    const auto scalar = self.scalar_type();
    const bool byte = self.element_size() == 1;
    constexpr at::ScalarType kTypes[] = {at::kBool,  at::kByte,  at::kChar, at::kShort,
                                         at::kInt,   at::kLong,  at::kHalf, at::kBFloat16,
                                         at::kFloat, at::kDouble};
    TORCH_CHECK_NOT_IMPLEMENTED(
        std::find(std::begin(kTypes), std::end(kTypes), scalar) != std::end(kTypes),
        "\"bernoulli_\" not implemented for '", scalar, "'");
    const bool direct =
        byte || scalar == at::kInt || scalar == at::kLong || at::isFloatingType(scalar);
    const at::Tensor drawn = direct ? self : at::empty(box.dims, self.options().dtype(at::kByte));
    drawing("bernoulli_", generator, [&](Words& words) {
        draw(words, direct ? box : dense(box.dims),
             byte || !direct ? memory::data_type::u8 : type_of(scalar), drawn.data_ptr());
    });
    if (!direct) self.as_strided(box.dims, box.strides).copy_(drawn);
}

template <class>
struct BernoulliKernel {
    void operator()(const at::TensorBase& base, double p,
                    const OptionalGenerator& generator) const {
        at::Tensor self(base);
        // PyTorch's message for types that it refuses: complex, and f16 before version 2.
        if (self.is_complex() || (self.scalar_type() == at::kHalf && !kHalfIsRounded)) {
            self.bernoulli_(p, generator);
            return;
        }
        if (self.numel() == 0) return;
        const Box box = box_of(at::TensorIterator::borrowing_nullary_op(self));
        draw_bernoulli(self, box, generator,
                       [&](Words& words, const Box& target, memory::data_type type, void* data) {
                           words.bernoulli(target, type, data, &p);
                       });
    }
};

struct Bernoulli {
    static constexpr const char* kName = "bernoulli";
    static constexpr const char* kArguments = ", float p";
    static void fill(at::Tensor& self, const OptionalGenerator& generator, double p) {
        at::native::templates::bernoulli_impl_<BernoulliKernel, at::CPUGeneratorImpl>(self, p,
                                                                                      generator);
    }
};

// A tensor like self, whose element is 1 with the probability p of its place.
at::Tensor bernoulli_tensor_meta(const at::Tensor& self, const at::Tensor& p, OptionalGenerator) {
    TORCH_CHECK(at::isFloatingType(p.scalar_type()),
                "bernoulli expects floating-point probabilities, but got ", p.scalar_type());
    TORCH_CHECK(!self.is_complex(), "bernoulli does not draw ", self.scalar_type());
    TORCH_CHECK(p.device() == self.device(), "bernoulli expects probabilities on ", self.device(),
                ", but got ", p.device());
    p.expand_symint(self.sym_sizes());  // PyTorch's message if it has another shape
    return at::empty_like(self);
}

at::Tensor bernoulli_tensor_cpu(const at::Tensor& self, const at::Tensor& p,
                                OptionalGenerator generator) {
    at::Tensor result = bernoulli_tensor_meta(self, p, generator);
    if (result.numel() == 0) return result;
    const bool f64 = p.scalar_type() == at::kDouble;
    // Dense, as tombola takes them: one number for every element.
    const at::Tensor given = p.to(f64 ? at::kDouble : at::kFloat).expand(self.sizes()).contiguous();
    const at::TensorIterator iterator = at::TensorIteratorConfig()
                                            .add_output(result)
                                            .add_input(given)
                                            .check_all_same_dtype(false)
                                            .build();
    Box box = box_of(iterator), p_box = box_of(iterator, 1);
    if (result.numel() == 1) {
        // A tensor of one probability, which tombola would take for a number.
        box = p_box = {{1, 1}, {1, 1}};
    }
    draw_bernoulli(result, box, generator,
                   [&](Words& words, const Box& target, memory::data_type type, void* data) {
                       words.bernoulli(target, type, data, p_box, type_of(given.scalar_type()),
                                       given.data_ptr());
                   });
    return result;
}

using BernoulliSignature = at::Tensor(const at::Tensor&, const at::Tensor&, OptionalGenerator);

at::Tensor bernoulli_tensor(const at::Tensor& self, const at::Tensor& p,
                            const OptionalGenerator& generator) {
    static const auto op = find_operator<BernoulliSignature>("bernoulli", "Tensor");
    return op.call(self, p, generator);
}

at::Tensor& bernoulli_in_place(at::Tensor& self, const at::Tensor& p, OptionalGenerator generator) {
    torch::autograd::check_inplace(self, torch::autograd::compute_requires_grad(self));
    check_written(self);
    return self.copy_(bernoulli_tensor(self, p, generator));
}

at::Tensor bernoulli_of(const at::Tensor& self, OptionalGenerator generator) {
    return bernoulli_tensor(at::empty_like(self, LEGACY_CONTIGUOUS_MEMORY_FORMAT), self, generator);
}

at::Tensor& bernoulli_to(const at::Tensor& self, OptionalGenerator generator, at::Tensor& out) {
    torch::autograd::check_inplace(out, torch::autograd::compute_requires_grad(out));
    bernoulli_tensor_meta(self.to(at::kMeta), self.to(at::kMeta), generator);  // only checks
    out.resize__symint(self.sym_sizes());
    return bernoulli_in_place(out, self, generator);
}

TORCH_LIBRARY_FRAGMENT(tombola, library) {
    Fill<Bernoulli>::define(library);
    const std::string drawn = "Generator? generator=None";
    define_random(library, "bernoulli.Tensor(Tensor self, Tensor p, *, " + drawn + ") -> Tensor");
    library.impl("bernoulli.Tensor", torch::dispatch(DispatchKey::CPU, &bernoulli_tensor_cpu));
    library.impl("bernoulli.Tensor", torch::dispatch(DispatchKey::Meta, &bernoulli_tensor_meta));
    not_differentiable(library, "bernoulli.Tensor");
    not_in_vmap(library, "bernoulli.Tensor");
    // These are composed of PyTorch's operators and the one above.
    const auto composite = [&](const char* name, const std::string& schema, auto* function) {
        define_random(library, name + schema);
        library.impl(name, torch::dispatch(DispatchKey::CompositeImplicitAutograd, function));
        not_in_vmap(library, name);
    };
    composite("bernoulli_.Tensor", "(Tensor(a!) self, Tensor p, *, " + drawn + ") -> Tensor(a!)",
              &bernoulli_in_place);
    composite("bernoulli.probabilities", "(Tensor self, *, " + drawn + ") -> Tensor",
              &bernoulli_of);
    composite("bernoulli.out", "(Tensor self, *, " + drawn + ", Tensor(a!) out) -> Tensor(a!)",
              &bernoulli_to);
}

}  // namespace

at::Tensor& bernoulli_(at::Tensor& self, double p, OptionalGenerator generator) {
    return Fill<Bernoulli>::call(self, p, generator);
}

at::Tensor& bernoulli_(at::Tensor& self, const at::Tensor& p, OptionalGenerator generator) {
    return bernoulli_in_place(self, p, generator);
}

at::Tensor bernoulli(const at::Tensor& probabilities, OptionalGenerator generator) {
    return bernoulli_of(probabilities, generator);
}

at::Tensor& bernoulli_out(at::Tensor& out, const at::Tensor& probabilities,
                          OptionalGenerator generator) {
    return bernoulli_to(probabilities, generator, out);
}

}  // namespace tombola_torch
