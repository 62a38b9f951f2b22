// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the module consists of: each part adds its functions.

#include <pybind11/pybind11.h>

namespace tombola_python {

void add_state(pybind11::module_& module);
void add_random(pybind11::module_& module);
void add_sampling(pybind11::module_& module);
void add_elementwise(pybind11::module_& module);
void add_shuffle(pybind11::module_& module);
void add_bit_generators(pybind11::module_& module);
void add_export(pybind11::module_& module);

}  // namespace tombola_python
