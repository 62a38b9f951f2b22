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

tombola_status_t MultinomialProblem::create(Creation& creation,
                                            tombola_primitive_desc_t* primitive_desc) const {
    check_samples();
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
    return default_rows([this](double u, bool never) {
        if (log_probs) return never ? -__builtin_inf() : 20 * u - 10;
        return never ? 0 : u + 0.0625;
    });
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
    request.uniforms = values_of<double>(args, TOMBOLA_ARG_UNIFORMS);
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
    args.expect(TOMBOLA_ARG_DST, indices, reference::size_of(odt));
}

std::unique_ptr<Driver> make_multinomial_driver() { return make_driver<MultinomialProblem>(); }

}  // namespace tombola::bench
