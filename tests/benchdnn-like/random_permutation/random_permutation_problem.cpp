// SPDX-License-Identifier: Apache-2.0
#include "random_permutation/random_permutation_problem.hpp"

#include "reference/numeric.hpp"

namespace tombola::bench {

std::vector<Field<RandomPermutationProblem>> RandomPermutationProblem::fields() {
    using P = RandomPermutationProblem;
    return {
        field<P>("alignment", &P::alignment, "how the permutation is drawn"),
        field<P>("dt", &P::dt, "data type", {tombola_s32, tombola_s64}),
        field<P>("range", &P::range, "elements of the whole permutation; 0 is N"),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("offset", &P::offset, "element of the permutation at which the tensor starts"),
    };
}

void RandomPermutationProblem::parse_sizes(const std::string& text) {
    count = parse_dims(text, 1, 1)[0];
}

tombola_status_t RandomPermutationProblem::create(Creation& creation,
                                                  tombola_primitive_desc_t* primitive_desc) const {
    return tombola_random_permutation_primitive_desc_create(
        primitive_desc, engine(), alignment, creation.desc({count}, dt), whole(), seeds.global,
        seeds.op, creation.attr());
}

std::string RandomPermutationProblem::refusal(const Arguments* args) const {
    if (whole() < count) return "the range is smaller than the number of elements";
    if (dt == tombola_s32 && whole() > INT64_C(0x80000000)) return "s32 cannot count the range";
    if (alignment == tombola_permutation_pytorch && whole() >= UINT32_MAX / 20)
        return "PyTorch draws two words per element for this range";
    // Values inside tensors are looked at when the primitive runs.
    return args == nullptr ? "" : reference::permutation_refusal(request(*args), count);
}

void RandomPermutationProblem::add_arguments(Arguments& args) const {
    args.add_offset(offset);
    args.add_state(TOMBOLA_ARG_SRC_STATE, "SRC_STATE",
                   reference::permutation_state_bytes(alignment));
    args.add_output(TOMBOLA_ARG_DST, "DST", "");
    if (!args.wants_optional_outputs()) return;
    args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", ".state");
    args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

reference::PermutationRequest RandomPermutationProblem::request(const Arguments& args) const {
    reference::PermutationRequest request;
    request.alignment = alignment;
    request.range = whole();
    request.global_seed = seeds.global;
    request.op_seed = seeds.op;
    request.offset = offset;
    if (const Argument* state = args.find(TOMBOLA_ARG_SRC_STATE)) request.state = state->values;
    return request;
}

void RandomPermutationProblem::expect(Arguments& args) const {
    reference::PermutationRequest wanted = request(args);
    Argument& dst = args.at(TOMBOLA_ARG_DST);
    const bool state_is_all =
        alignment == tombola_permutation_pytorch && args.find(TOMBOLA_ARG_SRC_STATE) != nullptr;
    const auto used = expect_seeds(args, seeds, !state_is_all);
    dst.compared = used.has_value();
    if (!used) return;
    wanted.global_seed = used->global;
    wanted.op_seed = used->op;
    Argument* state = args.find(TOMBOLA_ARG_DST_STATE);
    const std::vector<int64_t> elements =
        reference::random_permutation_reference(wanted, count, state ? &state->expected : nullptr);
    args.expect(TOMBOLA_ARG_DST, elements, reference::size_of(dt));
}

// The whole permutation of that many bytes: a part would take as long as the whole.
std::unique_ptr<Problem> RandomPermutationProblem::resized(int64_t bytes) const {
    auto twin = std::make_unique<RandomPermutationProblem>(*this);
    twin->count = bytes / static_cast<int64_t>(reference::size_of(dt));
    twin->range =
        twin->alignment == tombola_permutation_philox ? std::max(whole(), twin->count) : 0;
    twin->offset = 0;
    return twin;
}

std::unique_ptr<Driver> make_random_permutation_driver() {
    return make_driver<RandomPermutationProblem>();
}

}  // namespace tombola::bench
