// SPDX-License-Identifier: Apache-2.0
#include "random_generator/random_generator_problem.hpp"

#include "reference/philox_reference.hpp"

namespace tombola::bench {

std::vector<Field<RandomGeneratorProblem>> RandomGeneratorProblem::fields() {
    using P = RandomGeneratorProblem;
    return {
        field<P>("counter", &P::counter, "the state's counter"),
        field<P>("key", &P::key, "the state's key"),
        field<P>("tag", &P::tag, "layout"),
    };
}

tombola_status_t RandomGeneratorProblem::create(Creation& creation,
                                                tombola_primitive_desc_t* primitive_desc) const {
    return tombola_random_generator_primitive_desc_create(
        primitive_desc, engine(), tombola_philox4x32_10, creation.desc(dims, tombola_u32, tag.text),
        creation.attr());
}

std::string RandomGeneratorProblem::refusal(const Arguments*) const { return tag_refusal(); }

void RandomGeneratorProblem::add_arguments(Arguments& args) const {
    const uint32_t state[6] = {counter.words[0], counter.words[1], counter.words[2],
                               counter.words[3], key.words[0],     key.words[1]};
    args.add_state(TOMBOLA_ARG_SRC_STATE, "SRC_STATE", sizeof state, bytes_of(state, 6));
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", ".state");
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
    return resized_to(bytes / 4);
}

std::unique_ptr<Driver> make_random_generator_driver() {
    return make_driver<RandomGeneratorProblem>();
}

}  // namespace tombola::bench
