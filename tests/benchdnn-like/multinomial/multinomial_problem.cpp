// SPDX-License-Identifier: Apache-2.0
#include "multinomial/multinomial_problem.hpp"

#include "reference/numeric.hpp"

namespace tombola::bench {

std::vector<Field<MultinomialProblem>> MultinomialProblem::fields() {
    using P = MultinomialProblem;
    return {
        field<P>("dt", &P::dt, "data type of the weights or logits",
                 {tombola_f16, tombola_bf16, tombola_f32, tombola_f64}),
        field<P>("odt", &P::odt, "data type of the indices", {tombola_s32, tombola_s64}),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("replacement", &P::replacement, "whether a class may be drawn again"),
        field<P>("log-probs", &P::log_probs, "whether the input is logits"),
        field<P>("samples", &P::samples, "samples per row"),
        field<P>("offset", &P::offset, "sample of the stream at which the tensor starts"),
        field<P>("uniforms", &P::uniforms,
                 "f64 numbers in [0, 1], BATCH x samples of them, in place of the stream's"),
    };
}

bool MultinomialProblem::parse_sizes(const std::string& text) {
    reference::Dims dims;
    if (!parse_dims(text, dims) || dims.size() != 2) return false;
    batch = dims[0];
    classes = dims[1];
    return true;
}

tombola_status_t MultinomialProblem::create(Creation& creation,
                                            tombola_primitive_desc_t* primitive_desc) const {
    if (samples < 0) throw Refused{tombola_invalid_arguments, "--samples is negative"};
    return tombola_multinomial_primitive_desc_create(
        primitive_desc, engine(), creation.desc({batch, classes}, dt),
        creation.desc({batch, samples}, odt), replacement ? 1 : 0, log_probs ? 1 : 0, seeds.global,
        seeds.op, creation.attr());
}

std::string MultinomialProblem::refusal(const Arguments* args) const {
    if (samples < 0) return "the number of samples is negative";
    if (batch == 0 || samples == 0) return "";
    if (classes == 0) return "there is no class";
    if (odt == tombola_s32 && classes > INT64_C(0x80000000)) return "s32 cannot count the classes";
    if (!replacement && samples > classes) return "there are more samples than classes";
    // Values inside tensors are looked at when the primitive runs.
    if (args == nullptr) return "";
    if (uniforms.text.empty())
        if (auto reason = offset_refusal(offset, static_cast<uint64_t>(batch * samples));
            !reason.empty())
            return reason;
    return reference::multinomial_refusal(request(*args), args->at(TOMBOLA_ARG_SRC).values.data());
}

Bytes MultinomialProblem::default_probs() const {
    const size_t size = reference::size_of(dt);
    const auto count = static_cast<size_t>(batch * classes);
    Bytes bytes(count * size);
    uint64_t state = 1;
    for (size_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
        const double u = static_cast<double>(state >> 40) * 0x1p-24;  // in [0, 1)
        // Every 16th weight is 0 and every 16th logit -inf, but for the first of a row.
        const bool never = i % 16 == 7 && i % static_cast<size_t>(classes) != 0;
        const double value = log_probs ? (never ? -__builtin_inf() : 20 * u - 10)
                             : never   ? 0
                                       : u + 0.0625;
        reference::Scalar scalar{};
        switch (dt) {
            case tombola_f16:
                scalar = reference::scalar_of(reference::double_to_f16(value));
                break;
            case tombola_bf16:
                scalar = reference::scalar_of(reference::double_to_bf16(value));
                break;
            case tombola_f32:
                scalar = reference::scalar_of(static_cast<float>(value));
                break;
            default:
                scalar = reference::scalar_of(value);
                break;
        }
        std::memcpy(&bytes[i * size], scalar.data(), size);
    }
    return bytes;
}

void MultinomialProblem::add_arguments(Arguments& args) const {
    args.add_src(TOMBOLA_ARG_SRC, "SRC", [this](size_t) { return default_probs(); });
    args.add_offset(offset);
    args.add_file(TOMBOLA_ARG_UNIFORMS, "UNIFORMS", uniforms.text, "--uniforms");
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    if (args.wants_optional_outputs()) args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

reference::MultinomialRequest MultinomialProblem::request(const Arguments& args) const {
    reference::MultinomialRequest request;
    request.type = dt;
    request.with_replacement = replacement;
    request.log_probs = log_probs;
    request.batch = batch;
    request.classes = classes;
    request.samples = samples;
    request.global_seed = seeds.global;
    request.op_seed = seeds.op;
    request.offset = offset;
    if (const Argument* given = args.find(TOMBOLA_ARG_UNIFORMS)) {
        request.uniforms.resize(given->count());
        if (!request.uniforms.empty())
            std::memcpy(request.uniforms.data(), given->values.data(), given->values.size());
    }
    return request;
}

void MultinomialProblem::expect(Arguments& args) const {
    reference::MultinomialRequest wanted = request(args);
    Argument& dst = args.at(TOMBOLA_ARG_DST);
    const auto used = expect_seeds(args, seeds, args.find(TOMBOLA_ARG_UNIFORMS) == nullptr);
    dst.compared = used.has_value();
    if (!used) return;
    wanted.global_seed = used->global;
    wanted.op_seed = used->op;
    std::vector<int64_t> indices;
    reference::multinomial_reference(wanted, args.at(TOMBOLA_ARG_SRC).values.data(), indices);
    const size_t size = reference::size_of(odt);
    dst.expected.resize(dst.logical_bytes());
    for (size_t i = 0; i < indices.size(); ++i)
        std::memcpy(&dst.expected[i * size], &indices[i], size);  // little-endian: the low bytes
}

template std::unique_ptr<Driver> make_driver<MultinomialProblem>();

}  // namespace tombola::bench
