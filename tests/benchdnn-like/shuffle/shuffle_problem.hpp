// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/typed_driver.hpp"

namespace tombola::bench {

struct ShuffleProblem : TensorProblem<ShuffleProblem> {
    static constexpr const char* kName = "shuffle";
    static constexpr const char* kSummary = "channel shuffle; DIMS as 2x16x7x7";

    Direction dir = Direction::FWD_D;
    tombola_data_type_t dt = tombola_f32;
    TagName dtag{"any"};
    int axis = 1;
    int64_t group = 1;

    static std::vector<Field<ShuffleProblem>> fields();
    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    std::string mistrust(const Arguments& args) const override;
    Ceiling ceiling() const override { return Ceiling::copy; }

  private:
    bool is_backward() const { return dir == Direction::BWD_D; }
    int input() const { return is_backward() ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC; }
    int output() const { return is_backward() ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST; }
};

}  // namespace tombola::bench
