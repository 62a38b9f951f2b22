// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results must not depend on the caller's rounding mode, flush-to-zero or denormals-are-zero settings, and exceptions
// that the caller has unmasked must not trap inside the library. So planning and building a primitive, executing it,
// and every worker thread run under the default floating-point environment. Afterwards the caller's environment is
// restored, flags included. Code that only checks arguments does not switch, because reading the environment waits for
// all earlier floating-point instructions. Switching around a whole small execution, its checks included, would take a
// third of its time.
//
// On x86-64 the library computes only in SSE and AVX registers, so MXCSR is the whole environment.

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

#include <cstdint>
#include <optional>
#include <utility>

namespace tombola::impl {

class DefaultFpEnv {
  public:
    DefaultFpEnv() : saved_(get()) {
        if (saved_ != default_env()) set(default_env());
        if (has_other_modes(saved_)) around_ = exchange_replaced(saved_);
    }
    // This also drops the exception flags that were raised meanwhile.
    ~DefaultFpEnv() {
        if (has_other_modes(saved_)) exchange_replaced(around_);
        set(saved_);
    }
    DefaultFpEnv(const DefaultFpEnv&) = delete;
    DefaultFpEnv& operator=(const DefaultFpEnv&) = delete;

  private:
#if defined(__x86_64__)
    // Round to nearest even, no flushing, all exceptions masked, no flag raised (Intel SDM vol. 1, 10.2.3).
    using Env = uint32_t;
    static Env default_env() { return 0x1F80; }
    static bool has_other_modes(Env env) { return ((env ^ default_env()) & 0xFFC0) != 0; }
    static Env without_traps(Env env) { return env | 0x1F80; }
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
    static bool has_other_modes(const Env& env) { return env.control != 0; }
    static Env without_traps(const Env& env) {
        return {env.control & ~uint64_t{0x9F00}, env.status};
    }
    static Env get() {
        Env env;
        asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(env.control), "=r"(env.status));
        return env;
    }
    // FPCR is written only if it changes, because many processors then wait for all earlier instructions. Reading it is cheap.
    static void set(const Env& env) {
        uint64_t control;
        asm volatile("mrs %0, fpcr" : "=r"(control));
        if (control != env.control) asm volatile("msr fpcr, %0" : : "r"(env.control));
        asm volatile("msr fpsr, %0" : : "r"(env.status));
    }
#else
    struct Env {
        std::fenv_t value;
        bool operator!=(const Env&) const { return true; }
    };
    // FE_DFL_ENV need not be the address of an object: in some C libraries it is -1.
    static Env default_env() {
        const Env before = get();
        std::fesetenv(FE_DFL_ENV);
        const Env env = get();
        set(before);
        return env;
    }
    static bool has_other_modes(const Env&) { return true; }
    static Env without_traps(const Env&) { return default_env(); }
    static Env get() {
        Env env;
        std::fegetenv(&env.value);
        return env;
    }
    static void set(const Env& env) { std::fesetenv(&env.value); }
#endif

  public:
    // While it lives, this thread has the environment again that the innermost DefaultFpEnv has replaced. Threads that are made meanwhile
    // inherit it, as if the library had not been called.
    class Suspended {
      public:
        Suspended() : env_(exchange_replaced(std::nullopt)) {
            if (env_) set(*env_);
        }
        ~Suspended() {
            if (env_) set(default_env());
            exchange_replaced(env_);
        }
        Suspended(const Suspended&) = delete;
        Suspended& operator=(const Suspended&) = delete;

      private:
        std::optional<Env> env_;
    };
    // While it lives, no floating-point exception traps on this thread. The other modes stay.
    class Masked {
      public:
        Masked() : saved_(get()) { set(without_traps(saved_)); }
        ~Masked() { set(saved_); }
        Masked(const Masked&) = delete;
        Masked& operator=(const Masked&) = delete;

      private:
        Env saved_;
    };

  private:
    // Sets the environment that this thread's innermost object has replaced, if its modes are not the default, and returns what was set. Not
    // inlined: an execution may continue on another thread, where an address that was computed before would be wrong.
    __attribute__((noinline)) static std::optional<Env> exchange_replaced(
        const std::optional<Env>& next) {
        thread_local std::optional<Env> replaced;
        return std::exchange(replaced, next);
    }
    Env saved_;
    std::optional<Env> around_;  // what was replaced before
};

}  // namespace tombola::impl
