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

float ln(float x) {
    int e = 0;
    float m = std::frexp(x, &e);
    if (m < 0.70710678f) {
        m += m;
        --e;
    }
    const float f = m - 1;
    const float z = f * f;
    const auto step = [f](float y, float c) { return std::fma(y, f, c); };
    float y = 7.0376836292E-2f;
    y = step(y, -1.1514610310E-1f);
    y = step(y, 1.1676998740E-1f);
    y = step(y, -1.2420140846E-1f);
    y = step(y, 1.4249322787E-1f);
    y = step(y, -1.6668057665E-1f);
    y = step(y, 2.0000714765E-1f);
    y = step(y, -2.4999993993E-1f);
    y = step(y, 3.3333331174E-1f);
    y *= f;
    const float low = static_cast<float>(e) * -2.12194440E-4f;
    y = std::fma(y, z, low);
    y = std::fma(z, -0.5f, y);
    const float sum = f + y;
    return std::fma(static_cast<float>(e), 0.693359375f, sum);
}

namespace {

// The sine and cosine of an angle and a number of right angles.
template <class SinCos>
SinCos turned(const SinCos& d, int right_angles) {
    switch (right_angles % 4) {
        case 0:
            return d;
        case 1:
            return {d.cos, -d.sin};
        case 2:
            return {-d.sin, -d.cos};
        default:
            return {-d.cos, d.sin};
    }
}

}  // namespace

DirectionF32 sin_cos(float angle) {
    const float scaled = angle * 1.27323954473516f;
    const int j = (static_cast<int>(scaled) + 1) / 2 * 2;
    const auto steps = static_cast<float>(j);
    float x = std::fma(steps, -0.78515625f, angle);
    x = std::fma(steps, -2.4187564849853515625E-4f, x);
    x = std::fma(steps, -3.77489497744594108E-8f, x);
    const float z = x * x;
    float c = std::fma(2.443315711809948E-5f, z, -1.388731625493765E-3f);
    c = std::fma(c, z, 4.166664568298827E-2f);
    c *= z;
    const float half = z * 0.5f;
    c = std::fma(c, z, -half);
    c += 1;
    float s = std::fma(-1.9515295891E-4f, z, 8.3321608736E-3f);
    s = std::fma(s, z, -1.6666654611E-1f);
    s *= z;
    s = std::fma(s, x, x);
    return turned(DirectionF32{s, c}, j / 2);
}

Direction sin_cos(double angle) {
    const double q = std::fma(angle, 0x1.45f306dc9c883p-1, 0x1.8p+52) - 0x1.8p+52;
    const double first = std::fma(q, -0x1.921fb54442d18p+0, angle);
    const double r = std::fma(q, -0x1.1a62633145c07p-54, first);
    const double t = std::fma(q, -0x1.1a62633145c07p-54, first - r);
    const double z = r * r, h = z / 2;
    const double sines[] = {-0x1.ae5e68a2b9cebp-26, 0x1.71de357b1fe7dp-19, -0x1.a01a019c161d5p-13,
                            0x1.111111110f8a6p-7, -0x1.5555555555549p-3};
    double s = 0x1.5d93a5acfd57cp-33;
    for (const double coefficient : sines) s = std::fma(s, z, coefficient);
    const double s_tail = std::fma(h, -t, t);
    s = r + std::fma(s * z, r, s_tail);
    const double cosines[] = {0x1.1ee9ebdb4b1c4p-29, -0x1.27e4f809c52adp-22, 0x1.a01a019cb1590p-16,
                              -0x1.6c16c16c15177p-10, 0x1.555555555554cp-5};
    double c = -0x1.8fae9be8838d4p-37;
    for (const double coefficient : cosines) c = std::fma(c, z, coefficient);
    const double w = 1 - h;
    const double c_tail = std::fma(r, -t, (1 - w) - h);
    c = w + std::fma(c * z, z, c_tail);
    return turned(Direction{s, c}, static_cast<int>(q));
}

}  // namespace tombola::reference
