// SPDX-License-Identifier: Apache-2.0
#include "stochastic_rounding/stochastic_rounding_problem.hpp"

#include "reference/stochastic_rounding_reference.hpp"

namespace tombola::bench {

namespace {

// The first elements are any bits. The others have an exponent near those of f16.
Bytes numbers(size_t bytes) {
    constexpr size_t kAnyBits = 4096;
    Bytes values = pattern_bytes(bytes);
    for (size_t at = kAnyBits; at + 4 <= bytes; at += 4) {
        uint32_t bits;
        std::memcpy(&bits, &values[at], 4);
        const uint32_t exponent = 127 - 26 + (bits >> 23 & 0xff) % 44;
        bits = (bits & 0x807fffff) | exponent << 23;
        std::memcpy(&values[at], &bits, 4);
    }
    return values;
}

}  // namespace

std::vector<Field<StochasticRoundingProblem>> StochasticRoundingProblem::fields() {
    using P = StochasticRoundingProblem;
    return {
        field<P>("ddt", &P::ddt, "data type that is rounded to", {tombola_bf16, tombola_f16}),
        field<P>("tag", &P::tag, "layout of the source"),
        field<P>("dtag", &P::dtag, "layout of the destination; any is the source's"),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("offset", &P::offset, "draw of the stream that belongs to the first element"),
    };
}

tombola_status_t StochasticRoundingProblem::create(Creation& creation,
                                                   tombola_primitive_desc_t* primitive_desc) const {
    return tombola_stochastic_rounding_primitive_desc_create(
        primitive_desc, engine(), creation.desc(dims, tombola_f32, tag.text),
        creation.desc(dims, ddt, dtag.text), seeds.global, seeds.op, creation.attr());
}

std::string StochasticRoundingProblem::refusal(const Arguments* args) const {
    if (tag.text == "any") return "the layout of the source is open";
    if (!fits(tag) || !fits(dtag)) return "a tag is for another number of dimensions";
    return args == nullptr ? "" : offset_refusal(offset, elements());
}

void StochasticRoundingProblem::add_arguments(Arguments& args) const {
    args.add_src(TOMBOLA_ARG_SRC, "SRC", numbers);
    args.add_offset(offset);
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    if (args.wants_optional_outputs()) args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

void StochasticRoundingProblem::expect(Arguments& args) const {
    Argument& dst = args.at(TOMBOLA_ARG_DST);
    const auto used = expect_seeds(args, seeds);
    dst.compared = used.has_value();
    if (!used) return;
    dst.expected.resize(dst.logical_bytes());
    reference::stochastic_rounding_reference({ddt, used->global, used->op, offset}, dst.count(),
                                             args.at(TOMBOLA_ARG_SRC).values.data(),
                                             dst.expected.data());
}

std::unique_ptr<Driver> make_stochastic_rounding_driver() {
    return make_driver<StochasticRoundingProblem>();
}

}  // namespace tombola::bench
