// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/numeric.hpp"
#include "reference/random_bernoulli_reference.hpp"

namespace tombola::bench {

struct RandomBernoulliProblem : TensorProblem<RandomBernoulliProblem> {
    static constexpr const char* kName = "random_bernoulli";
    static constexpr const char* kSummary =
        "1 with the probability p, otherwise 0, from TensorFlow's or PyTorch's stream; DIMS as "
        "1024x1024";

    tombola_alignment_t alignment = tombola_alignment_tensorflow;
    tombola_data_type_t dt = tombola_f32;
    Seeds seeds{150, 10};
    NumberText p{"0.5"};
    tombola_data_type_t pdt = tombola_f64;
    bool p_tensor = false;
    TagName ptag{"abx"};
    uint64_t offset = 0;

    static std::vector<Field<RandomBernoulliProblem>> fields();
    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    void pin(const Arguments& args) override { pin_seeds(args, seeds); }
    Ceiling ceiling() const override { return Ceiling::fill; }
    std::unique_ptr<Problem> resized(int64_t bytes) const override;

  private:
    // The text p as an element of pdt; false if it is none.
    bool probability(reference::Scalar& value) const;
    // Why no primitive can be made; empty if it can.
    std::string creation_refusal() const;
    reference::BernoulliRequest request(const Arguments& args) const;
};

}  // namespace tombola::bench
