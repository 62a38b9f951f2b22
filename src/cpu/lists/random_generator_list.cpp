// SPDX-License-Identifier: Apache-2.0
#include "cpu/lists/lists.hpp"
#include "cpu/random_generator/portable_random_generator.hpp"

namespace tombola::impl::cpu {

ImplementationList random_generator_list() {
    static constexpr Implementation kList[] = {
        implementation<PortableRandomGenerator>("portable", CpuIsa::none),
    };
    return {kList, std::size(kList)};
}

}  // namespace tombola::impl::cpu
