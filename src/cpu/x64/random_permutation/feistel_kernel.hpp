// SPDX-License-Identifier: Apache-2.0
#pragma once

// One pass of a Feistel network of at most 32 bits over an array, in place (cpu/random_permutation/feistel.hpp).
//
//     L = v >> right;  R = v & mask
//     24 rounds, on L and R in turn:   h = (x ^ k) * C1;  h ^= h >> 15;  h *= C2;  other ^= h >> (32 - bits)
//     v = L << right | R;   v ^= exchange & (v < 2)
//
// Lanes: one value in each u32 lane; L and R are in two registers. v < 2 is computed without a comparison:
//     ((v >> 1) - 1) >> 31  is 1 if v >> 1 is 0, and otherwise 0
//
// Each half is kept xored with the key of the next round that reads it. So a round xors three values at once, and the half that it reads
// needs no key. Round r changes the half that round r - 1 read and that round r + 1 will read, so it xors
//     change[r] = k[r - 1] ^ k[r + 1],   where k[-1] is 0, and k[24] too
// into this half. Before round 0, R has k[0]. After round 23, L has k[23].

#include <cstdint>
#include <tuple>

#include "cpu/random_permutation/feistel.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class FeistelKernel : public Vocabulary {
  public:
    struct Args {
        uint32_t* values;  // aligned to 64 bytes
        int64_t count;     // at least 1; whole steps of kMaxStep values may be read and written
        uint32_t first_key, last_key;
        uint32_t changes[kFeistelRounds];  // of the key that a half is xored with
        uint32_t exchange;                 // 0 or 1
        uint32_t right, mask;              // bits of R, and 2^right - 1
        uint32_t shifts[2];                // 32 - bits of L and of R
    };
    using Key = std::tuple<CpuIsa>;
    static constexpr int kMaxStep = 128;

    explicit FeistelKernel(const Key& key);

    static Args arguments(const FeistelNetwork& network);

  private:
    // The registers of one vector of values.
    struct Values {
        Vec l, r, h;
    };

    void generate() override;
    void load_arguments(const Reg& args);
    void emit_step(int groups, const Reg& at, const Reg& count);
    Values values(int group) const {
        return {vec(3 * group), vec(3 * group + 1), vec(3 * group + 2)};
    }
    void emit_split(const Values& v, const Address& from);
    void emit_round(const Values& v, int round);
    void emit_join(const Values& v, const Address& to);

    // A step of this many vectors takes no longer than a step of one vector, because the rounds wait for their products.
    static constexpr int kSmallStep = 4;

    int groups_;  // vectors at once: while one waits for a product, the others compute
    Vec scratch_, shifts_[2];
    Held c1_, c2_;
    Spread first_key_, last_key_, changes_[kFeistelRounds], exchange_, right_, mask_;
};

}  // namespace tombola::impl::cpu::x64
