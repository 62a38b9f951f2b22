// SPDX-License-Identifier: Apache-2.0
// Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011; Philox 4x32-10.
//
// Round r, r = 0 ... 9, of keys k0[r], k1[r]:
//
//     p0 = M0 * c0      p1 = M1 * c2                       64-bit products
//     c0' = hi(p1) ^ c1 ^ k0[r]      c1' = lo(p1)
//     c2' = hi(p0) ^ c3 ^ k1[r]      c3' = lo(p0)
//
// Lanes: one block in each u64 lane, its words in the low halves of four registers.
//
//     | 63 .. 32 | 31 .. 0 |  of c0:  | junk | c0 of a block |
//
// vpmuludq reads only the low halves, so the other halves are never cleared: c1' is p1 itself, and a product overwrites
// the register of its factor. Two kinds of rounds alternate and need no further register:
//
//     swapping     c1 is in the low half. p1 with its words swapped: hi(p1) is where c1 is, and c0' = hi(p1) ^ c1 takes
//                  the register of c1. c1' = lo(p1) is in the high half
//     moving       c1 is in the high half. p1 as it is: hi(p1) is where c1 is. Their xor, moved to the low half, is c0'.
//                  c1' = lo(p1) is in the low half
//
// The keys: AVX-512 xors three values in one instruction, so a product takes three instructions. AVX2 xors two keys into p1 at once: that
// of a moving round into hi(p1), and that of the next round into lo(p1), which is c1 then. So two products take seven instructions. The
// moving rounds are the odd ones on AVX-512 and the even ones on AVX2.
//
// Only c0 of the counter changes within a call, so the products of c2 in round 0 and of c0 in round 1 are
// constants, and so is what they are xored with (fold0, fold1, fold2 below, computed once a call):
//
//     round 0   p0 = M0 * c0, which rises by M0 * (blocks a step): an addition instead of a product
//               f = p0 ^ fold0                 fold0 = (c3 ^ k1[0]) << 32 | (hi(M0 * c0') ^ k1[1])
//               c2' = f >> 32, and c2'' = lo(f) is already that of round 1
//     round 1   g = M1 * c2' ^ fold1           fold1 = (c1' ^ k0[1]) << 32 | k0[2]
//               c0'' = g >> 32, and lo(g) = c1'' ^ k0[2]
//     round 2   c0''' = hi(M1 * c2'') ^ lo(g)
//               h = M0 * c0'' ^ fold2            fold2 = (lo(M0 * c0') ^ k1[2]) << 32 | k1[3]
//               c2''' = h >> 32, and lo(h) = c3''' ^ k1[3]
//
// The last round xors c1 and the key into the high half of p1 where it is: a lane is (w1, w0), low half first,
// and that of the other product (w3, w2). On AVX-512 c1 is in the high half already, and a mask protects the low half of
// p1. AVX2 shifts c1 to the high half. Two shuffles gather the blocks and swap the pairs' words:
//
//     lanes of blocks  0 4 1 5 2 6 3 7   (w1 w0)        low lanes of each 16 bytes:  blocks 0 1 2 3
//     and the same     0 4 1 5 2 6 3 7   (w3 w2)  -->   high lanes:                  blocks 4 5 6 7
//
// f64, whose first word is the high half, takes the pairs as they are.
//
// Registers:  c0 c1 c2 c3 of stream s at 4s ... 4s + 3; every round exchanges their roles
//             then the products of round 0; four streams of AVX2 leave no register for them, so they are in the frame
//             then, on AVX-512, M0 and M1; AVX2 reads them from memory
//             then the registers of the conversion

#include <cstddef>
#include <utility>

#include "cpu/rng/philox.hpp"
#include "cpu/x64/rng/philox_generator.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kFirstWholeRound = 3, kLastRound = kPhiloxRounds - 1;  // after the folded rounds

}  // namespace

