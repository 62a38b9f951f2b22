// SPDX-License-Identifier: Apache-2.0

// All implementations of the library: one table per primitive, best first. Rows with generated kernels exist on x86-64
// alone.

#include "cpu/implementations.hpp"

namespace tombola::impl {
namespace {

using namespace cpu;

constexpr CpuIsa kNone = CpuIsa::none;
#if defined(__x86_64__)
constexpr CpuIsa kAvx2 = CpuIsa::avx2;
constexpr CpuIsa kAvx512 = CpuIsa::avx512_core;
constexpr CpuIsa kVbmi = CpuIsa::avx512_core_vbmi;
#endif

constexpr Implementation kShuffle[] = {
#if defined(__x86_64__)
    implementation<x64::plan_blocked_shuffle>("jit_blocked:avx512_core_vbmi", kVbmi),
    implementation<x64::plan_interleaved_shuffle>("jit_interleaved:avx512_core_vbmi", kVbmi),
    implementation<x64::plan_blocked_shuffle>("jit_blocked:avx512_core", kAvx512),
    implementation<x64::plan_interleaved_shuffle>("jit_interleaved:avx512_core", kAvx512),
    implementation<x64::plan_row_shuffle>("jit_rows:avx512_core", kAvx512),
    implementation<x64::plan_blocked_shuffle>("jit_blocked:avx2", kAvx2),
    implementation<x64::plan_interleaved_shuffle>("jit_interleaved:avx2", kAvx2),
    implementation<x64::plan_row_shuffle>("jit_rows:avx2", kAvx2),
#endif
    implementation<plan_portable_shuffle>("portable", kNone),
};

// The rows of a primitive whose generated implementation is the same for every instruction set.
template <auto plan_generated, auto plan_portable>
constexpr Implementation kRows[] = {
#if defined(__x86_64__)
    implementation<plan_generated>("jit:avx512_core", kAvx512),
    implementation<plan_generated>("jit:avx2", kAvx2),
#endif
    implementation<plan_portable>("portable", kNone),
};

// Plans with the planning function of the descriptor's alignment.
template <auto plan_tensorflow, auto plan_pytorch,
          class Desc = decltype(planned_by(plan_tensorflow))>
Result<PlanPtr> by_alignment(CpuIsa isa, const Desc& desc) {
    switch (desc.alignment) {
        case Alignment::tensorflow:
            return plan_tensorflow(isa, desc);
        case Alignment::pytorch:
            return plan_pytorch(isa, desc);
    }
    return unimplemented("no such alignment");
}
constexpr auto plan_uniform = by_alignment<x64::plan_tensorflow_uniform, x64::plan_pytorch_uniform>;
constexpr auto plan_portable_uniform =
    by_alignment<plan_portable_tensorflow_uniform, plan_portable_pytorch_uniform>;

constexpr auto plan_normal = by_alignment<x64::plan_tensorflow_normal, x64::plan_pytorch_normal>;
constexpr auto plan_portable_normal =
    by_alignment<plan_portable_tensorflow_normal, plan_portable_pytorch_normal>;

// The same for permutations.
template <auto plan_philox, auto plan_pytorch>
Result<PlanPtr> by_permutation(CpuIsa isa, const RandomPermutationDesc& desc) {
    switch (desc.alignment) {
        case PermutationAlignment::philox:
            return plan_philox(isa, desc);
        case PermutationAlignment::pytorch:
            return plan_pytorch(isa, desc);
    }
    return unimplemented("no such alignment");
}
constexpr auto plan_permutation =
    by_permutation<x64::plan_philox_permutation, x64::plan_pytorch_permutation>;
constexpr auto plan_portable_permutation =
    by_permutation<plan_portable_philox_permutation, plan_portable_pytorch_permutation>;

template <size_t count>
ImplementationList list(const Implementation (&rows)[count]) {
    return {rows, count};
}

}  // namespace

ImplementationList implementations(PrimitiveKind kind) {
    switch (kind) {
        case PrimitiveKind::shuffle:
            return list(kShuffle);
        case PrimitiveKind::random_generator:
            return list(kRows<x64::plan_random_generator, plan_portable_random_generator>);
        case PrimitiveKind::random_uniform:
            return list(kRows<plan_uniform, plan_portable_uniform>);
        case PrimitiveKind::multinomial:
            return list(kRows<x64::plan_multinomial, plan_portable_multinomial>);
        case PrimitiveKind::random_normal:
            return list(kRows<plan_normal, plan_portable_normal>);
        case PrimitiveKind::random_exponential:
            return list(kRows<x64::plan_exponential, plan_portable_exponential>);
        case PrimitiveKind::random_bernoulli:
            return list(kRows<x64::plan_bernoulli, plan_portable_bernoulli>);
        case PrimitiveKind::random_permutation:
            return list(kRows<plan_permutation, plan_portable_permutation>);
        case PrimitiveKind::dropout:
            return list(kRows<x64::plan_dropout, plan_portable_dropout>);
        case PrimitiveKind::stochastic_rounding:
            return list(kRows<x64::plan_stochastic_rounding, plan_portable_stochastic_rounding>);
        case PrimitiveKind::token_sampler:
            return list(kRows<x64::plan_token_sampler, plan_portable_token_sampler>);
        case PrimitiveKind::undef:
            break;
    }
    return {nullptr, 0};
}

}  // namespace tombola::impl
