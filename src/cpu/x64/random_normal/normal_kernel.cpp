// SPDX-License-Identifier: Apache-2.0

// Source: Box and Muller, "A note on the generation of random normal deviates",
// Ann. Math. Stat. 29 (1958); PyTorch's normal_() and TensorFlow's
// NormalDistribution.
//
//     R = sqrt(-2 ln u),  a = 2 pi v        values: R * cos a * STD + MEAN,  R * sin a * STD + MEAN
//
// One step takes two vectors of uniform numbers, x and y, and gives two vectors of values in the same places:
//
//   pytorch      u is 1 - the first 8 numbers of a block of 16, and v is its other 8.
//                8 numbers of f32 are 32 bytes. That is an AVX2 vector, so x has u and y has v. On AVX-512 x and y are
//                a block each, and deal_32_bytes() brings their halves to u and v.
//                8 numbers of f64 are 64 bytes. That is one AVX-512 vector, or two AVX2 vectors, so AVX2 makes a block
//                in two steps.
//   tensorflow   u is an even lane, and v is the odd lane after it. They are unpacked within 16 bytes, and the values
//                are packed again.
//
// With 32 registers, a step in f32 has two such pairs of vectors. Their instructions alternate, and so do those of ln
// and those of sine and cosine.
//
// Registers:  0 and 1: MEAN and STD
//             then for each pair: u, which becomes R; a; sin a; cos a; scratch of ln; scratch of sine and cosine. The
//             two have the same scratch registers if there are too few
//             then constants
#include "cpu/x64/random_normal/normal_kernel.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cpu/random_normal/tensorflow_normal.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kMean = 0, kStd = 1, kFirstStream = 2;
constexpr int kLnScratchF32 = 4, kLnScratchF64 = 7, kDirectionScratchF32 = 2,
              kDirectionScratchF64 = 6;
constexpr int kArgs = 0, kWords = 1, kTo = 2, kGroups = 3;
constexpr int kBf16Digits = 8;
// Constants of emit_quarters_of_number().
constexpr float kQuarterScale = 0x1p-21f * (1 - 0x1p-22f), kQuarterOffset = 0x1p-21f;

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

struct GroupShape {
    int pairs;    // of vectors
    int streams;  // pairs at a time
    int values(CpuIsa isa, FloatType type) const {
        return 2 * pairs * shape_of(isa).bytes / (type == FloatType::f64 ? 8 : 4);
    }
};

GroupShape group_shape(CpuIsa isa, Alignment alignment, FloatType type) {
    const VecShape shape = shape_of(isa);
    if (type != FloatType::f64) return shape.registers == 32 ? GroupShape{2, 2} : GroupShape{1, 1};
    // A block of PyTorch's is 16 numbers of 8 bytes.
    return {alignment == Alignment::pytorch ? 16 * 8 / (2 * shape.bytes) : 1, 1};
}

}  // namespace

NormalKernel::NormalKernel(const Key& key)
    : Maths(std::get<0>(key), std::string("normal.") + name_of(std::get<1>(key)) + "." +
                                  name_of(data_type_of(std::get<2>(key)))),
      alignment_(std::get<1>(key)),
      type_(std::get<2>(key)) {}

void NormalKernel::generate() {
    begin(kGprs);
    load_arguments();
    hold_constants();
    Label done;
    for (const auto moments : {NormalMoments::standard, NormalMoments::unsigned_zeros}) {
        if (!has_code_for(moments)) continue;
        Label others;
        cmp(dword[gpr(kArgs) + offsetof(Args, moments)], static_cast<uint32_t>(moments));
        jne(others, T_NEAR);
        moments_ = moments;
        emit_loops();
        jmp(done, T_NEAR);
        L(others);
    }
    moments_ = NormalMoments::any;
    emit_loops();
    L(done);
    end();
}

// Standard numbers of 16 bits are not scaled. Where the signs of zeros have no effect, most roundings to bf16 take two instructions.
bool NormalKernel::has_code_for(NormalMoments moments) const {
    return moments == NormalMoments::standard ? is_narrow() : type_ == FloatType::bf16;
}

