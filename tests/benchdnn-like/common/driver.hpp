// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a driver tells the common part.
//
//   Driver   one operator: its options and its problem syntax
//   Problem  one case of it: how to create the primitive, what goes in, what must come out
//
// typed_driver.hpp makes both from a struct with the problem's fields.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/api.hpp"
#include "common/arguments.hpp"
#include "common/errors.hpp"

namespace tombola::bench {

class Problem {
  public:
    // What bounds the speed of this operator.
    enum class Ceiling {
        fill,  // writes only: the fastest plain fill, or the kernel's own speed in the cache
        copy,  // reads one tensor and writes another: memcpy
        read,  // reads far more than it writes: a plain read of the main input
    };

    virtual ~Problem() = default;

    // As the command line takes it, without the common options: "--shuffle --dt=s8 2x8x3x3".
    virtual std::string repro(bool canonical) const = 0;
    // The value of one of the driver's fields, for templates.
    virtual std::optional<std::string> field_value(const std::string& name) const = 0;
    virtual std::string sizes() const = 0;
    virtual const char* driver_name() const = 0;

    // Creates the primitive descriptor, which the caller owns. Throws Refused where it is not the library that
    // refuses.
    virtual tombola_status_t create(Creation& creation,
                                    tombola_primitive_desc_t* primitive_desc) const = 0;
    // Why the library must refuse this problem; empty if it must not. `args` is null before creation.
    virtual std::string refusal(const Arguments* args) const {
        (void)args;
        return "";
    }
    // Adds every argument of the execution, inputs with their values.
    virtual void add_arguments(Arguments& args) const = 0;
    // Sets the expected values of the outputs. It may read what the outputs hold, to follow what the library
    // was free to choose.
    virtual void expect(Arguments& args) const = 0;
    // Before a failure is printed: replaces what was drawn at run time by what was drawn, so that the line
    // reproduces this run.
    virtual void pin(const Arguments& args) { (void)args; }

    // After a comparison without a difference: why it proves little; empty if it does.
    virtual std::string mistrust(const Arguments& args) const {
        (void)args;
        return "";
    }

    virtual Ceiling ceiling() const = 0;
    // For Ceiling::fill: the same kernel on about that many bytes.
    virtual std::unique_ptr<Problem> resized(int64_t bytes) const {
        (void)bytes;
        return nullptr;
    }

    std::string name;  // the _n"name" behind the sizes
};

// Of one run. A case takes 1 to 2 KB and its texts, and lists and batch files multiply.
constexpr size_t kMaxCases = 250000;
constexpr size_t kMaxTextBytes = size_t{64} << 20;  // of the texts of all cases

class Driver {
  public:
    virtual ~Driver() = default;
    virtual const char* name() const = 0;    // as in inputs/<name>/
    virtual const char* syntax() const = 0;  // of a problem
    virtual const char* summary() const = 0;
    std::string option() const;  // "--random-generator"

    virtual std::vector<std::string> field_names() const = 0;
    bool has_field(const std::string& field) const;
    // Sets a field's list of values. Throws UsageError.
    virtual void set(const std::string& field, const std::string& values) = 0;
    virtual void reset() = 0;
    // Calls take() for each problem of the product of all lists for the problem `text`. Throws UsageError, and what take() throws.
    using Take = std::function<void(std::unique_ptr<Problem>)>;
    virtual void make_problems(const std::string& text, const Take& take) const = 0;
    virtual std::string help() const = 0;
};

// One driver for each primitive, in the order of TOMBOLA_PRIMITIVES, in which help shows them. Defined in drivers.cpp.
std::vector<std::unique_ptr<Driver>> make_drivers();

// "2x16x7x7": sizes of at least 0. Throws UsageError with what is wrong with them.
reference::Dims parse_dims(const std::string& text, int min_count = 1,
                           int max_count = TOMBOLA_MAX_NDIMS);
std::string print_dims(const reference::Dims& dims);
// Cuts _n"name" off a problem.
std::string split_name(const std::string& text, std::string& name);
[[noreturn]] void refuse_value(const std::string& option, const std::string& value,
                               const std::string& expected);
std::string help_line(const std::string& option, const std::string& text);

}  // namespace tombola::bench
