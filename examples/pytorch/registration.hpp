// SPDX-License-Identifier: Apache-2.0
#pragma once

// Registration of operators with PyTorch's dispatcher, from one description for each operator.
//
// A Fill is an operator that overwrites a tensor with random numbers, like uniform_:
//
//     struct Uniform {
//         static constexpr const char* kName = "uniform";
//         static constexpr const char* kArguments = ", float low=0, float high=1";
//         static void fill(at::Tensor& self, const OptionalGenerator& generator, double low, double high);
//     };
//
// Fill<Uniform>::define(library) defines uniform_ and its functional form uniform. fill() checks the arguments, then
// draws, unless self is empty; nothing else is written for a new distribution.
//
// A Factory is an operator that makes a tensor and fills it, like rand. Its description names the Fill, and says which
// arguments the Fill gets:
//
//     struct Rand {
//         using Filled = Uniform;
//         static constexpr const char *kName = "rand", *kOverload = "", *kArguments = "", *kDefaultType = "None";
//         static std::tuple<double, double> filled() { return {0, 1}; }
//     };
//
// Factory<Rand>::define(library) defines rand, rand.out and rand_like.

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/Functions.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/function.h>
#include <torch/library.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tombola_torch.hpp"

namespace tombola_torch {

using c10::DispatchKey;

inline void check_not_inference(const at::Tensor& tensor) {
    TORCH_CHECK(!tensor.is_inference() || c10::InferenceMode::is_enabled(),
                "Inplace update to inference tensor outside InferenceMode is not allowed.");
}

// Refuses a tensor that copy_() does not write, before anything is drawn.
inline void check_written(const at::Tensor& tensor) {
    check_not_inference(tensor);
    at::assert_no_internal_overlap(tensor);
}

// Defines an operator that draws. By the tag, PyTorch neither folds nor drops nor executes it while it traces a program. TorchScript does not look
// at tags: it takes an operator that writes no argument for a pure function, makes constants of its results, and one call of two equal ones,
// unless the operator is called conservative. Where arguments are written, the schema must speak for itself.
inline void define_random(torch::Library& library, const std::string& schema) {
    const bool writes = schema.find('!') != std::string::npos;
    library.def(torch::schema(schema.c_str(), writes ? c10::AliasAnalysisKind::FROM_SCHEMA
                                                     : c10::AliasAnalysisKind::CONSERVATIVE),
                {at::Tag::nondeterministic_seeded});
}

template <class Signature>
auto find_operator(const std::string& name, const char* overload = "") {
    return c10::Dispatcher::singleton()
        .findSchemaOrThrow(("tombola::" + name).c_str(), overload)
        .template typed<Signature>();
}

// Outputs of an operator with this kernel have no gradient.
inline void not_differentiable(torch::Library& library, const std::string& name) {
    library.impl(name.c_str(),
                 torch::dispatch(DispatchKey::Autograd, torch::CppFunction::makeFallthrough()));
}

constexpr const char* kRefusedInVmap =
    " draws random numbers, which it does not do inside vmap: draw them before";

inline void refuse_vmap(const c10::OperatorHandle& op, torch::jit::Stack*) {
    TORCH_CHECK(false, op.schema().name(), kRefusedInVmap);
}

// Inside vmap PyTorch would call an operator without a rule of its own once for each element of the batch, or once for all of them if no
// argument is batched, whichever randomness vmap was asked for. This kernel raises an error instead.
inline void not_in_vmap(torch::Library& library, const std::string& name) {
    library.impl(name.c_str(),
                 torch::dispatch(DispatchKey::FuncTorchVmapMode,
                                 torch::CppFunction::makeFromBoxedFunction<&refuse_vmap>()));
}

// The gradient of a tensor that is overwritten: zero.
struct ZeroGradient : public torch::autograd::Node {
    torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
        return {gradients[0].defined() ? at::zeros_like(gradients[0]) : at::Tensor()};
    }
};

// A node of the graph behind an operator's only tensor, or none where no gradient is asked for.
template <class Gradient>
std::shared_ptr<Gradient> gradient_to(const at::Tensor& self) {
    if (!torch::autograd::compute_requires_grad(self)) return nullptr;
    const std::shared_ptr<Gradient> gradient(new Gradient, torch::autograd::deleteNode);
    gradient->set_next_edges(torch::autograd::collect_next_edges(self));
    return gradient;
}

// Whether F::fill takes meta tensors itself, because it checks their sizes: F has a member kChecksSizes.
template <class F, class = void>
inline constexpr bool kFillsMeta = false;
template <class F>
inline constexpr bool kFillsMeta<F, std::void_t<decltype(F::kChecksSizes)>> = true;

template <class F, class Function = decltype(&F::fill)>
struct Fill;

