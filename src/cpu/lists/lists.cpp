// SPDX-License-Identifier: Apache-2.0

// All implementations there are: one table per primitive, best first.

#include "cpu/implementations.hpp"
#include "cpu/x64/implementations.hpp"

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

// Each alignment has rows of its own, which refuse the other's descriptors.
constexpr Implementation kRandomUniform[] = {
    implementation<x64::plan_pytorch_uniform>("jit:avx512_core", kAvx512),
    implementation<x64::plan_pytorch_uniform>("jit:avx2", kAvx2),
    implementation<x64::plan_tensorflow_uniform>("jit:avx512_core", kAvx512),
    implementation<x64::plan_tensorflow_uniform>("jit:avx2", kAvx2),
    implementation<plan_portable_tensorflow_uniform>("portable", kNone),
    implementation<plan_portable_pytorch_uniform>("portable", kNone),
};

constexpr Implementation kMultinomial[] = {
    implementation<x64::plan_multinomial>("jit:avx512_core", kAvx512),
    implementation<x64::plan_multinomial>("jit:avx2", kAvx2),
    implementation<plan_portable_multinomial>("portable", kNone),
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
        case PrimitiveKind::undef:
            break;
    }
    return {nullptr, 0};
}

}  // namespace tombola::impl
