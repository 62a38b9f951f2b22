// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/typed_driver.hpp"

namespace tombola::bench {

struct RandomGeneratorProblem : TensorProblem<RandomGeneratorProblem> {
    static constexpr const char* kName = "random_generator";
    static constexpr const char* kSummary =
        "raw words of Philox 4x32-10, u32, with the state in and out; DIMS as 1024x1024";

    Words<4> counter{};
    Words<2> key{};

    static std::vector<Field<RandomGeneratorProblem>> fields();
    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    Ceiling ceiling() const override { return Ceiling::fill; }
    std::unique_ptr<Problem> resized(int64_t bytes) const override;
};

}  // namespace tombola::bench
