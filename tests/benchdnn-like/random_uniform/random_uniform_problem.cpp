// SPDX-License-Identifier: Apache-2.0
#include "random_uniform/random_uniform_problem.hpp"

#include <cmath>

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
        field<P>("float-draws", &P::float_draws, "pytorch: the rule for floating-point numbers"),
        field<P>("full-range", &P::full_range,
                 "pytorch: the integers from 0 to the type's greatest value; min and max are not "
                 "looked at"),
        field<P>("tag", &P::tag, "layout"),
    };
}

NumberText RandomUniformProblem::low() const {
    if (min.is_auto()) return {"0"};
    return min;
}

NumberText RandomUniformProblem::high() const {
    if (!max.is_auto()) return max;
    if (reference::is_floating(dt)) return {"1"};
    return {dt == tombola_s64 ? "9223372036854775807" : "2147483647"};
}

std::string RandomUniformProblem::option_refusal() const {
    if (full_range) return "";
    std::string reason = low().refusal("--min", dt);
    if (reason.empty()) reason = high().refusal("--max", dt);
    if (!reason.empty() || !reference::is_floating(dt)) return reason;
    // The library is given the rounded numbers, and its message would not have these.
    const double least = reference::double_of(dt, low().as(dt));
    const bool round_to_equal = low().text != high().text && std::isfinite(least) &&
                                least == reference::double_of(dt, high().as(dt));
    if (!round_to_equal) return "";
    return "--min is " + low().text + " and --max is " + high().text +
           "; expected min < max, each rounded to " + print_value(dt);
}

std::string RandomUniformProblem::desc_refusal() const {
    if (full_range && alignment != tombola_alignment_pytorch)
        return "--full-range: the alignment is not pytorch";
    if (full_range && reference::is_floating(dt)) return "--full-range: the type is no integer";
    return tag_refusal();
}

tombola_status_t RandomUniformProblem::create_fill(Creation& creation,
                                                   tombola_primitive_desc_t* primitive_desc) const {
    return tombola_random_uniform_primitive_desc_create_with_rules(
        primitive_desc, engine(), alignment, creation.desc(dims, dt, tag.text), seeds.global,
        seeds.op, int_draws, float_draws, full_range ? 1 : 0, creation.attr());
}

void RandomUniformProblem::add_own_arguments(Arguments& args) const {
    if (full_range) return;
    add_number(args, TOMBOLA_ARG_MIN, "MIN", low(), dt);
    add_number(args, TOMBOLA_ARG_MAX, "MAX", high(), dt);
}

void RandomUniformProblem::complete(reference::UniformRequest& request, const Arguments&) const {
    request.int_draws = int_draws;
    request.float_draws = float_draws;
    request.full_range = full_range;
    request.min = low().as(dt);
    request.max = high().as(dt);
}

std::string RandomUniformProblem::value_refusal(const reference::UniformRequest& request,
                                                uint64_t) {
    return reference::uniform_refusal(request);
}

std::unique_ptr<Driver> make_random_uniform_driver() { return make_driver<RandomUniformProblem>(); }

}  // namespace tombola::bench
