// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_exponential/exponential_kernel.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include "cpu/random_exponential/exponential_rule.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Vector registers, then general registers.
constexpr int kFactor = 0, kUnit = 1, kZero = 2, kValue = 3, kScratch = 5, kLnScratch = 7;
constexpr int kArgs = 0, kWords = 1, kTo = 2, kSteps = 3;

}  // namespace

ExponentialKernel::ExponentialKernel(const Key& key)
    : Maths(std::get<CpuIsa>(key), std::string("exponential.") + name_of(std::get<1>(key)) + "." +
                                       name_of(std::get<2>(key))),
      alignment_(std::get<1>(key)),
      type_(std::get<2>(key)) {}

int ExponentialKernel::words() const { return exponential_words(alignment_, type_); }

int ExponentialKernel::bits() const {
    if (alignment_ == Alignment::pytorch) return 53;
    return type_ == DataType::f64 ? 52 : 23;
}

void ExponentialKernel::generate() {
    begin(4);
    mov(gpr(kWords), ptr[gpr(kArgs) + offsetof(Args, words)]);
    mov(gpr(kTo), ptr[gpr(kArgs) + offsetof(Args, to)]);
    mov(gpr(kSteps), ptr[gpr(kArgs) + offsetof(Args, steps)]);
    broadcast_u64(vec(kFactor), ptr[gpr(kArgs) + offsetof(Args, factor)]);
    load(vec(kUnit), vector_f64(std::ldexp(1.0, -bits())));
    zero(vec(kZero));
    set_held_range(kScratch + (has_room() ? 2 : 1) * kLnScratch);
    hold_ln_f64();
    one_ = hold(vector_f64(1.0));
    taken_ = hold(vector_u64(words() == 2 ? swapped_words_mask(bits()) : 0x7FFFFF));
    magic_ = hold(vector_f64(0x1p52));
    emit_with_and_without_streaming(gpr(kArgs) + offsetof(Args, streaming),
                                    [&](bool streaming) { emit_loop(streaming); });
    end();
}

void ExponentialKernel::emit_loop(bool streaming) {
    Label again;
    align(32);
    L(again);
    for (const int half : {0, 1}) emit_uniform(half);
    emit_logarithms();
    for (const int half : {0, 1}) emit_exponential(half);
    emit_store(streaming);
    add(gpr(kWords), words() * bytes());
    add(gpr(kTo), lanes(4) * static_cast<int>(size_of(type_)));
    dec(gpr(kSteps));
    jnz(again, T_NEAR);
}

void ExponentialKernel::emit_uniform(int half) {
    const Vec x = vec(kValue + half);
    const auto from = ptr[gpr(kWords) + half * words() * bytes() / 2];
    if (words() == 2) {
        load(x, from);
        and_bits(x, x, taken_);
        cvt_swapped_u53_to_f64(x, x, vec(kScratch));
    } else {
        vpmovzxdq(x, from);
        and_bits(x, x, taken_);
        or_bits(x, x, magic_);
        vsubpd(x, x, magic_);
    }
    vfnmadd213pd(x, vec(kUnit), one_);  // exact
}

void ExponentialKernel::emit_logarithms() {
    const Steps first = ln_f64_steps(vec(kValue), kScratch);
    if (has_room())
        return emit_interleaved({first, ln_f64_steps(vec(kValue + 1), kScratch + kLnScratch)});
    emit_interleaved({one_after_another({first, ln_f64_steps(vec(kValue + 1), kScratch)})});
}

void ExponentialKernel::emit_exponential(int half) {
    const Vec x = vec(kValue + half);
    vsubpd(x, vec(kZero), x);
    alignment_ == Alignment::pytorch ? vmulpd(x, x, vec(kFactor)) : vdivpd(x, x, vec(kFactor));
    if (type_ != DataType::f64) vcvtpd2ps(this->half(kValue + half), x);
}

void ExponentialKernel::emit_store(bool streaming) {
    const Vec value = vec(kValue);
    const auto to = ptr[gpr(kTo)];
    if (type_ == DataType::f64) {
        store(to, value, streaming);
        return store(ptr[gpr(kTo) + bytes()], vec(kValue + 1), streaming);
    }
    join_halves(value, half(kValue), half(kValue + 1));
    if (type_ == DataType::f32) return store(to, value, streaming);
    if (type_ == DataType::f16) {
        cvt_f32_to_f16(half(kValue), value);
    } else {
        round_f32_to_bf16(value, value, vec(kScratch));
        narrow_u32(half(kValue), value);
    }
    store(to, half(kValue), streaming);
}

}  // namespace tombola::impl::cpu::x64
