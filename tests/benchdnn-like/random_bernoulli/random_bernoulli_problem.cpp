// SPDX-License-Identifier: Apache-2.0
#include "random_bernoulli/random_bernoulli_problem.hpp"

#include "reference/numeric.hpp"

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

bool RandomBernoulliProblem::probability(reference::Scalar& value) const {
    bool fits = false;
    return reference::parse_scalar(pdt, p.text, value, fits) && fits;
}

std::string RandomBernoulliProblem::creation_refusal() const {
    reference::Scalar unused;
    if (!probability(unused)) return "--p=" + p.text + " is not a value of " + print_value(pdt);
    if (!fits(tag)) return tag_refusal();
    if (p_tensor && ptag.text == "any") return "P has no layout";
    return p_tensor && !fits(ptag) ? "the tag is for another number of dimensions" : "";
}

tombola_status_t RandomBernoulliProblem::create(Creation& creation,
                                                tombola_primitive_desc_t* primitive_desc) const {
    reference::Scalar unused;
    if (!probability(unused)) throw Refused{tombola_invalid_arguments, creation_refusal()};
    return tombola_random_bernoulli_primitive_desc_create(
        primitive_desc, engine(), alignment, creation.desc(dims, dt, tag.text),
        p_tensor ? creation.desc(dims, pdt, ptag.text) : creation.desc({1}, pdt, "abx"),
        seeds.global, seeds.op, creation.attr());
}

std::string RandomBernoulliProblem::refusal(const Arguments* args) const {
    std::string reason = creation_refusal();
    // Values inside tensors are looked at when the primitive runs.
    if (!reason.empty() || args == nullptr) return reason;
    reason = reference::bernoulli_refusal(request(*args));
    uint64_t elements = 1;
    for (const int64_t size : dims) elements *= static_cast<uint64_t>(size);
    return reason.empty() ? offset_refusal(offset, elements) : reason;
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

void RandomBernoulliProblem::add_arguments(Arguments& args) const {
    const size_t size = reference::size_of(pdt);
    if (p_tensor) {
        args.add_src(TOMBOLA_ARG_P, "P",
                     [&](size_t bytes) { return varied_probabilities(bytes / size, pdt); });
    } else {
        reference::Scalar value{};
        probability(value);
        args.add_input(TOMBOLA_ARG_P, "P", Bytes(value.begin(), value.begin() + size));
    }
    args.add_offset(offset);
    args.add_state(TOMBOLA_ARG_SRC_STATE, "SRC_STATE", reference::stream_state_bytes(alignment));
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    if (!args.wants_optional_outputs()) return;
    args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", ".state");
    args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

reference::BernoulliRequest RandomBernoulliProblem::request(const Arguments& args) const {
    reference::BernoulliRequest request;
    request.alignment = alignment;
    request.type = dt;
    request.p_type = pdt;
    request.one_p = !p_tensor || dims == reference::Dims{1};
    const Argument& given = args.at(TOMBOLA_ARG_P);
    for (size_t i = 0; i < given.count(); ++i) {
        reference::Scalar scalar{};
        std::memcpy(scalar.data(), &given.values[i * given.element_size()], given.element_size());
        request.p.push_back(reference::double_of(pdt, scalar));
    }
    request.global_seed = seeds.global;
    request.op_seed = seeds.op;
    request.offset = offset;
    if (const Argument* state = args.find(TOMBOLA_ARG_SRC_STATE)) request.state = state->values;
    return request;
}

void RandomBernoulliProblem::expect(Arguments& args) const {
    reference::BernoulliRequest wanted = request(args);
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
    reference::random_bernoulli_reference(wanted, dst.count(), dst.expected.data(),
                                          state ? &state->expected : nullptr);
}

std::unique_ptr<Problem> RandomBernoulliProblem::resized(int64_t bytes) const {
    return resized_to(bytes / static_cast<int64_t>(reference::size_of(dt)));
}

template std::unique_ptr<Driver> make_driver<RandomBernoulliProblem>();

}  // namespace tombola::bench
