// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/random_permutation_reference.hpp"

namespace tombola::bench {

struct RandomPermutationProblem : TypedProblem<RandomPermutationProblem> {
    static constexpr const char* kName = "random_permutation";
    static constexpr const char* kSyntax = "N";
    static constexpr const char* kExample = "1000";
    static constexpr const char* kSummary =
        "N elements of a random permutation, torch.randperm's or one with random access";

    tombola_permutation_alignment_t alignment = tombola_permutation_pytorch;
    tombola_data_type_t dt = tombola_s64;
    int64_t range = 0;
    Seeds seeds{234, 148};
    uint64_t offset = 0;
    int64_t count = 0;

    static std::vector<Field<RandomPermutationProblem>> fields();
    void parse_sizes(const std::string& text);
    std::string print_sizes() const { return print_dims({count}); }

    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    void pin(const Arguments& args) override { pin_seeds(args, seeds); }
    Ceiling ceiling() const override { return Ceiling::fill; }
    std::unique_ptr<Problem> resized(int64_t bytes) const override;

  private:
    // The elements of the whole permutation.
    int64_t whole() const { return range == 0 ? count : range; }
    reference::PermutationRequest request(const Arguments& args) const;
};

}  // namespace tombola::bench
