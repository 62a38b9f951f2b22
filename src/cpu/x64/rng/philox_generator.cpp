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
// The keys: AVX-512 xors three values in one instruction, so a product takes three. AVX2 xors the keys of a moving round
// and of the one after it into p1 at once, the former into hi(p1), the latter into lo(p1), which is c1 then. So two
// products take seven instructions. The moving rounds are the odd ones on AVX-512 and the even ones on AVX2.
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
#include "cpu/x64/rng/philox_generator.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string>
#include <utility>

#include "cpu/rng/philox.hpp"
#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kFirstWholeRound = 3, kLastRound = kPhiloxRounds - 1;  // after the folded rounds
constexpr int kStreamVecs = 4, kMaxStreams = 7;
// The streams of a loop that stores past the caches write this far apart. Their stores reach new pages at the same time,
// and the processor looks up several of them at once. A cache line of the page table has the entries of 8 pages. Streams
// must not share one, and must come to the next ones at the same time, so the distance is a multiple of these pages.
constexpr int kTableLinePages = 8, kPageBytes = 4096;
constexpr int kFarBytes = 2 * kTableLinePages * kPageBytes;

int streams_of(const PhiloxShape& shape, const VecShape& vectors) {
    const bool many_registers = vectors.registers == 32;
    if (!machine().needs_many_chains(vectors.bytes))
        return many_registers ? shape.streams_of_32 : shape.streams_of_16;
    constexpr int kProductAndMultipliers = 3;
    const int left =
        many_registers ? 32 - kProductAndMultipliers - shape.own.of_32 : 16 - shape.own.of_16;
    return std::min(left / kStreamVecs, kMaxStreams);
}

}  // namespace

PhiloxGenerator::PhiloxGenerator(CpuIsa isa, const PhiloxShape& shape)
    : Vocabulary(isa, std::string("philox.") + shape.name),
      shape_(shape),
      streams_(streams_of(shape, shape_of(isa))),
      product_(kStreamVecs * streams_),
      first_convert_vec_(product_ + (holds_constants() ? 3 : 1)) {}

void PhiloxGenerator::generate() {
    Label remainder, tail, done;
    const int scratch_bytes = std::max(2 * bytes(), group_bytes()) + bytes();
    begin(kUsedGprs + extra_gprs(), spread_bytes(kSpreadSlots) + scratch_bytes);
    load_arguments();

    for (const bool streaming : {false, true}) {
        Label other_stores;
        cmp(dword[args_ + offsetof(Args, streaming)], streaming ? 1 : 0);
        jne(other_stores, T_NEAR);
        for (int form = shape_.forms - 1; form > 0; --form) {
            Label other_form;
            cmp(dword[args_ + offsetof(Args, form)], form);
            jne(other_form, T_NEAR);
            emit_main_loops(form, streaming);
            jmp(remainder, T_NEAR);
            L(other_form);
        }
        emit_main_loops(0, streaming);
        jmp(remainder, T_NEAR);
        L(other_stores);
    }
    L(remainder);
    emit_loop({2, 1, 0, false});
    emit_loop({1, 1, 0, false});
    if (!shape_.whole_groups) emit_tail();
    end();
}

PhiloxGenerator::Stream PhiloxGenerator::stream(int index) const {
    const int first = kStreamVecs * index;
    return {first, first + 1, first + 2, first + 3};
}

void PhiloxGenerator::load_arguments() {
    args_ = gpr(0);
    dst_ = gpr(1);
    count_ = gpr(2);
    scratch_ = gpr(3);
    scratch2_ = gpr(4);
    const Vec temporary = vec(0);
    fold0_ = spread_u64(args_, offsetof(Args, fold0), next_slot_++, temporary);
    fold1_ = spread_u64(args_, offsetof(Args, fold1), next_slot_++, temporary);
    fold2_ = spread_u64(args_, offsetof(Args, fold2), next_slot_++, temporary);
    load_keys(temporary);
    load_parameters();
    mov(dst_, ptr[args_ + offsetof(Args, dst)]);
    mov(count_, ptr[args_ + offsetof(Args, count)]);
    load_products();
    m0_ = hold_u64(product_ + 1, kPhiloxM0);
    m1_ = hold_u64(product_ + 2, kPhiloxM1);
    set_odd_lanes(scratch_);
}

