// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/row_kernels.hpp"

#include <cstddef>

namespace tombola::impl::cpu::x64 {

// -- RowMaxKernel --------------------------------------------------------------------------------
// Registers: vec 0-3 maxima; 4 elements; 5 scratch; 6 zeros; 7 refused lanes (AVX2); from 8 on a constant. k1 scratch; k2 refused lanes.
void RowMaxKernel::generate() {
    constexpr int kMaxima = 4;
    const Vec x = vec(4), scratch = vec(5), zeros = vec(6);
    const Mask noted{k2, vec(7)};
    begin(4);
    const Reg args = gpr(0), src = gpr(1), units = gpr(2), refused = gpr(3);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(units, ptr[args + offsetof(Args, units)]);
    set_held_range(8);
    hold_unordered_load();
    zero(zeros);
    clear_mask(noted);
    for (int i = 0; i < kMaxima; ++i) load_lowest(vec(i));

    const auto emit_units = [&](int count) {
        prefetch_read(src, 0, count * kUnitClasses * element_bytes());
        for (int i = 0; i < count * vectors_per_unit(); ++i) {
            const Vec maximum = vec(i % kMaxima);
            load_unordered(x, src, i);
            note_refused(noted, x, zeros, scratch);
            emit_max(maximum, x, maximum);
        }
        add(src, count * kUnitClasses * element_bytes());
    };
    Label four, one, done;
    constexpr int kUnrolled = 4;
    sub(units, kUnrolled);
    jl(one, T_NEAR);
    L(four);
    emit_units(kUnrolled);
    sub(units, kUnrolled);
    jge(four, T_NEAR);
    L(one);
    add(units, kUnrolled);
    jz(done, T_NEAR);
    Label each;
    L(each);
    emit_units(1);
    dec(units);
    jnz(each, T_NEAR);
    L(done);

    for (int i = 1; i < kMaxima; ++i) emit_max(vec(0), vec(0), vec(i));
    emit_findings(args + offsetof(Args, found), vec(0), noted, refused);
    end();
}

// -- WeightSumKernel -----------------------------------------------------------------------------
// Registers: vec 0 even classes; 1 odd classes; 2-4 scratch; 5 and 6 sums; 7 maxima; 8 lanes of the mask (AVX2); from 9 on constants. k1
// scratch; k2 the mask of refused lanes or, with logits, of accepted lanes.
void WeightSumKernel::generate() {
    begin(8);
    const Reg args = gpr(0), src = gpr(1), ahead = gpr(2), blocks = gpr(3), units = gpr(4),
              sums = gpr(5), left = gpr(6);
    load_blocks({src, ahead, blocks, units, sums}, args + offsetof(Args, blocks));
    load_constants(
        {ptr[args + offsetof(Args, scale.greatest)], ptr[args + offsetof(Args, scale.ratio)],
         ptr[args + offsetof(Args, scale.flush)]},
        ptr[args + offsetof(Args, scale.top)]);

    emit_begin_findings();
    Label block, unit;
    L(block);
    mov(left, units);
    zero(vec(5));
    zero(vec(6));
    L(unit);
    emit_unit(src, ahead);
    dec(left);
    jnz(unit, T_NEAR);
    vpaddq(vec(5), vec(5), vec(6));
    store_sum_u64(ptr[sums], 5, 6);
    add(sums, 8);
    dec(blocks);
    jnz(block, T_NEAR);
    emit_end_findings(args + offsetof(Args, found), left);
    end();
}

void WeightSumKernel::emit_unit(const Reg& src, const Reg& ahead) {
    const int step = kUnitClasses * element_bytes();
    const Lanes r{vec(0), vec(1), vec(2), vec(3), vec(4)};
    for (int i = 0; i < vectors_per_unit(); ++i) {
        load_unordered(r.x, src, i);
        if (!log_probs()) {
            note_refused(mask_found(), r.x, zeros(), r.scratch1);
            emit_max(maxima_found(), r.x, maxima_found());
        }
        emit_weights(r);
        vpaddq(vec(5), vec(5), r.x);
        if (!is_f64()) vpaddq(vec(6), vec(6), r.odd);
    }
    emit_ahead(ahead, 0, vectors_per_unit(), r);
    add(src, step);
    add(ahead, step);
}

// -- WeightStoreKernel ---------------------------------------------------------------------------
// Registers: vec 0 even classes; 1 odd classes; 2-4 scratch; 5 and 6 the order of AVX-512's stores; from kLowestHeld on constants.
void WeightStoreKernel::generate() {
    begin(4);
    const Reg args = gpr(0), src = gpr(1), units = gpr(2), weights = gpr(3);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(units, ptr[args + offsetof(Args, units)]);
    mov(weights, ptr[args + offsetof(Args, weights)]);
    load_constants(
        {ptr[args + offsetof(Args, scale.greatest)], ptr[args + offsetof(Args, scale.ratio)],
         ptr[args + offsetof(Args, scale.flush)]},
        ptr[args + offsetof(Args, scale.top)]);
    if (!is_f64()) set_zip_u64(order());
    Label unit;
    L(unit);
    const Lanes r{vec(0), vec(1), vec(2), vec(3), vec(4)};
    for (int i = 0; i < vectors_per_unit(); ++i) {
        load_wide(r.x, ptr[src + i * vector_step()]);
        emit_weights(r);
        emit_store(weights, i, r);
    }
    add(src, kUnitClasses * element_bytes());
    add(weights, kUnitClasses * 8);
    dec(units);
    jnz(unit, T_NEAR);
    end();
}

void WeightStoreKernel::emit_store(const Reg& to, int vector, const Lanes& r) {
    if (is_f64()) return store(ptr[to + vector * bytes()], r.x);
    const Vec &first = r.scratch1, &second = r.scratch2;
    zip_u64(first, second, r.x, r.odd, order(), r.scratch3);
    store(ptr[to + 2 * vector * bytes()], first);
    store(ptr[to + (2 * vector + 1) * bytes()], second);
}

}  // namespace tombola::impl::cpu::x64
