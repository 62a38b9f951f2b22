// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/multinomial_reference.hpp"

namespace tombola::bench {

struct MultinomialProblem : TypedProblem<MultinomialProblem> {
    static constexpr const char* kName = "multinomial";
    static constexpr const char* kSyntax = "BATCHxCLASSES";
    static constexpr const char* kSummary =
        "class indices drawn by weight; BATCHxCLASSES as 64x32000";

    tombola_data_type_t dt = tombola_f32;
    tombola_data_type_t odt = tombola_s64;
    Seeds seeds{234, 148};
    bool replacement = true;
    bool log_probs = false;
    int64_t samples = 1;
    uint64_t offset = 0;
    FileName uniforms;
    int64_t batch = 0, classes = 0;

    static std::vector<Field<MultinomialProblem>> fields();
    bool parse_sizes(const std::string& text);
    std::string print_sizes() const { return print_dims({batch, classes}); }

    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    void pin(const Arguments& args) override { pin_seeds(args, seeds); }
    Ceiling ceiling() const override { return Ceiling::read; }

  private:
    // Weights or logits that depend on their number alone.
    Bytes default_probs() const;
    reference::MultinomialRequest request(const Arguments& args) const;
};

}  // namespace tombola::bench
