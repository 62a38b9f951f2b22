// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_permutation/target_kernel.hpp"

#include <cassert>
#include <cstddef>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kSets = 2;     // vectors of targets at once
constexpr int kSetVecs = 4;  // w, then the target; d; q or t; r
// After the sets: i and range - i of the lanes of the first set, and a scratch register.
constexpr int kIndex = kSets * kSetVecs, kDivisor = kIndex + 1, kScratch = kIndex + 2;

int w_of(int set) { return set * kSetVecs; }
int d_of(int set) { return w_of(set) + 1; }
int q_of(int set) { return w_of(set) + 2; }
int r_of(int set) { return w_of(set) + 3; }

}  // namespace

void TargetKernel::generate() {
    Label divides, done;
    begin(4);
    const Reg args = gpr(0), words = gpr(1), to = gpr(2), count = gpr(3);
    assert(kSets * lanes(sizeof(double)) <= kMaxStep);
    double lane_numbers[kMaxStep];
    for (int lane = 0; lane < lanes(sizeof(double)); ++lane) lane_numbers[lane] = lane;
    const Address lane_table = vector_table(lane_numbers);
    broadcast_u64(vec(kIndex), ptr[args + offsetof(Args, first)]);
    vaddpd(vec(kIndex), vec(kIndex), lane_table);
    broadcast_u64(vec(kDivisor), ptr[args + offsetof(Args, divisor)]);
    vsubpd(vec(kDivisor), vec(kDivisor), lane_table);
    mov(words, ptr[args + offsetof(Args, words)]);
    mov(to, ptr[args + offsetof(Args, to)]);
    mov(count, ptr[args + offsetof(Args, count)]);

    // args = divisor - count. The smallest divisor of a whole last step is greater than args - kMaxStep.
    vcvttsd2si(args, ptr[args + offsetof(Args, divisor)]);
    sub(args, count);
    cmp(args, static_cast<uint32_t>(kMinRefined + kMaxStep));
    jl(divides, T_NEAR);
    for (int set = 0; set < kSets; ++set) {
        emit_divisor(set);
        load(vec(r_of(set)), vector_f64(1));
        vdivpd(vec(r_of(set)), vec(r_of(set)), vec(d_of(set)));
    }
    emit_loop(true);
    jmp(done, T_NEAR);
    L(divides);
    emit_loop(false);
    L(done);
    end();
}

void TargetKernel::emit_loop(bool refines) {
    const Reg words = gpr(1), to = gpr(2), count = gpr(3);
    const int step = kSets * lanes(sizeof(double));
    const int set_bytes = lanes(sizeof(double)) * static_cast<int>(sizeof(uint32_t));
    Label again;
    align(32);
    L(again);
    for (int set = 0; set < kSets; ++set)
        emit_targets(set, refines, ptr[words + set * set_bytes], ptr[to + set * set_bytes]);
    vaddpd(vec(kIndex), vec(kIndex), vector_f64(step));
    vsubpd(vec(kDivisor), vec(kDivisor), vector_f64(step));
    add(words, kSets * set_bytes);
    add(to, kSets * set_bytes);
    sub(count, step);
    jg(again, T_NEAR);
}

void TargetKernel::emit_divisor(int set) {
    vsubpd(vec(d_of(set)), vec(kDivisor), vector_f64(set * lanes(sizeof(double))));
}

// In the first step r is 1 / d already. It is refined too, which does no harm.
void TargetKernel::emit_reciprocal(int set, bool refines) {
    const Vec d = vec(d_of(set)), t = vec(q_of(set)), r = vec(r_of(set)), square = vec(kScratch);
    load(t, vector_f64(1));
    if (!refines) return vdivpd(r, t, d);
    vfnmadd231pd(t, d, r);  // 1 - d * r
    copy(square, t);
    vfmadd132pd(square, t, t);  // t^2 + t
    vfmadd231pd(r, r, square);
}

// A word w becomes f64 by bits: w | bits(2^52) is the number 2^52 + w. From that 2^52 - 1/2 is subtracted.
void TargetKernel::emit_targets(int set, bool refines, const Address& words, const Address& to) {
    constexpr double kTwoTo52 = 0x1p52;
    constexpr uint64_t kBitsOfTwoTo52 = 0x4330000000000000;
    const Vec w = vec(w_of(set)), d = vec(d_of(set)), q = vec(q_of(set)), r = vec(r_of(set));
    emit_divisor(set);
    emit_reciprocal(set, refines);
    vpmovzxdq(w, words);
    or_bits(w, w, vector_u64(kBitsOfTwoTo52));
    vsubpd(w, w, vector_f64(kTwoTo52 - 0.5));
    vmulpd(q, w, r);
    vcvttpd2dq(half(q_of(set)), q);  // q = trunc((w + 1/2) * r)
    vcvtdq2pd(q, half(q_of(set)));
    vfnmadd231pd(w, q, d);  // w mod d + 1/2
    vaddpd(w, w, vec(kIndex));
    if (set > 0) vaddpd(w, w, vector_f64(set * lanes(sizeof(double))));
    vcvttpd2dq(half(w_of(set)), w);
    vmovups(to, half(w_of(set)));
}

}  // namespace tombola::impl::cpu::x64
