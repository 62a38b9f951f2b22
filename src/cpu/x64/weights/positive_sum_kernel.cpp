// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/positive_sum_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "common/bit_cast.hpp"
#include "cpu/weights/weight_quantum.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr uint32_t kRestBias = 0x40000000;
constexpr int kTogether = 2;  // vectors that alternate
constexpr int kUnrolled = 4;  // vectors of the loop

}  // namespace

// K * U <= 2^30 with U = K * 2^(39-L): 2 log2 K <= L - 9.
PositiveSumKernel::Shape PositiveSumKernel::shape(int log_classes, CpuIsa isa) {
    const int count_log = std::min(4, (log_classes - 9) / 2);  // log2 K
    const int start_log = std::max(kWeightBits - log_classes + count_log, 47);
    const int vector_classes = shape_of(isa).bytes / 4;
    return {std::ldexp(1.0f, start_log), static_cast<uint32_t>(start_log - 23),
            kTogether * (1 << count_log) * vector_classes / kUnitClasses};
}

PositiveSumKernel::Scale PositiveSumKernel::scale(int field, int log_classes) {
    const int shift = kWeightBits - 1 - log_classes - (field - 127);
    return {std::ldexp(1.0f, shift), bit_cast<uint32_t>(std::ldexp(1.0f, -shift))};
}

void PositiveSumKernel::set_starts(Args& args) {
    const auto groups =
        static_cast<uint64_t>((args.units + args.shape.group_units - 1) / args.shape.group_units);
    const uint64_t bias = groups * kRestBias;
    args.start_units =
        static_cast<uint32_t>(0 - groups * kTogether * bit_cast<uint32_t>(args.shape.start));
    args.start_both = 0 - (bias << 32) - bias;
    args.start_upper = 0 - bias;
}

// vec 0-5 two sets, 7 maxima, 6 and 8-11 see the header; constants from 12 on; k1 scratch.
void PositiveSumKernel::generate() {
    begin(8);
    const Reg args = gpr(0), src = gpr(1), ahead = gpr(2), blocks = gpr(3), units = gpr(4),
              sums = gpr(5), left = gpr(6), group = gpr(7);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(ahead, ptr[args + offsetof(Args, ahead)]);
    mov(blocks, ptr[args + offsetof(Args, blocks)]);
    mov(units, ptr[args + offsetof(Args, units)]);
    mov(sums, ptr[args + offsetof(Args, sums)]);
    load_constants();
    zero(maxima_found());
    load(minima(), vector_u32(0xFFFFFFFF));

    Label block, next_group, too_small;
    L(block);
    mov(left, units);
    broadcast_u32(high(), ptr[args + offsetof(Args, start_units)]);
    broadcast_u64(both(), ptr[args + offsetof(Args, start_both)]);
    broadcast_u64(upper(), ptr[args + offsetof(Args, start_upper)]);
    L(next_group);
    movsxd(group, dword[args + offsetof(Args, shape.group_units)]);
    cmp(left, group);
    cmovl(group, left);
    sub(left, group);
    emit_group(src, ahead, group);
    test(left, left);
    jnz(next_group, T_NEAR);
    emit_check(left, too_small);
    emit_sum(args, sums);
    dec(blocks);
    jnz(block, T_NEAR);
    L(too_small);
    mov(ptr[args + offsetof(Args, blocks)], blocks);
    store(ptr[args + offsetof(Args, found) + offsetof(RowFindings, maxima)], maxima_found());
    end();
}

void PositiveSumKernel::load_constants() {
    const Reg args = gpr(0);
    set_held_range(12);
    scale_ = take_held();
    start_ = take_held();
    broadcast_u32(scale_, ptr[args + offsetof(Args, scale.scale)]);
    broadcast_u32(start_, ptr[args + offsetof(Args, shape.start)]);
    hold_unordered_load();
    if (zeros_ == Zeros::allowed) ones_ = hold(vector_u32(0xFFFFFFFF));
}

