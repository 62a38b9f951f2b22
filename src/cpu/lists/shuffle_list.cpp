// SPDX-License-Identifier: Apache-2.0
#include "cpu/lists/lists.hpp"
#include "cpu/shuffle/portable_shuffle.hpp"
#include "cpu/x64/shuffle/jit_permute_shuffle.hpp"
#include "cpu/x64/shuffle/jit_row_shuffle.hpp"

namespace tombola::impl::cpu {

ImplementationList shuffle_list() {
    static constexpr Implementation kList[] = {
        implementation<x64::JitBlockedShuffle<CpuIsa::avx512_core_vbmi>>(
            "jit_blocked:avx512_core_vbmi", CpuIsa::avx512_core_vbmi),
        implementation<x64::JitInterleavedShuffle<CpuIsa::avx512_core_vbmi>>(
            "jit_interleaved:avx512_core_vbmi", CpuIsa::avx512_core_vbmi),
        implementation<x64::JitBlockedShuffle<CpuIsa::avx512_core>>("jit_blocked:avx512_core",
                                                                    CpuIsa::avx512_core),
        implementation<x64::JitInterleavedShuffle<CpuIsa::avx512_core>>(
            "jit_interleaved:avx512_core", CpuIsa::avx512_core),
        implementation<x64::JitRowShuffle<CpuIsa::avx512_core>>("jit_rows:avx512_core",
                                                                CpuIsa::avx512_core),
        implementation<x64::JitBlockedShuffle<CpuIsa::avx2>>("jit_blocked:avx2", CpuIsa::avx2),
        implementation<x64::JitInterleavedShuffle<CpuIsa::avx2>>("jit_interleaved:avx2",
                                                                 CpuIsa::avx2),
        implementation<x64::JitRowShuffle<CpuIsa::avx2>>("jit_rows:avx2", CpuIsa::avx2),
        implementation<PortableShuffle>("portable", CpuIsa::none),
    };
    return {kList, std::size(kList)};
}

}  // namespace tombola::impl::cpu
