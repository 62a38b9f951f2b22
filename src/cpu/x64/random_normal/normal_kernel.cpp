// SPDX-License-Identifier: Apache-2.0

// Source: Box and Muller, "A note on the generation of random normal deviates", Ann. Math. Stat. 29 (1958); PyTorch's normal_()
// and TensorFlow's NormalDistribution.
//
//     R = sqrt(-2 ln u),  a = 2 pi v        R * cos a,  R * sin a        each * STD + MEAN
//
// One step takes two vectors of uniform numbers, x and y, and gives two vectors of values in the same places:
//
//   pytorch      u = 1 - the first 8 numbers of a block of 16, v = its other 8. 8 numbers of f32 are 32 bytes: an AVX2 vector, so x
//                has u and y has v; on AVX-512 x and y are a block each, and units of 32 bytes are dealt to u and v. 8 numbers of
//                f64 are 64 bytes: one AVX-512 vector, two of AVX2, which makes a block in two steps.
//   tensorflow   u is an even lane and v the odd one behind it: unpacked within 16 bytes, and packed again
//
// Registers:  0 u, then R      1 a      2 sin a      3 cos a      4-10 scratch      11 MEAN      12 STD      13 and up constants
#include "cpu/x64/random_normal/normal_kernel.hpp"

#include <cassert>
#include <cstddef>
#include <string>
#include <utility>

#include "cpu/random_normal/tensorflow_normal.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kU = 0, kAngle = 1, kSine = 2, kCosine = 3, kScratch = 4;
constexpr int kMean = 11, kStd = 12, kLowestHeld = 13;
constexpr int kArgs = 0, kWords = 1, kTo = 2, kGroups = 3, kGprs = 4;

// The random bits of a uniform number.
int uniform_bits(Alignment alignment, FloatType type) {
    const bool pytorch = alignment == Alignment::pytorch;
    switch (type) {
        case FloatType::f16:
            return pytorch ? 11 : 23;
        case FloatType::bf16:
            return pytorch ? 8 : 23;
        case FloatType::f32:
            return pytorch ? 24 : 23;
        case FloatType::f64:
            return pytorch ? 53 : 52;
    }
    return 0;
}

int group_values_of(CpuIsa isa, Alignment alignment, FloatType type) {
    const int vector_values = shape_of(isa).bytes / (type == FloatType::f64 ? 8 : 4);
    const bool two_steps =
        alignment == Alignment::pytorch && type == FloatType::f64 && isa == CpuIsa::avx2;
    return 2 * vector_values * (two_steps ? 2 : 1);
}

}  // namespace

NormalKernel::NormalKernel(const Key& key)
    : Maths(std::get<0>(key), std::string("normal.") + name_of(std::get<1>(key)) + "." +
                                  name_of(data_type_of(std::get<2>(key)))),
      alignment_(std::get<1>(key)),
      type_(std::get<2>(key)) {}

void NormalKernel::generate() {
    Label streaming, done;
    begin(kGprs);
    load_arguments();
    hold_constants();
    cmp(qword[gpr(kArgs) + offsetof(Args, streaming)], 0);
    jne(streaming, T_NEAR);
    emit_loop(false);
    jmp(done, T_NEAR);
    L(streaming);
    emit_loop(true);
    store_fence();
    L(done);
    end();
}

void NormalKernel::load_arguments() {
    mov(gpr(kWords), ptr[gpr(kArgs) + offsetof(Args, words)]);
    mov(gpr(kTo), ptr[gpr(kArgs) + offsetof(Args, to)]);
    mov(gpr(kGroups), ptr[gpr(kArgs) + offsetof(Args, groups)]);
    const auto mean = ptr[gpr(kArgs) + offsetof(Args, mean)];
    const auto std = ptr[gpr(kArgs) + offsetof(Args, std)];
    if (is_f64()) {
        broadcast_u64(vec(kMean), mean);
        broadcast_u64(vec(kStd), std);
    } else {
        broadcast_u32(vec(kMean), mean);
        broadcast_u32(vec(kStd), std);
    }
}

