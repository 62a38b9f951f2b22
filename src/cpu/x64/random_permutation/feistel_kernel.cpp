// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_permutation/feistel_kernel.hpp"

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
    constexpr int kLast = kFeistelRounds - 1;
    args.first_key = network.keys[0];
    args.last_key = network.keys[kLast];
    for (int round = 0; round < kFeistelRounds; ++round)
        args.changes[round] = (round == 0 ? 0 : network.keys[round - 1]) ^
                              (round == kLast ? 0 : network.keys[round + 1]);
    args.exchange = network.exchange;
    args.right = static_cast<uint32_t>(network.right);
    args.mask = (uint32_t{1} << network.right) - 1;
    args.shifts[0] = static_cast<uint32_t>(32 - network.left);
    args.shifts[1] = static_cast<uint32_t>(32 - network.right);
    return args;
}

void FeistelKernel::generate() {
    constexpr int kSpreads = kFeistelRounds + 5;
    begin(3, spread_bytes(kSpreads));
    const Reg args = gpr(0), at = gpr(1), count = gpr(2);
    load_arguments(args);
    mov(at, ptr[args + offsetof(Args, values)]);
    mov(count, ptr[args + offsetof(Args, count)]);

    Label step, small_step, done;
    if (groups_ > kSmallStep) {
        cmp(count, kSmallStep * lanes(sizeof(uint32_t)));
        jle(small_step, T_NEAR);
        align(64);
        L(step);
        emit_step(groups_, at, count);
        cmp(count, kSmallStep * lanes(sizeof(uint32_t)));
        jg(step, T_NEAR);
        test(count, count);
        jle(done, T_NEAR);
    }
    align(64);
    L(small_step);
    emit_step(kSmallStep, at, count);
    test(count, count);
    jg(small_step, T_NEAR);
    L(done);
    end();
}

void FeistelKernel::load_arguments(const Reg& args) {
    int slot = 0;
    const auto spread = [&](size_t offset) { return spread_u32(args, offset, slot++, scratch_); };
    for (size_t i = 0; i < kFeistelRounds; ++i)
        changes_[i] = spread(offsetof(Args, changes) + i * sizeof(uint32_t));
    first_key_ = spread(offsetof(Args, first_key));
    last_key_ = spread(offsetof(Args, last_key));
    exchange_ = spread(offsetof(Args, exchange));
    right_ = spread(offsetof(Args, right));
    mask_ = spread(offsetof(Args, mask));
    c1_ = hold_u32(shifts_[1].getIdx() + 1, kFeistelC1);
    c2_ = hold_u32(shifts_[1].getIdx() + 2, kFeistelC2);
    broadcast_u32(shifts_[0], ptr[args + offsetof(Args, shifts)]);
    broadcast_u32(shifts_[1], ptr[args + offsetof(Args, shifts) + sizeof(uint32_t)]);
}

// One pass over the next `groups` vectors.
void FeistelKernel::emit_step(int groups, const Reg& at, const Reg& count) {
    for (int g = 0; g < groups; ++g) emit_split(values(g), ptr[at + g * bytes()]);
    for (int round = 0; round < kFeistelRounds; ++round)
        for (int g = 0; g < groups; ++g) emit_round(values(g), round);
    for (int g = 0; g < groups; ++g) emit_join(values(g), ptr[at + g * bytes()]);
    add(at, groups * bytes());
    sub(count, groups * lanes(sizeof(uint32_t)));
}

void FeistelKernel::emit_split(const Values& v, const Address& from) {
    load(v.r, from);
    vpsrlvd(v.l, v.r, right_);
    and_bits(v.r, v.r, mask_);
    xor_bits(v.r, v.r, first_key_);
}

// Even rounds change L by R, odd ones R by L. Both halves already contain the key of the next round that reads them.
void FeistelKernel::emit_round(const Values& v, int round) {
    const bool odd = round % 2 == 1;
    const Vec &from = odd ? v.l : v.r, &to = odd ? v.r : v.l;
    // In two instructions, the change of the key does not wait for the products.
    if (!has_xor3()) xor_bits(to, to, changes_[round]);
    vpmulld(v.h, from, c1_);
    vpsrld(scratch_, v.h, kFeistelShift);
    xor_bits(v.h, v.h, scratch_);
    vpmulld(v.h, v.h, c2_);
    vpsrlvd(v.h, v.h, shifts_[round % 2]);
    has_xor3() ? xor3(to, v.h, changes_[round]) : xor_bits(to, to, v.h);
}

void FeistelKernel::emit_join(const Values& v, const Address& to) {
    xor_bits(v.l, v.l, last_key_);
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
