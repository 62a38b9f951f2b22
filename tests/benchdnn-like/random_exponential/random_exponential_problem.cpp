// SPDX-License-Identifier: Apache-2.0
#include "random_exponential/random_exponential_problem.hpp"

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

std::string RandomExponentialProblem::option_refusal() const {
    return lambda.refusal("--lambda", tombola_f64);
}

tombola_status_t RandomExponentialProblem::create_fill(
    Creation& creation, tombola_primitive_desc_t* primitive_desc) const {
    return tombola_random_exponential_primitive_desc_create(
        primitive_desc, engine(), alignment, creation.desc(dims, dt, tag.text), seeds.global,
        seeds.op, creation.attr());
}

void RandomExponentialProblem::add_own_arguments(Arguments& args) const {
    add_number(args, TOMBOLA_ARG_LAMBDA, "LAMBDA", lambda, tombola_f64);
}

void RandomExponentialProblem::complete(reference::ExponentialRequest& request,
                                        const Arguments&) const {
    request.lambda = reference::value_of<double>(lambda.as(tombola_f64));
}

std::string RandomExponentialProblem::value_refusal(const reference::ExponentialRequest& request,
                                                    uint64_t) {
    return reference::exponential_refusal(request);
}

std::unique_ptr<Driver> make_random_exponential_driver() {
    return make_driver<RandomExponentialProblem>();
}

}  // namespace tombola::bench
