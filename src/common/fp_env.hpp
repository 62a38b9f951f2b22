// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results must not depend on the caller's rounding mode, flush-to-zero or denormals-are-zero settings, and exceptions
// that the caller has unmasked must not trap inside the library. What computes runs under the default floating-point
// environment and restores what was there, flags included: planning and building a primitive, executing it, and every
// worker thread. What only looks at arguments does not switch, as reading the environment waits for all floating-point
// instructions before it: around the whole of a small execution that costs a third of its time.
//
// The library computes in SSE and AVX registers alone on x86-64, so MXCSR is the whole environment there.

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

#include <cstdint>

namespace tombola::impl {

class DefaultFpEnv {
  public:
    DefaultFpEnv() : saved_(get()) {
        if (saved_ != default_env()) set(default_env());
    }
    // Exception flags that were raised meanwhile are dropped with the rest.
    ~DefaultFpEnv() { set(saved_); }
    DefaultFpEnv(const DefaultFpEnv&) = delete;
    DefaultFpEnv& operator=(const DefaultFpEnv&) = delete;

  private:
#if defined(__x86_64__)
    // Round to nearest even, no flushing, all exceptions masked, no flag raised (Intel SDM vol. 1, 10.2.3).
    using Env = uint32_t;
    static Env default_env() { return 0x1F80; }
    static Env get() { return _mm_getcsr(); }
    static void set(Env env) { _mm_setcsr(env); }
#elif defined(__aarch64__)
    // FPCR holds modes and traps, FPSR flags; 0 is the default of both (Arm ARM, C5.2).
    struct Env {
        uint64_t control, status;
        bool operator!=(const Env& other) const {
            return control != other.control || status != other.status;
        }
    };
    static Env default_env() { return {0, 0}; }
    static Env get() {
        Env env;
        asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(env.control), "=r"(env.status));
        return env;
    }
    static void set(const Env& env) {
        asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(env.control), "r"(env.status));
    }
#else
    struct Env {
        std::fenv_t value;
        bool operator!=(const Env&) const { return true; }
    };
    static Env default_env() { return {*FE_DFL_ENV}; }
    static Env get() {
        Env env;
        std::fegetenv(&env.value);
        return env;
    }
    static void set(const Env& env) { std::fesetenv(&env.value); }
#endif
    Env saved_;
};

}  // namespace tombola::impl
