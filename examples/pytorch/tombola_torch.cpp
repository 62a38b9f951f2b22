// SPDX-License-Identifier: Apache-2.0
#include "tombola_torch.hpp"

#include <ATen/MemoryOverlap.h>
#include <ATen/native/DistributionTemplates.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <torch/version.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "generator.hpp"
#include "registration.hpp"

namespace tombola_torch {
namespace {

// Checks of arguments, rounding of bounds and the order of memory come from PyTorch's own templates, which take the
// kernel that draws as a parameter: each version's rules and messages hold.
namespace templates = at::native::templates;

template <class>
struct UniformKernel {
    void operator()(const at::TensorIteratorBase& iterator, double from, double to,
                    const OptionalGenerator& generator) const {
        if (iterator.numel() == 0) return;
        AT_DISPATCH_FLOATING_TYPES_AND2(
            at::kHalf, at::kBFloat16, iterator.dtype(), "uniform_", [&] {
                const auto low = static_cast<scalar_t>(from), high = static_cast<scalar_t>(to);
                const Box box = box_of(iterator);
                drawing("uniform_", generator, [&](Words& words) {
                    if (low < high) {
                        words.uniform(box, iterator.data_ptr(0), low, high);
                    } else {  // The only number of the range; the words are drawn all the same.
                        words.uniform(box, iterator.data_ptr(0), scalar_t(0), scalar_t(1));
                        iterator.output().fill_(static_cast<double>(low));
                    }
                });
            });
    }
};

struct Uniform {
    static constexpr const char* kName = "uniform";
    static constexpr const char* kArguments = ", float from=0, float to=1";
    static void fill(at::Tensor& self, const OptionalGenerator& generator, double from, double to) {
        templates::uniform_impl_<UniformKernel, at::CPUGeneratorImpl>(self, from, to, generator);
    }
};

// PyTorch takes two words for an integer from a range of 2^32 on; since 2.7 from 2^28 on.
constexpr tombola::int_draws kDraws = TORCH_VERSION_MAJOR > 2 ||
                                              (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 7)
                                          ? tombola::int_draws::torch2
                                          : tombola::int_draws::torch1;

template <class>
struct RandomKernel {
    // Integers in [base, base + range), converted to the tensor's type.
    void operator()(const at::TensorIteratorBase& iterator, uint64_t range, int64_t base,
                    const OptionalGenerator& generator) const {
        if (iterator.numel() == 0) return;
        const auto end = static_cast<int64_t>(static_cast<uint64_t>(base) + range);
        const bool narrow = base >= INT32_MIN && end <= INT32_MAX && base < end;
        const at::Tensor& self = iterator.output();
        // All values of a type of 4 bytes: PyTorch takes one word for each, tombola's s64 two, and tombola's s32 has
        // no bound above its last value.
        if (!narrow && at::isIntegralType(self.scalar_type(), false) && self.element_size() == 4 &&
            range == uint64_t{1} << 32) {
            self.random_(base, end, generator);
            return;
        }
        const at::ScalarType drawn =
            narrow && self.scalar_type() != at::kLong ? at::kInt : at::kLong;
        const Box box = box_of(iterator);
        const bool direct = self.scalar_type() == drawn;
        at::Tensor integers;
        if (!direct) integers = at::empty(box.dims, self.options().dtype(drawn));
        void* const data = direct ? iterator.data_ptr(0) : integers.data_ptr();
        const Box target = direct ? box : Box{{iterator.numel()}, {1}};
        drawing("random_", generator, [&](Words& words) {
            if (drawn == at::kInt)
                words.uniform(target, data, static_cast<int32_t>(base), static_cast<int32_t>(end),
                              kDraws);
            else
                words.uniform(target, data, base, end, kDraws);
        });
        if (!direct) self.as_strided(box.dims, box.strides).copy_(integers);
    }
    void operator()(const at::TensorIteratorBase&, const OptionalGenerator&) const {
        TORCH_INTERNAL_ASSERT(false, "both bounds are always given");
    }
};

struct Random {
    static constexpr const char* kName = "random";
    static constexpr const char* kArguments = ", int from, int to";
    static void fill(at::Tensor& self, const OptionalGenerator& generator, int64_t from,
                     int64_t to) {
        templates::random_from_to_impl<RandomKernel, at::CPUGeneratorImpl>(self, from, to,
                                                                           generator);
    }
};

// PyTorch has two ways: blocks of 16 for 16 and more contiguous elements, otherwise one number after the other in the order of
// memory. What tombola does not draw as PyTorch does is left to PyTorch: more than 15 elements that are not contiguous, f16 before
// version 2.6, and moments that are not finite in the tensor's type.
constexpr bool kHalfIsRounded = TORCH_VERSION_MAJOR > 2 ||
                                (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6);

template <class>
struct NormalKernel {
    static constexpr int64_t kBlock = 16;

