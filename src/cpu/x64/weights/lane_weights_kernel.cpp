// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/lane_weights_kernel.hpp"

#include <cstddef>

namespace tombola::impl::cpu::x64 {

// Registers: vec 0 even rows; 1 odd rows; 2-4 scratch; 5 and 6 sums; 7 maxima; 8 exceptional lanes (AVX2); from 9 on constants. k1 scratch;
// k2 exceptional lanes.
void LaneWeightsKernel::generate() {
    begin(6);
    const Reg args = gpr(0), src = gpr(1), weights = gpr(2), left = gpr(3), found = gpr(4),
              step = gpr(5);
    const Mask exceptional{k2, vec(8)};
    load_constants_for_rows();
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(left, ptr[args + offsetof(Args, classes)]);
    mov(step, ptr[args + offsetof(Args, step)]);
    emit_maxima(src, step, left, exceptional);
    emit_scale(ptr[args + offsetof(Args, top)], exceptional);
    mask_to_reg(found, exceptional);
    mov(ptr[args + offsetof(Args, exceptional)], found);
    Label done;
    test(found, found);
    jnz(done, T_NEAR);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(left, ptr[args + offsetof(Args, classes)]);
    mov(weights, ptr[args + offsetof(Args, weights)]);
    emit_classes(src, step, weights, left);
    const Reg sums = weights;
    mov(sums, ptr[args + offsetof(Args, sums)]);
    store(ptr[sums], vec(5));
    if (!is_f64()) store(ptr[sums + bytes()], vec(6));
    L(done);
    end();
}

// Finds the greatest element of each row, and the lanes that have an element that is not allowed.
void LaneWeightsKernel::emit_maxima(const Reg& src, const Reg& step, const Reg& left,
                                    const Mask& exceptional) {
    const Vec x = vec(0), scratch = vec(2), maxima = vec(7);
    load_lowest(maxima);
    clear_mask(exceptional);
    Label each;
    L(each);
    load_wide(x, ptr[src]);
    note_refused(exceptional, x, zeros(), scratch);
    emit_max(maxima, x, maxima);
    add(src, step);
    dec(left);
    jnz(each, T_NEAR);
}

// Sets top() and greatest(). Notes the lanes whose greatest element is infinite, or whose greatest weight is tiny.
void LaneWeightsKernel::emit_scale(const Address& top_address, const Mask& exceptional) {
    const Vec maxima = vec(7), x = vec(0), scratch = vec(2);
    is_f64() ? broadcast_u64(top(), top_address) : broadcast_u32(top(), top_address);
    const Mask found{k1, scratch};
    if (log_probs()) {
        copy(greatest(), maxima);
        is_f64() ? vsubpd(x, maxima, maxima) : vsubps(x, maxima, maxima);  // NaN if it is infinite
        return note_refused(exceptional, x, zeros(), scratch);
    }
    constexpr uint32_t kMinBits = uint32_t{kMinField} << 23,
                       kMaxBits = 0x7F7FFFFF;  // of finite numbers
    constexpr uint64_t kMinBitsF64 = uint64_t{kMinField} << 52, kMaxBitsF64 = 0x7FEFFFFFFFFFFFFF;
    load(x, is_f64() ? vector_u64(kMinBitsF64) : vector_u32(kMinBits));
    is_f64() ? compare_greater_s64(found, x, maxima) : compare_greater_s32(found, x, maxima);
    or_masks(exceptional, exceptional, found);
    is_f64() ? compare_greater_s64(found, maxima, vector_u64(kMaxBitsF64))
             : compare_greater_s32(found, maxima, vector_u32(kMaxBits));
    or_masks(exceptional, exceptional, found);
    is_f64() ? vpsrlq(x, maxima, 52) : vpsrld(x, maxima, 23);
    is_f64() ? vpaddq(top(), top(), x) : vpaddd(top(), top(), x);
}

// Stores the weights, and adds them up.
void LaneWeightsKernel::emit_classes(const Reg& src, const Reg& step, const Reg& weights,
                                     const Reg& left) {
    const Lanes r{vec(0), vec(1), vec(2), vec(3), vec(4)};
    zero(vec(5));
    zero(vec(6));
    Label each;
    L(each);
    load_wide(r.x, ptr[src]);
    emit_weights(r);
    store(ptr[weights], r.x);
    vpaddq(vec(5), vec(5), r.x);
    if (!is_f64()) {
        store(ptr[weights + bytes()], r.odd);
        vpaddq(vec(6), vec(6), r.odd);
    }
    add(src, step);
    add(weights, is_f64() ? bytes() : 2 * bytes());
    dec(left);
    jnz(each, T_NEAR);
}

}  // namespace tombola::impl::cpu::x64
