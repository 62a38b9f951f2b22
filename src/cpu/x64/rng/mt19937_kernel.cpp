// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/mt19937_kernel.hpp"

#include <cstddef>
#include <string>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kArgs = 0, kWords = 1, kTo = 2, kCount = 3, kMode = 4;  // general registers

// Vector registers. Those from kUpper on exist on AVX-512 alone (see Vocabulary::Held).
constexpr int kY = 0;  // the word at work, then the value
constexpr int kT0 = 1, kT1 = 2, kT2 = 3, kT3 = 4;
constexpr int kMinimum = 6;
constexpr int kScale = 7;                      // floating point
constexpr int kDivisor = 7, kDivisorHigh = 8;  // integers; High: >> 32
constexpr int kReciprocal = 9, kReciprocalHigh = 10;
constexpr int kRows = 11;
constexpr int kUpper = 16, kTemperB = 17, kTemperC = 18, kTaken = 19, kLowWord = 20;

struct Shape {
    const char* name;
    int words;
    int bytes;
};
constexpr Shape kShapes[] = {{"f16", 1, 2}, {"bf16", 1, 2}, {"f32", 1, 4},      {"f64", 2, 8},
                             {"s32", 1, 4}, {"s64", 1, 8},  {"s32_wide", 2, 4}, {"s64_wide", 2, 8}};
const Shape& shape(MtOutput output) { return kShapes[static_cast<int>(output)]; }

}  // namespace

Mt19937Kernel::Mt19937Kernel(const Key& key)
    : Vocabulary(std::get<CpuIsa>(key),
                 std::string("mt19937.") + shape(std::get<MtOutput>(key)).name),
      output_(std::get<MtOutput>(key)),
      words_per_value_(shape(output_).words),
      value_bytes_(shape(output_).bytes) {}

// PyTorch takes as many low bits as the type has digits: 11, 8, 24; of f64's two words 53, that is 21
// of the first, which lies in the low word of a u64 lane.
uint64_t Mt19937Kernel::taken_bits() const {
    switch (output_) {
        case MtOutput::f16:
            return 0x000007FF'000007FF;
        case MtOutput::bf16:
            return 0x000000FF'000000FF;
        case MtOutput::f32:
            return 0x00FFFFFF'00FFFFFF;
        case MtOutput::f64:
            return 0xFFFFFFFF'001FFFFF;
        case MtOutput::s32:
        case MtOutput::s64:
        case MtOutput::s32_wide:
        case MtOutput::s64_wide:
            break;
    }
    return ~uint64_t{0};
}

void Mt19937Kernel::generate() {
    Label convert, streaming, done;
    begin(5);
    mov(gpr(kWords), ptr[gpr(kArgs) + offsetof(Args, words)]);
    mov(gpr(kTo), ptr[gpr(kArgs) + offsetof(Args, to)]);
    mov(gpr(kCount), ptr[gpr(kArgs) + offsetof(Args, count)]);
    mov(gpr(kMode), ptr[gpr(kArgs) + offsetof(Args, mode)]);
    emit_params();
    cmp(gpr(kMode), static_cast<uint32_t>(Mode::convert));
    je(convert, T_NEAR);
    cmp(gpr(kMode), static_cast<uint32_t>(Mode::streaming));
    je(streaming, T_NEAR);
    emit_window_loop(false);
    jmp(done, T_NEAR);
    L(streaming);
    emit_window_loop(true);
    store_fence();
    jmp(done, T_NEAR);
    L(convert);
    emit_convert_loop();
    L(done);
    end();
}

