// SPDX-License-Identifier: Apache-2.0
// The operator multinomial.

#include <ATen/native/Resize.h>

#include <string>
#include <tuple>
#include <vector>

#include "generator.hpp"
#include "registration.hpp"

namespace tombola_torch {
namespace {

// PyTorch's checks and messages. Returns the shape of the samples.
std::vector<c10::SymInt> check_multinomial(const at::Tensor& self, int64_t samples,
                                           bool replacement) {
    TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "prob_dist must be 1 or 2 dim");
    TORCH_CHECK(
        at::isFloatingType(self.scalar_type()),
        "multinomial only supports floating-point dtypes for input, got: ", self.scalar_type());
    TORCH_CHECK(samples > 0, "cannot sample n_sample <= 0 samples");
    TORCH_CHECK(replacement || self.sym_size(-1) >= samples,
                "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    std::vector<c10::SymInt> shape{c10::SymInt(samples)};
    if (self.dim() == 2) shape.insert(shape.begin(), self.sym_size(0));
    return shape;
}

at::Tensor multinomial_meta(const at::Tensor& self, int64_t samples, bool replacement,
                            OptionalGenerator) {
    return at::empty_symint(check_multinomial(self, samples, replacement),
                            self.options().dtype(at::kLong));
}

at::Tensor multinomial_cpu(const at::Tensor& self, int64_t samples, bool replacement,
                           OptionalGenerator generator) {
    at::Tensor result = multinomial_meta(self, samples, replacement, generator);
    if (result.numel() == 0) return result;
    const at::Tensor weights = self.contiguous();
    const int64_t classes = weights.size(-1), batch = result.numel() / samples;
    const bool as_torch = replacement && samples > 1;
    drawing("multinomial", generator, [&](Words& words) {
        const auto type = type_of(weights.scalar_type());
        const std::tuple key(batch, classes, samples, type, replacement);
        const Prepared& draw = recent(key, [&] {
            const memory::desc probs({batch, classes}, type, memory::format_tag::ab);
            const memory::desc dst({batch, samples}, memory::data_type::s64,
                                   memory::format_tag::ab);
            return prepare<tombola::multinomial>(
                {cpu(), probs, dst, replacement, false, 0, 1},
                {TOMBOLA_ARG_SRC, TOMBOLA_ARG_DST,
                 as_torch ? TOMBOLA_ARG_UNIFORMS : TOMBOLA_ARG_SEEDS});
        });
        if (as_torch) {
            std::vector<double> uniforms(static_cast<size_t>(result.numel()));
            words.uniform({{result.numel()}, {1}}, uniforms.data(), 0.0, 1.0);
            draw.run({{TOMBOLA_ARG_SRC, weights.data_ptr()},
                      {TOMBOLA_ARG_DST, result.data_ptr()},
                      {TOMBOLA_ARG_UNIFORMS, uniforms.data()}});
        } else {
            int64_t seeds[2] = {0, 0};
            words.uniform<int64_t>({{1}, {1}}, seeds, 1, INT64_MAX);
            draw.run({{TOMBOLA_ARG_SRC, weights.data_ptr()},
                      {TOMBOLA_ARG_DST, result.data_ptr()},
                      {TOMBOLA_ARG_SEEDS, seeds}});
        }
    });
    return result;
}

using MultinomialSignature = at::Tensor(const at::Tensor&, int64_t, bool, OptionalGenerator);

at::Tensor& multinomial_to(const at::Tensor& self, int64_t samples, bool replacement,
                           OptionalGenerator generator, at::Tensor& out) {
    TORCH_CHECK(out.scalar_type() == at::kLong,
                "multinomial expects Long tensor out, got: ", out.scalar_type());
    check_written(out);
    // What may fail is done before anything is drawn.
    const at::Tensor like = multinomial_meta(self, samples, replacement, generator);
    at::native::resize_output(out, like.sizes());
    return out.copy_(tombola_torch::multinomial(self, samples, replacement, generator));
}

TORCH_LIBRARY_FRAGMENT(tombola, library) {
    const std::string arguments =
        "(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None";
    define_random(library, "multinomial" + arguments + ") -> Tensor");
    library.impl("multinomial", torch::dispatch(DispatchKey::CPU, &multinomial_cpu));
    library.impl("multinomial", torch::dispatch(DispatchKey::Meta, &multinomial_meta));
    not_differentiable(library, "multinomial");
    not_in_vmap(library, "multinomial");
    define_random(library, "multinomial.out" + arguments + ", Tensor(a!) out) -> Tensor(a!)");
    library.impl("multinomial.out",
                 torch::dispatch(DispatchKey::CompositeImplicitAutograd, &multinomial_to));
    not_in_vmap(library, "multinomial.out");
}

}  // namespace

at::Tensor multinomial(const at::Tensor& probabilities, int64_t samples, bool replacement,
                       OptionalGenerator generator) {
    static const auto op = find_operator<MultinomialSignature>("multinomial");
    return op.call(probabilities, samples, replacement, generator);
}

}  // namespace tombola_torch
