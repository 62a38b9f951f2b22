// SPDX-License-Identifier: Apache-2.0
#pragma once

// One table of implementations a primitive, best first, each in a file of its own beside this one.

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

ImplementationList shuffle_list();
ImplementationList random_generator_list();
ImplementationList random_uniform_list();
ImplementationList multinomial_list();

}  // namespace tombola::impl::cpu
