// SPDX-License-Identifier: Apache-2.0
#include "cpu/lists/lists.hpp"
#include "cpu/random_generator/portable_random_generator.hpp"
#include "cpu/x64/random_generator/jit_random_generator.hpp"

namespace tombola::impl::cpu {

ImplementationList random_generator_list() {
    static constexpr Implementation kList[] = {
        implementation<x64::JitRandomGenerator<CpuIsa::avx512_core>>("jit:avx512_core",
                                                                     CpuIsa::avx512_core),
        implementation<x64::JitRandomGenerator<CpuIsa::avx2>>("jit:avx2", CpuIsa::avx2),
        implementation<PortableRandomGenerator>("portable", CpuIsa::none),
    };
    return {kList, std::size(kList)};
}

}  // namespace tombola::impl::cpu
