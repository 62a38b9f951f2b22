// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/fill_problem.hpp"
#include "reference/random_normal_reference.hpp"

namespace tombola::bench {

struct RandomNormalProblem : FillProblem<RandomNormalProblem, reference::NormalRequest> {
    static constexpr const char* kName = "random_normal";
    static constexpr const char* kSummary =
        "normal numbers, TensorFlow's or PyTorch's; DIMS as 1024x1024";
    static constexpr auto* kReference = &reference::random_normal_reference;

    NumberText mean{"0"};
    NumberText std{"1"};

    static std::vector<Field<RandomNormalProblem>> fields();
    std::string option_refusal() const;
    tombola_status_t create_fill(Creation& creation,
                                 tombola_primitive_desc_t* primitive_desc) const;
    void add_own_arguments(Arguments& args) const;
    void complete(reference::NormalRequest& request, const Arguments& args) const;
    static std::string value_refusal(const reference::NormalRequest& request, uint64_t count);
    static size_t state_bytes(tombola_alignment_t kind) {
        return reference::normal_state_bytes(kind);
    }
};

}  // namespace tombola::bench
