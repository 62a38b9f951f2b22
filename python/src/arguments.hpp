// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of Python's functions that are not tensors: integers, shapes, seeds, names, numbers of a tensor's type.
//
// Code of Python's runs when such an argument is read, and may resize an array. So a call reads them before its tensors.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tensor.hpp"

namespace tombola_python {

// An integer from 0 to 2^64 - 1. Raises TypeError and ValueError with the argument's name.
uint64_t unsigned_of(py::handle number, const char* name);
// An integer of int64. Likewise; the message ends with what is expected.
int64_t signed_of(py::handle number, const char* name,
                  const char* expected = "an integer from -2^63 to 2^63 - 1");
// An integer from 0 to 2^63 - 1.
int64_t count_of(py::handle number, const char* name);

// An integer that was read before its range was known.
class Integer {
  public:
    Integer(py::handle number, const char* name);
    // Its value, from `least` to `greatest`. Raises ValueError for any other. `expected` is a text for the message, or a function that
    // returns one, which is called only then.
    template <class Expected>
    int64_t in(int64_t least, int64_t greatest, const Expected& expected) const {
        if (const auto value = value_in(least, greatest)) return *value;
        if constexpr (std::is_invocable_v<Expected>)
            refuse(expected());
        else
            refuse(expected);
    }

  private:
    std::optional<int64_t> value_in(int64_t least, int64_t greatest) const;
    [[noreturn]] void refuse(const std::string& expected) const;

    py::object integer_;
    const char* name_;
};

// A number that was read before its data type was known: an int for what is an integer, and otherwise a float. Raises TypeError or
// ValueError with the argument's name for what is no number.
py::object number_of(py::handle number, const char* name);

// True or False, of Python or NumPy, or 1 or 0. Raises TypeError with the argument's name.
bool flag_of(py::handle flag, const char* name);

// A shape: an integer or a sequence of integers. Raises TypeError and ValueError.
memory::dims shape_of(py::handle shape, const char* name);

// Whether an object is a sequence of numbers as arguments are: not text, not bytes, and not an array without dimensions.
bool is_sequence(py::handle object);

// SEEDS: None gives (0, 0), for which the library draws entropy; an integer n gives (n, 1). For anything else but two integers it
// raises TypeError, which says what was expected.
std::array<uint64_t, 2> seeds_of(py::handle seed,
                                 const char* expected = "None, an integer or two integers");

// One of several names. `others` is said before them in a message: what the caller accepts beside them, and a comma.
template <class T>
T named(py::handle name, const char* argument,
        std::initializer_list<std::pair<std::string_view, T>> values, const char* others = "") {
    const std::string_view given = utf8_of(name);
    for (const auto& [known, value] : values)
        if (given == known) return value;
    std::string message = std::string(argument) + " is " + text_of(name) + "; expected " + others;
    size_t left = values.size();
    for (const auto& [known, value] : values) {
        message += '"' + std::string(known) + '"';
        if (--left > 0) message += left == 1 ? " or " : ", ";
    }
    value_error(message);
}

tombola::alignment alignment_of(py::handle name);

// One element of a data type from what number_of() returned, rounded to the nearest one, ties to even; float16 and bfloat16 by
// way of float32, as PyTorch rounds numbers of Python. Raises ValueError for a finite number that the type cannot hold, TypeError for
// a float where the type is an integer's. Neither rounding nor comparing depends on the caller's floating-point environment.
class Element {
  public:
    Element(py::handle number, memory::data_type type, const char* name);
    const void* data() const { return bytes_.data(); }
    // Of elements of a floating-point type.
    bool is_finite() const;
    bool is_below(const Element& other) const;

  private:
    alignas(8) std::array<unsigned char, 8> bytes_{};
    double rounded_ = 0;  // the element of a floating-point type
};

// What function(*args) returns under the default floating-point environment: NumPy rounds by the caller's.
py::object in_default_fp_env(const py::function& function, const py::args& args);

}  // namespace tombola_python