// AVX-512 takes single keys out of the pairs.
void PhiloxGenerator::load_keys(const Vec& temporary) {
    first_key_ = spread_u32(args_, offsetof(Args, first_key), next_slot_++, temporary);
    for (int i = 0; i < kPhiloxKeyPairs; ++i)
        for (int half = 0; half < 2; ++half) {
            const size_t pair = offsetof(Args, key_pairs) + sizeof(uint64_t) * (2 * i + half);
            if (has_xor3()) {
                keys_[2 * i][half] = spread_u32(args_, pair + 4, next_slot_++, temporary);
                keys_[2 * i + 1][half] = spread_u32(args_, pair, next_slot_++, temporary);
            } else {
                keys_[2 * i][half] = spread_u64(args_, pair, next_slot_++, temporary);
            }
        }
    if (!has_xor3()) return;
    for (int half = 0; half < 2; ++half)
        last_key_[half] = spread_u32(args_, offsetof(Args, last_keys) + sizeof(uint32_t) * half,
                                     next_slot_++, temporary);
}

void PhiloxGenerator::load_products() {
    const Vec product = vec(holds_products() ? product_ : 0);
    broadcast_u64(product, ptr[args_ + offsetof(Args, product)]);
    vpaddq(product, product, lane_products());
    if (holds_products()) return;
    product_slot_ = next_slot_++;
    store(product_slot(), product);
}

PhiloxGenerator::Spread PhiloxGenerator::parameter_u32(size_t offset) {
    return spread_u32(args_, offsetof(Args, parameters) + offset, next_slot_++, vec(0));
}

PhiloxGenerator::Spread PhiloxGenerator::parameter_u64(size_t offset) {
    return spread_u64(args_, offsetof(Args, parameters) + offset, next_slot_++, vec(0));
}

PhiloxGenerator::Spread PhiloxGenerator::parameter_high(size_t offset) {
    return parameter_u32(offset + sizeof(uint32_t));
}

PhiloxGenerator::Address PhiloxGenerator::parameter_address(size_t offset) {
    return ptr[args_ + static_cast<int>(offsetof(Args, parameters) + offset)];
}

// M0 times the number of the block in each lane.
PhiloxGenerator::Address PhiloxGenerator::lane_products() {
    uint64_t table[8];
    const int blocks = group_blocks();
    for (int lane = 0; lane < blocks; ++lane) {
        const int block = shape_.order == PhiloxShape::LaneOrder::natural
                              ? lane
                              : lane / 2 + lane % 2 * (blocks / 2);
        table[lane] = uint64_t{kPhiloxM0} * static_cast<unsigned>(block);
    }
    return vector_table(table);
}

// M0 times the number of blocks in so many groups, in each lane.
PhiloxGenerator::Address PhiloxGenerator::products_of(int groups) {
    return vector_u64(uint64_t{kPhiloxM0} * static_cast<unsigned>(groups * group_blocks()));
}

void PhiloxGenerator::emit_main_loops(int form, bool streaming) {
    if (streaming) emit_far_loop({streams_, kFarBytes / group_bytes(), form, true});
    emit_loop({streams_, 1, form, streaming});
}

// Loops while a whole step is left.
void PhiloxGenerator::emit_loop(const Step& step) {
    const int elements = step.streams * group_elements();
    Label again, done;
    cmp(count_, elements);
    jb(done, T_NEAR);
    align(32);
    L(again);
    emit_groups(step, dst_);
    emit_advance(step.streams);
    sub(count_, elements);
    cmp(count_, elements);
    jae(again, T_NEAR);
    L(done);
}

// The streams write regions of `distance` groups that follow each other. Loops while a whole region is left for each.
void PhiloxGenerator::emit_far_loop(const Step& step) {
    const int elements = step.streams * step.distance * group_elements();
    const Reg& groups_left = scratch_;
    Label next, again, done;
    cmp(count_, elements);
    jb(done, T_NEAR);
    L(next);
    mov(groups_left, step.distance);
    align(32);
    L(again);
    emit_groups(step, dst_);
    emit_advance(1);
    dec(groups_left);
    jnz(again, T_NEAR);
    emit_advance((step.streams - 1) * step.distance);
    sub(count_, elements);
    cmp(count_, elements);
    jae(next, T_NEAR);
    L(done);
}

