// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a function inside the library reports failure: by value, with the reason as text.
//
//   Status validate(...);            // success, or a code with a message
//   Result<MemoryDesc> make(...);    // a value, or such a Status
//   TOMBOLA_TRY(validate(...));      // hands a failure on
//   MemoryDesc desc = TOMBOLA_TRY(make(...));
//
// A Status is one pointer, which is null on success, so success costs one test. The C API turns a failed Status into
// the status code and the thread's last-error message. An implementation that cannot serve a descriptor returns a
// failed Status; its message is the reason that verbose mode prints.

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "common/c_locale.hpp"
#include "common/fork.hpp"
#include "tombola/tombola_types.h"

namespace tombola::impl {

enum class StatusCode {
    success = tombola_success,
    out_of_memory = tombola_out_of_memory,
    invalid_arguments = tombola_invalid_arguments,
    unimplemented = tombola_unimplemented,
    last_impl_reached = tombola_last_impl_reached,
    runtime_error = tombola_runtime_error,
    not_required = tombola_not_required,
};

class [[nodiscard]] Status {
  public:
    Status() = default;  // success
    Status(StatusCode code, std::string message)
        : failure_(std::make_unique<Failure>(Failure{code, std::move(message)})) {
        assert(code != StatusCode::success);
    }

    bool ok() const { return failure_ == nullptr; }
    // The same interface as that of Result.
    Status take_status() { return std::move(*this); }
    void take() {}
    StatusCode code() const { return ok() ? StatusCode::success : failure_->code; }
    const std::string& message() const {
        return ok() ? *made_once([] { return new std::string; }) : failure_->message;
    }

  private:
    struct Failure {
        StatusCode code;
        std::string message;
    };
    std::unique_ptr<const Failure> failure_;
};

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : value_(std::move(value)) {}
    Result(Status failure) : status_(std::move(failure)) { assert(!status_.ok()); }

    bool ok() const { return status_.ok(); }
    const Status& status() const { return status_; }
    Status take_status() { return std::move(status_); }
    T& value() { return *value_; }
    const T& value() const { return *value_; }
    T take() { return std::move(*value_); }

  private:
    Status status_;
    std::optional<T> value_;
};

// The argument of printf() for a number or a text: integers of 64 bits of any type are printed by %lld and %llu.
template <class T>
auto printf_argument(T value) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(long long))
        return static_cast<std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>(
            value);
    else
        return value;
}

// Whether a conversion, after its flags and width, prints an argument of printf() of this type.
template <class T>
bool prints(const char* conversion) {
    const auto is = [&](const char* text) {
        return std::strncmp(conversion, text, std::strlen(text)) == 0;
    };
    if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char*>) return is("s");
    if constexpr (std::is_same_v<T, void*> || std::is_same_v<T, const void*>) return is("p");
    if constexpr (std::is_floating_point_v<T>) return is("g") || is("f");
    if constexpr (std::is_same_v<T, long long>) return is("lld");
    if constexpr (std::is_same_v<T, unsigned long long>) return is("llu") || is("llx");
    if constexpr (std::is_same_v<T, unsigned>) return is("u") || is("x");
    if constexpr (std::is_enum_v<T>) return is("d") || is("u");
    if constexpr (std::is_integral_v<T> && sizeof(T) <= sizeof(int)) return is("d") || is("c");
    return false;
}

// Whether a format has the conversions of these arguments. The compiler cannot check it, because the arguments are not printf()'s own.
template <class... Args>
bool fits(const char* fmt) {
    using Prints = bool (*)(const char*);
    const Prints expected[] = {prints<Args>..., nullptr};
    const Prints* next = expected;
    for (const char* at = std::strchr(fmt, '%'); at != nullptr; at = std::strchr(at, '%')) {
        at += 1 + std::strspn(at + 1, "0123456789.-+ #");
        if (*at == '%') {
            ++at;
        } else if (*next == nullptr || !(*next++)(at)) {
            return false;
        }
    }
    return *next == nullptr;
}

// printf-style formatting into a string, for messages.
template <class... Args>
std::string format(const char* fmt, Args... args) {
    if constexpr (sizeof...(Args) == 0) {
        return fmt;
    } else {
        assert(fits<decltype(printf_argument(args))...>(fmt));
        const CLocale locale;
        const int size = std::snprintf(nullptr, 0, fmt, printf_argument(args)...);
        std::string text(static_cast<size_t>(size), '\0');
        std::snprintf(text.data(), text.size() + 1, fmt, printf_argument(args)...);
        return text;
    }
}

// A decimal text that reads back as the same number: of 6 significant digits, or as many more as that takes, without trailing zeros.
// "1.1", not "1.10000002".
template <class Float>
std::string digits(Float value) {
    const CLocale locale;
    char text[32];
    for (int count = 6; count <= std::numeric_limits<Float>::max_digits10; ++count) {
        std::snprintf(text, sizeof(text), "%.*g", count, static_cast<double>(value));
        if (static_cast<Float>(std::strtod(text, nullptr)) == value) break;
    }
    return text;
}

// The ending of a noun after a number: "1 element", "2 elements".
inline const char* plural(int64_t count) { return count == 1 ? "" : "s"; }

template <class... Args>
Status invalid(const char* fmt, Args... args) {
    return Status(StatusCode::invalid_arguments, format(fmt, args...));
}

template <class... Args>
Status unimplemented(const char* fmt, Args... args) {
    return Status(StatusCode::unimplemented, format(fmt, args...));
}

}  // namespace tombola::impl

// Gives the value of an expression of type Result or Status. If it is a failure, the calling function returns that
// failure.
//
//   TOMBOLA_TRY(check(desc));
//   const MemoryDesc dst = TOMBOLA_TRY(make(desc));
//
// Use it as a statement, or as the whole initialiser or assigned value of a variable, never as a part of a larger
// expression. What a larger expression has begun would not be undone, such as the allocation of
// `new T(TOMBOLA_TRY(...))`.
#define TOMBOLA_TRY(...)                             \
    ({                                               \
        auto tried = (__VA_ARGS__);                  \
        if (!tried.ok()) return tried.take_status(); \
        std::move(tried).take();                     \
    })
