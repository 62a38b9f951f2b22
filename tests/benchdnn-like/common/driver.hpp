// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a driver tells the common part.
//
//   Driver   one operator: its options and its problem syntax
//   Problem  one case of it: how to create the primitive, what goes in, what must come out
//
// A driver is a struct P with the problem's fields (field.hpp) that derives from Problem, plus
//   static constexpr const char* kName;        "shuffle"; the option is --shuffle, the inputs inputs/shuffle/
//   static constexpr const char* kSyntax;      "DIMS"
//   static constexpr const char* kSummary;     one line for the help
//   static std::vector<Field<P>> fields();
//   bool parse_sizes(const std::string& text); the problem's sizes: "2x16x7x7"
//   std::string print_sizes() const;
// and TypedDriver<P> makes the Driver.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/api.hpp"
#include "common/arguments.hpp"
#include "common/errors.hpp"
#include "common/field.hpp"
#include "common/settings.hpp"

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

    // Creates the primitive descriptor. `reason` explains a failure that is not the library's.
    virtual tombola_status_t create(const Settings& settings, const_tombola_primitive_attr_t attr,
                                    PrimitiveDesc& primitive_desc, std::string& reason) const = 0;
    // Why the library must refuse this problem; empty if it must not. `args` is null before creation.
    virtual std::string refusal(const Arguments* args) const {
        (void)args;
        return "";
    }
    // Adds every argument of the execution, inputs with their values.
    virtual void add_arguments(const Settings& settings, Arguments& args) const = 0;
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

class Driver {
  public:
    virtual ~Driver() = default;
    virtual const char* name() const = 0;    // as in inputs/<name>/
    virtual const char* syntax() const = 0;  // of a problem
    virtual const char* summary() const = 0;
    std::string option() const;  // "--random-generator"

    virtual bool has_field(const std::string& field) const = 0;
    // Sets a field's list of values. Throws UsageError.
    virtual void set(const std::string& field, const std::string& values) = 0;
    virtual void reset() = 0;
    // The product of all lists for the problem `text`. Throws UsageError.
    virtual std::vector<std::unique_ptr<Problem>> problems(const std::string& text) const = 0;
    virtual std::string help() const = 0;
};

// The drivers, in the order in which help shows them. Defined in drivers.cpp.
std::vector<std::unique_ptr<Driver>> make_drivers();

// "2x16x7x7": 1 to 12 sizes of at least 0.
bool parse_dims(const std::string& text, reference::Dims& dims);
std::string print_dims(const reference::Dims& dims);
// Cuts _n"name" off a problem.
std::string split_name(const std::string& text, std::string& name);
[[noreturn]] void refuse_value(const std::string& option, const std::string& value,
                               const std::string& expected);
std::string help_line(const std::string& option, const std::string& text);

// Fills in what derives from the list of fields.
template <class P>
class TypedProblem : public Problem {
  public:
    const char* driver_name() const final { return P::kName; }
    std::string sizes() const final { return self().print_sizes(); }
    std::string repro(bool canonical) const final {
        static const P kDefault{};
        std::string line = option_of(P::kName);
        for (const Field<P>& f : P::fields())
            if (canonical || f.print(self()) != f.print(kDefault))
                line += " --" + f.name + "=" + f.print(self());
        return line + " " + sizes() + (name.empty() ? "" : "_n\"" + name + "\"");
    }
    std::optional<std::string> field_value(const std::string& field) const final {
        for (const Field<P>& f : P::fields())
            if (f.name == field) return f.print(self());
        return std::nullopt;
    }
    static std::string option_of(std::string name) {
        for (char& c : name)
            if (c == '_') c = '-';
        return "--" + name;
    }

  private:
    const P& self() const { return static_cast<const P&>(*this); }
};

template <class P>
class TypedDriver : public Driver {
  public:
    TypedDriver() { reset(); }
    const char* name() const final { return P::kName; }
    const char* syntax() const final { return P::kSyntax; }
    const char* summary() const final { return P::kSummary; }

    bool has_field(const std::string& name) const final { return find(name) != nullptr; }

    void set(const std::string& name, const std::string& values) final {
        const Field<P>& f = *find(name);
        const auto list = f.is_list ? split(values, ',') : std::vector<std::string>{values};
        P scratch;
        for (const std::string& value : list)
            if (!f.parse(scratch, value)) refuse_value("--" + name, value, f.expected);
        values_[name] = list;
    }

    void reset() final {
        const P defaults{};
        for (const Field<P>& f : fields_) values_[f.name] = {f.print(defaults)};
    }

    std::vector<std::unique_ptr<Problem>> problems(const std::string& text) const final {
        P problem;
        const std::string sizes = split_name(text, problem.name);
        if (!problem.parse_sizes(sizes))
            throw UsageError(option() + ": problem '" + text + "': expected " + P::kSyntax +
                             ", sizes separated by x");
        std::vector<std::unique_ptr<Problem>> all;
        expand(problem, 0, all);
        return all;
    }

    std::string help() const final {
        std::string text =
            "  " + option() + " [options] " + P::kSyntax + " ...\n    " + P::kSummary + "\n";
        const P defaults{};
        for (const Field<P>& f : fields_)
            text +=
                help_line("--" + f.name + "=" + (f.is_list ? "LIST" : "FILE"),
                          f.help + ": " + f.expected +
                              (f.print(defaults).empty() ? "" : "; default " + f.print(defaults)));
        return text;
    }

  private:
    const Field<P>* find(const std::string& name) const {
        for (const Field<P>& f : fields_)
            if (f.name == name) return &f;
        return nullptr;
    }
    void expand(P& problem, size_t index, std::vector<std::unique_ptr<Problem>>& all) const {
        if (index == fields_.size()) {
            all.push_back(std::make_unique<P>(problem));
            return;
        }
        for (const std::string& value : values_.at(fields_[index].name)) {
            fields_[index].parse(problem, value);
            expand(problem, index + 1, all);
        }
    }
    const std::vector<Field<P>> fields_ = P::fields();
    std::map<std::string, std::vector<std::string>> values_;
};

}  // namespace tombola::bench
