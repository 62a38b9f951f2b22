// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_permutation/feistel_kernel.hpp"

#include <algorithm>
#include <cstddef>

namespace tombola::impl::cpu::x64 {

// vec 0 ... 3g - 1: l, r and h of g groups; then the scratch, the two shifts and, on AVX-512, C1 and C2.
// AVX2 has g = 4, AVX-512 g = 8.
FeistelKernel::FeistelKernel(const Key& key)
    : Vocabulary(std::get<0>(key), "permutation.feistel"), groups_(registers() / 4) {
    int next = 3 * groups_;
    for (Vec* v : {&scratch_, &shifts_[0], &shifts_[1]}) *v = vec(next++);
    assert(groups_ * lanes(sizeof(uint32_t)) <= kMaxStep);
}

FeistelKernel::Args FeistelKernel::arguments(const FeistelNetwork& network) {
    Args args{};
    std::copy(std::begin(network.keys), std::end(network.keys), args.keys);
    args.exchange = network.exchange;
    args.right = static_cast<uint32_t>(network.right);
    args.mask = (uint32_t{1} << network.right) - 1;
    args.shifts[0] = static_cast<uint32_t>(32 - network.left);
    args.shifts[1] = static_cast<uint32_t>(32 - network.right);
    return args;
}

void FeistelKernel::generate() {
    constexpr int kSpreads = kFeistelRounds + 3;
    begin(3, spread_bytes(kSpreads));
    const Reg args = gpr(0), at = gpr(1), count = gpr(2);
    int slot = 0;
    const auto spread = [&](size_t offset) { return spread_u32(args, offset, slot++, scratch_); };
    for (size_t i = 0; i < kFeistelRounds; ++i)
        keys_[i] = spread(offsetof(Args, keys) + i * sizeof(uint32_t));
    exchange_ = spread(offsetof(Args, exchange));
    right_ = spread(offsetof(Args, right));
    mask_ = spread(offsetof(Args, mask));
    c1_ = hold_u32(shifts_[1].getIdx() + 1, kFeistelC1);
    c2_ = hold_u32(shifts_[1].getIdx() + 2, kFeistelC2);
    broadcast_u32(shifts_[0], ptr[args + offsetof(Args, shifts)]);
    broadcast_u32(shifts_[1], ptr[args + offsetof(Args, shifts) + sizeof(uint32_t)]);
    mov(at, ptr[args + offsetof(Args, values)]);
    mov(count, ptr[args + offsetof(Args, count)]);

    Label step;
    align(64);
    L(step);
    for (int g = 0; g < groups_; ++g) emit_split(values(g), ptr[at + g * bytes()]);
    for (int round = 0; round < kFeistelRounds; ++round)
        for (int g = 0; g < groups_; ++g) emit_round(values(g), round);
    for (int g = 0; g < groups_; ++g) emit_join(values(g), ptr[at + g * bytes()]);
    add(at, groups_ * bytes());
    sub(count, groups_ * lanes(sizeof(uint32_t)));
    jg(step, T_NEAR);
    end();
}

void FeistelKernel::emit_split(const Values& v, const Address& from) {
    load(v.r, from);
    vpsrlvd(v.l, v.r, right_);
    and_bits(v.r, v.r, mask_);
}

// Even rounds change L by R, odd ones R by L.
void FeistelKernel::emit_round(const Values& v, int round) {
    const bool odd = round % 2 == 1;
    const Vec &from = odd ? v.l : v.r, &to = odd ? v.r : v.l;
    xor_bits(v.h, from, keys_[round]);
    vpmulld(v.h, v.h, c1_);
    vpsrld(scratch_, v.h, kFeistelShift);
    xor_bits(v.h, v.h, scratch_);
    vpmulld(v.h, v.h, c2_);
    vpsrlvd(v.h, v.h, shifts_[round % 2]);
    xor_bits(to, to, v.h);
}

void FeistelKernel::emit_join(const Values& v, const Address& to) {
    vpsllvd(v.l, v.l, right_);
    or_bits(v.r, v.r, v.l);
    vpsrld(v.h, v.r, 1);
    vpaddd(v.h, v.h, vector_u32(0xFFFFFFFF));
    vpsrld(v.h, v.h, 31);
    and_bits(v.h, v.h, exchange_);
    xor_bits(v.r, v.r, v.h);
    store(to, v.r);
}

}  // namespace tombola::impl::cpu::x64
