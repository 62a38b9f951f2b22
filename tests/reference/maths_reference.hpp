// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transcendental functions of doc/maths.md, written from that page.

namespace tombola::reference {

// ln x for a positive normal number.
double ln(double x);

}  // namespace tombola::reference
