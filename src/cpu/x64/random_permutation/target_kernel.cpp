// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_permutation/target_kernel.hpp"

#include <cassert>
#include <cstddef>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kSets = 2;     // vectors of targets at once
constexpr int kSetVecs = 3;  // w, then the target; d; q
// Behind the sets: i and range - i of the lanes of the first set.
constexpr int kIndex = kSets * kSetVecs, kDivisor = kIndex + 1;

}  // namespace

void TargetKernel::generate() {
    begin(4);
    const Reg args = gpr(0), words = gpr(1), to = gpr(2), count = gpr(3);
    const int step = kSets * lanes(sizeof(double));
    assert(step <= kMaxStep);
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

    const int set_bytes = lanes(sizeof(double)) * static_cast<int>(sizeof(uint32_t));
    Label again;
    align(32);
    L(again);
    for (int set = 0; set < kSets; ++set)
        emit_targets(set, ptr[words + set * set_bytes], ptr[to + set * set_bytes]);
    vaddpd(vec(kIndex), vec(kIndex), vector_f64(step));
    vsubpd(vec(kDivisor), vec(kDivisor), vector_f64(step));
    add(words, kSets * set_bytes);
    add(to, kSets * set_bytes);
    sub(count, step);
    jg(again, T_NEAR);
    end();
}

// A word becomes f64 below the exponent of 2^52, from which 2^52 is taken.
void TargetKernel::emit_targets(int set, const Address& words, const Address& to) {
    constexpr double kTwoTo52 = 0x1p52;
    constexpr uint64_t kBitsOfTwoTo52 = 0x4330000000000000;
    const int w_index = set * kSetVecs, q_index = w_index + 2;
    const Vec w = vec(w_index), d = vec(w_index + 1), q = vec(q_index);
    const double ahead = set * lanes(sizeof(double));
    vsubpd(d, vec(kDivisor), vector_f64(ahead));
    vpmovzxdq(w, words);
    or_bits(w, w, vector_u64(kBitsOfTwoTo52));
    vsubpd(w, w, vector_f64(kTwoTo52));
    vdivpd(q, w, d);
    vcvttpd2dq(half(q_index), q);  // q = trunc(w / d)
    vcvtdq2pd(q, half(q_index));
    vfnmadd231pd(w, q, d);  // w mod d
    vaddpd(w, w, vec(kIndex));
    if (set > 0) vaddpd(w, w, vector_f64(ahead));
    vcvttpd2dq(half(w_index), w);
    vmovups(to, half(w_index));
}

}  // namespace tombola::impl::cpu::x64
