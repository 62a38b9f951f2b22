// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/multinomial/draw_kernel.hpp"

#include <cassert>
#include <cstddef>

namespace tombola::impl::cpu::x64 {

// AVX-512: vec 0-11 four vectors of samples; k1-k4 their lanes that search on, k5 the mask a gather consumes.
// AVX2:    vec 0-5 two vectors of samples; the mask of a search is made in t1_, a gather's in t0_.
DrawKernel::DrawKernel(const Key& key)
    : Vocabulary(std::get<0>(key), std::string("multinomial.draw.") + name_of(std::get<1>(key))),
      type_(std::get<1>(key)),
      vectors_(is_avx512() ? 4 : 2) {
    assert(kGroupSamples % (vectors_ * lanes(8)) == 0);
    int next = 3 * vectors_;
    for (Vec* v : {&s0_, &s1_, &high_, &up_, &shift_, &one_, &t0_, &t1_}) *v = vec(next++);
}

void DrawKernel::generate() {
    begin(8);
    const Reg args = gpr(0), words = gpr(1), indices = gpr(2), groups = gpr(3);
    guide_ = gpr(4);
    prefix_ = gpr(5);
    const Reg left = gpr(6), classes = gpr(7);
    broadcast_u64(s0_, ptr[args + offsetof(Args, sum)]);
    vpsrlq(s1_, s0_, 32);
    load(high_, vector_u64(0xFFFFF));
    load(up_, vector_u64(0xFFFFFFFF));
    load(one_, vector_u64(1));
    vmovq(quarter(shift_.getIdx()), ptr[args + offsetof(Args, shift)]);
    mov(words, ptr[args + offsetof(Args, words)]);
    mov(indices, ptr[args + offsetof(Args, indices)]);
    mov(groups, ptr[args + offsetof(Args, groups)]);
    mov(guide_, ptr[args + offsetof(Args, guide)]);
    mov(prefix_, ptr[args + offsetof(Args, prefix)]);
    mov(classes, ptr[args + offsetof(Args, classes)]);

    const int samples = vectors_ * lanes(8);
    const int index_bytes = static_cast<int>(size_of(type_));
    imul(groups, groups, kGroupSamples / samples);
    Label group, step, done;
    L(group);
    for (int i = 0; i < vectors_; ++i) emit_target(sample(i), ptr[words + i * bytes()]);
    for (int i = 0; i < vectors_; ++i) emit_guess(sample(i));
    for (int i = 0; i < vectors_; ++i) emit_first_step(sample(i), i);
    mov(left, classes);
    L(step);
    emit_test_any_searching();
    jz(done, T_NEAR);
    dec(left);
    jz(done, T_NEAR);
    for (int i = 0; i < vectors_; ++i) emit_next_step(sample(i), i);
    jmp(step, T_NEAR);
    L(done);
    for (int i = 0; i < vectors_; ++i) emit_store(sample(i), indices + i * lanes(8) * index_bytes);
    add(words, samples * 8);
    add(indices, samples * index_bytes);
    dec(groups);
    jnz(group, T_NEAR);
    end();
}

void DrawKernel::emit_target(const Sample& s, const Address& words) {
    const Vec &a1 = s.k, &a0 = s.c;
    load(s.c, words);
    and_bits(a1, s.c, high_);
    vpsrlq(a0, s.c, 32);
    mul_u32_wide(t0_, a0, s0_);
    vpaddq(t0_, t0_, up_);
    vpsrlq(t0_, t0_, 32);
    mul_u32_wide(t1_, a1, s0_);
    vpaddq(t0_, t0_, t1_);
    mul_u32_wide(t1_, a0, s1_);
    vpaddq(t0_, t0_, t1_);
    vpaddq(t0_, t0_, high_);
    vpsrlq(t0_, t0_, 20);
    mul_u32_wide(t1_, a1, s1_);
    vpsllq(t1_, t1_, 12);
    vpaddq(s.t, t0_, t1_);
}

void DrawKernel::emit_guess(const Sample& s) {
    const int k = s.k.getIdx(), c = s.c.getIdx();
    vpsrlq(s.c, s.t, quarter(shift_.getIdx()));
    if (is_avx512()) {
        kxnorw(k5, k5, k5);
        vpgatherqd(Xbyak::Ymm(k) | k5, ptr[guide_ + Xbyak::Zmm(c) * 4]);
        vpmovzxdq(Xbyak::Zmm(k), Xbyak::Ymm(k));
    } else {
        const Xbyak::Xmm mask = quarter(t0_.getIdx());
        vpcmpeqd(mask, mask, mask);
        vpgatherqd(Xbyak::Xmm(k), ptr[guide_ + Xbyak::Ymm(c) * 4], mask);
        vpmovzxdq(Xbyak::Ymm(k), Xbyak::Xmm(k));
    }
}

void DrawKernel::emit_first_step(const Sample& s, int i) {
    const int k = s.k.getIdx(), c = s.c.getIdx();
    if (is_avx512()) {
        kxnorw(k5, k5, k5);
        vpgatherqq(Xbyak::Zmm(c) | k5, ptr[prefix_ + Xbyak::Zmm(k) * 8]);
        vpcmpgtq(Xbyak::Opmask(1 + i), s.t, s.c);
        return vpaddq(s.k | Xbyak::Opmask(1 + i), s.k, one_);
    }
    vpcmpeqd(t0_, t0_, t0_);
    vpgatherqq(Xbyak::Ymm(c), ptr[prefix_ + Xbyak::Ymm(k) * 8], t0_);
    vpcmpgtq(t1_, s.t, s.c);
    vpsubq(s.k, s.k, t1_);
}

// Lanes that have arrived keep their prefix sum, which is not below t.
void DrawKernel::emit_next_step(const Sample& s, int i) {
    const int k = s.k.getIdx(), c = s.c.getIdx();
    if (is_avx512()) {
        kmovw(k5, Xbyak::Opmask(1 + i));
        vpgatherqq(Xbyak::Zmm(c) | k5, ptr[prefix_ + Xbyak::Zmm(k) * 8]);
        vpcmpgtq(Xbyak::Opmask(1 + i), s.t, s.c);
        return vpaddq(s.k | Xbyak::Opmask(1 + i), s.k, one_);
    }
    vpcmpgtq(t0_, s.t, s.c);
    vpgatherqq(Xbyak::Ymm(c), ptr[prefix_ + Xbyak::Ymm(k) * 8], t0_);
    vpcmpgtq(t1_, s.t, s.c);
    vpsubq(s.k, s.k, t1_);
}

// The zero flag is set when no lane searches on.
void DrawKernel::emit_test_any_searching() {
    if (is_avx512()) {
        korw(k5, k1, k2);
        korw(k6, k3, k4);
        return kortestw(k5, k6);
    }
    vpcmpgtq(t0_, sample(0).t, sample(0).c);
    vpcmpgtq(t1_, sample(1).t, sample(1).c);
    vpor(t0_, t0_, t1_);
    vptest(t0_, t0_);
}

void DrawKernel::emit_store(const Sample& s, const Xbyak::RegExp& to) {
    if (type_ == DataType::s64) return store(ptr[to], s.k);
    const int k = s.k.getIdx();
    if (is_avx512()) return vpmovqd(ptr[to], Xbyak::Zmm(k));
    const Xbyak::Xmm upper = quarter(t0_.getIdx());
    vextracti128(upper, Xbyak::Ymm(k), 1);
    vshufps(upper, Xbyak::Xmm(k), upper, 0x88);
    vmovdqu(ptr[to], upper);
}

}  // namespace tombola::impl::cpu::x64
