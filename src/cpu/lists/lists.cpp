// SPDX-License-Identifier: Apache-2.0
#include "cpu/lists/lists.hpp"

namespace tombola::impl {

ImplementationList implementations(PrimitiveKind kind) {
    switch (kind) {
        case PrimitiveKind::shuffle:
            return cpu::shuffle_list();
        case PrimitiveKind::random_generator:
            return cpu::random_generator_list();
        case PrimitiveKind::random_uniform:
            return cpu::random_uniform_list();
        case PrimitiveKind::multinomial:
            return cpu::multinomial_list();
        case PrimitiveKind::undef:
            break;
    }
    return {nullptr, 0};
}

}  // namespace tombola::impl