// The last elements, fewer than a group: a whole group is written to the frame, and the elements of the tensor are
// copied from there.
void PhiloxGenerator::emit_tail() {
    Label none, partial;
    test(count_, count_);
    jz(none, T_NEAR);
    const Reg& bytes_left = count_;
    const Reg& from = args_;
    const int scratch = spread_bytes(kSpreadSlots);
    emit_groups({1, 1, 0, false}, rsp + scratch);
    imul(bytes_left, count_, shape_.element_bytes);
    lea(from, ptr[rsp + scratch]);
    for (int most = group_bytes(); most > bytes(); most -= bytes()) {
        cmp(bytes_left, bytes());
        jb(partial, T_NEAR);
        load(vec(0), ptr[from]);
        store(ptr[dst_], vec(0));
        add(from, bytes());
        add(dst_, bytes());
        sub(bytes_left, bytes());
    }
    L(partial);
    load(vec(0), ptr[from]);
    const Tail tail{bytes_left, scratch_, scratch2_};
    set_tail(tail);
    store_tail(dst_, vec(0), tail);
    L(none);
}

void PhiloxGenerator::emit_groups(const Step& step, const Xbyak::RegExp& to) {
    Stream streams[kMaxStreams];
    assert(step.streams <= kMaxStreams);
    for (int i = 0; i < step.streams; ++i) streams[i] = stream(i);
    emit_rounds(streams, step);
    for (int i = 0; i < step.streams; ++i) {
        const int group = i * step.distance;
        emit_output(streams[i], group, to + group * group_bytes(), step.form, step.streaming);
    }
}

void PhiloxGenerator::emit_output(Stream& s, int, const Xbyak::RegExp& to, int form,
                                  bool streaming) {
    emit_convert(s, form);
    emit_store(s, to, streaming);
}

// The registers of the streams are free.
void PhiloxGenerator::emit_advance(int groups) {
    add(dst_, groups * group_bytes());
    emit_advance_pointers(groups);
    const Vec product = vec(holds_products() ? product_ : 0);
    if (!holds_products()) load(product, product_slot());
    vpaddq(product, product, products_of(groups));
    if (!holds_products()) store(product_slot(), product);
}

// The streams' instructions alternate, two rounds by two rounds. While one stream waits for a result, the others compute.
// Where vectors of 64 bytes take two pipes, they alternate round by round, which takes 1 to 3 % less there.
void PhiloxGenerator::emit_rounds(Stream* streams, const Step& step) {
    const int count = step.streams;
    for (int i = 0; i < count; ++i) emit_first_rounds(streams[i], i * step.distance);
    const int rounds = machine().splits_wide_vectors() ? 1 : 2;
    for (int first = kFirstWholeRound; first < kLastRound; first += rounds)
        for (int i = 0; i < count; ++i)
            for (int round = first; round < first + rounds; ++round) emit_round(streams[i], round);
    for (int i = 0; i < count; ++i) emit_last_round(streams[i]);
}

// Rounds 0 to 2. Their constant parts are folded (see the top of the file).
void PhiloxGenerator::emit_first_rounds(Stream& s, int group) {
    const Vec f = vec(s.c2), g = vec(s.c1), h = vec(s.c3);
    const Vec product = holds_products() ? vec(product_) : f;
    if (!holds_products()) load(f, product_slot());
    if (group != 0) vpaddq(f, product, products_of(group));
    xor_bits_u64(f, group == 0 ? product : f, fold0_);  // f = p0 ^ fold0
    move_high_words(g, f);                              // c2'
    vpmuludq(g, g, *m1_);                               // M1 * c2'
    xor_bits_u64(g, g, fold1_);                         // g
    move_high_words(h, g);                              // c0''
    vpmuludq(h, h, *m0_);                               // M0 * c0''
    vpmuludq(f, f, *m1_);                               // M1 * c2'': c1''' is its low half
    if (!swaps_words(kFirstWholeRound)) {
        swap_words_u64(f, f);
        xor_bits(g, g, f);  // c0''', and c1''' is the high half of f
        xor_bits_u64(h, h, fold2_);
        swap_words_u64(h, h);  // c2''', and c3''' ^ k1[3] is the high half
        s = {s.c1, s.c2, s.c0, s.c3};
        return;
    }
    move_high_words(vec(s.c0), f);
    xor_bits(vec(s.c0), vec(s.c0), g);  // c0'''
    xor_bits_u64(h, h, fold2_);         // c3''' ^ k1[3] is its low half
    move_high_words(vec(s.c1), h);      // c2'''
    s = {s.c0, s.c2, s.c1, s.c3};
    xor_bits(vec(s.c1), vec(s.c1), first_key_);
}

