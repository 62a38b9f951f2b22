// SPDX-License-Identifier: Apache-2.0
#include "random_generator/random_generator_problem.hpp"

#include "reference/philox_reference.hpp"

namespace tombola::bench {

std::vector<Field<RandomGeneratorProblem>> RandomGeneratorProblem::fields() {
    using P = RandomGeneratorProblem;
    return {
        field("counter", &P::counter, "the state's counter"),
        field("key", &P::key, "the state's key"),
        field("tag", &P::tag, "layout"),
    };
}

tombola_status_t RandomGeneratorProblem::create(const Settings& settings,
                                                const_tombola_primitive_attr_t attr,
                                                PrimitiveDesc& primitive_desc,
                                                std::string& reason) const {
    const DescResult dst = make_desc({dims, tombola_u32, tag.text}, settings.allow_enum_tags_only);
    reason = dst.reason;
    if (dst.status != tombola_success) return dst.status;
    tombola_primitive_desc_t created = nullptr;
    const auto status = tombola_random_generator_primitive_desc_create(
        &created, engine(), tombola_philox4x32_10, dst.desc.get(), attr);
    primitive_desc.reset(created);
    return status;
}

std::string RandomGeneratorProblem::refusal(const Arguments*) const {
    const auto kind = reference::expand_tag(tag.text, static_cast<int>(dims.size())).kind;
    return tag.text != "any" && kind == reference::Tag::Kind::malformed
               ? "the tag is for another number of dimensions"
               : "";
}

void RandomGeneratorProblem::add_arguments(const Settings& settings, Arguments& args) const {
    if (!settings.src.empty())
        throw CaseError("--src: a random generator has no input tensor; --state gives its state");
    const uint32_t state[6] = {counter.words[0], counter.words[1], counter.words[2],
                               counter.words[3], key.words[0],     key.words[1]};
    args.add_input(TOMBOLA_ARG_SRC_STATE, "SRC_STATE",
                   settings.state.empty() ? bytes_of(state, 6)
                                          : read_file(settings.state, sizeof state, "--state"));
    args.add_output(TOMBOLA_ARG_DST, "DST", Argument::Dump::tensor);
    args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", Argument::Dump::state);
}

void RandomGeneratorProblem::expect(Arguments& args) const {
    uint32_t state[6];
    std::memcpy(state, args.at(TOMBOLA_ARG_SRC_STATE).values.data(), sizeof state);
    const reference::PhiloxCounter from{state[0], state[1], state[2], state[3]};
    const reference::PhiloxKey with{state[4], state[5]};

    Argument& dst = args.at(TOMBOLA_ARG_DST);
    dst.expected.resize(dst.logical_bytes());
    reference::philox_words(from, with, dst.count(),
                            reinterpret_cast<uint32_t*>(dst.expected.data()));
    const auto after = reference::philox_add(from, (dst.count() + 3) / 4);
    std::memcpy(state, after.data(), sizeof after);
    args.at(TOMBOLA_ARG_DST_STATE).expected = bytes_of(state, 6);
}

std::unique_ptr<Problem> RandomGeneratorProblem::resized(int64_t bytes) const {
    auto twin = std::make_unique<RandomGeneratorProblem>(*this);
    twin->dims = {bytes / 4};
    twin->tag.text = "abx";
    return twin;
}

}  // namespace tombola::bench
