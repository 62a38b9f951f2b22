// SPDX-License-Identifier: Apache-2.0
#include "shuffle/shuffle_problem.hpp"

#include <cstring>

#include "reference/shuffle_reference.hpp"

namespace tombola::bench {

std::vector<Field<ShuffleProblem>> ShuffleProblem::fields() {
    using P = ShuffleProblem;
    return {
        field("dir", &P::dir, "direction"),
        field("dt", &P::dt, "data type"),
        field("tag", &P::tag, "layout of the tensor that is read"),
        field("dtag", &P::dtag, "layout of the tensor that is written; any is the other one's"),
        field("axis", &P::axis, "the dimension that is shuffled"),
        field("group", &P::group, "group size"),
    };
}

tombola_status_t ShuffleProblem::create(const Settings& settings,
                                        const_tombola_primitive_attr_t attr,
                                        PrimitiveDesc& primitive_desc, std::string& reason) const {
    const DescResult from = make_desc({dims, dt, tag.text}, settings.allow_enum_tags_only);
    const DescResult to = make_desc({dims, dt, dtag.text}, settings.allow_enum_tags_only);
    for (const DescResult* desc : {&from, &to})
        if (desc->status != tombola_success) {
            reason = desc->reason;
            return desc->status;
        }
    // A backward shuffle takes the forward one as its hint, as training code does.
    tombola_primitive_desc_t created = nullptr;
    auto status = tombola_shuffle_forward_primitive_desc_create(
        &created, engine(),
        dir == Direction::FWD_I ? tombola_forward_inference : tombola_forward_training,
        from.desc.get(), to.desc.get(), axis, group, attr);
    primitive_desc.reset(created);
    if (status != tombola_success || !is_backward()) return status;
    const PrimitiveDesc hint = std::move(primitive_desc);
    created = nullptr;
    status = tombola_shuffle_backward_primitive_desc_create(
        &created, engine(), to.desc.get(), from.desc.get(), axis, group, hint.get(), attr);
    primitive_desc.reset(created);
    return status;
}

std::string ShuffleProblem::refusal(const Arguments*) const {
    const int ndims = static_cast<int>(dims.size());
    if (tag.text == "any") return "the layout of the tensor that is read is open";
    for (const TagName& name : {tag, dtag})
        if (name.text != "any" &&
            reference::expand_tag(name.text, ndims).kind == reference::Tag::Kind::malformed)
            return "a tag is for another number of dimensions";
    return reference::shuffle_refusal(dims, axis, group);
}

void ShuffleProblem::add_arguments(const Settings& settings, Arguments& args) const {
    const size_t bytes = args.logical_bytes(input());
    args.add_input(
        input(), is_backward() ? "DIFF_DST" : "SRC",
        settings.src.empty() ? pattern_bytes(bytes) : read_file(settings.src, bytes, "--src"));
    args.add_output(output(), is_backward() ? "DIFF_SRC" : "DST", Argument::Dump::tensor);
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

}  // namespace tombola::bench