void PhiloxGenerator::emit_round(Stream& s, int round) {
    swaps_words(round) ? emit_swapping_round(s, round) : emit_moving_round(s, round);
    s = {s.c1, s.c2, s.c3, s.c0};
}

// c1 and c3 move from the low halves to the high ones.
void PhiloxGenerator::emit_swapping_round(const Stream& s, int round) {
    for (int half = 0; half < 2; ++half) {
        const int p = half == 0 ? s.c2 : s.c0, c = half == 0 ? s.c1 : s.c3;
        emit_product(p, p, half);
        swap_words_u64(vec(p), vec(p));
        emit_mix(c, p, round, half);
    }
}

// c1 and c3 move from the high halves to the low ones. In the first round after the folded ones, c2 is in the register of
// c3.
void PhiloxGenerator::emit_moving_round(const Stream& s, int round) {
    for (int half = 0; half < 2; ++half) {
        const int p = half == 0 ? s.c2 : s.c0, c = half == 0 ? s.c1 : s.c3;
        emit_product(p, half == 0 && round == kFirstWholeRound ? s.c3 : p, half);
        if (!has_xor3()) xor_bits_u64(vec(p), vec(p), key(round, half));
        emit_mix(c, p, round, half);
        move_high_words(vec(c), vec(c));
    }
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

void PhiloxGenerator::emit_last_round(Stream& s) {
    for (int half = 0; half < 2; ++half) {
        const int p = half == 0 ? s.c2 : s.c0, c = half == 0 ? s.c1 : s.c3;
        emit_product(p, p, half);
        if (has_xor3()) {
            xor3_odd_u32(vec(p), vec(c), last_key_[half]);
        } else {
            vpsllq(vec(c), vec(c), 32);
            xor_bits(vec(c), vec(c), vec(p));
        }
    }
    // (w1, w0) in c0, (w3, w2) in c2
    s = has_xor3() ? Stream{s.c2, s.c1, s.c0, s.c3} : Stream{s.c1, s.c2, s.c3, s.c0};
    emit_gather(s);
}

// The words of the pairs (w1, w0) in c0 and (w3, w2) in c2 are swapped while the blocks are gathered.
void PhiloxGenerator::emit_unpack(Stream& s) {
    vshufps(vec(s.c1), vec(s.c0), vec(s.c2), 0xBB);  // of the high u64 lanes
    vshufps(vec(s.c0), vec(s.c0), vec(s.c2), 0x11);  // of the low ones
    std::swap(s.c2, s.c1);
}

// The same without swapping: blocks (w1, w0, w3, w2).
void PhiloxGenerator::emit_unpack_as_is(Stream& s) {
    vpunpckhqdq(vec(s.c1), vec(s.c0), vec(s.c2));
    vpunpcklqdq(vec(s.c0), vec(s.c0), vec(s.c2));
    std::swap(s.c2, s.c1);
}

void PhiloxGenerator::emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming) {
    store(ptr[to], vec(s.c0), streaming);
    store(ptr[to + bytes()], vec(s.c2), streaming);
}

// After Veltkamp (Dekker, Numerische Mathematik 18, 1971). With s = 24 - digits, the sum
//   g = 2^s p + p
// is rounded at the last digit of p that is wanted, and g - 2^s p is exact. Ties go to even if p has fewer than 24
// digits: 2^s p is an even number of units of g's last digit. If g reaches the next power of two, p is so near to a
// power of two that it rounds to it. This does not work for subnormal results, nor if 2^s p overflows.
void PhiloxGenerator::emit_round_product(const Vec& p, const Vec& g, int digits) {
    const auto scale = static_cast<float>(1 << (24 - digits));
    vmulps(g, p, vector_f32(scale + 1));
    vfnmadd132ps(p, g, vector_f32(scale));
}

}  // namespace tombola::impl::cpu::x64
