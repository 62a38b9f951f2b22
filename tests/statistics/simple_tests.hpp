// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tombola::test {

// What is remarkable about the bytes, or an empty text. Three tests, 67 results:
//   - chi-square of the 256 values of a byte;
//   - chi-square of the 65,536 values of two bytes side by side;
//   - for each distance of 0 to 64 bits, how often a bit is equal to the one at that distance; 0: how often a bit is 1.
// Each result is normal with mean 0 and standard deviation 1 if the bits are fair and independent. Beyond 5.5 it is remarkable:
// of 10^7 fair ones, less than one is.
std::string remarkable(const std::vector<uint8_t>& bytes);

// The length of the shortest linear feedback shift register that gives the bits (Berlekamp and Massey, 1969). It is half the
// number of bits, more or less, unless the generator is linear.
size_t linear_complexity(const std::vector<bool>& bits);

}  // namespace tombola::test
