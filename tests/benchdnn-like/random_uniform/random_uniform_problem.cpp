// SPDX-License-Identifier: Apache-2.0
#include "random_uniform/random_uniform_problem.hpp"

#include "reference/numeric.hpp"

namespace tombola::bench {

std::vector<Field<RandomUniformProblem>> RandomUniformProblem::fields() {
    using P = RandomUniformProblem;
    return {
        field<P>("alignment", &P::alignment, "whose numbers"),
        field<P>("dt", &P::dt, "data type",
                 {tombola_f16, tombola_bf16, tombola_f32, tombola_f64, tombola_s32, tombola_s64}),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("min", &P::min, "lower bound, inclusive; auto is 0"),
        field<P>(
            "max", &P::max,
            "upper bound, exclusive; auto is 1 for floating point, the type's greatest value for "
            "integers"),
        field<P>("offset", &P::offset, "element of the stream at which the tensor starts"),
        field<P>("int-draws", &P::int_draws, "pytorch: the rule for words an integer takes"),
        field<P>("tag", &P::tag, "layout"),
    };
}

bool RandomUniformProblem::bounds(reference::Scalar& low, reference::Scalar& high,
                                  std::string& reason) const {
    const std::string greatest = reference::is_floating(dt) ? "1"
                                 : dt == tombola_s64        ? "9223372036854775807"
                                                            : "2147483647";
    const std::string texts[] = {min.text == "auto" ? "0" : min.text,
                                 max.text == "auto" ? greatest : max.text};
    reference::Scalar* const values[] = {&low, &high};
    for (int i = 0; i < 2; ++i) {
        bool fits = false;
        if (!reference::parse_scalar(dt, texts[i], *values[i], fits) || !fits) {
            reason = std::string(i ? "--max=" : "--min=") + texts[i] + " is not a value of " +
                     print_value(dt);
            return false;
        }
    }
    return true;
}

tombola_status_t RandomUniformProblem::create(Creation& creation,
                                              tombola_primitive_desc_t* primitive_desc) const {
    reference::Scalar low, high;
    std::string reason;
    if (!bounds(low, high, reason)) throw Refused{tombola_invalid_arguments, reason};
    return tombola_random_uniform_primitive_desc_create(
        primitive_desc, engine(), alignment, creation.desc(dims, dt, tag.text), seeds.global,
        seeds.op, int_draws, creation.attr());
}

std::string RandomUniformProblem::refusal(const Arguments* args) const {
    reference::Scalar low, high;
    std::string reason;
    if (!bounds(low, high, reason)) return reason;
    if (!fits(tag)) return tag_refusal();
    // Values inside tensors are looked at when the primitive runs.
    if (args == nullptr) return "";
    reason = reference::uniform_refusal(request(args));
    uint64_t elements = 1;
    for (const int64_t size : dims) elements *= static_cast<uint64_t>(size);
    return reason.empty() ? offset_refusal(offset, elements) : reason;
}

void RandomUniformProblem::add_arguments(Arguments& args) const {
    reference::Scalar low, high;
    std::string reason;
    bounds(low, high, reason);
    const size_t size = reference::size_of(dt);
    args.add_input(TOMBOLA_ARG_MIN, "MIN", Bytes(low.begin(), low.begin() + size));
    args.add_input(TOMBOLA_ARG_MAX, "MAX", Bytes(high.begin(), high.begin() + size));
    args.add_offset(offset);
    args.add_state(TOMBOLA_ARG_SRC_STATE, "SRC_STATE", reference::stream_state_bytes(alignment));
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    if (!args.wants_optional_outputs()) return;
    args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", ".state");
    args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

reference::UniformRequest RandomUniformProblem::request(const Arguments* args) const {
    reference::UniformRequest request;
    request.alignment = alignment;
    request.int_draws = int_draws;
    request.type = dt;
    std::string reason;
    bounds(request.min, request.max, reason);
    request.global_seed = seeds.global;
    request.op_seed = seeds.op;
    request.offset = offset;
    if (const Argument* state = args->find(TOMBOLA_ARG_SRC_STATE)) request.state = state->values;
    return request;
}

void RandomUniformProblem::expect(Arguments& args) const {
    reference::UniformRequest wanted = request(&args);
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
    reference::random_uniform_reference(wanted, dst.count(), dst.expected.data(),
                                        state ? &state->expected : nullptr);
}

std::unique_ptr<Problem> RandomUniformProblem::resized(int64_t bytes) const {
    return resized_to(bytes / static_cast<int64_t>(reference::size_of(dt)));
}

template std::unique_ptr<Driver> make_driver<RandomUniformProblem>();

}  // namespace tombola::bench
