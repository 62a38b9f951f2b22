// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_kernel.hpp"

#include <cstddef>

// register  role
// gpr 0     arguments
// gpr 1, 2  source and destination of this outer repetition
// gpr 3, 4  source and destination of this inner step
// gpr 5, 6  those of the last inner step
// gpr 7     outer repetitions left
// gpr 8     scratch

namespace tombola::impl::cpu::x64 {

void PermuteKernel::generate() {
    begin(9);
    const Reg args = gpr(0), src = gpr(1), dst = gpr(2), outer = gpr(7);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(dst, ptr[args + offsetof(Args, dst)]);
    mov(outer, ptr[args + offsetof(Args, outer)]);
    Label repeat;
    align(32);
    L(repeat);
    for (int section = 0; section < sections_; ++section) {
        if (sections_ > 1 || section == 0) emit_hoisted(section);
        emit_section(section);
    }
    add(src, ptr[args + offsetof(Args, src_outer)]);
    add(dst, ptr[args + offsetof(Args, dst_outer)]);
    dec(outer);
    jnz(repeat, T_NEAR);
    end();
}

// s and d advance by their steps; a step beyond the last is moved back to the last.
void PermuteKernel::emit_section(int section) {
    const Reg args = gpr(0), src = gpr(1), dst = gpr(2), s_last = gpr(5), d_last = gpr(6);
    Label step, done;
    mov(s_last, ptr[args + offsetof(Args, src_last)]);
    mov(d_last, ptr[args + offsetof(Args, dst_last)]);
    mov(s(), src);
    mov(d(), dst);
    add(s_last, src);
    add(d_last, dst);
    align(16);
    L(step);
    emit_step(section);
    cmp(s(), s_last);
    je(done, T_NEAR);
    add(s(), static_cast<uint32_t>(src_step_));
    add(d(), static_cast<uint32_t>(dst_step_));
    cmp(s(), s_last);
    cmovg(s(), s_last);
    cmovg(d(), d_last);
    jmp(step, T_NEAR);
    L(done);
}

}  // namespace tombola::impl::cpu::x64
