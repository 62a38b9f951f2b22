// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/driver.hpp"

namespace tombola::bench {

struct RandomGeneratorProblem : TypedProblem<RandomGeneratorProblem> {
    static constexpr const char* kName = "random_generator";
    static constexpr const char* kSyntax = "DIMS";
    static constexpr const char* kSummary =
        "raw words of Philox 4x32-10, u32, with the state in and out; DIMS as 1024x1024";

    Words<4> counter{};
    Words<2> key{};
    TagName tag{"abx"};
    reference::Dims dims;

    static std::vector<Field<RandomGeneratorProblem>> fields();
    bool parse_sizes(const std::string& text) { return parse_dims(text, dims); }
    std::string print_sizes() const { return print_dims(dims); }

    tombola_status_t create(const Settings& settings, const_tombola_primitive_attr_t attr,
                            PrimitiveDesc& primitive_desc, std::string& reason) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(const Settings& settings, Arguments& args) const override;
    void expect(Arguments& args) const override;
    Ceiling ceiling() const override { return Ceiling::fill; }
    std::unique_ptr<Problem> resized(int64_t bytes) const override;
};

}  // namespace tombola::bench
