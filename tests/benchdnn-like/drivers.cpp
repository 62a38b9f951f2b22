// SPDX-License-Identifier: Apache-2.0

#include "common/driver.hpp"
#include "tombola/tombola.h"

namespace tombola::bench {

// Each is defined in <primitive>/<primitive>_problem.cpp.
#define TOMBOLA_DECLARATION(name, value) std::unique_ptr<Driver> make_##name##_driver();
TOMBOLA_PRIMITIVES(TOMBOLA_DECLARATION)
#undef TOMBOLA_DECLARATION

std::vector<std::unique_ptr<Driver>> make_drivers() {
    std::vector<std::unique_ptr<Driver>> drivers;
#define TOMBOLA_DRIVER(name, value) drivers.push_back(make_##name##_driver());
    TOMBOLA_PRIMITIVES(TOMBOLA_DRIVER)
#undef TOMBOLA_DRIVER
    return drivers;
}

}  // namespace tombola::bench
