// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"

#include <cstddef>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kWordBytes = sizeof(uint64_t);
constexpr int kHalfBytes = kMtPolynomialWords * kWordBytes;

// The number of terms between two checks of whether the distances have left the half.
constexpr int kTermsAtOnce = 4;

int distance_of(int term) {
    return kMtDegree - mt_characteristic_exponents()[static_cast<size_t>(term)];
}

}  // namespace

// ---- the square modulo p ----------------------------------------------------------------------------------

void MtSquareKernel::generate() {
    begin(6);
    mov(gpr(1), ptr[gpr(0) + offsetof(Args, g)]);
    mov(gpr(2), ptr[gpr(0) + offsetof(Args, low)]);
    mov(gpr(3), ptr[gpr(0) + offsetof(Args, zero_high_zero)]);
    emit_squares();
    emit_reduce_high();
    emit_reduce_low();
    end();
}

// Squares g: the lower half of its words goes to `low`, the upper half to `high`. Each word becomes two.
void MtSquareKernel::emit_squares() {
    const Reg &g = gpr(1), &to = gpr(4), &left = gpr(5);
    for (const bool upper : {false, true}) {
        Label next;
        upper ? lea(to, ptr[gpr(3) + kHalfBytes]) : mov(to, gpr(2));
        mov(left.cvt32(), kMtPolynomialWords / 4);
        L(next);
        vmovdqu(xmm0, ptr[g]);
        vpclmulqdq(xmm1, xmm0, xmm0, 0x00);  // low word by low word
        vpclmulqdq(xmm2, xmm0, xmm0, 0x11);  // high word by high word
        vmovdqu(ptr[to], xmm1);
        vmovdqu(ptr[to + 16], xmm2);
        add(g, 16);
        add(to, 32);
        dec(left.cvt32());
        jnz(next);
    }
}

// vec(0) ^= the bits from `distance` above those at `at`.
void MtSquareKernel::emit_xor_from(const Reg& at, int distance) {
    const auto words = [&](int more) { return ptr[at + (distance / 64 + more) * kWordBytes]; };
    const auto right = static_cast<uint8_t>(distance % 64);
    if (right == 0) return xor_bits(vec(0), vec(0), words(0));
    load(vec(1), words(0));
    load(vec(2), words(1));
    vpsrlq(vec(1), vec(1), right);
    vpsllq(vec(2), vec(2), static_cast<uint8_t>(64 - right));
    xor3(vec(0), vec(1), vec(2));
}

// Works from the top down. Each chunk takes the nearest terms first, until they reach beyond the top.
void MtSquareKernel::emit_reduce_high() {
    const Reg &at = gpr(4), &offset = gpr(5);
    Label next;
    lea(at, ptr[gpr(3) + 2 * kHalfBytes]);
    mov(offset.cvt32(), kHalfBytes);
    L(next);
    Label done;
    sub(at, bytes());
    sub(offset.cvt32(), bytes());
    load(vec(0), ptr[at]);
    for (int term = kMtTerms - 1; term >= 0; --term) {
        const int distance = distance_of(term);
        if ((kMtTerms - 1 - term) % kTermsAtOnce == 0) {
            cmp(offset.cvt32(), kHalfBytes - distance / 64 * kWordBytes);
            jge(done, T_NEAR);
        }
        emit_xor_from(at, distance);
    }
    L(done);
    store(ptr[at], vec(0));
    test(offset.cvt32(), offset.cvt32());
    jnz(next, T_NEAR);
}

// Each chunk takes the farthest terms first, until they do not reach the high half.
void MtSquareKernel::emit_reduce_low() {
    const Reg &at = gpr(4), &offset = gpr(5);
    Label next;
    mov(at, gpr(3));
    xor_(offset.cvt32(), offset.cvt32());
    L(next);
    Label done;
    load(vec(0), ptr[gpr(2) + offset]);
    for (int term = 0; term < kMtTerms; ++term) {
        const int distance = distance_of(term);
        if (term % kTermsAtOnce == 0) {
            cmp(offset.cvt32(), kHalfBytes - bytes() - distance / 64 * kWordBytes);
            jl(done, T_NEAR);
        }
        emit_xor_from(at, distance);
    }
    L(done);
    store(ptr[gpr(2) + offset], vec(0));
    add(at, bytes());
    add(offset.cvt32(), bytes());
    cmp(offset.cvt32(), kHalfBytes);
    jne(next, T_NEAR);
}

// ---- the sum of windows -----------------------------------------------------------------------------------

void MtAddWindowsKernel::generate() {
    constexpr int kSums = 13;
    begin(8);
    const Reg &sum = gpr(1), &line = gpr(2), &places = gpr(3), &count = gpr(4);
    const Reg &left = gpr(5), &place = gpr(6), &at = gpr(7);
    const int passes = kMtWords * 4 / bytes() / kSums;
    mov(sum, ptr[gpr(0) + offsetof(Args, sum)]);
    mov(line, ptr[gpr(0) + offsetof(Args, line)]);
    mov(count, ptr[gpr(0) + offsetof(Args, count)]);
    for (int pass = 0; pass < passes; ++pass) {
        const int first = pass * kSums * bytes();
        Label next;
        mov(places, ptr[gpr(0) + offsetof(Args, places)]);
        mov(left, count);
        for (int i = 0; i < kSums; ++i) load(vec(i), ptr[sum + first + i * bytes()]);
        L(next);
        movzx(place.cvt32(), Xbyak::util::word[places]);
        lea(at, ptr[line + place * 4]);
        for (int i = 0; i < kSums; ++i) xor_bits(vec(i), vec(i), ptr[at + first + i * bytes()]);
        add(places, 2);
        dec(left);
        jnz(next, T_NEAR);
        for (int i = 0; i < kSums; ++i) store(ptr[sum + first + i * bytes()], vec(i));
    }
    end();
}

// ---- both -------------------------------------------------------------------------------------------------

Result<JitMtJumpLoops> JitMtJumpLoops::create(CpuIsa isa) {
    JitMtJumpLoops loops;
    loops.square_ = TOMBOLA_TRY(cached_function<MtSquareKernel>({isa}));
    loops.add_windows_ = TOMBOLA_TRY(cached_function<MtAddWindowsKernel>({isa}));
    return loops;
}

void JitMtJumpLoops::square(const MtPolynomial& g, MtSquare& square) const {
    MtSquareKernel::Args args{g.data(), square.low, square.zero_high_zero};
    square_(args);
}

void JitMtJumpLoops::add_windows(uint32_t* sum, const uint32_t* line, const uint16_t* places,
                                 int count) const {
    if (count == 0) return;
    MtAddWindowsKernel::Args args{sum, line, places, count};
    add_windows_(args);
}

}  // namespace tombola::impl::cpu::x64
