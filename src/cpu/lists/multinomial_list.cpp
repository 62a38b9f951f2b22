// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "cpu/lists/lists.hpp"
#include "cpu/multinomial/portable_multinomial.hpp"

namespace tombola::impl::cpu {

ImplementationList multinomial_list() {
    static constexpr Implementation kList[] = {
        implementation<PortableMultinomial>("portable", CpuIsa::none),
    };
    return {kList, std::size(kList)};
}

}  // namespace tombola::impl::cpu
