// SPDX-License-Identifier: Apache-2.0
#include "cpu/weights/uniform_source.hpp"

namespace tombola::impl::cpu {

Status check_uniforms(const double* uniforms, dim_t rows, dim_t samples) {
    for (dim_t i = 0; i < rows * samples; ++i) {
        const double u = uniforms[i];
        if (!(u >= 0 && u <= 1))
            return invalid("UNIFORMS: row %lld, sample %lld: %s; expected a number in [0, 1]",
                           i / samples, i % samples, digits(u).c_str());
    }
    return {};
}

}  // namespace tombola::impl::cpu
