// SPDX-License-Identifier: Apache-2.0

/// @file
/// The exception of the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_ERROR_HPP
#define TOMBOLA_ERROR_HPP

#ifndef __cpp_exceptions
#include <cstdio>
#include <cstdlib>
#endif
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "tombola.h"

namespace tombola {

/// @addtogroup tombola_cpp_error
/// @{

/// Statuses, by the names of oneDNN.
enum class status {
    success = tombola_success,                      ///< Done.
    out_of_memory = tombola_out_of_memory,          ///< Memory could not be allocated.
    invalid_arguments = tombola_invalid_arguments,  ///< An argument is wrong.
    unimplemented = tombola_unimplemented,          ///< Nothing serves this.
    last_impl_reached = tombola_last_impl_reached,  ///< No further implementation.
    runtime_error = tombola_runtime_error,          ///< The system failed.
    not_required = tombola_not_required,            ///< No such property.
};

/// Whether a status of the C functions, such as error::status, equals a status of the C++ API.
/// @param a A status of the C API.
/// @param b A status of the C++ API.
/// @return Whether they are the same.
inline bool operator==(tombola_status_t a, status b) { return static_cast<status>(a) == b; }
/// @copydoc operator==(tombola_status_t, status)
inline bool operator==(status a, tombola_status_t b) { return b == a; }
/// Whether a status of the C functions differs from a status of the C++ API.
/// @param a A status of the C API.
/// @param b A status of the C++ API.
/// @return The opposite of ==.
inline bool operator!=(tombola_status_t a, status b) { return !(a == b); }
/// @copydoc operator!=(tombola_status_t, status)
inline bool operator!=(status a, tombola_status_t b) { return !(b == a); }

/// The exception that every failing call throws.
struct error : public std::exception {
    tombola_status_t status;  ///< The status of the C function; never tombola_success.
    /// What was wrong: the argument, its value and what was expected. The text lives as long as this object.
    const char* message;

    /// @param astatus The status.
    /// @param amessage The message; it is copied.
    error(tombola_status_t astatus, std::string amessage)
        : status(astatus), text_(std::make_shared<const std::string>(std::move(amessage))) {
        message = text_->c_str();
    }
    /// The message.
    /// @return Text that lives as long as this object.
    const char* what() const noexcept override { return message; }

    /// Throws the calling thread's last error unless the status is success.
    /// @param status The status of the C function that this thread called last.
    /// @throws error With that status and tombola_get_last_error().
    static void check(tombola_status_t status) {
        if (status != tombola_success) raise(status, tombola_get_last_error());
    }
    /// The same with words in front of the message, as oneDNN spells it.
    /// @param status The status of the C function that this thread called last.
    /// @param message What could not be done.
    /// @throws error With that status, the words and tombola_get_last_error().
    static void wrap_c_api(tombola_status_t status, const char* message) {
        if (status != tombola_success)
            raise(status, std::string(message) + ": " + tombola_get_last_error());
    }
    /// Throws an error. Where exceptions are turned off (-fno-exceptions) it prints the error on standard error and ends the
    /// process, as oneDNN's headers do.
    /// @param status The status.
    /// @param message The message.
    /// @throws error With that status and message.
    [[noreturn]] static void raise(tombola_status_t status, const std::string& message) {
#ifdef __cpp_exceptions
        throw error(status, message);
#else
        std::fprintf(stderr, "tombola: %s: %s\n", tombola_status2str(status), message.c_str());
        std::abort();
#endif
    }

  private:
    // Copies of an exception share the text, so that copying one cannot fail.
    std::shared_ptr<const std::string> text_;
};

/// @}

}  // namespace tombola

#endif
