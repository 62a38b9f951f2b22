// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_exponential/exponential_kernel.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include "cpu/random_exponential/exponential_rule.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kX = 0, kFirst = 8, kFactor = 9, kUnit = 10, kZero = 11, kConstants = 12;
constexpr int kArgs = 0, kWords = 1, kTo = 2, kSteps = 3;

}  // namespace

ExponentialKernel::ExponentialKernel(const Key& key)
    : LnF64Ops(std::get<CpuIsa>(key), std::string("exponential.") + name_of(std::get<1>(key)) +
                                          "." + name_of(std::get<2>(key))),
      alignment_(std::get<1>(key)),
      type_(std::get<2>(key)) {}

int ExponentialKernel::words() const { return exponential_words(alignment_, type_); }

int ExponentialKernel::bits() const {
    if (alignment_ == Alignment::pytorch) return 53;
    return type_ == DataType::f64 ? 52 : 23;
}

void ExponentialKernel::generate() {
    Label again;
    begin(4);
    mov(gpr(kWords), ptr[gpr(kArgs) + offsetof(Args, words)]);
    mov(gpr(kTo), ptr[gpr(kArgs) + offsetof(Args, to)]);
    mov(gpr(kSteps), ptr[gpr(kArgs) + offsetof(Args, steps)]);
    broadcast_u64(vec(kFactor), ptr[gpr(kArgs) + offsetof(Args, factor)]);
    load(vec(kUnit), vector_f64(std::ldexp(1.0, -bits())));
    zero(vec(kZero));
    set_held_range(kConstants);
    load_ln_constants();
    // Of two words, the first is the high half, and the low half of a u64 lane.
    const uint64_t high = (uint64_t{1} << ((bits() - 32) & 31)) - 1;
    taken_ = hold(vector_u64(words() == 2 ? uint64_t{0xFFFFFFFF} << 32 | high : 0x7FFFFF));
    magic_ = hold(vector_f64(0x1p52));
    align(32);
    L(again);
    for (const int half : {0, 1}) {
        emit_uniform(half);
        emit_exponential(half);
    }
    emit_store();
    add(gpr(kWords), words() * bytes());
    add(gpr(kTo), lanes(4) * static_cast<int>(size_of(type_)));
    dec(gpr(kSteps));
    jnz(again, T_NEAR);
    end();
}

void ExponentialKernel::emit_uniform(int half) {
    const Vec x = vec(kX);
    const auto from = ptr[gpr(kWords) + half * words() * bytes() / 2];
    if (words() == 2) {
        load(x, from);
        and_bits(x, x, taken_);
        cvt_swapped_u53_to_f64(x, x, vec(kX + 1));
    } else {
        vpmovzxdq(x, from);
        and_bits(x, x, taken_);
        or_bits(x, x, magic_);
        vsubpd(x, x, magic_);
    }
    vfnmadd213pd(x, vec(kUnit), one());  // exact
}

// The first half is kept where it is done, the second stays in v0.
void ExponentialKernel::emit_exponential(int half) {
    const Vec x = vec(kX);
    emit_ln({x, vec(1), vec(2), vec(3), vec(4), vec(5), vec(6), vec(7)});
    vsubpd(x, vec(kZero), x);
    alignment_ == Alignment::pytorch ? vmulpd(x, x, vec(kFactor)) : vdivpd(x, x, vec(kFactor));
    if (type_ == DataType::f64) return store(ptr[gpr(kTo) + half * bytes()], x);
    vcvtpd2ps(this->half(half == 0 ? kFirst : kX), x);
}

void ExponentialKernel::emit_store() {
    if (type_ == DataType::f64) return;
    const Vec value = vec(kX);
    join_halves(value, half(kFirst), half(kX));
    const auto to = ptr[gpr(kTo)];
    if (type_ == DataType::f32) return store(to, value);
    if (type_ == DataType::f16) {
        cvt_f32_to_f16(half(kX), value);
    } else {
        round_f32_to_bf16(value, value, vec(kX + 1));
        narrow_u32(half(kX), value);
    }
    store(to, half(kX));
}

}  // namespace tombola::impl::cpu::x64
