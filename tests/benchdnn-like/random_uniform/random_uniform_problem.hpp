// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/random_uniform_reference.hpp"

namespace tombola::bench {

struct RandomUniformProblem : TensorProblem<RandomUniformProblem> {
    static constexpr const char* kName = "random_uniform";
    static constexpr const char* kSummary =
        "uniform numbers in [min, max), TensorFlow's or PyTorch's; DIMS as 1024x1024";

    tombola_alignment_t alignment = tombola_alignment_tensorflow;
    tombola_data_type_t dt = tombola_f32;
    Seeds seeds{150, 10};
    NumberText min{"0"};
    NumberText max{"auto"};
    uint64_t offset = 0;
    tombola_int_draws_t int_draws = tombola_int_draws_spec;

    static std::vector<Field<RandomUniformProblem>> fields();
    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    void pin(const Arguments& args) override { pin_seeds(args, seeds); }
    Ceiling ceiling() const override { return Ceiling::fill; }
    std::unique_ptr<Problem> resized(int64_t bytes) const override;

  private:
    // The bounds as elements of the type; false with a reason when the type cannot hold one.
    bool bounds(reference::Scalar& low, reference::Scalar& high, std::string& reason) const;
    reference::UniformRequest request(const Arguments* args) const;
};

}  // namespace tombola::bench
