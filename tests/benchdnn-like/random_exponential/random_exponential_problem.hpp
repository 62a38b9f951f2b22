// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/fill_problem.hpp"
#include "reference/random_exponential_reference.hpp"

namespace tombola::bench {

struct RandomExponentialProblem
    : FillProblem<RandomExponentialProblem, reference::ExponentialRequest> {
    static constexpr const char* kName = "random_exponential";
    static constexpr const char* kSummary =
        "exponentially distributed numbers, from TensorFlow's or PyTorch's stream; DIMS as "
        "1024x1024";
    static constexpr auto* kReference = &reference::random_exponential_reference;

    NumberText lambda{"1"};

    static std::vector<Field<RandomExponentialProblem>> fields();
    std::string option_refusal() const;
    tombola_status_t create_fill(Creation& creation,
                                 tombola_primitive_desc_t* primitive_desc) const;
    void add_own_arguments(Arguments& args) const;
    void complete(reference::ExponentialRequest& request, const Arguments& args) const;
    static std::string value_refusal(const reference::ExponentialRequest& request, uint64_t count);
};

}  // namespace tombola::bench
