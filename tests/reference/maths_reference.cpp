// SPDX-License-Identifier: Apache-2.0
#include "reference/maths_reference.hpp"

#include <cmath>

namespace tombola::reference {

double ln(double x) {
    int k = 0;
    double m = std::frexp(x, &k);
    if (m < 0x1.6a09ep-1) {
        m *= 2;
        --k;
    }
    const double f = m - 1;
    const double s = f / (2 + f);
    const double z = s * s, z2 = z * z, z4 = z2 * z2, z6 = z4 * z2;
    const double a = std::fma(z, 0x1.2492494229359p-2, 0x1.999999997fa04p-2);
    const double b = std::fma(z, 0x1.7466496cb03dep-3, 0x1.c71c51d8e78afp-3);
    const double c = std::fma(z, 0x1.2f112df3e5244p-3, 0x1.39a09d078c69fp-3);
    const double r = std::fma(z6, c, std::fma(z4, b, std::fma(z, 0x1.5555555555593p-1, z2 * a)));
    const double h = f / 2 * f;
    const double t = std::fma(k, 0x1.a39ef35793c76p-33, s * (h + r));
    return std::fma(k, 0x1.62e42feep-1, f - (h - t));
}

}  // namespace tombola::reference
