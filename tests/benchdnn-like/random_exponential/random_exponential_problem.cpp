// SPDX-License-Identifier: Apache-2.0
#include "random_exponential/random_exponential_problem.hpp"

#include "reference/numeric.hpp"

namespace tombola::bench {

std::vector<Field<RandomExponentialProblem>> RandomExponentialProblem::fields() {
    using P = RandomExponentialProblem;
    return {
        field<P>("alignment", &P::alignment, "whose numbers"),
        field<P>("dt", &P::dt, "data type", {tombola_f16, tombola_bf16, tombola_f32, tombola_f64}),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("lambda", &P::lambda, "rate, above 0"),
        field<P>("offset", &P::offset, "element of the stream at which the tensor starts"),
        field<P>("tag", &P::tag, "layout"),
    };
}

bool RandomExponentialProblem::rate(double& value) const {
    reference::Scalar scalar;
    bool fits = false;
    if (!reference::parse_scalar(tombola_f64, lambda.text, scalar, fits) || !fits) return false;
    value = reference::value_of<double>(scalar);
    return true;
}

tombola_status_t RandomExponentialProblem::create(Creation& creation,
                                                  tombola_primitive_desc_t* primitive_desc) const {
    double unused = 0;
    if (!rate(unused))
        throw Refused{tombola_invalid_arguments,
                      "--lambda=" + lambda.text + " is not a value of f64"};
    return tombola_random_exponential_primitive_desc_create(
        primitive_desc, engine(), alignment, creation.desc(dims, dt, tag.text), seeds.global,
        seeds.op, creation.attr());
}

std::string RandomExponentialProblem::refusal(const Arguments* args) const {
    double unused = 0;
    if (!rate(unused)) return "--lambda=" + lambda.text + " is not a value of f64";
    if (!fits(tag)) return tag_refusal();
    // Values inside tensors are looked at when the primitive runs.
    if (args == nullptr) return "";
    const std::string reason = reference::exponential_refusal(request(*args));
    uint64_t elements = 1;
    for (const int64_t size : dims) elements *= static_cast<uint64_t>(size);
    return reason.empty() ? offset_refusal(offset, elements) : reason;
}

void RandomExponentialProblem::add_arguments(Arguments& args) const {
    double value = 0;
    rate(value);
    args.add_input(TOMBOLA_ARG_LAMBDA, "LAMBDA", bytes_of(&value, 1));
    args.add_offset(offset);
    args.add_state(TOMBOLA_ARG_SRC_STATE, "SRC_STATE", reference::stream_state_bytes(alignment));
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    if (!args.wants_optional_outputs()) return;
    args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", ".state");
    args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

reference::ExponentialRequest RandomExponentialProblem::request(const Arguments& args) const {
    reference::ExponentialRequest request;
    request.alignment = alignment;
    request.type = dt;
    rate(request.lambda);
    request.global_seed = seeds.global;
    request.op_seed = seeds.op;
    request.offset = offset;
    if (const Argument* state = args.find(TOMBOLA_ARG_SRC_STATE)) request.state = state->values;
    return request;
}

void RandomExponentialProblem::expect(Arguments& args) const {
    reference::ExponentialRequest wanted = request(args);
    Argument& dst = args.at(TOMBOLA_ARG_DST);
    const bool state_is_all =
        alignment == tombola_alignment_pytorch && args.find(TOMBOLA_ARG_SRC_STATE) != nullptr;
    const auto used = expect_seeds(args, seeds, !state_is_all);
    dst.compared = used.has_value();
    if (!used) return;
    wanted.global_seed = used->global;
    wanted.op_seed = used->op;
    dst.expected.resize(dst.logical_bytes());
    Argument* state = args.find(TOMBOLA_ARG_DST_STATE);
    reference::random_exponential_reference(wanted, dst.count(), dst.expected.data(),
                                            state ? &state->expected : nullptr);
}

std::unique_ptr<Problem> RandomExponentialProblem::resized(int64_t bytes) const {
    return resized_to(bytes / static_cast<int64_t>(reference::size_of(dt)));
}

template std::unique_ptr<Driver> make_driver<RandomExponentialProblem>();

}  // namespace tombola::bench
