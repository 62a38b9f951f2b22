// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transcendental functions of doc/maths.md, written from that page.

namespace tombola::reference {

// ln x for a positive normal number.
double ln(double x);

float ln(float x);

struct Direction {
    double sin, cos;
};
struct DirectionF32 {
    float sin, cos;
};
// Sine and cosine of an angle between 0 and 2 pi.
Direction sin_cos(double angle);
DirectionF32 sin_cos(float angle);

}  // namespace tombola::reference
