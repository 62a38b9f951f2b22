// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/dropout_reference.hpp"

namespace tombola::bench {

struct DropoutProblem : TensorProblem<DropoutProblem> {
    static constexpr const char* kName = "dropout";
    static constexpr const char* kSummary = "dropout; DIMS as 64x1024";

    Direction dir = Direction::FWD_D;
    tombola_data_type_t dt = tombola_f32;
    TagName dtag{"any"};
    NumberText p{"0.5"};
    int draw_bits = 32;
    tombola_dropout_mask_t mask_kind = tombola_dropout_mask_none;
    Seeds seeds{150, 10};
    uint64_t offset = 0;

    static std::vector<Field<DropoutProblem>> fields();
    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    void pin(const Arguments& args) override {
        if (!is_backward()) pin_seeds(args, seeds);
    }
    Ceiling ceiling() const override { return Ceiling::copy; }

  private:
    bool is_backward() const { return dir == Direction::BWD_D; }
    int input() const { return is_backward() ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC; }
    int output() const { return is_backward() ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST; }
    reference::DropoutRequest request() const;
    Bytes mask_of(const std::vector<bool>& keeps) const;
};

}  // namespace tombola::bench
