// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each primitive draws, as a stream of bits that are independent and fair if the numbers have the distribution that is
// promised. The streams never end.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bit_stream.hpp"

namespace tombola::test {

struct Stream {
    std::string name;
    std::string what;  // how bits are made of the numbers
    bool control;      // it is not random, so that a test that passes it is worth nothing
    // From a seed to a function that appends the next bits, a few thousand or more at a time.
    std::function<std::function<void(BitStream&)>(uint64_t)> open;
};

const std::vector<Stream>& streams();

}  // namespace tombola::test
