// SPDX-License-Identifier: Apache-2.0
#include "common/machine.hpp"

namespace tombola::impl {

const char* name_of(Microarchitecture machine) {
    switch (machine) {
#define TOMBOLA_NAME(name)        \
    case Microarchitecture::name: \
        return #name;
        TOMBOLA_MACHINES(TOMBOLA_NAME)
#undef TOMBOLA_NAME
    }
    return "unknown";
}

}  // namespace tombola::impl
