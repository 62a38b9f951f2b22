// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_bernoulli/bernoulli_kernel.hpp"

#include <cstddef>
#include <string>

namespace tombola::impl::cpu::x64 {
namespace {

// Vector registers, then general registers.
constexpr int kDraw = 0, kScaledTensorP = 1, kMaskVec = 2, kScratch = 5, kScale = 6, kOne = 7,
              kScaledP = 8, kTaken = 9;
constexpr int kArgs = 0, kWords = 1, kProbabilities = 2, kTo = 3, kSteps = 4;

const char* name_of_draw(BernoulliDraw draw) {
    switch (draw) {
        case BernoulliDraw::u23:
            return "u23";
        case BernoulliDraw::u24:
            return "u24";
        case BernoulliDraw::u53:
            break;
    }
    return "u53";
}

}  // namespace

BernoulliKernel::BernoulliKernel(const Key& key)
    : Vocabulary(std::get<CpuIsa>(key),
                 std::string("bernoulli.") + name_of_draw(std::get<BernoulliDraw>(key)) + "." +
                     name_of(std::get<DataType>(key)) + (std::get<bool>(key) ? "" : ".tensor")),
      draw_(std::get<BernoulliDraw>(key)),
      type_(std::get<DataType>(key)),
      one_p_(std::get<bool>(key)) {}

void BernoulliKernel::generate() {
    begin(5);
    mov(gpr(kWords), ptr[gpr(kArgs) + offsetof(Args, words)]);
    mov(gpr(kProbabilities), ptr[gpr(kArgs) + offsetof(Args, p)]);
    mov(gpr(kTo), ptr[gpr(kArgs) + offsetof(Args, to)]);
    mov(gpr(kSteps), ptr[gpr(kArgs) + offsetof(Args, steps)]);
    load_constants();
    emit_with_and_without_streaming(gpr(kArgs) + offsetof(Args, streaming),
                                    [&](bool streaming) { emit_loop(streaming); });
    end();
}

void BernoulliKernel::emit_loop(bool streaming) {
    Label again;
    const bool wide = draw_ == BernoulliDraw::u53;
    const auto size = static_cast<int>(size_of(type_));
    const Mask mask{k1, vec(kMaskVec)}, low{k2, vec(kMaskVec + 1)}, high{k3, vec(kMaskVec + 2)};
    align(32);
    L(again);
    if (wide) {
        emit_compare_f64(0, low);
        emit_compare_f64(1, high);
        join_masks(mask, low, high);
    } else {
        emit_compare_f32();
    }
    store_where(gpr(kTo), mask, one_, size, vec(kScratch), streaming);
    add(gpr(kWords), bytes() * (wide ? 2 : 1));
    if (!one_p_) add(gpr(kProbabilities), bytes() * (wide ? 2 : 1));
    add(gpr(kTo), lanes(4) * size);
    dec(gpr(kSteps));
    jnz(again, T_NEAR);
}

void BernoulliKernel::load_constants() {
    const Vec p = vec(kScaledP), scale = vec(kScale);
    one_ = hold_elements(kOne, one_bits(type_), static_cast<int>(size_of(type_)));
    if (draw_ == BernoulliDraw::u53) {
        taken_ = hold_u64(kTaken, swapped_words_mask(53));
        load(scale, vector_f64(0x1p53));
        if (!one_p_) return;
        broadcast_u64(p, ptr[gpr(kProbabilities)]);
        return vmulpd(p, p, scale);
    }
    const bool narrow = draw_ == BernoulliDraw::u23;
    taken_ = hold_u32(kTaken, narrow ? 0x7FFFFF : 0xFFFFFF);
    load(scale, vector_f32(narrow ? 0x1p23f : 0x1p24f));
    if (!one_p_) return;
    broadcast_u32(p, ptr[gpr(kProbabilities)]);
    vmulps(p, p, scale);
}

void BernoulliKernel::emit_compare_f32() {
    const Vec k = vec(kDraw);
    load(k, ptr[gpr(kWords)]);
    and_bits(k, k, taken_);
    vcvtdq2ps(k, k);
    if (!one_p_) vmulps(vec(kScaledTensorP), vec(kScale), ptr[gpr(kProbabilities)]);
    compare_f32({k1, vec(kMaskVec)}, k, vec(one_p_ ? kScaledP : kScaledTensorP), kLess);
}

void BernoulliKernel::emit_compare_f64(int half, const Mask& mask) {
    const Vec k = vec(kDraw);
    load(k, ptr[gpr(kWords) + half * bytes()]);
    and_bits(k, k, taken_);
    cvt_swapped_u53_to_f64(k, k, vec(kScratch));
    if (!one_p_)
        vmulpd(vec(kScaledTensorP), vec(kScale), ptr[gpr(kProbabilities) + half * bytes()]);
    compare_f64(mask, k, vec(one_p_ ? kScaledP : kScaledTensorP), kLess);
}

}  // namespace tombola::impl::cpu::x64