void NormalKernel::hold_constants() {
    set_held_range(kLowestHeld);
    const int bits = uniform_bits(alignment_, type_);
    if (is_f64()) {
        // The first word, which is the low one in a u64 lane, is the high half.
        const uint64_t high_bits = (uint64_t{1} << (bits - 32)) - 1;
        const double unit = 1.0 / static_cast<double>(uint64_t{1} << bits);
        hold_ln_f64();
        hold_sin_cos_f64();
        mask_ = hold(vector_u64(uint64_t{0xFFFFFFFF} << 32 | high_bits));
        unit_ = hold(vector_f64(unit));
        angle_ = hold(vector_f64(kTwoPi * unit));
        one_ = hold(vector_f64(1.0));
        minus_two_ = hold(vector_f64(-2.0));
        min_u_ = hold(vector_f64(kTensorflowMinUniform));
        return;
    }
    const float unit = 1.0f / static_cast<float>(uint32_t{1} << bits);
    constexpr auto kTwoPiHigh = static_cast<float>(kTwoPi);
    hold_ln_f32();
    hold_sin_cos_f32();
    mask_ = hold(vector_u32((uint32_t{1} << bits) - 1));
    unit_ = hold(vector_f32(unit));
    angle_ = hold(vector_f32(kTwoPiHigh * unit));
    angle_low_ = hold(vector_f32(static_cast<float>(kTwoPi - kTwoPiHigh) * unit));
    one_ = hold(vector_f32(1.0f));
    minus_two_ = hold(vector_f32(-2.0f));
    min_u_ = hold(vector_f32(static_cast<float>(kTensorflowMinUniform)));
    high_half_ = hold(vector_u32(0xFFFF0000));
}

void NormalKernel::emit_loop(bool streaming) {
    const int values = group_values_of(isa(), alignment_, type_);
    const int value_bytes = is_f64() ? 8 : is_narrow() ? 2 : 4;
    Label next;
    align(32);
    L(next);
    emit_group(streaming);
    add(gpr(kWords), values * (is_f64() ? 8 : 4));
    add(gpr(kTo), values * value_bytes);
    dec(gpr(kGroups));
    jnz(next, T_NEAR);
}

void NormalKernel::emit_group(bool streaming) {
    const int vectors = group_values_of(isa(), alignment_, type_) / lanes(is_f64() ? 8 : 4);
    // Of four vectors the first and the third, then the second and the fourth.
    for (int first = 0; first < vectors / 2; ++first) {
        const int second = first + vectors / 2;
        load_words(first, second);
        emit_uniforms();
        emit_radius();
        emit_values();
        emit_stores(first, second, streaming);
    }
}

// Brings the words that u comes from to kU, and those of v to kAngle.
void NormalKernel::load_words(int first, int second) {
    const Vec u = vec(kU), v = vec(kAngle), x = vec(kScratch), y = vec(kScratch + 1);
    const auto words = [&](int vector) { return ptr[gpr(kWords) + vector * bytes()]; };
    if (is_pytorch() && is_f64()) {
        load(u, words(first));
        return load(v, words(second));
    }
    load(x, words(first));
    load(y, words(second));
    if (is_pytorch()) return deal_32_bytes(u, v, x, y);
    if (is_f64()) {
        vunpcklpd(u, x, y);
        return vunpckhpd(v, x, y);
    }
    vshufps(u, x, y, 0x88);
    vshufps(v, x, y, 0xDD);
}

// kU = the argument of the logarithm, kAngle = the angle.
void NormalKernel::emit_uniforms() {
    const Vec u = vec(kU), a = vec(kAngle), t = vec(kScratch);
    for (const Vec& x : {u, a}) {
        and_bits(x, x, mask_);
        if (is_f64())
            cvt_swapped_u53_to_f64(x, x, t);
        else
            vcvtdq2ps(x, x);
    }
    if (is_f64()) {
        vmulpd(a, a, angle_);
        vmulpd(u, u, unit_);
        if (!is_pytorch()) return vmaxpd(u, u, min_u_);
        vmovapd(t, one_);
        return vsubpd(u, t, u);
    }
    // 2 pi * v, the product in f64, rounded to f32: two operations give that for every v of up to 23 bits. 2 pi is an f32 number
    // in PyTorch's f32.
    if (is_pytorch() && !is_narrow()) {
        vmulps(a, a, angle_);
    } else {
        vmulps(t, a, angle_low_);
        vfmadd132ps(a, t, angle_);
        if (is_pytorch()) emit_round(a);
    }
    vmulps(u, u, unit_);
    if (!is_pytorch()) return vmaxps(u, u, min_u_);
    vmovaps(t, one_);
    vsubps(u, t, u);
}

