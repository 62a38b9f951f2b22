// SPDX-License-Identifier: Apache-2.0
#include "token_sampler/token_sampler_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "reference/numeric.hpp"

namespace tombola::bench {

namespace {

template <class T>
constexpr tombola_data_type_t kTypeOf = tombola_f32;
template <>
constexpr tombola_data_type_t kTypeOf<int32_t> = tombola_s32;
template <>
constexpr tombola_data_type_t kTypeOf<uint64_t> = tombola_u64;

template <class T>
bool parse_row_number(const std::string& text, RowNumber<T>& value) {
    value.text = text;
    if (value.is_file()) return text.size() > 1;
    reference::Scalar scalar;
    bool fits = false;
    return reference::parse_scalar(kTypeOf<T>, text, scalar, fits) && fits;
}

template <class T>
T number_of(const RowNumber<T>& value) {
    reference::Scalar scalar;
    bool fits = false;
    reference::parse_scalar(kTypeOf<T>, value.text, scalar, fits);
    return reference::value_of<T>(scalar);
}

// Adds the argument, unless it has the value that it has when it is absent.
template <class T>
void add_row_number(Arguments& args, int arg, const char* name, const RowNumber<T>& value,
                    const char* absent, int64_t batch, const char* option) {
    if (value.text == absent) return;
    if (value.is_file()) {
        const size_t bytes = static_cast<size_t>(batch) * sizeof(T);
        return args.add_rows(arg, name, {batch},
                             read_file(value.text.substr(1), bytes, option, "@"));
    }
    const T number = number_of(value);
    args.add_input(arg, name, bytes_of(&number, 1));
}

}  // namespace

bool parse_value(const std::string& text, RowNumber<float>& value) {
    return parse_row_number(text, value);
}
bool parse_value(const std::string& text, RowNumber<int32_t>& value) {
    return parse_row_number(text, value);
}
bool parse_value(const std::string& text, RowNumber<uint64_t>& value) {
    return parse_row_number(text, value);
}
std::string expected_value(const RowNumber<float>&) {
    return "a number that f32 can hold, or @FILE with an f32 per row";
}
std::string expected_value(const RowNumber<int32_t>&) {
    return "an integer of 32 bits, or @FILE with an s32 per row";
}
std::string expected_value(const RowNumber<uint64_t>&) {
    return "an unsigned integer of 64 bits, or @FILE with a u64 per row";
}

std::vector<Field<TokenSamplerProblem>> TokenSamplerProblem::fields() {
    using P = TokenSamplerProblem;
    return {
        field<P>("dt", &P::dt, "data type of the logits", {tombola_f32, tombola_bf16, tombola_f16}),
        field<P>("odt", &P::odt, "data type of the indices", {tombola_s32, tombola_s64}),
        field<P>("order", &P::order, "order of the filters"),
        field<P>("temperature", &P::temperature, "temperature; 0 is greedy"),
        field<P>("top-k", &P::top_k, "classes that are kept; 0 keeps all"),
        field<P>("top-p", &P::top_p, "mass that is kept"),
        field<P>("min-p", &P::min_p, "least probability that is kept, relative to the greatest"),
        field<P>("samples", &P::samples, "samples per row"),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("row-seeds", &P::row_seeds,
                 "u64 pairs GLOBAL, OP, one per row, in place of --seeds"),
        field<P>("offset", &P::offset, "number of the stream at which the rows, or the row, start"),
        field<P>("uniforms", &P::uniforms,
                 "f64 numbers in [0, 1], BATCH x samples of them, in place of the stream's"),
        field<P>("mask", &P::mask,
                 "s32 words, BATCH x ceil(CLASSES / 32): bit k % 32 of word k / 32 allows class k"),
        field<P>("logprobs", &P::logprobs, "which log probabilities are written"),
        field<P>("top-n", &P::top_n, "classes of the greatest logits that are written"),
    };
}

tombola_status_t TokenSamplerProblem::create(Creation& creation,
                                             tombola_primitive_desc_t* primitive_desc) const {
    check_samples();
    return tombola_token_sampler_primitive_desc_create(
        primitive_desc, engine(), creation.desc({batch, classes}, dt),
        creation.desc({batch, samples}, odt), order, logprobs, top_n, seeds.global, seeds.op,
        creation.attr());
}

std::string TokenSamplerProblem::refusal(const Arguments* args) const {
    if (samples < 0) return "the number of samples is negative";
    if (classes > INT32_MAX) return "there are too many classes";
    if (top_n < 0 || top_n > classes) return "top_n is negative, or above the number of classes";
    if (batch > 0 && classes == 0) return "there is no class";
    // Values inside tensors are looked at when the primitive runs.
    if (args == nullptr || batch == 0) return "";
    return reference::token_sampler_refusal(request(*args),
                                            args->at(TOMBOLA_ARG_SRC).values.data());
}

// The weights fall like j^-1.5, as Zipf's law has it: 60 classes of 128,000 have nine tenths of the mass.
Bytes TokenSamplerProblem::default_logits() const {
    return default_rows([](double u, bool never) {
        return never ? -__builtin_inf() : -1.5 * std::log(u + 0x1p-24);  // of a number in (0, 1]
    });
}

void TokenSamplerProblem::add_arguments(Arguments& args) const {
    args.add_src(TOMBOLA_ARG_SRC, "SRC", [this](size_t) { return default_logits(); });
    add_row_number(args, TOMBOLA_ARG_TEMPERATURE, "TEMPERATURE", temperature, "1", batch,
                   "--temperature");
    add_row_number(args, TOMBOLA_ARG_TOP_K, "TOP_K", top_k, "0", batch, "--top-k");
    add_row_number(args, TOMBOLA_ARG_TOP_P, "TOP_P", top_p, "1", batch, "--top-p");
    add_row_number(args, TOMBOLA_ARG_MIN_P, "MIN_P", min_p, "0", batch, "--min-p");
    add_row_number(args, TOMBOLA_ARG_OFFSET, "OFFSET", offset, "0", batch, "--offset");
    if (!row_seeds.text.empty())
        args.add_rows(TOMBOLA_ARG_SEEDS, "SEEDS", {batch, 2},
                      read_file(row_seeds.text, static_cast<size_t>(batch) * 16, "--row-seeds"));
    args.add_file(TOMBOLA_ARG_UNIFORMS, "UNIFORMS", uniforms.text, "--uniforms");
    args.add_file(TOMBOLA_ARG_MASK, "MASK", mask.text, "--mask");
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    const bool writes = logprobs != tombola_logprobs_none;
    if (writes) args.add_output(TOMBOLA_ARG_DST_LOGPROBS, "DST_LOGPROBS", ".logprobs");
    if (top_n > 0) args.add_output(TOMBOLA_ARG_DST_TOP_IDS, "DST_TOP_IDS", ".top_ids");
    if (top_n > 0 && writes)
        args.add_output(TOMBOLA_ARG_DST_TOP_LOGPROBS, "DST_TOP_LOGPROBS", ".top_logprobs");
    if (!args.wants_optional_outputs()) return;
    args.add_output(TOMBOLA_ARG_DST_KEPT, "DST_KEPT", ".kept");
    if (row_seeds.text.empty()) args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

reference::TokenSamplerRequest TokenSamplerProblem::request(const Arguments& args) const {
    reference::TokenSamplerRequest request;
    request.type = dt;
    request.filter_order = order;
    request.logprobs = logprobs;
    request.batch = batch;
    request.classes = classes;
    request.samples = samples;
    request.top_n = top_n;
    request.temperature = values_of<float>(args, TOMBOLA_ARG_TEMPERATURE);
    request.top_k = values_of<int32_t>(args, TOMBOLA_ARG_TOP_K);
    request.top_p = values_of<float>(args, TOMBOLA_ARG_TOP_P);
    request.min_p = values_of<float>(args, TOMBOLA_ARG_MIN_P);
    request.offset = values_of<uint64_t>(args, TOMBOLA_ARG_OFFSET);
    request.seeds = values_of<uint64_t>(args, TOMBOLA_ARG_SEEDS);
    request.row_seeds = batch > 1 && !request.seeds.empty();
    if (request.seeds.empty()) request.seeds = {seeds.global, seeds.op};
    request.uniforms = values_of<double>(args, TOMBOLA_ARG_UNIFORMS);
    request.mask = values_of<uint32_t>(args, TOMBOLA_ARG_MASK);
    return request;
}

void TokenSamplerProblem::expect(Arguments& args) const {
    reference::TokenSamplerRequest wanted = request(args);
    const bool has_rows = args.find(TOMBOLA_ARG_SEEDS) != nullptr;
    const bool streams = args.find(TOMBOLA_ARG_UNIFORMS) == nullptr;
    if (!has_rows) {
        const auto used = expect_seeds(args, seeds, streams);
        if (!used) {
            for (Argument& output : args.all()) output.compared = false;
            return;
        }
        wanted.seeds = {used->global, used->op};
    }
    const reference::TokenSamplerResult result =
        reference::token_sampler_reference(wanted, args.at(TOMBOLA_ARG_SRC).values.data());
    args.expect(TOMBOLA_ARG_DST, result.ids, reference::size_of(odt));
    args.expect(TOMBOLA_ARG_DST_LOGPROBS, result.logprobs);
    args.expect(TOMBOLA_ARG_DST_KEPT, result.kept);
    args.expect(TOMBOLA_ARG_DST_TOP_IDS, result.top_ids, reference::size_of(odt));
    args.expect(TOMBOLA_ARG_DST_TOP_LOGPROBS, result.top_logprobs);
    if (!has_rows || !streams) return;
    for (int64_t row = 0; row < batch; ++row)
        if (draws_entropy(wanted, row))
            for (const int arg : {TOMBOLA_ARG_DST, TOMBOLA_ARG_DST_LOGPROBS})
                accept_row(args, arg, row);
}

bool TokenSamplerProblem::draws_entropy(const reference::TokenSamplerRequest& request,
                                        int64_t row) const {
    const auto of_row = [row](const std::vector<float>& values) {
        return values[values.size() > 1 ? static_cast<size_t>(row) : 0];
    };
    if (!request.temperature.empty() && of_row(request.temperature) == 0) return false;  // greedy
    const size_t pair = request.row_seeds ? 2 * static_cast<size_t>(row) : 0;
    return request.seeds[pair] == 0 && request.seeds[pair + 1] == 0;
}

void TokenSamplerProblem::accept_row(Arguments& args, int arg, int64_t row) const {
    Argument* const output = args.find(arg);
    if (output == nullptr || batch == 0) return;
    const size_t bytes = output->expected.size() / static_cast<size_t>(batch);
    const size_t begin = bytes * static_cast<size_t>(row);
    std::copy_n(output->values.begin() + static_cast<ptrdiff_t>(begin), bytes,
                output->expected.begin() + static_cast<ptrdiff_t>(begin));
}

std::string TokenSamplerProblem::mistrust(const Arguments& args) const {
    if (args.find(TOMBOLA_ARG_SEEDS) == nullptr || args.find(TOMBOLA_ARG_UNIFORMS) != nullptr)
        return "";
    const reference::TokenSamplerRequest wanted = request(args);
    int64_t rows = 0;
    for (int64_t row = 0; row < batch; ++row) rows += draws_entropy(wanted, row) ? 1 : 0;
    return rows == 0 ? ""
                     : "samples were not compared in " + std::to_string(rows) + " of " +
                           std::to_string(batch) +
                           " rows, whose seeds 0, 0 are drawn from the operating system";
}

std::unique_ptr<Driver> make_token_sampler_driver() { return make_driver<TokenSamplerProblem>(); }

}  // namespace tombola::bench
