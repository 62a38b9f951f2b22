// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/positive_sum_kernel.hpp"

#include <algorithm>
#include <cstddef>

#include "common/bit_cast.hpp"
#include "cpu/float16.hpp"
#include "cpu/weights/weight_quantum.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kTogether = 2;     // vectors that alternate
constexpr int kStepVectors = 4;  // vectors of one step, the body of the unrolled loop
constexpr int kStartBits = 52;   // log2 of M in units
constexpr uint32_t kToNearest = 0x1F80, kTowardsZero = 0x7F80;  // MXCSR

}  // namespace

// K * 2^(62-L) <= 2^52 for the weights that a sum gets from a block.
PositiveSumKernel::Span PositiveSumKernel::span(int log_classes, CpuIsa isa) {
    const int sums = kSums * shape_of(isa).bytes / 8;  // of all lanes
    const int64_t weights = int64_t{kMaxBlockUnits} * kUnitClasses / sums;
    return weights << (kWeightBits - log_classes) <= int64_t{1} << kStartBits ? Span::block
                                                                              : Span::step;
}

PositiveSumKernel::Scale PositiveSumKernel::scale(FloatType type, int field, int log_classes,
                                                  Elements elements) {
    const int quantum = field - (kWeightBits - 1 - log_classes);  // the field of 2^(L+e-61)
    const uint64_t start = static_cast<uint64_t>(quantum + kStartBits) << 52;
    const uint32_t smallest = static_cast<uint32_t>(quantum) << 23;
    constexpr uint32_t kTwice = 0x10001;
    switch (elements == Elements::all ? FloatType::f32 : type) {
        case FloatType::f16:  // only 0 may be tiny
            return {start, 0 - kSums * start,
                    std::max<uint32_t>(1, to_f16(bit_cast<float>(smallest)).bits) * kTwice};
        case FloatType::bf16:
            return {start, 0 - kSums * start, (smallest >> 16) * kTwice};
        case FloatType::f32:
        case FloatType::f64:
            break;
    }
    return {start, 0 - kSums * start, smallest};
}

// vec 0-5 two sets, 7 maxima, 6 and 8-12 see the header; constants from 13 on; k1 scratch.
void PositiveSumKernel::generate() {
    begin(7, bytes());
    const Reg args = gpr(0), src = gpr(1), ahead = gpr(2), blocks = gpr(3), units = gpr(4),
              sums = gpr(5), left = gpr(6);
    load_blocks({src, ahead, blocks, units, sums}, args + offsetof(Args, blocks));
    load_constants();
    zero(maxima_found());
    sums_all() ? broadcast_u32(smallest(), ptr[args + offsetof(Args, scale.smallest)])
               : load(minima(), vector_u32(0xFFFFFFFF));
    vldmxcsr(vector_u32(kTowardsZero));

    Label block, stop, end_blocks;
    L(block);
    if (!sums_all()) store(ptr[rsp], maxima_found());
    mov(left, units);
    zero(total());
    emit_block(src, ahead, left);
    if (!sums_all()) emit_check(left, stop);
    store_sum_u64(ptr[sums], total().getIdx(), 0);
    add(sums, 8);
    dec(blocks);
    jnz(block, T_NEAR);
    jmp(end_blocks, T_NEAR);
    L(stop);
    load(maxima_found(), ptr[rsp]);
    L(end_blocks);
    vldmxcsr(vector_u32(kToNearest));
    mov(ptr[args + offsetof(Args, blocks.count)], blocks);
    store(ptr[args + offsetof(Args, found) + offsetof(RowFindings, maxima)], maxima_found());
    end();
}

void PositiveSumKernel::load_constants() {
    set_held_range(13);
    start_ = take_held();
    widen_ = take_held();
    broadcast_u64(start_, ptr[gpr(0) + offsetof(Args, scale.start)]);
    load(widen_, vector_u64(uint64_t{1} << 29));
    hold_unordered_load();
    if (sums_all()) zero_ = hold(vector_u32(0));
    if (allows_zero()) ones_ = hold(vector_u32(0xFFFFFFFF));
}

void PositiveSumKernel::emit_block(const Reg& src, const Reg& ahead, const Reg& left) {
    if (span_ == Span::block) begin_sums();
    int last = 0;
    for (const int vectors : {kStepVectors, kTogether, 1}) {
        const int units = vectors / vectors_per_unit();
        if (units == 0 || units == last) continue;
        last = units;
        Label again, done;
        align(32);
        L(again);
        cmp(left, units);
        jl(done, T_NEAR);
        if (span_ == Span::step) begin_sums();
        for (int i = 0; i < vectors; i += kTogether)
            emit_pair(src, i, std::min(kTogether, vectors - i));
        if (span_ == Span::step) end_sums();
        emit_ahead(ahead, 0, vectors, {vec(0), vec(1), vec(3), vec(4), vec(0)});
        add(src, vectors * vector_step());
        add(ahead, vectors * vector_step());
        sub(left, units);
        jmp(again, T_NEAR);
        L(done);
    }
    if (span_ == Span::block) end_sums();
}

