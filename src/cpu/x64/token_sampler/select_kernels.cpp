// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/token_sampler/select_kernels.hpp"

#include <cstddef>
#include <limits>

namespace tombola::impl::cpu::x64 {

uint32_t minus_infinity(FloatType type) {
    if (type == FloatType::f32) return 0xFF800000;
    return type == FloatType::bf16 ? 0xFF80 : 0xFC00;
}

// -- MaskKernel ----------------------------------------------------------------------------------
// Lanes are elements of SRC. Registers: vec 0 elements; 1 lanes that are allowed (AVX2); 2 -inf. k1 the allowed lanes (AVX-512).
void MaskKernel::generate() {
    const Vec x = vec(0), lowest = vec(2);
    const Mask allowed{k1, vec(1)};
    begin(5);
    const Reg args = gpr(0), src = gpr(1), dst = gpr(2), mask = gpr(3), words = gpr(4);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(dst, ptr[args + offsetof(Args, dst)]);
    mov(mask, ptr[args + offsetof(Args, mask)]);
    mov(words, ptr[args + offsetof(Args, words)]);
    const uint32_t bits = minus_infinity(type());
    const int lane_bits = 8 * element_bytes(), elements = lanes(element_bytes());
    load(lowest, lane_bits == 16 ? vector_u16(static_cast<uint16_t>(bits)) : vector_u32(bits));
    Label again;
    L(again);
    prefetch_read(src, 0, kWordClasses * element_bytes());
    for (int i = 0; i < kWordClasses / elements; ++i) {
        load_mask_bits(allowed, mask + i * elements / 8, lane_bits);
        load_selected(x, allowed, ptr[src + i * bytes()], lowest, lane_bits);
        store(ptr[dst + i * bytes()], x);
    }
    add(src, kWordClasses * element_bytes());
    add(dst, kWordClasses * element_bytes());
    add(mask, 4);
    dec(words);
    jnz(again, T_NEAR);
    end();
}

// -- GroupMaxKernel ------------------------------------------------------------------------------
// Elements are handled in pairs of vectors, `even` and `odd`. Each lane is one part of the group: AVX2 has 8 of the parts in the even
// vectors and 8 in the odd ones. It does not matter which classes are in which part.
//
// Registers: vec 0-3 maxima; 4 and 5 elements; 6 scratch (AVX2); 7 lanes without a NaN so far (AVX2; on AVX-512 k1-k4); 8 the high halves
// of u32 lanes; 9 the greatest of all.
void GroupMaxKernel::generate() {
    begin(5);
    const Reg args = gpr(0), src = gpr(1), groups = gpr(2), maxima = gpr(3), result = gpr(4);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(groups, ptr[args + offsetof(Args, groups)]);
    mov(maxima, ptr[args + offsetof(Args, maxima)]);
    for (int i = 0; i < chains(); ++i) fill_mask(ordered(i));
    load(greatest(), vector_f32(-std::numeric_limits<float>::infinity()));
    if (type() == FloatType::bf16) load(vec(8), vector_u32(0xFFFF0000));

    Label group;
    L(group);
    emit_group(src);
    add(src, kGroupClasses * element_bytes());
    emit_max(vec(0), vec(0), vec(2));
    emit_max(vec(1), vec(1), vec(3));
    if (classes_per_vector() != kGroupLanes) store(ptr[maxima + bytes()], vec(1));
    emit_max(vec(1), vec(1), vec(0));
    store(ptr[maxima], classes_per_vector() == kGroupLanes ? vec(1) : vec(0));
    emit_max(greatest(), greatest(), vec(1));
    add(maxima, kGroupLanes * 4);
    dec(groups);
    jnz(group, T_NEAR);
    emit_end(args, result, src);
    end();
}

// The number of chains of comparisons for NaN that do not wait for one another; a comparison under a mask takes six cycles. With more
// chains, rows in a cache are read faster. With fewer, Zen 5 reads memory faster, because loads that run far ahead of the prefetches
// compete with them; 64 bytes then take three cycles, which memory needs too.
int GroupMaxKernel::chains() const {
    if (!has_masks()) return 1;
    return far_ ? 4 / element_bytes() : 4;
}

void GroupMaxKernel::emit_group(const Reg& src) {
    constexpr int kMaxima = 4;
    const Vec even = vec(4), odd = vec(5), scratch = vec(6);
    const int vectors = kGroupClasses / classes_per_vector();
    constexpr int kStep = 128;  // at least a pair of vectors
    for (int i = 0; i < vectors; i += 2) {
        const Vec &a = vec(i % kMaxima), &b = vec((i + 1) % kMaxima);
        if (i * vector_step() % kStep == 0) prefetch_read(src, i * vector_step(), kStep);
        emit_load_pair(even, odd, src + i * vector_step());
        if (i < kMaxima) {
            copy(a, even);
            copy(b, odd);
        } else {
            emit_max(a, even, a);
            emit_max(b, odd, b);
        }
        compare_also_f32(ordered(i / 2 % chains()), even, odd, kOrdered, scratch);
    }
}

// Stores what was found in the row.
void GroupMaxKernel::emit_end(const Reg& args, const Reg& unset, const Reg& refused) {
    constexpr auto kFound = offsetof(Args, found);
    store(ptr[args + kFound + offsetof(RowFindings, maxima)], greatest());
    xor_(refused, refused);
    for (int i = 0; i < chains(); ++i) {
        unset_to_reg(unset, ordered(i), 4);
        or_(refused, unset);
    }
    mov(ptr[args + kFound + offsetof(RowFindings, refused)], refused);
}

// Loads the classes of two vectors, in any order. A u32 lane holds two bf16 logits, each of which is the high half of an f32. So a shift
// and a mask replace two conversions.
void GroupMaxKernel::emit_load_pair(const Vec& even, const Vec& odd, const Xbyak::RegExp& from) {
    if (type() == FloatType::bf16) {
        load(odd, ptr[from]);
        vpslld(even, odd, 16);
        return and_bits(odd, odd, vec(8));
    }
    load_wide(even, ptr[from]);
    load_wide(odd, ptr[from + vector_step()]);
}

// -- CountKernel ---------------------------------------------------------------------------------
// Registers: vec 0 threshold; 1 lanes that reach it (AVX2). k1 the lanes (AVX-512).
void CountKernel::generate() {
    const Vec threshold = vec(0);
    const Mask reached{k1, vec(1)};
    begin(5);
    const Reg args = gpr(0), values = gpr(1), units = gpr(2), sum = gpr(3), count = gpr(4);
    mov(values, ptr[args + offsetof(Args, values)]);
    mov(units, ptr[args + offsetof(Args, units)]);
    broadcast_u32(threshold, ptr[args + offsetof(Args, threshold)]);
    xor_(sum, sum);
    Label again;
    L(again);
    for (int i = 0; i < vectors_per_unit(); ++i) {
        load_wide(vec(1), ptr[values + i * vector_step()]);
        compare_f32(reached, vec(1), threshold, kGreaterEqual);
        mask_to_reg(count, reached);
        popcnt(count.cvt32(), count.cvt32());
        add(sum, count);
    }
    add(values, kUnitClasses * element_bytes());
    dec(units);
    jnz(again, T_NEAR);
    mov(ptr[args + offsetof(Args, reached)], sum);
    end();
}

// -- CollectKernel -------------------------------------------------------------------------------
// Registers: vec 0 threshold; 1 and 2 elements; 3 and 4 lanes that reach it (AVX2); 5 scratch; 6 upper threshold. k1 and k2 the lanes
// (AVX-512).
void CollectKernel::generate() {
    const Vec threshold = vec(0), group_max = vec(1), scratch = vec(5);
    const Mask reached{k1, vec(3)};
    begin(10);
    const Reg args = gpr(0), src = gpr(1), groups = gpr(2), maxima = gpr(3), first = gpr(4),
              to = gpr(5), pairs = gpr(6), count = gpr(7), bit = gpr(8), limit = gpr(9);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(groups, ptr[args + offsetof(Args, groups)]);
    mov(maxima, ptr[args + offsetof(Args, maxima)]);
    mov(first, ptr[args + offsetof(Args, first)]);
    mov(to, ptr[args + offsetof(Args, to)]);
    mov(limit, ptr[args + offsetof(Args, limit)]);
    broadcast_u32(threshold, ptr[args + offsetof(Args, threshold)]);
    if (between_) broadcast_u32(vec(6), ptr[args + offsetof(Args, highest)]);

    Label group, hit, pair, next, done;
    const int vectors = kGroupClasses / classes_per_vector();
    L(group);
    load(group_max, ptr[maxima]);
    for (int at = bytes(); at < kGroupLanes * 4; at += bytes()) {
        load(scratch, ptr[maxima + at]);
        emit_max(group_max, group_max, scratch);
    }
    add(maxima, kGroupLanes * 4);
    compare_f32(reached, group_max, threshold, kGreaterEqual);
    test_either(reached, reached, scratch);
    jnz(hit, T_NEAR);
    add(src, kGroupClasses * element_bytes());
    add(first, kGroupClasses);
    dec(groups);
    jnz(group, T_NEAR);
    jmp(done, T_NEAR);

    L(hit);
    mov(pairs, vectors / 2);
    L(pair);
    emit_pair(src, first, to, count, bit);
    dec(pairs);
    jnz(pair, T_NEAR);
    dec(groups);
    jz(done, T_NEAR);
    cmp(to, limit);
    jb(group, T_NEAR);

    L(done);
    mov(ptr[args + offsetof(Args, groups)], groups);
    mov(ptr[args + offsetof(Args, to)], to);
    end();
}

void CollectKernel::emit_reached(const Mask& reached, const Vec& x) {
    const Vec threshold = vec(0), scratch = vec(5), highest = vec(6);
    compare_f32(reached, x, threshold, kGreaterEqual);
    if (between_) compare_also_f32(reached, x, highest, kLessEqual, scratch);
}

// Appends the classes of two vectors. With two thresholds, many vectors have classes to append. A branch that skips the others would mostly
// be mispredicted, so there is none.
void CollectKernel::emit_pair(const Reg& src, const Reg& first, const Reg& to, const Reg& count,
                              const Reg& bit) {
    const Vec scratch = vec(5);
    const Mask even{k1, vec(3)}, odd{k2, vec(4)};
    Label none;
    load_wide(vec(1), ptr[src]);
    load_wide(vec(2), ptr[src + vector_step()]);
    emit_reached(even, vec(1));
    emit_reached(odd, vec(2));
    if (!between_) {
        test_either(even, odd, scratch);
        jz(none, T_NEAR);
    }
    append_lanes_u32(to, even, first, count, bit, scratch);
    add(first, classes_per_vector());
    append_lanes_u32(to, odd, first, count, bit, scratch);
    sub(first, classes_per_vector());
    L(none);
    add(src, 2 * vector_step());
    add(first, 2 * classes_per_vector());
}

}  // namespace tombola::impl::cpu::x64