template <class F, class... Args>
struct Fill<F, void (*)(at::Tensor&, const OptionalGenerator&, Args...)> {
    static std::string in_place_name() { return F::kName + std::string("_"); }

    static at::Tensor& call(at::Tensor& self, Args... args, OptionalGenerator generator) {
        static const auto op =
            find_operator<at::Tensor&(at::Tensor&, Args..., OptionalGenerator)>(in_place_name());
        return op.call(self, args..., generator);
    }

    static void define(torch::Library& library) {
        const std::string name = F::kName, in_place = in_place_name();
        const std::string arguments = F::kArguments + std::string(", *, Generator? generator=None");
        define_random(library, in_place + "(Tensor(a!) self" + arguments + ") -> Tensor(a!)");
        const auto kernel = [&](DispatchKey key, auto* function) {
            library.impl(in_place.c_str(), torch::dispatch(key, function));
        };
        kernel(DispatchKey::CPU, &cpu);
        kernel(DispatchKey::Meta, &meta);
        kernel(DispatchKey::Autograd, &autograd);
        kernel(DispatchKey::ADInplaceOrView, &new_version);
        kernel(DispatchKey::Functionalize, &functionalize);
        not_in_vmap(library, in_place);

        define_random(library, name + "(Tensor self" + arguments + ") -> Tensor");
        library.impl(name.c_str(),
                     torch::dispatch(DispatchKey::CompositeExplicitAutograd, &functional));
        not_differentiable(library, name);
        not_in_vmap(library, name);
    }

    // Raises what filling a tensor like this one would raise, and writes nothing.
    static void check(const at::Tensor& like, Args... args) {
        at::Tensor none = at::empty({0}, like.options().device(at::kMeta));
        F::fill(none, c10::nullopt, args...);
        // PyTorch fills a complex tensor as a real one, and of an empty one it looks at nothing else.
        if (!like.is_complex()) return;
        none = at::empty({0}, none.options().dtype(c10::toRealValueType(like.scalar_type())));
        F::fill(none, c10::nullopt, args...);
    }

  private:
    static at::Tensor& cpu(at::Tensor& self, Args... args, OptionalGenerator generator) {
        F::fill(self, generator, args...);
        return self;
    }

    // A meta tensor has no data, and its sizes may be symbolic: only the type counts, unless F checks sizes.
    static at::Tensor& meta(at::Tensor& self, Args... args, OptionalGenerator) {
        if constexpr (kFillsMeta<F>)
            F::fill(self, c10::nullopt, args...);
        else
            check(self, args...);
        return self;
    }

    static at::Tensor& autograd(at::Tensor& self, Args... args, OptionalGenerator generator) {
        torch::autograd::check_inplace(self, torch::autograd::compute_requires_grad(self));
        const auto gradient = gradient_to<ZeroGradient>(self);
        {
            const at::AutoDispatchBelowAutograd below;
            call(self, args..., generator);
        }
        if (gradient) torch::autograd::rebase_history(self, gradient);
        if (const at::Tensor& tangent = self._fw_grad(0); tangent.defined()) tangent.zero_();
        return self;
    }

    // Autograd finds by a tensor's version that a saved tensor was overwritten.
    static at::Tensor& new_version(at::Tensor& self, Args... args, OptionalGenerator generator) {
        check_not_inference(self);
        {
            const at::AutoDispatchBelowADInplaceOrView below;
            call(self, args..., generator);
        }
        torch::autograd::increment_version(self);
        return self;
    }

    // While PyTorch rewrites a program without writes in place (torch.compile does), the functional form's result
    // replaces the tensor.
    static at::Tensor& functionalize(at::Tensor& self, Args... args, OptionalGenerator generator) {
        static const auto op =
            find_operator<at::Tensor(const at::Tensor&, Args..., OptionalGenerator)>(F::kName);
        namespace functional = at::functionalization::impl;
        if (!functional::isFunctionalTensor(self)) {
            const at::AutoDispatchSkipFunctionalize below;
            return call(self, args..., generator);
        }
        functional::sync(self);
        const at::Tensor before = functional::from_functional_tensor(self);
        at::Tensor after;
        {
            const at::AutoDispatchSkipFunctionalize below;
            after = op.call(before, args..., generator);
        }
        functional::replace_(self, after);
        functional::commit_update(self);
        functional::sync(self);
        return self;
    }

    static at::Tensor functional(const at::Tensor& self, Args... args,
                                 OptionalGenerator generator) {
        at::Tensor result = at::empty_like(self);
        return call(result, args..., generator);
    }
};