void Mt19937Kernel::emit_params() {
    const Reg& args = gpr(kArgs);
    constexpr int kParams = offsetof(Args, params);
    const auto minimum = ptr[args + kParams + offsetof(Params, minimum)];
    const auto scale = ptr[args + kParams + offsetof(Params, scale)];
    const auto divisor = ptr[args + kParams + offsetof(Params, divisor)];
    const auto reciprocal = ptr[args + kParams + offsetof(Params, reciprocal)];
    const bool lanes_of_8 = value_bytes_ == 8;
    lanes_of_8 ? broadcast_u64(vec(kMinimum), minimum) : broadcast_u32(vec(kMinimum), minimum);
    if (is_float()) {
        lanes_of_8 ? broadcast_u64(vec(kScale), scale) : broadcast_u32(vec(kScale), scale);
    } else if (words_per_value_ == 1) {
        broadcast_u32(vec(kDivisor), divisor);
        broadcast_u32(vec(kReciprocal), reciprocal);
        set_odd_lanes(gpr(kArgs));
    } else {
        broadcast_u64(vec(kDivisor), divisor);
        broadcast_u64(vec(kReciprocal), reciprocal);
        vpsrlq(vec(kDivisorHigh), vec(kDivisor), 32);
        vpsrlq(vec(kReciprocalHigh), vec(kReciprocal), 32);
    }
    load(vec(kRows), vector_u64(uint64_t{kMtMatrix} << 32));
    constants_ = Constants{hold_u32(kUpper, kMtUpperMask), hold_u32(kTemperB, kMtTemperB),
                           hold_u32(kTemperC, kMtTemperC), hold_u64(kTaken, taken_bits()),
                           hold_u64(kLowWord, 0xFFFFFFFF)};
}

void Mt19937Kernel::emit_convert_loop() {
    Label next;
    L(next);
    load(vec(kY), ptr[gpr(kWords)]);
    emit_temper();
    emit_value();
    emit_store(0, false);
    add(gpr(kWords), bytes());
    add(gpr(kTo), vector_out_bytes());
    dec(gpr(kCount));
    jnz(next, T_NEAR);
}

void Mt19937Kernel::emit_window_loop(bool streaming) {
    Label next;
    align(64);
    L(next);
    for (int i = 0; i < kMtWords; i += vector_words()) {
        emit_twist(i);
        emit_temper();
        emit_value();
        emit_store(i / vector_words() * vector_out_bytes(), streaming);
    }
    add(gpr(kTo), kMtWords / vector_words() * vector_out_bytes());
    dec(gpr(kCount));
    jnz(next, T_NEAR);
}

//   x[i]' = x[i+397] ^ (z >> 1) ^ (z odd ? a : 0),   z = (x[i] & U) | (x[i+1] & L)
// vpermd looks a lane of its table up by the low bits of z: the odd ones hold a.
void Mt19937Kernel::emit_twist(int i) {
    const Vec y = vec(kY), z = vec(kT0), row = vec(kT1);
    const auto x = [&](int at) { return ptr[gpr(kWords) + 4 * at]; };
    constexpr int kLastOld = kMtWords - kMtShift - 1;  // 226
    load(z, x(i));
    select_bits(z, constants_->upper, x(i + 1));
    vpermd(row, z, vec(kRows));
    vpsrld(y, z, 1);
    xor3(y, row, x(i <= kLastOld ? i + kMtShift : i + kMtShift - kMtWords));
    store(x(i), y);
    if (i == 0) store(x(kMtWords), y);
}

//   y ^= y >> 11;  y ^= (y << 7) & b;  y ^= (y << 15) & c;  y ^= y >> 18
// and the last step takes the bits that the conversion wants.
void Mt19937Kernel::emit_temper() {
    const Vec y = vec(kY), t = vec(kT0);
    vpsrld(t, y, kMtTemperU);
    xor_bits(y, y, t);
    vpslld(t, y, kMtTemperS);
    xor_masked(y, t, constants_->temper_b);
    vpslld(t, y, kMtTemperT);
    xor_masked(y, t, constants_->temper_c);
    vpsrld(t, y, kMtTemperL);
    is_float() ? xor_then_mask(y, t, constants_->taken) : xor_bits(y, y, t);
}

