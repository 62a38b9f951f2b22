// SPDX-License-Identifier: Apache-2.0
#include "random_normal/random_normal_problem.hpp"

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

std::string RandomNormalProblem::option_refusal() const {
    const std::string reason = mean.refusal("--mean", dt);
    return reason.empty() ? std.refusal("--std", dt) : reason;
}

tombola_status_t RandomNormalProblem::create_fill(Creation& creation,
                                                  tombola_primitive_desc_t* primitive_desc) const {
    return tombola_random_normal_primitive_desc_create(primitive_desc, engine(), alignment,
                                                       creation.desc(dims, dt, tag.text),
                                                       seeds.global, seeds.op, creation.attr());
}

void RandomNormalProblem::add_own_arguments(Arguments& args) const {
    // The defaults of the library are those of the options.
    if (mean.text != "0") add_number(args, TOMBOLA_ARG_MEAN, "MEAN", mean, dt);
    if (std.text != "1") add_number(args, TOMBOLA_ARG_STD, "STD", std, dt);
}

void RandomNormalProblem::complete(reference::NormalRequest& request, const Arguments&) const {
    request.mean = reference::double_of(dt, mean.as(dt));
    request.std = reference::double_of(dt, std.as(dt));
}

std::string RandomNormalProblem::value_refusal(const reference::NormalRequest& request,
                                               uint64_t count) {
    return reference::normal_refusal(request, count);
}

std::unique_ptr<Driver> make_random_normal_driver() { return make_driver<RandomNormalProblem>(); }

}  // namespace tombola::bench