using OptionalBool = c10::optional<bool>;
using OptionalType = c10::optional<at::ScalarType>;
using OptionalLayout = c10::optional<at::Layout>;
using OptionalDevice = c10::optional<at::Device>;
using OptionalFormat = c10::optional<at::MemoryFormat>;

template <class F, class Function = decltype(&F::filled)>
struct Factory;

template <class F, class Filled, class... Args>
struct Factory<F, Filled (*)(Args...)> {
    static at::Tensor call(Args... args, at::IntArrayRef size, const at::TensorOptions& options,
                           const OptionalGenerator& generator) {
        static const auto op =
            find_operator<at::Tensor(Args..., c10::SymIntArrayRef, OptionalGenerator, OptionalType,
                                     OptionalLayout, OptionalDevice, OptionalBool)>(F::kName,
                                                                                    F::kOverload);
        const std::vector<c10::SymInt> sizes(size.begin(), size.end());
        return op
            .call(args..., sizes, generator, c10::optTypeMetaToScalarType(options.dtype_opt()),
                  options.layout_opt(), options.device_opt(), options.pinned_memory_opt())
            .set_requires_grad(options.requires_grad());
    }

    static at::Tensor& call_out(at::Tensor& out, Args... args, at::IntArrayRef size,
                                const OptionalGenerator& generator) {
        const std::vector<c10::SymInt> sizes(size.begin(), size.end());
        return make_out(args..., sizes, generator, out);
    }

    static void define(torch::Library& library) {
        const std::string overload = F::kOverload, suffix = overload.empty() ? "" : '.' + overload;
        const std::string made = F::kName + suffix, like = std::string(F::kName) + "_like" + suffix,
                          out =
                              F::kName + std::string(overload.empty() ? "." : suffix + '_') + "out";
        const std::string arguments = F::kArguments, generator = ", *, Generator? generator=None";
        const std::string options =
            ", Layout? layout=None, Device? device=None, bool? "
            "pin_memory=None";
        // Arguments begin with a comma; the first of all must not.
        const std::string first = arguments.empty() ? "" : arguments.substr(2) + ", ";
        define_random(library, made + '(' + first + "SymInt[] size" + generator +
                                   ", ScalarType? dtype=" + F::kDefaultType + options +
                                   ") -> Tensor");
        // Recorded programs hold at::empty() and a Fill: PyTorch takes two equal calls of an operator that it does not know for one,
        // but never two of at::empty().
        library.impl(made.c_str(), torch::dispatch(DispatchKey::CompositeImplicitAutograd, &make));

        define_random(library, out + '(' + first + "SymInt[] size" + generator +
                                   ", Tensor(a!) out) -> Tensor(a!)");
        library.impl(out.c_str(),
                     torch::dispatch(DispatchKey::CompositeImplicitAutograd, &make_out));

        define_random(library, like + "(Tensor self" + arguments + generator +
                                   ", ScalarType? dtype=None" + options +
                                   ", MemoryFormat? memory_format=None) -> Tensor");
        library.impl(like.c_str(),
                     torch::dispatch(DispatchKey::CompositeExplicitAutograd, &make_like));
        not_differentiable(library, like);
        for (const std::string& name : {made, out, like}) not_in_vmap(library, name);
    }

  private:
    static at::Tensor& fill(at::Tensor& self, Args... args, const OptionalGenerator& generator) {
        return std::apply(
            [&](auto... values) -> at::Tensor& {
                return Fill<typename F::Filled>::call(self, values..., generator);
            },
            F::filled(args...));
    }

    static at::Tensor make(Args... args, c10::SymIntArrayRef size, OptionalGenerator generator,
                           OptionalType type, OptionalLayout layout, OptionalDevice device,
                           OptionalBool pin_memory) {
        at::Tensor result = at::empty_symint(size, type, layout, device, pin_memory, c10::nullopt);
        return fill(result, args..., generator);
    }

    static at::Tensor& make_out(Args... args, c10::SymIntArrayRef size, OptionalGenerator generator,
                                at::Tensor& out) {
        // The arguments are checked first, so that a call that they make refused leaves out as it is. (randn looks at the type of
        // out later, as PyTorch does.)
        torch::autograd::check_inplace(out, torch::autograd::compute_requires_grad(out));
        std::apply([&](auto... values) { Fill<typename F::Filled>::check(out, values...); },
                   F::filled(args...));
        out.resize__symint(size);
        return fill(out, args..., generator);
    }

    static at::Tensor make_like(const at::Tensor& self, Args... args, OptionalGenerator generator,
                                OptionalType type, OptionalLayout layout, OptionalDevice device,
                                OptionalBool pin_memory, OptionalFormat format) {
        at::Tensor result = at::empty_like(self, type, layout, device, pin_memory, format);
        return fill(result, args..., generator);
    }
};

}  // namespace tombola_torch
