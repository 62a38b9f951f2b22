// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "cpu/lists/lists.hpp"
#include "cpu/multinomial/portable_multinomial.hpp"
#include "cpu/x64/multinomial/jit_multinomial.hpp"

namespace tombola::impl::cpu {

ImplementationList multinomial_list() {
    static constexpr Implementation kList[] = {
        implementation<x64::JitMultinomialFor<CpuIsa::avx512_core>>("jit:avx512_core",
                                                                    CpuIsa::avx512_core),
        implementation<x64::JitMultinomialFor<CpuIsa::avx2>>("jit:avx2", CpuIsa::avx2),
        implementation<PortableMultinomial>("portable", CpuIsa::none),
    };
    return {kList, std::size(kList)};
}

}  // namespace tombola::impl::cpu
