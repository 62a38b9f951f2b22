// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/mt19937_generator.hpp"

#include <cstddef>
#include <string>

#include "common/machine.hpp"
#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kArgs = 0, kWords = 1, kTo = 2, kCount = 3, kMode = 4;  // general registers

// Vector registers of the source. Those from kUpper on exist only on AVX-512 (see Vocabulary::Held).
constexpr int kRows = 11;
constexpr int kUpper = 16, kTemperB = 17, kTemperC = 18, kTaken = 19, kLowWord = 20;
// Two registers each: aligned vectors of the window that emit_words() keeps for the next i.
constexpr int kNextWords = 21, kFarWords = 23;

// The bytes per nanosecond that memory takes, on the slowest of the measured machines.
constexpr double kStoredPerNanosecond = 24;

}  // namespace

Mt19937Generator::Mt19937Generator(CpuIsa isa, const Mt19937Shape& shape)
    : Vocabulary(isa, std::string("mt19937.") + shape.name), shape_(shape) {}

void Mt19937Generator::generate() {
    Label convert, streaming, done;
    begin(5);
    args_ = gpr(kArgs);
    words_ = gpr(kWords);
    mov(gpr(kWords), ptr[gpr(kArgs) + offsetof(Args, words)]);
    mov(gpr(kTo), ptr[gpr(kArgs) + offsetof(Args, to)]);
    mov(gpr(kCount), ptr[gpr(kArgs) + offsetof(Args, count)]);
    mov(gpr(kMode), ptr[gpr(kArgs) + offsetof(Args, mode)]);
    load_parameters();
    load(vec(kRows), vector_u64(uint64_t{kMtMatrix} << 32));
    constants_ = Constants{hold_u32(kUpper, kMtUpperMask), hold_u32(kTemperB, kMtTemperB),
                           hold_u32(kTemperC, kMtTemperC), hold_u64(kTaken, shape_.taken),
                           hold_u64(kLowWord, 0xFFFFFFFF)};
    cmp(gpr(kMode), static_cast<uint32_t>(Args::Mode::convert));
    je(convert, T_NEAR);
    cmp(gpr(kMode), static_cast<uint32_t>(Args::Mode::streaming));
    je(streaming, T_NEAR);
    emit_window_loop(false);
    jmp(done, T_NEAR);
    L(streaming);
    emit_window_loop(true);
    jmp(done, T_NEAR);
    L(convert);
    emit_convert_loop();
    L(done);
    end();
}

void Mt19937Generator::emit_convert_loop() {
    Label next;
    L(next);
    load(vec(kValue), ptr[gpr(kWords)]);
    emit_temper();
    emit_value();
    emit_store(0, false);
    add(gpr(kWords), bytes());
    add(gpr(kTo), vector_out_bytes());
    dec(gpr(kCount));
    jnz(next, T_NEAR);
}

void Mt19937Generator::emit_window_loop(bool streaming) {
    const bool aligned_loads = streaming && takes_words() && waits_for_memory();
    Label next;
    align(64);
    L(next);
    for (int i = 0; i < kMtWords; i += vector_words()) {
        emit_twist(i, aligned_loads);
        emit_temper();
        emit_value();
        emit_store(i / vector_words() * vector_out_bytes(), streaming);
    }
    add(gpr(kTo), kMtWords / vector_words() * vector_out_bytes());
    dec(gpr(kCount));
    jnz(next, T_NEAR);
}

//   x[i]' = x[i+397] ^ (z >> 1) ^ (z odd ? a : 0),   z = (x[i] & U) | (x[i+1] & L)
// vpermd selects a lane of its table by the low bits of z. The odd lanes hold a.
//
// x[i+1..] and x[i+397..] lie across two vectors. A load of such words waits until the stores of both vectors have left the store buffer.
// Stores that bypass the caches lie between them, so they leave the buffer no faster than memory takes the output. A load of one whole
// vector does not wait: it takes the vector from the store buffer. With aligned_loads, both inputs are therefore put together from aligned
// vectors.
void Mt19937Generator::emit_twist(int i, bool aligned_loads) {
    const Vec y = vec(kValue), z = vec(kT0), row = vec(kT1), next = vec(kT2), far = vec(kT3);
    constexpr int kLastOld = kMtWords - kMtShift - 1;  // 226
    load(z, word(i));
    if (aligned_loads) {
        emit_words(next, i, 1, kNextWords);
        emit_words(far, i, kMtShift, kFarWords);
        select_bits(z, constants_.upper, next);
    } else {
        select_bits(z, constants_.upper, word(i + 1));
    }
    vpermd(row, z, vec(kRows));
    vpsrld(y, z, 1);
    if (aligned_loads)
        xor3(y, row, far);
    else
        xor3(y, row, word(i <= kLastOld ? i + kMtShift : i + kMtShift - kMtWords));
    store(word(i), y);
    if (i == 0) store(word(kMtWords), y);
}

// Whether memory takes longer to store a vector of values than the vector ports take to compute it, the two instructions of aligned loads
// included. Then aligned loads cost nothing.
bool Mt19937Generator::waits_for_memory() const {
    constexpr int kTwistAndTemper = 12, kAlignedLoads = 2;
    const int instructions = kTwistAndTemper + kAlignedLoads + shape_.instructions;
    return machine().nanoseconds(instructions, bytes()) < vector_out_bytes() / kStoredPerNanosecond;
}

// d = the words from x[i + distance] on, which lie across two vectors. The second of these vectors is the first one for the next i, so
// vec(kept) keeps it.
void Mt19937Generator::emit_words(const Vec& d, int i, int distance, int kept) {
    const int count = vector_words(), step = i / count;
    const Vec low = vec(kept + step % 2), high = vec(kept + (step + 1) % 2);
    const int at = i + distance / count * count;
    if (i == 0) load(low, word(at % kMtWords));
    load(high, word((at + count) % kMtWords));
    take_words_u32(d, low, high, distance % count);
}

//   y ^= y >> 11;  y ^= (y << 7) & b;  y ^= (y << 15) & c;  y ^= y >> 18
// The last step also keeps only the bits that the conversion takes.
void Mt19937Generator::emit_temper() {
    const Vec y = vec(kValue), t = vec(kT0);
    vpsrld(t, y, kMtTemperU);
    xor_bits(y, y, t);
    vpslld(t, y, kMtTemperS);
    xor_masked(y, t, constants_.temper_b);
    vpslld(t, y, kMtTemperT);
    xor_masked(y, t, constants_.temper_c);
    vpsrld(t, y, kMtTemperL);
    if (shape_.taken == Mt19937Shape::kAllBits)
        xor_bits(y, y, t);
    else
        xor_then_mask(y, t, constants_.taken);
}

void Mt19937Generator::emit_put(int at, const Vec& value, bool streaming) {
    store(ptr[gpr(kTo) + at], value, streaming);
}

}  // namespace tombola::impl::cpu::x64
