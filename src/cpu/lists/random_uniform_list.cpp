// SPDX-License-Identifier: Apache-2.0
#include "cpu/lists/lists.hpp"
#include "cpu/random_uniform/portable_pytorch.hpp"
#include "cpu/random_uniform/portable_tensorflow.hpp"
#include "cpu/x64/random_uniform/jit_pytorch.hpp"
#include "cpu/x64/random_uniform/jit_tensorflow.hpp"

namespace tombola::impl::cpu {

// Each alignment has rows of its own, which refuse the other's descriptors.
ImplementationList random_uniform_list() {
    using x64::JitPytorchUniform;
    using x64::JitTensorflowUniform;
    static constexpr Implementation kList[] = {
        implementation<JitPytorchUniform<CpuIsa::avx512_core>>("jit:avx512_core",
                                                               CpuIsa::avx512_core),
        implementation<JitPytorchUniform<CpuIsa::avx2>>("jit:avx2", CpuIsa::avx2),
        implementation<JitTensorflowUniform<CpuIsa::avx512_core>>("jit:avx512_core",
                                                                  CpuIsa::avx512_core),
        implementation<JitTensorflowUniform<CpuIsa::avx2>>("jit:avx2", CpuIsa::avx2),
        implementation<PortableTensorflowUniform>("portable", CpuIsa::none),
        implementation<PortablePytorchUniform>("portable", CpuIsa::none),
    };
    return {kList, std::size(kList)};
}

}  // namespace tombola::impl::cpu
