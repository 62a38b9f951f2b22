// SPDX-License-Identifier: Apache-2.0

// Masks of bits against vectors of bool. Bits and bytes beside those that are written must stay as they are.

#include "cpu/rng/mask_bits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtests/common/guarded_buffer.hpp"

namespace tombola::impl::cpu {
namespace {

using Bits = std::vector<bool>;
using Bytes = std::vector<uint8_t>;

constexpr int64_t kGuard = 8;  // bytes

// Bytes behind which nothing can be read.
struct Guarded : test::GuardedBuffer {
    explicit Guarded(const Bytes& values) : GuardedBuffer(values.size()) {
        std::copy(values.begin(), values.end(), data());
    }
};

Bits random_bits(int64_t count) {
    std::mt19937 engine(static_cast<uint32_t>(count));
    Bits bits(static_cast<size_t>(count));
    for (size_t i = 0; i < bits.size(); ++i) bits[i] = engine() >> 31 != 0;
    return bits;
}

Bytes packed(const Bits& bits) {
    Bytes bytes((bits.size() + 7) / 8);
    for (size_t i = 0; i < bits.size(); ++i)
        bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] | (bits[i] ? 1 << i % 8 : 0));
    return bytes;
}

bool bit_of(const uint8_t* bytes, int64_t i) { return (bytes[i / 8] >> i % 8 & 1) != 0; }

TEST(MaskBits, RunsAreWrittenAndRead) {
    for (int64_t first = 0; first < 20; ++first)
        for (int64_t count = 0; count < 300; count += count < 150 ? 1 : 7) {
            Bits mask = random_bits(first + count + 40);
            const Bits run = random_bits(count + 1000);
            Bytes bytes = packed(mask);
            const Guarded dense(packed(Bits(run.begin(), run.begin() + count)));
            put_bits(bytes.data(), first, count, dense.data());
            for (int64_t i = 0; i < count; ++i)
                mask[static_cast<size_t>(first + i)] = run[static_cast<size_t>(i)];
            ASSERT_EQ(bytes, packed(mask)) << first << " " << count;

            const Guarded exact(packed(Bits(mask.begin(), mask.begin() + first + count)));
            Bytes read(static_cast<size_t>((count + 7) / 8 + kGuard), 0xEE);
            get_bits(exact.data(), first, count, read.data());
            for (int64_t i = 0; i < count; ++i)
                ASSERT_EQ(bit_of(read.data(), i), run[static_cast<size_t>(i)])
                    << first << " " << count << " " << i;
            ASSERT_EQ(std::count(read.end() - kGuard, read.end(), 0xEE), kGuard);
        }
}

template <class Body>
void for_each_rows(const Body& body) {
    for (const int64_t rows : {1, 4, 7, 8, 13, 16, 40})
        for (const int64_t columns : {1, 7, 8, 9, 49, 63, 64, 65, 200, 1024})
            for (const int64_t first : {0, 5, 16})
                for (const int64_t more : {0, 3, 8})
                    body(MaskRows{first, columns + more, rows, columns});
}

TEST(MaskBits, RowsAreWritten) {
    for_each_rows([](const MaskRows& rows) {
        const int64_t step = (rows.rows + 7) / 8 * 8;
        Bits mask = random_bits(rows.first + rows.rows * rows.distance + 20);
        Bytes written = packed(mask);
        const Bits values = random_bits(rows.columns * step);
        Bytes bytes(values.begin(), values.end());
        for (int64_t column = 0; column < rows.columns; ++column)
            std::fill(bytes.begin() + column * step + rows.rows,
                      bytes.begin() + (column + 1) * step, uint8_t{0xEE});
        put_rows_of_bits(written.data(), rows, bytes.data(), step);
        for (int64_t row = 0; row < rows.rows; ++row)
            for (int64_t column = 0; column < rows.columns; ++column)
                mask[static_cast<size_t>(rows.first + row * rows.distance + column)] =
                    values[static_cast<size_t>(column * step + row)];
        ASSERT_EQ(written, packed(mask)) << rows.rows << " " << rows.columns << " " << rows.first;
    });
}

TEST(MaskBits, RowsAreReadInTheOrderOfTheTensor) {
    for_each_rows([](const MaskRows& rows) {
        const Bits mask = random_bits(rows.first + (rows.rows - 1) * rows.distance + rows.columns);
        const Guarded bytes(packed(mask));
        for (const int64_t step : {int64_t{4}, (rows.rows + 7) / 8 * 8, (rows.rows + 23) / 8 * 8}) {
            if (step < rows.rows) continue;
            const int64_t size = (rows.columns * step + 7) / 8;
            Bytes read(static_cast<size_t>(size + kGuard), 0xEE);
            get_rows_of_bits(bytes.data(), rows, step, read.data());
            for (int64_t column = 0; column < rows.columns; ++column)
                for (int64_t row = 0; row < step; ++row)
                    ASSERT_EQ(
                        bit_of(read.data(), column * step + row),
                        row < rows.rows &&
                            mask[static_cast<size_t>(rows.first + row * rows.distance + column)])
                        << rows.rows << " " << rows.columns << " " << rows.first;
            ASSERT_EQ(std::count(read.end() - kGuard, read.end(), 0xEE), kGuard);
        }
    });
}

}  // namespace
}  // namespace tombola::impl::cpu
