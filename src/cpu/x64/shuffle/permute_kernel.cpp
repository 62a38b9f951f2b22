// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_kernel.hpp"

#include <cstddef>

// register  role
// gpr 0     arguments
// gpr 1-2   source and destination of this outer repetition
// gpr 3-4   of this inner step
// gpr 5-6   of the last inner step
// gpr 7     outer repetitions left
// gpr 8     repetitions of this section left
// gpr 9-10  source and destination of this section
// gpr 11    bytes to the next step

namespace tombola::impl::cpu::x64 {

void PermuteKernel::generate() {
    begin(12);
    const Reg args = gpr(0), src = gpr(1), dst = gpr(2), outer = gpr(7);
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(dst, ptr[args + offsetof(Args, dst)]);
    mov(outer, ptr[args + offsetof(Args, outer)]);
    const bool one_section = sections_.size() == 1;
    if (one_section) emit_hoisted(0);
    Label repeat;
    align(32);
    L(repeat);
    for (size_t section = 0; section < sections_.size(); ++section) {
        if (!one_section) emit_hoisted(static_cast<int>(section));
        emit_section(static_cast<int>(section));
    }
    add(src, ptr[args + offsetof(Args, src_outer)]);
    add(dst, ptr[args + offsetof(Args, dst_outer)]);
    dec(outer);
    jnz(repeat, T_NEAR);
    end();
}

void PermuteKernel::emit_section(int section) {
    const Reg src = gpr(1), dst = gpr(2), repeats = gpr(8), section_src = gpr(9),
              section_dst = gpr(10);
    const SectionLoop& loop = sections_[static_cast<size_t>(section)];
    Label repeat;
    mov(section_src, src);
    mov(section_dst, dst);
    if (loop.repeats > 1) mov(repeats, loop.repeats);
    L(repeat);
    emit_steps(section);
    if (loop.repeats == 1) return;
    add(section_src, static_cast<uint32_t>(loop.src_repeat));
    add(section_dst, static_cast<uint32_t>(loop.dst_repeat));
    dec(repeats);
    jnz(repeat, T_NEAR);
}

// All steps before the last, one after the other, and then the last where it has to be.
void PermuteKernel::emit_steps(int section) {
    const Reg args = gpr(0), s_last = gpr(5), d_last = gpr(6), section_src = gpr(9),
              section_dst = gpr(10);
    mov(s(), section_src);
    mov(d(), section_dst);
    if (loop_.single_step) return emit_step(section);
    Label step, last;
    mov(s_last, ptr[args + offsetof(Args, src_last)]);
    mov(d_last, ptr[args + offsetof(Args, dst_last)]);
    add(s_last, s());
    add(d_last, d());
    cmp(s(), s_last);
    jge(last, T_NEAR);
    emit_first_advance(section);
    align(16);
    L(step);
    emit_step(section);
    emit_advance();
    cmp(s(), s_last);
    jl(step, T_NEAR);
    L(last);
    mov(s(), s_last);
    mov(d(), d_last);
    emit_step(section);
}

// advance = step - d mod a line (a step, if that is less), in granules: the second step begins a line.
void PermuteKernel::emit_first_advance(int section) {
    if (!steps_align()) return;
    lea(advance(), ptr[d() + sections_[static_cast<size_t>(section)].first_output]);
    and_(advance(), static_cast<uint32_t>(aligned_to() - loop_.granule));
    neg(advance());
    add(advance(), static_cast<uint32_t>(loop_.dst_step));
}

void PermuteKernel::emit_advance() {
    if (steps_align()) {
        add(s(), advance());
        add(d(), advance());
        mov(advance(), loop_.dst_step);
    } else {
        add(s(), static_cast<uint32_t>(loop_.src_step));
        add(d(), static_cast<uint32_t>(loop_.dst_step));
    }
}

}  // namespace tombola::impl::cpu::x64