void PositiveSumKernel::begin_sums() {
    for (int i = 0; i < kSums; ++i) copy(sum(i), start_);
}

// Adds what the sums have received to the total.
void PositiveSumKernel::end_sums() {
    const Vec scratch = vec(0);
    broadcast_u64(scratch, ptr[gpr(0) + offsetof(Args, scale.minus_starts)]);
    vpaddq(total(), total(), scratch);
    for (int i = 0; i < kSums; i += 2) {
        vpaddq(sum(i), sum(i), sum(i + 1));
        vpaddq(total(), total(), sum(i));
    }
}

void PositiveSumKernel::emit_pair(const Reg& src, int first, int vectors) {
    const auto each = [&](const auto& step) {
        for (int i = 0; i < vectors; ++i) step(vec(3 * i), vec(3 * i + 1), vec(3 * i + 2), i);
    };
    using V = const Vec&;
    each([&](V x, V, V, int i) { load_unordered(x, src, first + i); });
    if (sums_all()) {
        find_maxima(src, first, vectors);
        each([&](V x, V scratch, V, int) { emit_clamp(x, scratch); });
    }
    each([&](V x, V even, V odd, int i) {
        vpmuludq(even, x, widen_);
        if (type() == FloatType::f32 && !sums_all() && i + 1 < vectors) {
            vpmuludq(odd, widen_, ptr[src + (first + i) * vector_step() + 4]);
        } else {
            vmovshdup(odd, x);
            vpmuludq(odd, odd, widen_);
        }
        vaddpd(sum(2 * i), sum(2 * i), even);
        vaddpd(sum(2 * i + 1), sum(2 * i + 1), odd);
    });
    if (sums_all()) return;
    find_maxima(src, first, vectors);
    find_minima(vectors);
}

// x = the greater of x and the smallest weight that is not tiny, or 0 where x is 0 or -0. Elements that are not allowed become any numbers.
void PositiveSumKernel::emit_clamp(const Vec& x, const Vec& scratch) {
    const Mask positive{k1, scratch};
    compare_greater_s32(positive, x, zero_);
    max_masked_f32(x, positive, x, smallest());
}

// Elements of 16 bits are compared as they are stored, two vectors in one. With 32 bits, the two vectors are compared with each other first,
// so that few comparisons wait for one another.
void PositiveSumKernel::find_maxima(const Reg& src, int first, int vectors) {
    const Vec &x = vec(0), &other = vec(3), &greater = vec(1);
    if (compares_halves()) {
        const Address from = ptr[src + first * vector_step()];
        vectors == 2 ? load(greater, from) : load_half_twice(greater, from);
        return vpmaxuw(maxima_found(), maxima_found(), greater);
    }
    if (vectors == 2) vpmaxud(greater, x, other);
    vpmaxud(maxima_found(), maxima_found(), vectors == 2 ? greater : x);
}

// After find_maxima(). Overwrites what is compared.
void PositiveSumKernel::find_minima(int vectors) {
    const Vec &x = vec(0), &other = vec(3), &halves = vec(1);
    if (compares_halves()) {
        if (allows_zero()) vpaddw(halves, halves, ones_);
        return vpminuw(minima(), minima(), halves);
    }
    if (allows_zero()) vpaddd(x, x, ones_);
    if (allows_zero() && vectors == 2) vpaddd(other, other, ones_);
    if (vectors == 2) vpminud(x, x, other);
    vpminud(minima(), minima(), x);
}

// Jumps if a weight of the block is tiny or an element has a sign. In lanes with a sign, `smallest` becomes the greatest integer. With
// lanes of 16 bits, each lane of `least` is the smaller one of `minima` and `smallest`. Two neighbouring lanes are compared as one integer
// of 32 bits with the same two lanes of `smallest`. This integer can only be equal or less. It is equal if both lanes are, that is, if no
// weight is tiny.
void PositiveSumKernel::emit_check(const Reg& scratch, Label& stop) {
    const bool halves = compares_halves();
    const Vec smallest = vec(0), signs = vec(1), least = halves ? vec(2) : minima();
    const Mask large{k1, vec(1)};
    broadcast_u32(smallest, ptr[gpr(0) + offsetof(Args, scale.smallest)]);
    if (allows_zero())
        halves ? vpaddw(smallest, smallest, ones_) : vpaddd(smallest, smallest, ones_);
    halves ? vpsraw(signs, maxima_found(), 15) : vpsrad(signs, maxima_found(), 31);
    or_bits(smallest, smallest, signs);
    if (halves) vpminuw(least, minima(), smallest);
    compare_not_below(large, least, smallest, 32);
    unset_to_reg(scratch, large, 4);
    test(scratch, scratch);
    jnz(stop, T_NEAR);
}

}  // namespace tombola::impl::cpu::x64
