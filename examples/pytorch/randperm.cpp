// SPDX-License-Identifier: Apache-2.0
// The operators permutation, permutation_ and randperm.

#include <ATen/MemoryOverlap.h>
#include <ATen/native/TensorFactories.h>

#include <algorithm>
#include <iterator>

#include "generator.hpp"
#include "registration.hpp"

namespace tombola_torch {
namespace {

void check_randperm(const c10::SymInt& n, const at::Tensor& result) {
    const at::ScalarType type = result.scalar_type();
    constexpr at::ScalarType kTypes[] = {at::kByte,     at::kChar,  at::kShort,
                                         at::kInt,      at::kLong,  at::kHalf,
                                         at::kBFloat16, at::kFloat, at::kDouble};
    TORCH_CHECK_NOT_IMPLEMENTED(
        std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes),
        "\"randperm\" not implemented for '", type, "'");
    TORCH_CHECK(n >= 0, "n must be non-negative, got ", n);
    if (!n.is_symbolic())
        at::native::check_supported_max_int_with_precision(n.guard_int(__FILE__, __LINE__), result);
}

// Overwrites a vector with a permutation of its indices.
struct Permutation {
    static constexpr const char* kName = "permutation";
    static constexpr bool kChecksSizes = true;
    static constexpr const char* kArguments = "";
    static void fill(at::Tensor& self, const OptionalGenerator& generator) {
        TORCH_CHECK(self.dim() == 1, "a permutation has 1 dimension, but got ", self.dim());
        const c10::SymInt size = self.sym_size(0);
        check_randperm(size, self);
        if (self.is_meta()) return;
        const int64_t n = size.guard_int(__FILE__, __LINE__);
        if (n == 0) return;
        if (n >= TOMBOLA_PYTORCH_PERMUTATION_LIMIT) {
            self.copy_(at::randperm(n, generator, self.options().dtype(at::kLong)));
            return;
        }
        at::assert_no_internal_overlap(self);
        const bool direct = self.scalar_type() == at::kLong || self.scalar_type() == at::kInt;
        at::Tensor integers = direct ? self : at::empty({n}, self.options().dtype(at::kLong));
        drawing("randperm", generator, [&](Words& words) {
            words.permutation(n, integers.stride(0), type_of(integers.scalar_type()),
                              integers.data_ptr());
        });
        if (!direct) self.copy_(integers);
    }
};

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

TORCH_LIBRARY_FRAGMENT(tombola, library) {
    Fill<Permutation>::define(library);
    define_random(library,
                  "randperm(SymInt n, *, Generator? generator=None, ScalarType? dtype=long, "
                  "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor");
    library.impl("randperm",
                 torch::dispatch(DispatchKey::CompositeImplicitAutograd, &randperm_make));
    define_random(
        library,
        "randperm.out(SymInt n, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)");
    library.impl("randperm.out",
                 torch::dispatch(DispatchKey::CompositeImplicitAutograd, &randperm_to));
    for (const char* name : {"randperm", "randperm.out"}) not_in_vmap(library, name);
}

}  // namespace

at::Tensor randperm(int64_t n, const at::TensorOptions& options, OptionalGenerator generator) {
    static const auto op = find_operator<RandpermSignature>("randperm");
    const auto typed = options.has_dtype() ? options : options.dtype(at::kLong);
    return op.call(n, generator, c10::optTypeMetaToScalarType(typed.dtype_opt()),
                   typed.layout_opt(), typed.device_opt(), typed.pinned_memory_opt());
}

at::Tensor& randperm_out(at::Tensor& out, int64_t n, OptionalGenerator generator) {
    return randperm_to(n, generator, out);
}

}  // namespace tombola_torch
