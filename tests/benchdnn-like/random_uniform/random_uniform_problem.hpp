// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/fill_problem.hpp"
#include "reference/random_uniform_reference.hpp"

namespace tombola::bench {

struct RandomUniformProblem : FillProblem<RandomUniformProblem, reference::UniformRequest> {
    static constexpr const char* kName = "random_uniform";
    static constexpr const char* kSummary =
        "uniform numbers in [min, max), TensorFlow's or PyTorch's; DIMS as 1024x1024";
    static constexpr auto* kReference = &reference::random_uniform_reference;

    NumberOrAuto min{{"0"}};
    NumberOrAuto max{{"auto"}};
    tombola_int_draws_t int_draws = tombola_int_draws_spec;
    tombola_float_draws_t float_draws = tombola_float_draws_torch1;
    bool full_range = false;

    static std::vector<Field<RandomUniformProblem>> fields();
    std::string option_refusal() const;
    std::string desc_refusal() const;
    tombola_status_t create_fill(Creation& creation,
                                 tombola_primitive_desc_t* primitive_desc) const;
    void add_own_arguments(Arguments& args) const;
    void complete(reference::UniformRequest& request, const Arguments& args) const;
    static std::string value_refusal(const reference::UniformRequest& request, uint64_t count);

  private:
    // The bounds with their values: "auto" depends on the type.
    NumberText low() const;
    NumberText high() const;
};

}  // namespace tombola::bench
