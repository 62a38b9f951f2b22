// SPDX-License-Identifier: Apache-2.0

// All implementations there are: one table per primitive, best first.

#include "cpu/implementations.hpp"

namespace tombola::impl {
namespace {

using namespace cpu;

constexpr CpuIsa kNone = CpuIsa::none;
constexpr CpuIsa kAvx2 = CpuIsa::avx2;
constexpr CpuIsa kAvx512 = CpuIsa::avx512_core;
constexpr CpuIsa kVbmi = CpuIsa::avx512_core_vbmi;

constexpr Implementation kShuffle[] = {
    implementation<x64::plan_blocked_shuffle>("jit_blocked:avx512_core_vbmi", kVbmi),
    implementation<x64::plan_interleaved_shuffle>("jit_interleaved:avx512_core_vbmi", kVbmi),
    implementation<x64::plan_blocked_shuffle>("jit_blocked:avx512_core", kAvx512),
    implementation<x64::plan_interleaved_shuffle>("jit_interleaved:avx512_core", kAvx512),
    implementation<x64::plan_row_shuffle>("jit_rows:avx512_core", kAvx512),
    implementation<x64::plan_blocked_shuffle>("jit_blocked:avx2", kAvx2),
    implementation<x64::plan_interleaved_shuffle>("jit_interleaved:avx2", kAvx2),
    implementation<x64::plan_row_shuffle>("jit_rows:avx2", kAvx2),
    implementation<plan_portable_shuffle>("portable", kNone),
};

constexpr Implementation kRandomGenerator[] = {
    implementation<x64::plan_random_generator>("jit:avx512_core", kAvx512),
    implementation<x64::plan_random_generator>("jit:avx2", kAvx2),
    implementation<plan_portable_random_generator>("portable", kNone),
};

// Where each alignment has an implementation of its own, a row takes that of the descriptor.
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

constexpr Implementation kRandomUniform[] = {
    implementation<plan_uniform>("jit:avx512_core", kAvx512),
    implementation<plan_uniform>("jit:avx2", kAvx2),
    implementation<plan_portable_uniform>("portable", kNone),
};

constexpr Implementation kMultinomial[] = {
    implementation<x64::plan_multinomial>("jit:avx512_core", kAvx512),
    implementation<x64::plan_multinomial>("jit:avx2", kAvx2),
    implementation<plan_portable_multinomial>("portable", kNone),
};

constexpr auto plan_normal = by_alignment<x64::plan_tensorflow_normal, x64::plan_pytorch_normal>;
constexpr auto plan_portable_normal =
    by_alignment<plan_portable_tensorflow_normal, plan_portable_pytorch_normal>;

constexpr Implementation kRandomNormal[] = {
    implementation<plan_normal>("jit:avx512_core", kAvx512),
    implementation<plan_normal>("jit:avx2", kAvx2),
    implementation<plan_portable_normal>("portable", kNone),
};

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

constexpr Implementation kRandomPermutation[] = {
    implementation<plan_permutation>("jit:avx512_core", kAvx512),
    implementation<plan_permutation>("jit:avx2", kAvx2),
    implementation<plan_portable_permutation>("portable", kNone),
};

constexpr Implementation kDropout[] = {
    implementation<x64::plan_dropout>("jit:avx512_core", kAvx512),
    implementation<x64::plan_dropout>("jit:avx2", kAvx2),
    implementation<plan_portable_dropout>("portable", kNone),
};

constexpr Implementation kStochasticRounding[] = {
    implementation<x64::plan_stochastic_rounding>("jit:avx512_core", kAvx512),
    implementation<x64::plan_stochastic_rounding>("jit:avx2", kAvx2),
    implementation<plan_portable_stochastic_rounding>("portable", kNone),
};

constexpr Implementation kTokenSampler[] = {
    implementation<x64::plan_token_sampler>("jit:avx512_core", kAvx512),
    implementation<x64::plan_token_sampler>("jit:avx2", kAvx2),
    implementation<plan_portable_token_sampler>("portable", kNone),
};

constexpr Implementation kRandomExponential[] = {
    implementation<x64::plan_exponential>("jit:avx512_core", kAvx512),
    implementation<x64::plan_exponential>("jit:avx2", kAvx2),
    implementation<plan_portable_exponential>("portable", kNone),
};

constexpr Implementation kRandomBernoulli[] = {
    implementation<x64::plan_bernoulli>("jit:avx512_core", kAvx512),
    implementation<x64::plan_bernoulli>("jit:avx2", kAvx2),
    implementation<plan_portable_bernoulli>("portable", kNone),
};

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
            return list(kRandomGenerator);
        case PrimitiveKind::random_uniform:
            return list(kRandomUniform);
        case PrimitiveKind::multinomial:
            return list(kMultinomial);
        case PrimitiveKind::random_normal:
            return list(kRandomNormal);
        case PrimitiveKind::random_exponential:
            return list(kRandomExponential);
        case PrimitiveKind::random_bernoulli:
            return list(kRandomBernoulli);
        case PrimitiveKind::random_permutation:
            return list(kRandomPermutation);
        case PrimitiveKind::dropout:
            return list(kDropout);
        case PrimitiveKind::stochastic_rounding:
            return list(kStochasticRounding);
        case PrimitiveKind::token_sampler:
            return list(kTokenSampler);
        case PrimitiveKind::undef:
            break;
    }
    return {nullptr, 0};
}

}  // namespace tombola::impl
