// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/rows_problem.hpp"
#include "common/text.hpp"
#include "reference/token_sampler_reference.hpp"

namespace tombola::bench {

// A number for all rows, or "@FILE", a file with a raw value for each row; kept as text. Empty: the argument is absent.
template <class T>
struct RowNumber {
    std::string text;
    bool is_file() const { return !text.empty() && text[0] == '@'; }
};

bool parse_value(const std::string& text, RowNumber<float>& value);
bool parse_value(const std::string& text, RowNumber<int32_t>& value);
bool parse_value(const std::string& text, RowNumber<uint64_t>& value);
template <class T>
std::string print_value(const RowNumber<T>& value) {
    return quoted(value.text);
}
std::string expected_value(const RowNumber<float>&);
std::string expected_value(const RowNumber<int32_t>&);
std::string expected_value(const RowNumber<uint64_t>&);

struct TokenSamplerProblem : RowsProblem<TokenSamplerProblem> {
    static constexpr const char* kName = "token_sampler";
    static constexpr const char* kSummary =
        "token ids drawn from logits; BATCHxCLASSES as 64x128000";

    tombola_filter_order_t order = tombola_filter_order_transformers;
    RowNumber<float> temperature{"1"};
    RowNumber<int32_t> top_k{"0"};
    RowNumber<float> top_p{"1"};
    RowNumber<float> min_p{"0"};
    FileName row_seeds;
    RowNumber<uint64_t> offset{"0"};
    FileName mask;
    tombola_logprobs_t logprobs = tombola_logprobs_none;
    int64_t top_n = 0;

    static std::vector<Field<TokenSamplerProblem>> fields();

    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const override;
    std::string refusal(const Arguments* args) const override;
    void add_arguments(Arguments& args) const override;
    void expect(Arguments& args) const override;
    std::string mistrust(const Arguments& args) const override;

  private:
    // Peaked logits that depend on their number alone.
    Bytes default_logits() const;
    reference::TokenSamplerRequest request(const Arguments& args) const;
    // Whether the row's seeds are drawn from the operating system, so that nobody knows what it must have.
    bool draws_entropy(const reference::TokenSamplerRequest& request, int64_t row) const;
    // Takes the row's result as the expected one.
    void accept_row(Arguments& args, int arg, int64_t row) const;
};

}  // namespace tombola::bench
