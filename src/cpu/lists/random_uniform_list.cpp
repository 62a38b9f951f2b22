// SPDX-License-Identifier: Apache-2.0
#include "cpu/lists/lists.hpp"
#include "cpu/random_uniform/portable_tensorflow.hpp"

namespace tombola::impl::cpu {

ImplementationList random_uniform_list() {
    static constexpr Implementation kList[] = {
        implementation<PortableTensorflowUniform>("portable", CpuIsa::none),
    };
    return {kList, std::size(kList)};
}

}  // namespace tombola::impl::cpu