PhiloxGenerator::Stream PhiloxGenerator::stream(int index) const {
    const int first = kStreamVecs * index;
    return {first, first + 1, first + 2, first + 3};
}

// Streams that do not wrap take turns by two rounds. While one stream waits for a result, the others compute.
void PhiloxGenerator::list_operations(int index) {
    constexpr int kRoundsOfTurn = 2;
    StreamWork& work = work_[index];
    Stream s = stream(index);
    list_first_rounds(work, s, index);
    for (int round = kFirstWholeRound; round < kLastRound; ++round) {
        if ((round - kFirstWholeRound) % kRoundsOfTurn == 0) ++work.turn;
        list_round(work, s, round);
    }
    ++work.turn;
    list_last_round(work, s);
    work.add([=] {
        gathered_[index] = s;
        emit_gather(gathered_[index]);
    });
    ++work.turn;
    work.operations.push_back({work.turn, [=](const Step& step) {
                                   const int group = index * step.distance;
                                   emit_output(gathered_[index], group,
                                               step.to + group * group_bytes(), step.form,
                                               step.streaming);
                               }});
}

// Rounds 0 to 2. Their constant parts are folded (see the top of the file).
void PhiloxGenerator::list_first_rounds(StreamWork& work, Stream& s, int index) {
    const Vec f = vec(s.c2), g = vec(s.c1), h = vec(s.c3), c0 = vec(s.c0);
    const Stream first = s;
    work.operations.push_back(
        {work.turn, [=](const Step& step) { emit_first_product(first, index, step); }});
    work.add([=] { move_high_words(g, f); });       // c2'
    work.add([=] { vpmuludq(g, g, *m1_); });        // M1 * c2'
    work.add([=] { xor_bits_u64(g, g, fold1_); });  // g
    work.add([=] { move_high_words(h, g); });       // c0''
    work.add([=] { vpmuludq(h, h, *m0_); });        // M0 * c0''
    work.add([=] { vpmuludq(f, f, *m1_); });        // M1 * c2'': c1''' is its low half
    if (!swaps_words(kFirstWholeRound)) {
        work.add([=] { swap_words_u64(f, f); });
        work.add([=] { xor_bits(g, g, f); });  // c0''', and c1''' is the high half of f
        work.add([=] { xor_bits_u64(h, h, fold2_); });
        work.add([=] { swap_words_u64(h, h); });  // c2''', and c3''' ^ k1[3] is the high half
        s = {s.c1, s.c2, s.c0, s.c3};
        return;
    }
    work.add([=] { move_high_words(c0, f); });
    work.add([=] { xor_bits(c0, c0, g); });         // c0'''
    work.add([=] { xor_bits_u64(h, h, fold2_); });  // c3''' ^ k1[3] is its low half
    work.add([=] { move_high_words(g, h); });       // c2'''
    work.add([=] { xor_bits(f, f, first_key_); });
    s = {s.c0, s.c2, s.c1, s.c3};
}

// f = p0 ^ fold0. The last stream that begins a step moves the products on to the next one.
void PhiloxGenerator::emit_first_product(const Stream& s, int index, const Step& step) {
    const Vec f = vec(s.c2), product = holds_products() ? vec(product_) : f;
    const int group = makes_rows() ? index / row_parts_ : index * step.distance;
    const bool next_part = makes_rows() && index % row_parts_ != 0;
    if (!holds_products()) load(f, product_slot());
    if (group != 0) vpaddq(f, product, products_of(group));
    if (next_part) vpaddq(f, group == 0 ? product : f, part_product_);
    xor_bits_u64(f, group == 0 && !next_part ? product : f, fold0_);
    if (index == step.streams - 1)
        emit_advance_product(makes_rows() ? step.streams / row_parts_ : step.groups(), vec(s.c3));
}

void PhiloxGenerator::emit_advance_product(int groups, const Vec& scratch) {
    const Vec product = holds_products() ? vec(product_) : scratch;
    if (!holds_products()) load(product, product_slot());
    vpaddq(product, product, products_of(groups));
    if (!holds_products()) store(product_slot(), product);
}