// Adds the weights of `units` units, at least 1, to those of the block.
void PositiveSumKernel::emit_group(const Reg& src, const Reg& ahead, const Reg& units) {
    for (int i = 0; i < kTogether; ++i) copy(set(i).sum, start_);
    load(rest(), vector_u32(kRestBias));
    int last = 0;
    for (const int vectors : {kUnrolled, kTogether, 1}) {
        const int together = vectors / vectors_per_unit();
        if (together == 0 || together == last) continue;
        last = together;
        Label again, done;
        L(again);
        cmp(units, together);
        jl(done, T_NEAR);
        emit_vectors(src, ahead, vectors);
        sub(units, together);
        jmp(again, T_NEAR);
        L(done);
    }
    for (int i = 0; i < kTogether; ++i) vpaddd(high(), high(), set(i).sum);
    vpaddq(both(), both(), rest());
    vpsrlq(rest(), rest(), 32);
    vpaddq(upper(), upper(), rest());
}

void PositiveSumKernel::emit_vectors(const Reg& src, const Reg& ahead, int vectors) {
    const int step = vectors * vector_step();
    for (int i = 0; i < vectors; i += kTogether)
        emit_pair(src, i, std::min(kTogether, vectors - i));
    emit_ahead(src, ahead, 0, vectors, {vec(0), vec(1), vec(3), vec(4), vec(0)});
    add(src, step);
    add(ahead, step);
}

// The smallest weight is found last: with Zeros::allowed it overwrites x.
void PositiveSumKernel::emit_pair(const Reg& src, int first, int vectors) {
    const auto each = [&](const auto& step) {
        for (int i = 0; i < vectors; ++i) step(set(i).x, set(i).h, set(i).sum, first + i);
    };
    using V = const Vec&;
    each([&](V x, V, V, int i) { load_unordered(x, src, i); });
    each([&](V x, V h, V sum, int) {
        copy(h, sum);
        vfmadd231ps(sum, x, scale_);  // S'
    });
    each([&](V x, V, V, int) { vpmaxud(maxima_found(), maxima_found(), x); });
    each([&](V, V h, V sum, int) { vsubps(h, sum, h); });
    each([&](V x, V h, V, int) { vfmsub231ps(h, x, scale_); });  // l
    each([&](V x, V, V, int) {
        if (zeros_ == Zeros::allowed) vpaddd(x, x, ones_);
        vpminud(minima(), minima(), x);
    });
    each([&](V, V h, V, int) {
        vcvttps2dq(h, h);
        vpaddd(rest(), rest(), h);
    });
}

// Jumps if a weight of the block is tiny.
void PositiveSumKernel::emit_check(const Reg& scratch, Label& too_small) {
    const Vec smallest = vec(0);
    const Mask large{k1, vec(1)};
    broadcast_u32(smallest, ptr[gpr(0) + offsetof(Args, scale.smallest)]);
    if (zeros_ == Zeros::allowed) vpaddd(smallest, smallest, ones_);
    compare_not_below(large, minima(), smallest, 32);
    unset_to_reg(scratch, large, 4);
    test(scratch, scratch);
    jnz(too_small, T_NEAR);
}

void PositiveSumKernel::emit_sum(const Reg& args, const Reg& sums) {
    const Vec scratch = vec(0), total = vec(1);
    vpsllq(scratch, upper(), 32);
    vpsubq(both(), both(), scratch);
    vpaddq(both(), both(), upper());
    vpsrlq(total, high(), 32);
    and_bits(high(), high(), vector_u64(0x00000000FFFFFFFF));
    vpaddq(total, total, high());
    vmovd(quarter(0), ptr[args + offsetof(Args, shape.unit_log)]);
    vpsllq(total, total, quarter(0));
    vpaddq(total, total, both());
    store_sum_u64(ptr[sums], 1, 0);
    add(sums, 8);
}

}  // namespace tombola::impl::cpu::x64
