// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/philox_args.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

}  // namespace

RowsAtOnce philox_rows_at_once(const PhiloxRowFunctions& functions, int64_t block_elements,
                               PhiloxCounter start, Uint128 first, int64_t count) {
    if (!functions.any()) return {};
    const auto block = static_cast<unsigned>(block_elements);
    if (first % block != 0) return {};
    const int64_t blocks = (count - 1) / block_elements + 1;
    if (blocks > philox_blocks_to_wrap(start.plus(first / block))) return {};
    return {functions.min_rows(), functions.max_rows(), block_elements};
}

void fold_philox_rounds(PhiloxArgs& args, PhiloxCounter counter, PhiloxKey key) {
    const auto k0 = [&](uint32_t round) { return key.k0 + round * kPhiloxW0; };
    const auto k1 = [&](uint32_t round) { return key.k1 + round * kPhiloxW1; };
    const uint32_t c1 = high(counter.lo), c2 = low(counter.hi), c3 = high(counter.hi);
    const uint64_t p1 = uint64_t{kPhiloxM1} * c2;  // of round 0
    const uint32_t next_c0 = high(p1) ^ c1 ^ k0(0), next_c1 = low(p1);
    const uint64_t p0 = uint64_t{kPhiloxM0} * next_c0;  // of round 1
    args.product = uint64_t{kPhiloxM0} * low(counter.lo);
    args.fold0 = uint64_t{c3 ^ k1(0)} << 32 | (high(p0) ^ k1(1));
    args.fold1 = uint64_t{next_c1 ^ k0(1)} << 32 | k0(2);
    args.fold2 = uint64_t{low(p0) ^ k1(2)} << 32 | k1(3);
}

void set_philox_rows(PhiloxArgs& args, int64_t rows, int64_t columns, int64_t row_blocks,
                     const Columns<char>& dst) {
    args.dst = dst.at;
    args.count = rows * columns;
    args.rows.blocks = static_cast<uint64_t>(row_blocks);
    args.rows.part_product = uint64_t{kPhiloxM0} * static_cast<uint64_t>(rows / 2 * row_blocks);
    args.rows.dst_step = dst.step;
    args.rows.dst_ahead = dst.ahead;
}

void set_philox_keys(PhiloxArgs& args, PhiloxKey key) {
    const uint32_t keys[2] = {key.k0, key.k1}, steps[2] = {kPhiloxW0, kPhiloxW1};
    for (int half = 0; half < 2; ++half) {
        const auto of_round = [&](int round) {
            return keys[half] + static_cast<uint32_t>(round) * steps[half];
        };
        for (int i = 0; i < kPhiloxKeyPairs; ++i) {
            const int round = kPhiloxFirstPair + 2 * i;
            args.key_pairs[i][half] = uint64_t{of_round(round)} << 32 | of_round(round + 1);
        }
        args.last_keys[half] = of_round(kPhiloxRounds - 1);
    }
    args.first_key = key.k0 + (kPhiloxFirstPair - 1) * kPhiloxW0;
}

}  // namespace tombola::impl::cpu::x64
