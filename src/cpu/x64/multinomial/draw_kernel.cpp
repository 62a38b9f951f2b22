// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/multinomial/draw_kernel.hpp"

#include <cassert>
#include <cstddef>

namespace tombola::impl::cpu::x64 {

// AVX-512: vec 0-11 four vectors of samples; k1-k4 their lanes that still search; k5 the mask that a gather consumes;
//          k5 and k6 scratch when searching lanes are tested.
// AVX2:    vec 0-5 two vectors of samples; 14-15 their lanes that still search; t0_ the mask that a gather consumes.
// The constants and scratch registers follow the samples.
DrawKernel::DrawKernel(const Key& key)
    : Vocabulary(std::get<0>(key), std::string("multinomial.draw.") + name_of(std::get<1>(key))),
      type_(std::get<1>(key)),
      vectors_(registers() / 8) {
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
    for (int i = 0; i < vectors_; ++i) emit_first_step(sample(i));
    mov(left, classes);
    L(step);
    emit_test_any_searching();
    jz(done, T_NEAR);
    dec(left);
    jz(done, T_NEAR);
    for (int i = 0; i < vectors_; ++i) emit_next_step(sample(i));
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
    vpsrlq(s.c, s.t, quarter(shift_.getIdx()));
    gather_u32_as_u64(s.k, guide_, s.c, consumed());
}

void DrawKernel::emit_first_step(const Sample& s) {
    gather_u64(s.c, prefix_, s.k, consumed());
    compare_greater_s64(s.searching, s.t, s.c);
    increment_masked_u64(s.k, s.searching, s.k, one_);
}

// Lanes that have found their class keep its prefix sum, which is not below t.
void DrawKernel::emit_next_step(const Sample& s) {
    gather_masked_u64(s.c, prefix_, s.k, s.searching, consumed());
    compare_greater_s64(s.searching, s.t, s.c);
    increment_masked_u64(s.k, s.searching, s.k, one_);
}

// The zero flag is set when no lane still searches.
void DrawKernel::emit_test_any_searching() {
    if (vectors_ == 2)
        return test_either(sample(0).searching, sample(1).searching, consumed().vector);
    const Mask low{k5, t0_}, high{k6, t1_};
    or_masks(low, sample(0).searching, sample(1).searching);
    or_masks(high, sample(2).searching, sample(3).searching);
    test_either(low, high, t0_);
}

void DrawKernel::emit_store(const Sample& s, const Xbyak::RegExp& to) {
    if (type_ == DataType::s64) return store(ptr[to], s.k);
    store_low_u32(ptr[to], s.k, t0_);
}

}  // namespace tombola::impl::cpu::x64