void NormalKernel::emit_loops() {
    emit_with_and_without_streaming(gpr(kArgs) + offsetof(Args, streaming),
                                    [&](bool streaming) { emit_loop(streaming); });
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
    const Stream last = stream(group_shape(isa(), alignment_, type_).streams - 1);
    set_held_range(last.direction_scratch + (is_f64()
                                                 ? std::max(kDirectionScratchF64, kLnScratchF64)
                                                 : kDirectionScratchF32));
    const int bits = uniform_bits(alignment_, type_);
    if (is_f64()) {
        const double unit = 1.0 / static_cast<double>(uint64_t{1} << bits);
        hold_ln_f64();
        hold_sin_cos_f64();
        sign_ = hold(vector_u64(uint64_t{1} << 63));
        mask_ = hold(vector_u64(swapped_words_mask(bits)));
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
    hold_sin_cos_f32(quarter());
    switch (quarters()) {
        case Quarters::of_angle:
            hold_octants_f32();
            break;
        case Quarters::of_word:
            eighth_ = hold(vector_u32(uint32_t{1} << (bits - 3)));
            quarters_ = hold(vector_u32(~uint32_t{0} << quarter().bit));
            break;
        case Quarters::of_number:
            quarter_scale_ = hold(vector_f32(kQuarterScale));
            quarter_offset_ = hold(vector_f32(kQuarterOffset));
    }
    sign_ = hold(vector_u32(uint32_t{1} << 31));
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
    const int values = group_shape(isa(), alignment_, type_).values(isa(), type_);
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

// For PyTorch's f64 on AVX2, a block is four vectors: the first and the third are a pair, and so are the second and the
// fourth.
NormalKernel::Stream NormalKernel::stream(int index) const {
    const GroupShape shape = group_shape(isa(), alignment_, type_);
    const bool far = is_pytorch() && is_f64();
    Stream s{};
    s.first = far ? index : 2 * index;
    s.second = far ? index + shape.pairs : 2 * index + 1;
    const int scratch = is_f64() ? kLnScratchF64 : kLnScratchF32;
    const int registers = 4 + scratch + (is_f64() ? kDirectionScratchF64 : kDirectionScratchF32);
    s.u = kFirstStream + index % shape.streams * registers;
    s.angle = s.u + 1;
    s.sine = s.u + 2;
    s.cosine = s.u + 3;
    s.ln_scratch = s.u + 4;
    s.direction_scratch = has_room() ? s.ln_scratch + scratch : s.ln_scratch;
    return s;
}

void NormalKernel::emit_group(bool streaming) {
    const GroupShape shape = group_shape(isa(), alignment_, type_);
    for (int first = 0; first < shape.pairs; first += shape.streams) {
        std::vector<Steps> programs;
        for (int i = first; i < first + shape.streams; ++i) {
            const Stream s = stream(i);
            load_words(s);
            emit_uniforms(s);
            if (has_room()) {
                programs.push_back(radius_steps(s));
                programs.push_back(direction_steps(s));
            } else {
                programs.push_back(one_after_another({radius_steps(s), direction_steps(s)}));
            }
        }
        emit_interleaved(programs);
        for (int i = first; i < first + shape.streams; ++i) {
            const Stream s = stream(i);
            xor_masked(vec(s.u), vec(s.direction_scratch), sign_);
            emit_value(vec(s.sine), s);
            emit_value(vec(s.cosine), s);
            emit_stores(s, streaming);
        }
    }
}

// Brings the words that u comes from to s.u, and those of v to s.angle.
void NormalKernel::load_words(const Stream& s) {
    const Vec u = vec(s.u), v = vec(s.angle), x = vec(s.ln_scratch), y = vec(s.ln_scratch + 1);
    const auto words = [&](int vector) { return ptr[gpr(kWords) + vector * bytes()]; };
    if (is_pytorch() && is_f64()) {
        load(u, words(s.first));
        return load(v, words(s.second));
    }
    load(x, words(s.first));
    load(y, words(s.second));
    if (is_pytorch()) return deal_32_bytes(u, v, x, y);
    if (is_f64()) {
        vunpcklpd(u, x, y);
        return vunpckhpd(v, x, y);
    }
    vshufps(u, x, y, 0x88);
    vshufps(v, x, y, 0xDD);
}

// s.u = the argument of the logarithm, s.angle = the angle. 1 - u is exact, so one fma computes it.
void NormalKernel::emit_uniforms(const Stream& s) {
    const Vec u = vec(s.u), a = vec(s.angle), t = vec(s.ln_scratch);
    for (const Vec& x : {u, a}) and_bits(x, x, mask_);
    if (is_f64()) {
        for (const Vec& x : {u, a}) cvt_swapped_u53_to_f64(x, x, t);
        vmulpd(a, a, angle_);
        if (!is_pytorch()) {
            vmulpd(u, u, unit_);
            return vmaxpd(u, u, min_u_);
        }
        vmovapd(t, u);
        vmovapd(u, one_);
        return vfnmadd231pd(u, t, unit_);
    }
    if (quarters() == Quarters::of_word) emit_quarters_of_word(s);
    vcvtdq2ps(a, a);
    if (quarters() == Quarters::of_number) emit_quarters_of_number(s);
    // 2 pi * v, the product in f64, rounded to f32: two operations give that for
    // every v of up to 23 bits. 2 pi is an f32 number in PyTorch's f32.
    if (is_pytorch() && !is_narrow()) {
        vmulps(a, a, angle_);
    } else {
        vmulps(t, a, angle_low_);
        vfmadd132ps(a, t, angle_);
        if (is_pytorch()) emit_round(a, s.ln_scratch);
    }
    if (!is_pytorch()) {
        vcvtdq2ps(u, u);
        vmulps(u, u, unit_);
        return vmaxps(u, u, min_u_);
    }
    vcvtdq2ps(t, u);
    vmovaps(u, one_);
    vfnmadd231ps(u, t, unit_);
}

// How the angle's quarters are found. The definition computes them from the angle, by three operations of f32. The
// angle is 2 pi * k * 2^-bits. In two cases the random bits k give the same quarters with less work.
// normal_kernel_test.cpp checks this for every k.
NormalKernel::Quarters NormalKernel::quarters() const {
    if (!is_pytorch()) return Quarters::of_number;
    return is_narrow() ? Quarters::of_angle : Quarters::of_word;
}

Maths::Quarter NormalKernel::quarter() const {
    switch (quarters()) {
        case Quarters::of_angle:
            break;
        case Quarters::of_word:
            return {22, 0x1p22f};
        case Quarters::of_number:
            return {0, 1.0f};
    }
    return kOctants;
}

// quarters = (k + 2^21) >> 22, where k has 24 bits.
void NormalKernel::emit_quarters_of_word(const Stream& s) {
    const Vec quarters = vec(s.direction_scratch), number = vec(s.direction_scratch + 1);
    vpaddd(quarters, vec(s.angle), eighth_);
    and_bits(quarters, quarters, quarters_);
    vcvtdq2ps(number, quarters);
}

// quarters = the integer nearest to k * 2^-21, where k has 23 bits. The scale and the offset are chosen so that 1/2 and
// 3/2 are rounded up, and 5/2 and 7/2 down.
void NormalKernel::emit_quarters_of_number(const Stream& s) {
    const Vec quarters = vec(s.direction_scratch), number = vec(s.direction_scratch + 1);
    vmovaps(number, quarter_offset_);
    vfmadd231ps(number, vec(s.angle), quarter_scale_);
    vcvtps2dq(quarters, number);
    vcvtdq2ps(number, quarters);
}

// s.u = sqrt(-2 ln u).
Maths::Steps NormalKernel::radius_steps(const Stream& s) {
    const Vec u = vec(s.u);
    const int scratch = s.ln_scratch;
    if (is_f64()) {
        const Steps root{[=] {
            vmulpd(u, u, minus_two_);
            vsqrtpd(u, u);
        }};
        return one_after_another({ln_f64_steps(u, scratch), root});
    }
    const Steps root{[=] {
        if (is_pytorch()) emit_round(u, scratch);
        vmulps(u, u, minus_two_);
        vsqrtps(u, u);
        if (is_pytorch()) emit_round(u, scratch);
    }};
    return one_after_another({ln_f32_steps(u, scratch), root});
}

Maths::Steps NormalKernel::direction_steps(const Stream& s) {
    const Vec sine = vec(s.sine), cosine = vec(s.cosine), angle = vec(s.angle);
    if (is_f64()) return sin_cos_f64_steps(sine, cosine, angle, s.direction_scratch);
    const Steps direction = sin_cos_f32_steps(sine, cosine, angle, s.direction_scratch);
    if (quarters() != Quarters::of_angle) return direction;
    return one_after_another({octant_f32_steps(angle, s.direction_scratch), direction});
}

// value * R * STD + MEAN
void NormalKernel::emit_value(const Vec& value, const Stream& s) {
    if (moments_ == NormalMoments::standard) return emit_standard_value(value, s);
    const Vec radius = vec(s.u), mean = vec(kMean), std = vec(kStd);
    const auto round = [&] { emit_round(value, s.ln_scratch); };
    if (is_pytorch()) round();
    is_f64() ? vmulpd(value, value, radius) : vmulps(value, value, radius);
    round();
    if (is_pytorch() && !is_narrow())
        return is_f64() ? vfmadd213pd(value, std, mean) : vfmadd213ps(value, std, mean);
    if (is_f64()) {
        vmulpd(value, value, std);
        return vaddpd(value, value, mean);
    }
    vmulps(value, value, std);
    emit_round_scaled(value, s.ln_scratch);
    vaddps(value, value, mean);
    emit_round_scaled(value, s.ln_scratch);
}

// value * R + 0, for types of 16 bits. The sum has no effect but that of -0.
//
// Products of the alignment tensorflow that round to -0 in f16 are rounded before the sum. Those of the alignment pytorch are 0 or at
// least 2^-18, because the factors are numbers of f16 that are 0, or at least 2^-12 and 2^-6: emit_store() rounds them.
void NormalKernel::emit_standard_value(const Vec& value, const Stream& s) {
    const bool f16 = type_ == FloatType::f16;
    if (is_pytorch()) emit_round(value, s.ln_scratch);
    vmulps(value, value, vec(s.u));
    if (!f16 || !is_pytorch()) emit_round(value, s.ln_scratch);
    if (f16) vaddps(value, value, vec(kMean));
}

// Rounds f32 numbers to the type, before they are scaled. The results are f32 numbers. They are 0 or far from the limits of bf16.
void NormalKernel::emit_round(const Vec& value, int scratch) {
    if (type_ == FloatType::bf16 && moments_ != NormalMoments::any)
        return round_f32_to_digits(value, vec(scratch), kBf16Digits);
    emit_round_scaled(value, scratch);
}

// The same for any numbers but NaN.
void NormalKernel::emit_round_scaled(const Vec& value, int scratch) {
    if (type_ == FloatType::f16) {
        cvt_f32_to_f16(half(scratch), value);
        cvt_f16_to_f32(value, half(scratch));
    } else if (type_ == FloatType::bf16) {
        round_f32_to_bf16_high(value, value, vec(scratch));
        and_bits(value, value, high_half_);
    }
}

void NormalKernel::emit_stores(const Stream& s, bool streaming) {
    const Vec sine = vec(s.sine), cosine = vec(s.cosine);
    const Vec x = vec(s.ln_scratch), y = vec(s.ln_scratch + 1);
    const int scratch = s.ln_scratch + 2, stride = is_narrow() ? bytes() / 2 : bytes();
    if (is_pytorch() && is_f64()) {
        emit_store(s.first * stride, cosine, scratch, streaming);
        return emit_store(s.second * stride, sine, scratch, streaming);
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
    emit_store(s.first * stride, x, scratch, streaming);
    emit_store(s.second * stride, y, scratch, streaming);
}

void NormalKernel::emit_store(int at, const Vec& value, int scratch, bool streaming) {
    const auto put = [&](const Vec& v) {
        const auto to = ptr[gpr(kTo) + at];
        store(to, v, streaming);
    };
    if (!is_narrow()) return put(value);
    const Half narrow = half(scratch);
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
    transform.group_values = group_shape(isa, alignment, type).values(isa, type);
    transform.words_per_value = type == FloatType::f64 ? 2 : 1;
    transform.value_bytes = static_cast<int>(size_of(data_type_of(type)));
    assert(transform.group_words() <= NormalTransform::kMaxGroupWords);
    return transform;
}

}  // namespace tombola::impl::cpu::x64
