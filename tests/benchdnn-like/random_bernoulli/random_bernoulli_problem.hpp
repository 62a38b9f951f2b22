// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/fill_problem.hpp"
#include "reference/random_bernoulli_reference.hpp"

namespace tombola::bench {

struct RandomBernoulliProblem : FillProblem<RandomBernoulliProblem, reference::BernoulliRequest> {
    static constexpr const char* kName = "random_bernoulli";
    static constexpr const char* kSummary =
        "1 with the probability p, otherwise 0, from TensorFlow's or PyTorch's stream; DIMS as "
        "1024x1024";
    static constexpr auto* kReference = &reference::random_bernoulli_reference;

    NumberText p{"0.5"};
    tombola_data_type_t pdt = tombola_f64;
    bool p_tensor = false;
    TagName ptag{"abx"};

    static std::vector<Field<RandomBernoulliProblem>> fields();
    std::string option_refusal() const;
    tombola_status_t create_fill(Creation& creation,
                                 tombola_primitive_desc_t* primitive_desc) const;
    void add_own_arguments(Arguments& args) const;
    void complete(reference::BernoulliRequest& request, const Arguments& args) const;
    static std::string value_refusal(const reference::BernoulliRequest& request, uint64_t count);
    std::string desc_refusal() const;
};

}  // namespace tombola::bench
