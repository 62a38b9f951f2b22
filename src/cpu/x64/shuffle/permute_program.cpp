// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_program.hpp"

namespace tombola::impl::cpu::x64 {

std::vector<Piece> cut_into_vectors(int64_t bytes, int vector_bytes, bool masks) {
    if (bytes < vector_bytes && masks) return {{0, static_cast<int>(bytes)}};
    while (vector_bytes > bytes) vector_bytes /= 2;
    std::vector<Piece> pieces;
    for (int64_t offset = 0; offset + vector_bytes <= bytes; offset += vector_bytes)
        pieces.push_back({offset, vector_bytes});
    if (bytes % vector_bytes != 0) pieces.push_back({bytes - vector_bytes, vector_bytes});
    return pieces;
}

}  // namespace tombola::impl::cpu::x64
