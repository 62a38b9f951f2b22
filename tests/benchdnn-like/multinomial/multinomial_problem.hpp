// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/rows_problem.hpp"
#include "reference/multinomial_reference.hpp"

namespace tombola::bench {

struct MultinomialProblem : RowsProblem<MultinomialProblem> {
    static constexpr const char* kName = "multinomial";
    static constexpr const char* kSummary =
        "class indices drawn by weight; BATCHxCLASSES as 64x32000";

    bool replacement = true;
    bool log_probs = false;
    uint64_t offset = 0;

    static std::vector<Field<MultinomialProblem>> fields();

    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;

  private:
    // Weights or logits that depend on their number alone.
    Bytes default_probs() const;
    reference::MultinomialRequest request(const Arguments& args) const;
};

}  // namespace tombola::bench
