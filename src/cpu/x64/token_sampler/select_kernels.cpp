// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/token_sampler/select_kernels.hpp"

#include <cstddef>

namespace tombola::impl::cpu::x64 {

// -- GroupMaxKernel ------------------------------------------------------------------------------
// Lane i of a vector belongs to part i of the group; AVX2 has parts 0-7 in even vectors and 8-15 in odd ones.
// vec 0-3 maxima, 4 and 5 elements, 6 NaN found in a pair, 7 NaN found (AVX2); k1 and k2 the same (AVX-512).
void GroupMaxKernel::generate() {
    constexpr int kMaxima = 4;
    const Vec even = vec(4), odd = vec(5);
    const Mask found{k1, vec(6)}, nans{k2, vec(7)};
    begin(5);
    const Reg args = gpr(0), src = gpr(1), groups = gpr(2), maxima = gpr(3), result = gpr(4);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(groups, ptr[args + offsetof(Args, groups)]);
    mov(maxima, ptr[args + offsetof(Args, maxima)]);
    clear_mask(nans);

    Label group;
    L(group);
    const int vectors = kGroupClasses / classes_per_vector();
    for (int i = 0; i < vectors; i += 2) {
        const Vec &a = vec(i % kMaxima), &b = vec((i + 1) % kMaxima);
        load_wide(even, ptr[src + i * vector_step()]);
        load_wide(odd, ptr[src + (i + 1) * vector_step()]);
        if (i < kMaxima) {
            copy(a, even);
            copy(b, odd);
        } else {
            emit_max(a, even, a);
            emit_max(b, odd, b);
        }
        compare_f32(found, even, odd, kUnordered);
        or_masks(nans, nans, found);
    }
    add(src, kGroupClasses * element_bytes());
    emit_max(vec(0), vec(0), vec(2));
    emit_max(vec(1), vec(1), vec(3));
    if (classes_per_vector() == kGroupLanes) {
        emit_max(vec(0), vec(0), vec(1));
    } else {
        store(ptr[maxima + bytes()], vec(1));
    }
    store(ptr[maxima], vec(0));
    add(maxima, kGroupLanes * 4);
    dec(groups);
    jnz(group, T_NEAR);

    mask_to_reg(result, nans);
    mov(ptr[args + offsetof(Args, has_nan)], result);
    end();
}

// -- CollectKernel -------------------------------------------------------------------------------
// vec 0 threshold, 1 elements, 2 lanes that reach it (AVX2), 3 scratch; k1 the lanes (AVX-512).
void CollectKernel::generate() {
    const Vec threshold = vec(0), x = vec(1), scratch = vec(3);
    const Mask reached{k1, vec(2)};
    begin(7);
    const Reg args = gpr(0), src = gpr(1), vectors = gpr(2), first = gpr(3), to = gpr(4),
              count = gpr(5), bit = gpr(6);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(vectors, ptr[args + offsetof(Args, groups)]);
    imul(vectors, vectors, kGroupClasses / classes_per_vector());
    mov(first, ptr[args + offsetof(Args, first)]);
    mov(to, ptr[args + offsetof(Args, to)]);
    broadcast_u32(threshold, ptr[args + offsetof(Args, threshold)]);

    Label vector, none;
    L(vector);
    load_wide(x, ptr[src]);
    compare_f32(reached, x, threshold, kGreaterEqual);
    test_either(reached, reached, scratch);
    jz(none, T_NEAR);
    append_lanes_u32(to, reached, first, count, bit, scratch);
    L(none);
    add(src, vector_step());
    add(first, classes_per_vector());
    dec(vectors);
    jnz(vector, T_NEAR);

    mov(ptr[args + offsetof(Args, to)], to);
    end();
}

}  // namespace tombola::impl::cpu::x64
