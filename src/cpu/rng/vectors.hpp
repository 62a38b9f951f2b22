// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors of the compiler, for code that every processor runs. They have 16 bytes, as the registers of every supported processor have, or 8.

#include <cstdint>
#include <utility>

namespace tombola::impl::cpu {

inline constexpr int64_t kVectorBytes = 16;

template <class T, int count = kVectorBytes / sizeof(T)>
using Vector __attribute__((vector_size(count * sizeof(T)))) = T;

template <int half, class T, int count, int... index>
[[gnu::always_inline]] inline Vector<T, count> interleave(Vector<T, count> a, Vector<T, count> b,
                                                          std::integer_sequence<int, index...>) {
#if __has_builtin(__builtin_shufflevector)
    return __builtin_shufflevector(a, b, (half * count / 2 + index / 2 + index % 2 * count)...);
#else
    return Vector<T, count>{(index % 2 == 0 ? a : b)[half * count / 2 + index / 2]...};
#endif
}

// Interleaves half `half` of a with half `half` of b.
template <int half, class T, int count>
[[gnu::always_inline]] inline Vector<T, count> interleave(Vector<T, count> a, Vector<T, count> b) {
    return interleave<half, T, count>(a, b, std::make_integer_sequence<int, count>());
}

// Transposes a square of vectors: as many as a vector has elements. Each step interleaves rows that are half of the vectors apart, and so
// moves one bit of an element's row number into its column number.
template <class T, int count, int step = 1>
[[gnu::always_inline]] inline void transpose_vectors(Vector<T, count> (&rows)[count]) {
    if constexpr (step < count) {
        Vector<T, count> next[count];
        for (int i = 0; i < count / 2; ++i) {
            next[2 * i] = interleave<0, T, count>(rows[i], rows[i + count / 2]);
            next[2 * i + 1] = interleave<1, T, count>(rows[i], rows[i + count / 2]);
        }
        transpose_vectors<T, count, 2 * step>(next);
        for (int i = 0; i < count; ++i) rows[i] = next[i];
    }
}

}  // namespace tombola::impl::cpu