//   floating point: fma(integer, scale, minimum), in f32 for the 16-bit types
//   integers:       word mod divisor + minimum
void Mt19937Kernel::emit_value() {
    const Vec y = vec(kY);
    switch (output_) {
        case MtOutput::f16:
        case MtOutput::bf16:
        case MtOutput::f32:
            vcvtdq2ps(y, y);
            vfmadd213ps(y, vec(kScale), vec(kMinimum));
            break;
        case MtOutput::f64:
            cvt_swapped_u53_to_f64(y, y, vec(kT0));
            vfmadd213pd(y, vec(kScale), vec(kMinimum));
            break;
        case MtOutput::s32:
        case MtOutput::s64:
            emit_remainder_u32();
            if (output_ == MtOutput::s32) vpaddd(y, y, vec(kMinimum));
            break;
        case MtOutput::s32_wide:
        case MtOutput::s64_wide:
            swap_words_u64(y, y);
            emit_remainder_u64();
            if (output_ == MtOutput::s64_wide) vpaddq(y, y, vec(kMinimum));
    }
}

// With m = floor((2^32 - 1) / d), 2^32 - m d <= d, so x/d - m x / 2^32 <= x / 2^32 < 1: the quotient
//   q = floor(m x / 2^32)
// is the true one or one less, and r = x - q d lies in [0, 2d) and does not exceed x.
//   r mod d = min(r, r - d), unsigned: r - d wraps where r < d
void Mt19937Kernel::emit_remainder_u32() {
    const Vec x = vec(kY), even = vec(kT0), odd = vec(kT1);
    vpsrlq(odd, x, 32);
    vpmuludq(even, x, vec(kReciprocal));
    vpmuludq(odd, odd, vec(kReciprocal));
    vpsrlq(even, even, 32);
    blend_odd_u32(odd, even, odd);
    vpmulld(odd, odd, vec(kDivisor));
    vpsubd(x, x, odd);
    vpsubd(even, x, vec(kDivisor));
    vpminud(x, x, even);
}

// The same in 64 bits. The high half of m x, by words:
//   t = x1 m0 + (x0 m0 >> 32);  w = x0 m1 + (t mod 2^32);  q = x1 m1 + (t >> 32) + (w >> 32)
void Mt19937Kernel::emit_remainder_u64() {
    const Vec x = vec(kY), x1 = vec(kT0), t = vec(kT1), w = vec(kT2), q = vec(kT3);
    const Vec m0 = vec(kReciprocal), m1 = vec(kReciprocalHigh);
    vpsrlq(x1, x, 32);
    vpmuludq(w, x, m0);
    vpsrlq(w, w, 32);
    vpmuludq(t, x1, m0);
    vpaddq(t, t, w);
    and_bits(q, t, constants_->low_word);
    vpmuludq(w, x, m1);
    vpaddq(w, w, q);
    vpmuludq(q, x1, m1);
    vpsrlq(t, t, 32);
    vpsrlq(w, w, 32);
    vpaddq(q, q, t);
    vpaddq(q, q, w);
    mul_lo_u64(w, q, vec(kDivisor), vec(kDivisorHigh), x1, t);
    vpsubq(x, x, w);
    min_with_difference_u64(x, x, vec(kDivisor), x1, t);
}

void Mt19937Kernel::emit_store(int at, bool streaming) {
    const Vec y = vec(kY), t = vec(kT0);
    switch (output_) {
        case MtOutput::f16:
            cvt_f32_to_f16(half(kY), y);
            return emit_put(at, half(kY), streaming);
        case MtOutput::bf16:
            round_f32_to_bf16(y, y, t);
            narrow_u32(half(kY), y);
            return emit_put(at, half(kY), streaming);
        case MtOutput::s32_wide:
            narrow_u64(half(kY), y);
            vpaddd(half(kY), half(kY), half(kMinimum));
            return emit_put(at, half(kY), streaming);
        case MtOutput::s64:
            for (const bool upper : {false, true}) {
                widen_u32(t, y, upper);
                vpaddq(t, t, vec(kMinimum));
                emit_put(at + (upper ? bytes() : 0), t, streaming);
            }
            return;
        case MtOutput::f32:
        case MtOutput::f64:
        case MtOutput::s32:
        case MtOutput::s64_wide:
            return emit_put(at, y, streaming);
    }
}

void Mt19937Kernel::emit_put(int at, const Vec& value, bool streaming) {
    const auto to = ptr[gpr(kTo) + at];
    streaming ? store_streaming(to, value) : store(to, value);
}

}  // namespace tombola::impl::cpu::x64
