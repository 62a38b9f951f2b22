// SPDX-License-Identifier: Apache-2.0
#pragma once

// A driver, made from a struct P with the problem's fields (field.hpp). P derives from TensorProblem<P> if its sizes
// are those of one tensor, and from TypedProblem<P> otherwise, and has
//   static constexpr const char* kName;        "shuffle"; the option is --shuffle, the inputs inputs/shuffle/
//   static constexpr const char* kSummary;     one line for the help
//   static std::vector<Field<P>> fields();
// and, where TensorProblem does not give them,
//   static constexpr const char* kSyntax;      "DIMS"
//   static constexpr const char* kExample;     "2x16x7x7"
//   void parse_sizes(const std::string& text); the problem's sizes; throws UsageError with what is wrong with them
//   std::string print_sizes() const;
// The virtual functions of Problem say the rest. CONTRIBUTING.md has the recipe.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/driver.hpp"
#include "common/field.hpp"

namespace tombola::bench {

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
            if (const std::string text = f.print(self()); canonical || text != f.print(kDefault))
                line += text.empty() ? "" : " --" + f.name + "=" + text;  // empty: no file
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

  protected:
    // OFFSET + elements is at most 2^64. A tensor without elements takes any OFFSET.
    static std::string offset_refusal(uint64_t offset, uint64_t elements) {
        const bool passes_the_end = elements > 0 && offset > UINT64_MAX - (elements - 1);
        return passes_the_end ? "OFFSET + elements is above 2^64" : "";
    }

  private:
    const P& self() const { return static_cast<const P&>(*this); }
};

// A problem that is the sizes of one tensor. Its layout is the option --tag, if the driver lists the field.
template <class P>
class TensorProblem : public TypedProblem<P> {
  public:
    static constexpr const char* kSyntax = "DIMS";
    static constexpr const char* kExample = "2x16x7x7";
    reference::Dims dims;
    TagName tag{"abx"};

    void parse_sizes(const std::string& text) { dims = parse_dims(text); }
    std::string print_sizes() const { return print_dims(dims); }

  protected:
    uint64_t elements() const {
        uint64_t count = 1;
        for (const int64_t size : dims) count *= static_cast<uint64_t>(size);
        return count;
    }
    // Whether a layout fits the number of dimensions: if not, the library must refuse it.
    bool fits(const TagName& name) const {
        return name.text == "any" ||
               reference::expand_tag(name.text, static_cast<int>(dims.size())).kind !=
                   reference::Tag::Kind::malformed;
    }
    std::string tag_refusal() const {
        return fits(tag) ? "" : "the tag is for another number of dimensions";
    }
    // The same problem on one dense dimension of that many elements.
    std::unique_ptr<Problem> resized_to(int64_t elements) const {
        auto twin = std::make_unique<P>(static_cast<const P&>(*this));
        twin->dims = {elements};
        twin->tag.text = "abx";
        return twin;
    }
};

template <class P>
class TypedDriver : public Driver {
  public:
    TypedDriver() { reset(); }
    const char* name() const final { return P::kName; }
    const char* syntax() const final { return P::kSyntax; }
    const char* summary() const final { return P::kSummary; }

    std::vector<std::string> field_names() const final {
        std::vector<std::string> names;
        for (const Field<P>& f : fields_) names.push_back(f.name);
        return names;
    }

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

    void make_problems(const std::string& text, const Take& take) const final {
        P problem;
        const std::string sizes = split_name(text, problem.name);
        try {
            problem.parse_sizes(sizes);
        } catch (const UsageError& wrong) {
            throw UsageError(option() + ": problem '" + text + "': " + wrong.what() +
                             "; expected " + P::kSyntax + ", as in " + P::kExample);
        }
        expand(problem, 0, take);
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
    void expand(P& problem, size_t index, const Take& take) const {
        if (index == fields_.size()) return take(std::make_unique<P>(problem));
        for (const std::string& value : values_.at(fields_[index].name)) {
            fields_[index].parse(problem, value);
            expand(problem, index + 1, take);
        }
    }
    const std::vector<Field<P>> fields_ = P::fields();
    std::map<std::string, std::vector<std::string>> values_;
};

// The source of the problem P calls it in make_<primitive>_driver(). P is whole only there.
template <class P>
std::unique_ptr<Driver> make_driver() {
    return std::make_unique<TypedDriver<P>>();
}

}  // namespace tombola::bench
