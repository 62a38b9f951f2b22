// SPDX-License-Identifier: Apache-2.0
// Uniform, normal and exponential numbers and integers: the operators that overwrite a tensor, and those that make one.

#include <ATen/native/DistributionTemplates.h>
#include <torch/version.h>

#include <cmath>
#include <tuple>

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
                        // PyTorch adds low to a product that is +0, so that -0 becomes +0.
                        iterator.output().fill_(static_cast<double>(low) + 0.0);
                    }
                });
            });
    }
};

struct Uniform {
    static constexpr const char* kName = "uniform";
    // PyTorch calls the first bound "from". It cannot load a saved program in which an argument that is named by a keyword of Python
    // has its default.
    static constexpr const char* kArguments = ", float low=0, float high=1";
    static void fill(at::Tensor& self, const OptionalGenerator& generator, double low,
                     double high) {
        templates::uniform_impl_<UniformKernel, at::CPUGeneratorImpl>(self, low, high, generator);
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
        // All values of a type of 4 bytes, and wide ranges of uint64: PyTorch takes one word for each, tombola's s64 two, and
        // tombola's s32 has no bound above its last value.
        const bool has_4_bytes = self.element_size() == 4 && range == uint64_t{1} << 32;
        const bool is_u64 = self.element_size() == 8 && self.scalar_type() != at::kLong;
        if (!narrow && at::isIntegralType(self.scalar_type(), false) && (has_4_bytes || is_u64)) {
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

// A bound of integers, and its value. While PyTorch 2 records a program, a bound may be a size that is not known yet.
#if TORCH_VERSION_MAJOR >= 2
#define TOMBOLA_TORCH_BOUND "SymInt"
using Bound = c10::SymInt;
c10::optional<int64_t> known(const Bound& bound) { return bound.maybe_as_int(); }
#else  // A SymInt has no integers below -2^62.
#define TOMBOLA_TORCH_BOUND "int"
using Bound = int64_t;
c10::optional<int64_t> known(Bound bound) { return bound; }
#endif

struct Random {
    static constexpr const char* kName = "random";
    static constexpr const char* kArguments =
        ", " TOMBOLA_TORCH_BOUND " from, " TOMBOLA_TORCH_BOUND " to";
    static void fill(at::Tensor& self, const OptionalGenerator& generator, Bound from, Bound to) {
        const auto low = known(from), high = known(to);
        if (!low || !high) {  // They are checked when the program runs.
            TORCH_CHECK(self.is_meta(), "random_ expects bounds that are known");
            return;
        }
        templates::random_from_to_impl<RandomKernel, at::CPUGeneratorImpl>(self, *low, *high,
                                                                           generator);
    }
};

// PyTorch has two ways: blocks of 16 for 16 and more contiguous elements, otherwise one number after the other in the order of
// memory. What tombola does not draw as PyTorch does is left to PyTorch: more than 15 elements that are not contiguous, f16 before
// version 2.6, and moments that are not finite in the tensor's type.
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
    static constexpr const char *kName = "randint", *kOverload = "",
                                *kArguments = ", " TOMBOLA_TORCH_BOUND " high",
                                *kDefaultType = "long";
    static std::tuple<Bound, Bound> filled(Bound high) { return {0, high}; }
};

struct RandintBetween {
    using Filled = Random;
    static constexpr const char *kName = "randint", *kOverload = "low",
                                *kArguments =
                                    ", " TOMBOLA_TORCH_BOUND " low, " TOMBOLA_TORCH_BOUND " high",
                                *kDefaultType = "long";
    static std::tuple<Bound, Bound> filled(Bound low, Bound high) { return {low, high}; }
};

// torch.ops.tombola.*
TORCH_LIBRARY(tombola, library) {
    Fill<Uniform>::define(library);
    Fill<Normal>::define(library);
    Fill<Random>::define(library);
    Fill<Exponential>::define(library);
    Factory<Rand>::define(library);
    Factory<Randn>::define(library);
    Factory<RandintBelow>::define(library);
    Factory<RandintBetween>::define(library);
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

}  // namespace tombola_torch
