// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/random_normal_reference.hpp"

namespace tombola::bench {

struct RandomNormalProblem : TensorProblem<RandomNormalProblem> {
    static constexpr const char* kName = "random_normal";
    static constexpr const char* kSummary =
        "normal numbers, TensorFlow's or PyTorch's; DIMS as 1024x1024";

    tombola_alignment_t alignment = tombola_alignment_tensorflow;
    tombola_data_type_t dt = tombola_f32;
    Seeds seeds{150, 10};
    NumberText mean{"0"};
    NumberText std{"1"};
    uint64_t offset = 0;

    static std::vector<Field<RandomNormalProblem>> fields();
    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    void pin(const Arguments& args) override { pin_seeds(args, seeds); }
    Ceiling ceiling() const override { return Ceiling::fill; }
    std::unique_ptr<Problem> resized(int64_t bytes) const override;

  private:
    // The mean and the deviation as elements of the type; false with a reason when the type cannot hold one.
    bool moments(reference::Scalar& mean_value, reference::Scalar& std_value,
                 std::string& reason) const;
    reference::NormalRequest request(const Arguments* args) const;
    uint64_t elements() const;
};

}  // namespace tombola::bench
