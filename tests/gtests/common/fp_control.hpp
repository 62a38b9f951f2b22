// SPDX-License-Identifier: Apache-2.0
#pragma once

// The floating-point environment of the calling thread as one number, to be read, changed and compared. A setting is
// kFpDefault or kFpUnmasked with other modes or'ed in:
//
//   x86-64     MXCSR (Intel SDM vol. 1, 10.2.3)
//   AArch64    FPCR, and FPSR in the upper half (Arm ARM, C5.2). Processors without traps ignore the bits that unmask
//              exceptions, so a setting is compared with what fp_control() gives after it was set.

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#error "the floating-point environment of this processor is not known here"
#endif

namespace tombola::test {

#if defined(__x86_64__)
inline uint64_t fp_control() { return _mm_getcsr(); }
inline void set_fp_control(uint64_t setting) { _mm_setcsr(static_cast<unsigned>(setting)); }

inline constexpr uint64_t kFpDefault =
    0x1F80;                                   // to nearest even, no flushing, all exceptions masked
inline constexpr uint64_t kFpUnmasked = 0;    // the same with no exception masked
inline constexpr uint64_t kFpFlush = 0x8040;  // flush to zero, denormals are zero
inline constexpr uint64_t kFpDown = 0x2000, kFpUp = 0x4000, kFpToZero = 0x6000;
inline constexpr uint64_t kFpInexactRaised = 0x20;
inline constexpr uint64_t kFpModes = 0xFFC0;  // all but the flags that are raised
#else
inline uint64_t fp_control() {
    uint64_t control, flags;
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags));
    return control | flags << 32;
}
inline void set_fp_control(uint64_t setting) {
    asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(setting & 0xFFFFFFFF), "r"(setting >> 32));
}

inline constexpr uint64_t kFpDefault = 0;
inline constexpr uint64_t kFpUnmasked = 0x9F00;
inline constexpr uint64_t kFpFlush = 1u << 24;
inline constexpr uint64_t kFpDown = 2u << 22, kFpUp = 1u << 22, kFpToZero = 3u << 22;
inline constexpr uint64_t kFpInexactRaised = uint64_t{1} << (32 + 4);
inline constexpr uint64_t kFpModes = 0xFFFFFFFF;
#endif

}  // namespace tombola::test
