// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"

namespace tombola::bench {

struct StochasticRoundingProblem : TensorProblem<StochasticRoundingProblem> {
    static constexpr const char* kName = "stochastic_rounding";
    static constexpr const char* kSummary = "stochastic rounding of f32; DIMS as 64x1024";

    tombola_data_type_t ddt = tombola_bf16;
    TagName dtag{"any"};
    Seeds seeds{150, 10};
    uint64_t offset = 0;

    static std::vector<Field<StochasticRoundingProblem>> fields();
    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    void pin(const Arguments& args) override { pin_seeds(args, seeds); }
    Ceiling ceiling() const override { return Ceiling::copy; }
};

}  // namespace tombola::bench
