// SPDX-License-Identifier: Apache-2.0
#include "random_normal/random_normal_problem.hpp"

#include "reference/numeric.hpp"

namespace tombola::bench {

std::vector<Field<RandomNormalProblem>> RandomNormalProblem::fields() {
    using P = RandomNormalProblem;
    return {
        field<P>("alignment", &P::alignment, "whose numbers"),
        field<P>("dt", &P::dt, "data type", {tombola_f16, tombola_bf16, tombola_f32, tombola_f64}),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("mean", &P::mean, "mean"),
        field<P>("std", &P::std, "standard deviation, at least 0"),
        field<P>("offset", &P::offset,
                 "element of the stream at which the tensor starts; pytorch: a multiple of 16"),
        field<P>("tag", &P::tag, "layout"),
    };
}

bool RandomNormalProblem::moments(reference::Scalar& mean_value, reference::Scalar& std_value,
                                  std::string& reason) const {
    const NumberText* const texts[] = {&mean, &std};
    reference::Scalar* const values[] = {&mean_value, &std_value};
    for (int i = 0; i < 2; ++i) {
        bool fits = false;
        if (!reference::parse_scalar(dt, texts[i]->text, *values[i], fits) || !fits) {
            reason = std::string(i ? "--std=" : "--mean=") + texts[i]->text +
                     " is not a value of " + print_value(dt);
            return false;
        }
    }
    return true;
}

uint64_t RandomNormalProblem::elements() const {
    uint64_t elements = 1;
    for (const int64_t size : dims) elements *= static_cast<uint64_t>(size);
    return elements;
}

tombola_status_t RandomNormalProblem::create(Creation& creation,
                                             tombola_primitive_desc_t* primitive_desc) const {
    reference::Scalar mean_value, std_value;
    std::string reason;
    if (!moments(mean_value, std_value, reason)) throw Refused{tombola_invalid_arguments, reason};
    return tombola_random_normal_primitive_desc_create(primitive_desc, engine(), alignment,
                                                       creation.desc(dims, dt, tag.text),
                                                       seeds.global, seeds.op, creation.attr());
}

std::string RandomNormalProblem::refusal(const Arguments* args) const {
    reference::Scalar mean_value, std_value;
    std::string reason;
    if (!moments(mean_value, std_value, reason)) return reason;
    if (!fits(tag)) return tag_refusal();
    // Values inside tensors are looked at when the primitive runs.
    if (args == nullptr) return "";
    reason = reference::normal_refusal(request(args), elements());
    return reason.empty() ? offset_refusal(offset, elements()) : reason;
}

void RandomNormalProblem::add_arguments(Arguments& args) const {
    reference::Scalar mean_value, std_value;
    std::string reason;
    moments(mean_value, std_value, reason);
    const size_t size = reference::size_of(dt);
    // The defaults of the library are those of the options.
    if (mean.text != "0")
        args.add_input(TOMBOLA_ARG_MEAN, "MEAN",
                       Bytes(mean_value.begin(), mean_value.begin() + size));
    if (std.text != "1")
        args.add_input(TOMBOLA_ARG_STD, "STD", Bytes(std_value.begin(), std_value.begin() + size));
    args.add_offset(offset);
    args.add_state(TOMBOLA_ARG_SRC_STATE, "SRC_STATE", reference::normal_state_bytes(alignment));
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    if (!args.wants_optional_outputs()) return;
    args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", ".state");
    args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

reference::NormalRequest RandomNormalProblem::request(const Arguments* args) const {
    reference::NormalRequest request;
    reference::Scalar mean_value, std_value;
    std::string reason;
    moments(mean_value, std_value, reason);
    request.alignment = alignment;
    request.type = dt;
    request.mean = reference::double_of(dt, mean_value);
    request.std = reference::double_of(dt, std_value);
    request.global_seed = seeds.global;
    request.op_seed = seeds.op;
    request.offset = offset;
    if (const Argument* state = args->find(TOMBOLA_ARG_SRC_STATE)) request.state = state->values;
    return request;
}

void RandomNormalProblem::expect(Arguments& args) const {
    reference::NormalRequest wanted = request(&args);
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
    reference::random_normal_reference(wanted, dst.count(), dst.expected.data(),
                                       state ? &state->expected : nullptr);
}

std::unique_ptr<Problem> RandomNormalProblem::resized(int64_t bytes) const {
    return resized_to(bytes / static_cast<int64_t>(reference::size_of(dt)));
}

template std::unique_ptr<Driver> make_driver<RandomNormalProblem>();

}  // namespace tombola::bench
