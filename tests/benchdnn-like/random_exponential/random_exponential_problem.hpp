// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/random_exponential_reference.hpp"

namespace tombola::bench {

struct RandomExponentialProblem : TensorProblem<RandomExponentialProblem> {
    static constexpr const char* kName = "random_exponential";
    static constexpr const char* kSummary =
        "exponentially distributed numbers, from TensorFlow's or PyTorch's stream; DIMS as "
        "1024x1024";

    tombola_alignment_t alignment = tombola_alignment_tensorflow;
    tombola_data_type_t dt = tombola_f32;
    Seeds seeds{150, 10};
    NumberText lambda{"1"};
    uint64_t offset = 0;

    static std::vector<Field<RandomExponentialProblem>> fields();
    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    void pin(const Arguments& args) override { pin_seeds(args, seeds); }
    Ceiling ceiling() const override { return Ceiling::fill; }
    std::unique_ptr<Problem> resized(int64_t bytes) const override;

  private:
    // The rate; false if the text is no f64.
    bool rate(double& value) const;
    reference::ExponentialRequest request(const Arguments& args) const;
};

}  // namespace tombola::bench
