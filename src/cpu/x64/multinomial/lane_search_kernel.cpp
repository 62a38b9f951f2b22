// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/multinomial/lane_search_kernel.hpp"

#include <cstddef>

namespace tombola::impl::cpu::x64 {

// Registers: vec 0-3 a target, a prefix sum, a sample and a mask (AVX2) of the first vector; 4-7 those of the second one; 8 is 1. k1 and k2
// masks.
void LaneSearchKernel::generate() {
    begin(5);
    const Reg args = gpr(0), weights = gpr(1), left = gpr(2), targets = gpr(3), samples = gpr(4);
    mov(weights, ptr[args + offsetof(Args, weights)]);
    mov(left, ptr[args + offsetof(Args, classes)]);
    mov(targets, ptr[args + offsetof(Args, targets)]);
    mov(samples, ptr[args + offsetof(Args, samples)]);
    const Vec one = vec(8);
    load(one, vector_u64(1));
    for (int i = 0; i < vectors_; ++i) {
        load(vec(4 * i), ptr[targets + i * bytes()]);
        zero(vec(4 * i + 1));
        zero(vec(4 * i + 2));
    }
    Label each;
    L(each);
    for (int i = 0; i < vectors_; ++i) {
        const Vec target = vec(4 * i), prefix = vec(4 * i + 1), sample = vec(4 * i + 2);
        const Mask below{Xbyak::Opmask(1 + i), vec(4 * i + 3)};
        vpaddq(prefix, prefix, ptr[weights + i * bytes()]);
        compare_greater_s64(below, target, prefix);
        increment_masked_u64(sample, below, sample, one);
    }
    add(weights, vectors_ * bytes());
    dec(left);
    jnz(each, T_NEAR);
    for (int i = 0; i < vectors_; ++i) store(ptr[samples + i * bytes()], vec(4 * i + 2));
    end();
}

}  // namespace tombola::impl::cpu::x64