// M0 times the number of blocks from a group to the group that is `groups` groups later, in each lane.
PhiloxGenerator::Address PhiloxGenerator::products_of(int groups) {
    return vector_u64(uint64_t{kPhiloxM0} * static_cast<unsigned>(groups * group_distance()));
}

// A swapping round moves c1 and c3 from the low halves to the high ones, a moving round back to the low ones. In the first
// round after the folded ones, if it is a moving one, c2 is in the register of c3.
void PhiloxGenerator::list_round(StreamWork& work, Stream& s, int round) {
    const bool swaps = swaps_words(round);
    for (int half = 0; half < 2; ++half) {
        const int p = half == 0 ? s.c2 : s.c0, c = half == 0 ? s.c1 : s.c3;
        const int factor = half == 0 && round == kFirstWholeRound && !swaps ? s.c3 : p;
        work.add([=] { emit_product(p, factor, half); });
        if (swaps) work.add([=] { swap_words_u64(vec(p), vec(p)); });
        if (!swaps && !has_xor3())
            work.add([=] { xor_bits_u64(vec(p), vec(p), key(round, half)); });
        work.add([=] { emit_mix(c, p, round, half); });
        if (!swaps) work.add([=] { move_high_words(vec(c), vec(c)); });
    }
    s = {s.c1, s.c2, s.c3, s.c0};
}

// Leaves (w1, w0) in c0 and (w3, w2) in c2.
void PhiloxGenerator::list_last_round(StreamWork& work, Stream& s) {
    for (int half = 0; half < 2; ++half) {
        const int p = half == 0 ? s.c2 : s.c0, c = half == 0 ? s.c1 : s.c3;
        work.add([=] { emit_product(p, p, half); });
        if (has_xor3()) {
            work.add([=] { xor3_odd_u32(vec(p), vec(c), last_key_[half]); });
        } else {
            work.add([=] { vpsllq(vec(c), vec(c), 32); });
            work.add([=] { xor_bits(vec(c), vec(c), vec(p)); });
        }
    }
    s = has_xor3() ? Stream{s.c2, s.c1, s.c0, s.c3} : Stream{s.c1, s.c2, s.c3, s.c0};
}

// d = p1 = M1 * factor, or d = p0 = M0 * factor.
void PhiloxGenerator::emit_product(int d, int factor, int half) {
    vpmuludq(vec(d), vec(factor), half == 0 ? *m1_ : *m0_);
}

// c = product ^ c ^ key. AVX2 has xored the key before, and fold2 has that of round 3.
void PhiloxGenerator::emit_mix(int c, int product, int round, int half) {
    const bool first = round < kPhiloxFirstPair;
    if (!has_xor3() || (first && half == 1)) return xor_bits(vec(c), vec(c), vec(product));
    xor3(vec(c), vec(product), first ? first_key_ : key(round, half));
}

// The words of the pairs (w1, w0) in c0 and (w3, w2) in c2 are swapped while the blocks are gathered.
void PhiloxGenerator::emit_unpack(Stream& s) {
    if (makes_rows()) return emit_unpack_rows(s);
    vshufps(vec(s.c1), vec(s.c0), vec(s.c2), 0xBB);  // of the high u64 lanes
    vshufps(vec(s.c0), vec(s.c0), vec(s.c2), 0x11);  // of the low ones
    std::swap(s.c2, s.c1);
}

// The same without swapping: blocks (w1, w0, w3, w2).
void PhiloxGenerator::emit_unpack_as_is(Stream& s) {
    if (makes_rows()) return;
    vpunpckhqdq(vec(s.c1), vec(s.c0), vec(s.c2));
    vpunpcklqdq(vec(s.c0), vec(s.c0), vec(s.c2));
    std::swap(s.c2, s.c1);
}

}  // namespace tombola::impl::cpu::x64
