// SPDX-License-Identifier: Apache-2.0
#include "shuffle/shuffle_problem.hpp"

#include <cstring>
#include <utility>

#include "reference/shuffle_reference.hpp"

namespace tombola::bench {

std::vector<Field<ShuffleProblem>> ShuffleProblem::fields() {
    using P = ShuffleProblem;
    return {
        field<P>("dir", &P::dir, "direction"),
        field<P>("dt", &P::dt, "data type"),
        field<P>("tag", &P::tag, "layout of the tensor that is read"),
        field<P>("dtag", &P::dtag, "layout of the tensor that is written; any is the other one's"),
        field<P>("axis", &P::axis, "the dimension that is shuffled"),
        field<P>("group", &P::group, "group size"),
    };
}

tombola_status_t ShuffleProblem::create(Creation& creation,
                                        tombola_primitive_desc_t* primitive_desc) const {
    const auto from = creation.desc(dims, dt, tag.text);
    const auto to = creation.desc(dims, dt, dtag.text);
    const auto status = tombola_shuffle_forward_primitive_desc_create(
        primitive_desc, engine(),
        dir == Direction::FWD_I ? tombola_forward_inference : tombola_forward_training, from, to,
        axis, group, creation.attr());
    if (status != tombola_success || !is_backward()) return status;
    // A backward shuffle takes the forward one as its hint, as training code does.
    const PrimitiveDesc hint(std::exchange(*primitive_desc, nullptr));
    return tombola_shuffle_backward_primitive_desc_create(primitive_desc, engine(), to, from, axis,
                                                          group, hint.get(), creation.attr());
}

std::string ShuffleProblem::refusal(const Arguments*) const {
    if (tag.text == "any") return "the layout of the tensor that is read is open";
    if (!fits(tag) || !fits(dtag)) return "a tag is for another number of dimensions";
    return reference::shuffle_refusal(dims, axis, group);
}

void ShuffleProblem::add_arguments(Arguments& args) const {
    args.add_src(input(), is_backward() ? "DIFF_DST" : "SRC", pattern_bytes);
    args.add_output(output(), is_backward() ? "DIFF_SRC" : "DST", "");
}

void ShuffleProblem::expect(Arguments& args) const {
    const Argument& src = args.at(input());
    Argument& dst = args.at(output());
    dst.expected.resize(dst.logical_bytes());
    reference::shuffle_reference(dims, src.element_size(), axis, group, is_backward(),
                                 src.values.data(), dst.expected.data());
}

std::string ShuffleProblem::mistrust(const Arguments& args) const {
    const Bytes& values = args.at(input()).values;
    const size_t size = args.at(input()).element_size();
    // Equal to itself moved on by one element: all elements are the same.
    return values.size() > size &&
                   std::memcmp(values.data(), values.data() + size, values.size() - size) == 0
               ? "all elements of the input are the same"
               : "";
}

std::unique_ptr<Driver> make_shuffle_driver() { return make_driver<ShuffleProblem>(); }

}  // namespace tombola::bench