// kU = sqrt(-2 ln u).
void NormalKernel::emit_radius() {
    const Vec u = vec(kU);
    if (is_f64()) {
        emit_ln_f64(u, kScratch);
        vmulpd(u, u, minus_two_);
        return vsqrtpd(u, u);
    }
    emit_ln_f32(u, kScratch);
    if (is_pytorch()) emit_round(u);
    vmulps(u, u, minus_two_);
    vsqrtps(u, u);
    if (is_pytorch()) emit_round(u);
}

// kSine and kCosine = the values.
void NormalKernel::emit_values() {
    const Vec radius = vec(kU), sine = vec(kSine), cosine = vec(kCosine);
    if (is_f64())
        emit_sin_cos_f64(sine, cosine, vec(kAngle), kScratch);
    else
        emit_sin_cos_f32(sine, cosine, vec(kAngle), kScratch);
    for (const Vec& value : {sine, cosine}) {
        if (is_pytorch()) emit_round(value);
        is_f64() ? vmulpd(value, value, radius) : vmulps(value, value, radius);
        emit_round(value);
        emit_scale(value);
    }
}

void NormalKernel::emit_scale(const Vec& value) {
    const Vec mean = vec(kMean), std = vec(kStd);
    if (is_pytorch() && !is_narrow())
        return is_f64() ? vfmadd213pd(value, std, mean) : vfmadd213ps(value, std, mean);
    if (is_f64()) {
        vmulpd(value, value, std);
        return vaddpd(value, value, mean);
    }
    vmulps(value, value, std);
    emit_round(value);
    vaddps(value, value, mean);
    emit_round(value);
}

// Rounds f32 to the type, and stays f32.
void NormalKernel::emit_round(const Vec& value) {
    if (type_ == FloatType::f16) {
        cvt_f32_to_f16(half(kScratch), value);
        cvt_f16_to_f32(value, half(kScratch));
    } else if (type_ == FloatType::bf16) {
        round_f32_to_bf16_high(value, value, vec(kScratch));
        and_bits(value, value, high_half_);
    }
}

void NormalKernel::emit_stores(int first, int second, bool streaming) {
    const Vec sine = vec(kSine), cosine = vec(kCosine);
    const Vec x = vec(kScratch), y = vec(kScratch + 1);
    const int stride = is_narrow() ? bytes() / 2 : bytes();
    if (is_pytorch() && is_f64()) {
        emit_store(first * stride, cosine, streaming);
        return emit_store(second * stride, sine, streaming);
    }
    if (is_pytorch()) {
        deal_32_bytes(x, y, cosine, sine);
    } else if (is_f64()) {
        vunpcklpd(x, sine, cosine);
        vunpckhpd(y, sine, cosine);
    } else {
        vunpcklps(x, sine, cosine);
        vunpckhps(y, sine, cosine);
    }
    emit_store(first * stride, x, streaming);
    emit_store(second * stride, y, streaming);
}

void NormalKernel::emit_store(int at, const Vec& value, bool streaming) {
    const auto put = [&](const Vec& v) {
        const auto to = ptr[gpr(kTo) + at];
        streaming ? store_streaming(to, v) : store(to, v);
    };
    if (!is_narrow()) return put(value);
    const Half narrow = half(kScratch + 2);
    if (type_ == FloatType::f16) {
        cvt_f32_to_f16(narrow, value);
    } else {
        vpsrld(value, value, 16);
        narrow_u32(narrow, value);
    }
    put(narrow);
}

Result<NormalTransform> make_normal_transform(CpuIsa isa, Alignment alignment, FloatType type) {
    auto function = TOMBOLA_TRY(cached_function<NormalKernel>({isa, alignment, type}));
    NormalTransform transform;
    transform.function = std::move(function);
    transform.group_values = group_values_of(isa, alignment, type);
    transform.words_per_value = type == FloatType::f64 ? 2 : 1;
    transform.value_bytes = static_cast<int>(size_of(data_type_of(type)));
    assert(transform.group_values * transform.value_bytes <= NormalTransform::kMaxGroupBytes);
    assert(transform.group_words() <= NormalTransform::kMaxGroupWords);
    return transform;
}

}  // namespace tombola::impl::cpu::x64