    void operator()(const at::Tensor& self, double mean, double std,
                    const OptionalGenerator& generator) const {
        AT_DISPATCH_FLOATING_TYPES_AND2(
            at::kHalf, at::kBFloat16, self.scalar_type(), "normal_kernel_cpu", [&] {
                const int64_t count = self.numel();
                const auto own_mean = static_cast<scalar_t>(mean);
                const auto own_std = static_cast<scalar_t>(std);
                const bool finite = std::isfinite(static_cast<double>(own_mean)) &&
                                    std::isfinite(static_cast<double>(own_std));
                const bool served =
                    count < kBlock ||
                    (self.is_contiguous() && (kHalfIsRounded || self.scalar_type() != at::kHalf));
                if (count == 0) return;
                if (!finite || !served) {
                    at::Tensor(self).normal_(mean, std, generator);
                } else if (count < kBlock) {
                    draw_few(self, mean, std, generator);
                } else {
                    drawing("normal_", generator, [&](Words& words) {
                        words.normal(count, type_of(self.scalar_type()), self.data_ptr(), &own_mean,
                                     &own_std);
                    });
                }
            });
    }

  private:
    // PyTorch scales these in f64, whatever the type of the tensor.
    static void draw_few(const at::Tensor& self, double mean, double std,
                         const OptionalGenerator& generator) {
        at::Tensor target(self);
        const at::TensorIterator iterator = at::TensorIterator::borrowing_nullary_op(target);
        const Box box = box_of(iterator);
        const at::Tensor numbers = at::empty(box.dims, self.options().dtype(at::kDouble));
        drawing("normal_", generator, [&](Words& words) {
            words.normal(self.numel(), memory::data_type::f64, numbers.data_ptr(), &mean, &std);
        });
        self.as_strided(box.dims, box.strides).copy_(numbers);
    }
};

struct Normal {
    static constexpr const char* kName = "normal";
    static constexpr const char* kArguments = ", float mean=0, float std=1";
    static void fill(at::Tensor& self, const OptionalGenerator& generator, double mean,
                     double std) {
        templates::normal_impl_<NormalKernel, at::CPUGeneratorImpl>(self, mean, std, generator);
    }
};

template <class>
struct ExponentialKernel {
    void operator()(const at::TensorIteratorBase& iterator, double lambda,
                    const OptionalGenerator& generator) const {
        if (iterator.numel() == 0) return;
        // Refused by PyTorch, or served by PyTorch alone: a rate whose reciprocal is 0 or infinite.
        if (!at::isFloatingType(iterator.dtype()) || !std::isnormal(lambda) ||
            !std::isfinite(1 / lambda)) {
            at::Tensor(iterator.output()).exponential_(lambda, generator);
            return;
        }
        const Box box = box_of(iterator);
        drawing("exponential_", generator, [&](Words& words) {
            words.exponential(box, type_of(iterator.dtype()), iterator.data_ptr(0), lambda);
        });
    }
};

struct Exponential {
    static constexpr const char* kName = "exponential";
    static constexpr const char* kArguments = ", float lambd=1";
    static void fill(at::Tensor& self, const OptionalGenerator& generator, double lambda) {
        templates::exponential_impl_<ExponentialKernel, at::CPUGeneratorImpl>(self, lambda,
                                                                              generator);
    }
};

// Draws 0 and 1 into a tensor, whose box is given, by draw(words, box, type, data). Types that tombola does not draw are drawn as
// bytes; those of one byte are bytes.
template <class Draw>
void draw_bernoulli(const at::Tensor& self, const Box& box, const OptionalGenerator& generator,
                    const Draw& draw) {
    const auto scalar = self.scalar_type();
    const bool byte = self.element_size() == 1;
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
        templates::bernoulli_impl_<BernoulliKernel, at::CPUGeneratorImpl>(self, p, generator);
    }
};

struct Randn {
    using Filled = Normal;
    static constexpr const char *kName = "randn", *kOverload = "", *kArguments = "",
                                *kDefaultType = "None";
    static std::tuple<double, double> filled() { return {0.0, 1.0}; }
};

struct Rand {
    using Filled = Uniform;
    static constexpr const char *kName = "rand", *kOverload = "", *kArguments = "",
                                *kDefaultType = "None";
    static std::tuple<double, double> filled() { return {0.0, 1.0}; }
};

struct RandintBelow {
    using Filled = Random;
    static constexpr const char *kName = "randint", *kOverload = "", *kArguments = ", int high",
                                *kDefaultType = "long";
    static std::tuple<int64_t, int64_t> filled(int64_t high) { return {0, high}; }
};

struct RandintBetween {
    using Filled = Random;
    static constexpr const char *kName = "randint", *kOverload = "low",
                                *kArguments = ", int low, int high", *kDefaultType = "long";
    static std::tuple<int64_t, int64_t> filled(int64_t low, int64_t high) { return {low, high}; }
};

// Overwrites a vector with a permutation of its indices.
struct Permutation {
    static constexpr const char* kName = "permutation";
    static constexpr const char* kArguments = "";
    static void fill(at::Tensor& self, const OptionalGenerator& generator) {
        TORCH_CHECK(self.dim() == 1, "a permutation has 1 dimension, but got ", self.dim());
        const c10::SymInt size = self.sym_size(0);
        if (self.is_meta()) return;
        const int64_t n = size.guard_int(__FILE__, __LINE__);
        if (n == 0) return;
        if (n >= TOMBOLA_PYTORCH_PERMUTATION_LIMIT) {
            self.copy_(at::randperm(n, generator, self.options().dtype(at::kLong)));
            return;
        }
        const bool direct = self.scalar_type() == at::kLong || self.scalar_type() == at::kInt;
        at::Tensor integers = direct ? self : at::empty({n}, self.options().dtype(at::kLong));
        drawing("randperm", generator, [&](Words& words) {
            words.permutation(n, integers.stride(0), type_of(integers.scalar_type()),
                              integers.data_ptr());
        });
        if (!direct) self.copy_(integers);
    }
};

// A tensor like self, whose element is 1 with the probability p of its place.
at::Tensor bernoulli_tensor_meta(const at::Tensor& self, const at::Tensor& p, OptionalGenerator) {
    TORCH_CHECK(at::isFloatingType(p.scalar_type()),
                "bernoulli expects floating-point probabilities, but got ", p.scalar_type());
    TORCH_CHECK(!self.is_complex(), "bernoulli does not draw ", self.scalar_type());
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

void check_randperm(const c10::SymInt& n, const at::Tensor& result) {
    TORCH_CHECK(n >= 0, "n must be non-negative, got ", n);
    if (!n.is_symbolic())
        at::native::check_supported_max_int_with_precision(n.guard_int(__FILE__, __LINE__), result);
}

at::Tensor randperm_make(c10::SymInt n, OptionalGenerator generator, OptionalType type,
                         OptionalLayout layout, OptionalDevice device, OptionalBool pin_memory) {
    at::Tensor result = at::empty_symint({n}, type, layout, device, pin_memory, c10::nullopt);
    check_randperm(n, result);
    return Fill<Permutation>::call(result, generator);
}

at::Tensor& randperm_to(c10::SymInt n, OptionalGenerator generator, at::Tensor& out) {
    torch::autograd::check_inplace(out, torch::autograd::compute_requires_grad(out));
    check_randperm(n, out);
    out.resize__symint({n});
    return Fill<Permutation>::call(out, generator);
}

using RandpermSignature = at::Tensor(c10::SymInt, OptionalGenerator, OptionalType, OptionalLayout,
                                     OptionalDevice, OptionalBool);

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
    const at::Tensor result = tombola_torch::multinomial(self, samples, replacement, generator);
    at::native::resize_output(out, result.sizes());
    return out.copy_(result);
}

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

// The result is dense, in the memory format of self.
at::Tensor channel_shuffle_meta(const at::Tensor& self, int64_t groups) {
    check_channel_shuffle(self, groups);
    return at::empty_like(self);
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

void check_dropout(const at::Tensor& self, double p) {
    TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
    const auto type = self.scalar_type();
    TORCH_CHECK(type == at::kFloat || type == at::kHalf || type == at::kBFloat16,
                "dropout serves float32, float16 and bfloat16, but got ", type);
}

at::Tensor seeded_dropout_meta(const at::Tensor& self, double p, const at::Tensor&) {
    check_dropout(self, p);
    return at::empty_like(self);
}

// The element with logical index i takes draw i, so a mask does not depend on the memory format.
at::Tensor seeded_dropout_cpu(const at::Tensor& self, double p, const at::Tensor& seeds) {
    TORCH_CHECK(seeds.scalar_type() == at::kLong && seeds.numel() == 2 && seeds.is_contiguous(),
                "seeds are 2 int64");
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
        gradient->seeds = seeds;
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
    check_dropout(self, p);
    if (!training) return self;
    return seeded_dropout(self, p, op.call(self, generator));
}

using DropoutSignature = at::Tensor(const at::Tensor&, double, bool, OptionalGenerator);

at::Tensor& stochastic_round_meta(at::Tensor& self, const at::Tensor& source, OptionalGenerator) {
    TORCH_CHECK(self.scalar_type() == at::kBFloat16 || self.scalar_type() == at::kHalf,
                "stochastic_round_ serves bfloat16 and float16, but got ", self.scalar_type());
    TORCH_CHECK(source.scalar_type() == at::kFloat, "source is float32, but got ",
                source.scalar_type());
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
    const at::AutoDispatchBelowAutograd below;
    return stochastic_round_(self, source, generator);
}

}  // namespace

at::Tensor rand(at::IntArrayRef size, const at::TensorOptions& options,
                OptionalGenerator generator) {
    return Factory<Rand>::call(size, options, generator);
}

at::Tensor& rand_out(at::Tensor& out, at::IntArrayRef size, OptionalGenerator generator) {
    return Factory<Rand>::call_out(out, size, generator);
}

at::Tensor& uniform_(at::Tensor& self, double from, double to, OptionalGenerator generator) {
    return Fill<Uniform>::call(self, from, to, generator);
}

at::Tensor randn(at::IntArrayRef size, const at::TensorOptions& options,
                 OptionalGenerator generator) {
    return Factory<Randn>::call(size, options, generator);
}

at::Tensor& randn_out(at::Tensor& out, at::IntArrayRef size, OptionalGenerator generator) {
    return Factory<Randn>::call_out(out, size, generator);
}

at::Tensor& normal_(at::Tensor& self, double mean, double std, OptionalGenerator generator) {
    return Fill<Normal>::call(self, mean, std, generator);
}

at::Tensor& exponential_(at::Tensor& self, double lambda, OptionalGenerator generator) {
    return Fill<Exponential>::call(self, lambda, generator);
}

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

at::Tensor& random_(at::Tensor& self, int64_t from, int64_t to, OptionalGenerator generator) {
    return Fill<Random>::call(self, from, to, generator);
}

at::Tensor randint(int64_t high, at::IntArrayRef size, const at::TensorOptions& options,
                   OptionalGenerator generator) {
    return randint(0, high, size, options, generator);
}

at::Tensor randint(int64_t low, int64_t high, at::IntArrayRef size,
                   const at::TensorOptions& options, OptionalGenerator generator) {
    return Factory<RandintBetween>::call(
        low, high, size, options.has_dtype() ? options : options.dtype(at::kLong), generator);
}

at::Tensor& randint_out(at::Tensor& out, int64_t low, int64_t high, at::IntArrayRef size,
                        OptionalGenerator generator) {
    return Factory<RandintBetween>::call_out(out, low, high, size, generator);
}

at::Tensor randperm(int64_t n, const at::TensorOptions& options, OptionalGenerator generator) {
    static const auto op = find_operator<RandpermSignature>("randperm");
    const auto typed = options.has_dtype() ? options : options.dtype(at::kLong);
    return op.call(n, generator, c10::optTypeMetaToScalarType(typed.dtype_opt()),
                   typed.layout_opt(), typed.device_opt(), typed.pinned_memory_opt());
}

at::Tensor& randperm_out(at::Tensor& out, int64_t n, OptionalGenerator generator) {
    return randperm_to(n, generator, out);
}

at::Tensor multinomial(const at::Tensor& probabilities, int64_t samples, bool replacement,
                       OptionalGenerator generator) {
    static const auto op = find_operator<MultinomialSignature>("multinomial");
    return op.call(probabilities, samples, replacement, generator);
}

at::Tensor channel_shuffle(const at::Tensor& self, int64_t groups) {
    static const auto op = find_operator<at::Tensor(const at::Tensor&, int64_t)>("channel_shuffle");
    return op.call(self, groups);
}

at::Tensor dropout(const at::Tensor& self, double p, bool training, OptionalGenerator generator) {
    static const auto op = find_operator<DropoutSignature>("dropout");
    return op.call(self, p, training, generator);
}

at::Tensor& stochastic_round_(at::Tensor& self, const at::Tensor& source,
                              OptionalGenerator generator) {
    static const auto op = find_operator<RoundSignature>("stochastic_round_");
    return op.call(self, source, generator);
}

// torch.ops.tombola.*
TORCH_LIBRARY(tombola, library) {
    Fill<Uniform>::define(library);
    Fill<Normal>::define(library);
    Fill<Random>::define(library);
    Factory<Rand>::define(library);
    Factory<Randn>::define(library);
    Factory<RandintBelow>::define(library);
    Factory<RandintBetween>::define(library);

    Fill<Exponential>::define(library);
    Fill<Bernoulli>::define(library);
    const std::string drawn = "Generator? generator=None";
    library.def(("bernoulli.Tensor(Tensor self, Tensor p, *, " + drawn + ") -> Tensor").c_str());
    library.impl("bernoulli.Tensor", torch::dispatch(DispatchKey::CPU, &bernoulli_tensor_cpu));
    library.impl("bernoulli.Tensor", torch::dispatch(DispatchKey::Meta, &bernoulli_tensor_meta));
    not_differentiable(library, "bernoulli.Tensor");
    // These are composed of PyTorch's operators and the one above.
    const auto composite = [&](const char* name, const std::string& schema, auto* function) {
        library.def((name + schema).c_str());
        library.impl(name, torch::dispatch(DispatchKey::CompositeImplicitAutograd, function));
    };
    composite("bernoulli_.Tensor", "(Tensor(a!) self, Tensor p, *, " + drawn + ") -> Tensor(a!)",
              &bernoulli_in_place);
    composite("bernoulli.probabilities", "(Tensor self, *, " + drawn + ") -> Tensor",
              &bernoulli_of);
    composite("bernoulli.out", "(Tensor self, *, " + drawn + ", Tensor(a!) out) -> Tensor(a!)",
              &bernoulli_to);

    Fill<Permutation>::define(library);
    library.def(
        "randperm(SymInt n, *, Generator? generator=None, ScalarType? dtype=long, "
        "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor");
    library.impl("randperm",
                 torch::dispatch(DispatchKey::CompositeExplicitAutograd, &randperm_make));
    library.def(
        "randperm.out(SymInt n, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)");
    library.impl("randperm.out",
                 torch::dispatch(DispatchKey::CompositeImplicitAutograd, &randperm_to));

    const std::string arguments =
        "(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None";
    library.def(("multinomial" + arguments + ") -> Tensor").c_str());
    library.impl("multinomial", torch::dispatch(DispatchKey::CPU, &multinomial_cpu));
    library.impl("multinomial", torch::dispatch(DispatchKey::Meta, &multinomial_meta));
    not_differentiable(library, "multinomial");
    library.def(("multinomial.out" + arguments + ", Tensor(a!) out) -> Tensor(a!)").c_str());
    library.impl("multinomial.out",
                 torch::dispatch(DispatchKey::CompositeImplicitAutograd, &multinomial_to));

    library.def("channel_shuffle(Tensor self, int groups) -> Tensor");
    library.impl("channel_shuffle", torch::dispatch(DispatchKey::CPU, &channel_shuffle_cpu));
    library.impl("channel_shuffle", torch::dispatch(DispatchKey::Meta, &channel_shuffle_meta));
    library.impl("channel_shuffle",
                 torch::dispatch(DispatchKey::Autograd, &channel_shuffle_autograd));

    library.def("draw_seeds(Tensor like, *, Generator? generator=None) -> Tensor");
    library.impl("draw_seeds", torch::dispatch(DispatchKey::CPU, &draw_seeds_cpu));
    library.impl("draw_seeds", torch::dispatch(DispatchKey::Meta, &draw_seeds_meta));
    not_differentiable(library, "draw_seeds");
    library.def("seeded_dropout(Tensor self, float p, Tensor seeds) -> Tensor");
    library.impl("seeded_dropout", torch::dispatch(DispatchKey::CPU, &seeded_dropout_cpu));
    library.impl("seeded_dropout", torch::dispatch(DispatchKey::Meta, &seeded_dropout_meta));
    library.impl("seeded_dropout",
                 torch::dispatch(DispatchKey::Autograd, &seeded_dropout_autograd));
    library.def(
        "dropout(Tensor self, float p=0.5, bool training=True, *, Generator? generator=None) -> "
        "Tensor");
    library.impl("dropout",
                 torch::dispatch(DispatchKey::CompositeImplicitAutograd, &dropout_composite));

    library.def(
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
    library.def(
        "stochastic_round(Tensor self, Tensor source, *, Generator? generator=None) -> Tensor");
    library.impl("stochastic_round", torch::dispatch(DispatchKey::CompositeExplicitAutograd,
                                                     &stochastic_round_functional));
    not_differentiable(library, "stochastic_round");
}

}  // namespace tombola_torch
