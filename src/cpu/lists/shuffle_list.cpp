// SPDX-License-Identifier: Apache-2.0
#include "cpu/lists/lists.hpp"
#include "cpu/shuffle/portable_shuffle.hpp"

namespace tombola::impl::cpu {

ImplementationList shuffle_list() {
    static constexpr Implementation kList[] = {
        implementation<PortableShuffle>("portable", CpuIsa::none),
    };
    return {kList, std::size(kList)};
}

}  // namespace tombola::impl::cpu
