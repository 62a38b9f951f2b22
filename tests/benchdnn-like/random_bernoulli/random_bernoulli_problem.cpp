// SPDX-License-Identifier: Apache-2.0
#include "random_bernoulli/random_bernoulli_problem.hpp"

namespace tombola::bench {

std::vector<Field<RandomBernoulliProblem>> RandomBernoulliProblem::fields() {
    using P = RandomBernoulliProblem;
    return {
        field<P>("alignment", &P::alignment, "whose numbers"),
        field<P>("dt", &P::dt, "data type",
                 {tombola_u8, tombola_s32, tombola_s64, tombola_f16, tombola_bf16, tombola_f32,
                  tombola_f64}),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("p", &P::p, "probability of 1"),
        field<P>("pdt", &P::pdt, "data type of P", {tombola_f32, tombola_f64}),
        field<P>("p-tensor", &P::p_tensor,
                 "P has DST's dimensions: values of the driver's own, or --src's, in place of --p"),
        field<P>("ptag", &P::ptag, "layout of a tensor P"),
        field<P>("offset", &P::offset, "element of the stream at which the tensor starts"),
        field<P>("tag", &P::tag, "layout"),
    };
}

std::string RandomBernoulliProblem::option_refusal() const { return p.refusal("--p", pdt); }

std::string RandomBernoulliProblem::desc_refusal() const {
    if (!fits(tag)) return tag_refusal();
    if (p_tensor && ptag.text == "any") return "P has no layout";
    return p_tensor && !fits(ptag) ? "the tag is for another number of dimensions" : "";
}

tombola_status_t RandomBernoulliProblem::create_fill(
    Creation& creation, tombola_primitive_desc_t* primitive_desc) const {
    return tombola_random_bernoulli_primitive_desc_create(
        primitive_desc, engine(), alignment, creation.desc(dims, dt, tag.text),
        p_tensor ? creation.desc(dims, pdt, ptag.text) : creation.desc({1}, pdt, "abx"),
        seeds.global, seeds.op, creation.attr());
}

// Probabilities of every size, with both ends of the range among them.
static Bytes varied_probabilities(size_t count, tombola_data_type_t type) {
    std::vector<double> wide(count);
    uint64_t x = 1;
    for (size_t i = 0; i < count; ++i) {
        x = x * 6364136223846793005 + 1442695040888963407;
        const double u = static_cast<double>(x >> 40) * 0x1p-24;
        wide[i] = i % 11 == 3 ? 0 : i % 13 == 5 ? 1 : u;
    }
    if (type == tombola_f64) return bytes_of(wide.data(), count);
    const std::vector<float> narrow(wide.begin(), wide.end());
    return bytes_of(narrow.data(), count);
}

void RandomBernoulliProblem::add_own_arguments(Arguments& args) const {
    if (!p_tensor) return add_number(args, TOMBOLA_ARG_P, "P", p, pdt);
    args.add_src(TOMBOLA_ARG_P, "P", [&](size_t bytes) {
        return varied_probabilities(bytes / reference::size_of(pdt), pdt);
    });
}

void RandomBernoulliProblem::complete(reference::BernoulliRequest& request,
                                      const Arguments& args) const {
    request.p_type = pdt;
    request.one_p = !p_tensor || dims == reference::Dims{1};
    const Argument& given = args.at(TOMBOLA_ARG_P);
    for (size_t i = 0; i < given.count(); ++i) {
        reference::Scalar scalar{};
        std::memcpy(scalar.data(), &given.values[i * given.element_size()], given.element_size());
        request.p.push_back(reference::double_of(pdt, scalar));
    }
}

std::string RandomBernoulliProblem::value_refusal(const reference::BernoulliRequest& request,
                                                  uint64_t) {
    return reference::bernoulli_refusal(request);
}

std::unique_ptr<Driver> make_random_bernoulli_driver() {
    return make_driver<RandomBernoulliProblem>();
}

}  // namespace tombola::bench
