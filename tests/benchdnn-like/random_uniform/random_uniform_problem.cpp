// SPDX-License-Identifier: Apache-2.0
#include "random_uniform/random_uniform_problem.hpp"

#include "reference/numeric.hpp"

namespace tombola::bench {

std::vector<Field<RandomUniformProblem>> RandomUniformProblem::fields() {
    using P = RandomUniformProblem;
    return {
        field("alignment", &P::alignment, "whose numbers"),
        field("dt", &P::dt, "data type",
              {tombola_f16, tombola_bf16, tombola_f32, tombola_f64, tombola_s32, tombola_s64}),
        field("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field("min", &P::min, "lower bound, inclusive; auto is 0"),
        field("max", &P::max,
              "upper bound, exclusive; auto is 1 for floating point, the type's greatest value for "
              "integers"),
        field("offset", &P::offset, "element of the stream at which the tensor starts"),
        field("int-draws", &P::int_draws, "pytorch: the rule for words an integer takes"),
        field("tag", &P::tag, "layout"),
    };
}

bool RandomUniformProblem::bounds(reference::Scalar& low, reference::Scalar& high,
                                  std::string& reason) const {
    const std::string greatest = reference::is_floating(dt) ? "1"
                                 : dt == tombola_s64        ? "9223372036854775807"
                                                            : "2147483647";
    const std::string texts[] = {min.text == "auto" ? "0" : min.text,
                                 max.text == "auto" ? greatest : max.text};
    reference::Scalar* const values[] = {&low, &high};
    for (int i = 0; i < 2; ++i) {
        bool fits = false;
        if (!reference::parse_scalar(dt, texts[i], *values[i], fits) || !fits) {
            reason = std::string(i ? "--max=" : "--min=") + texts[i] + " is not a value of " +
                     print_value(dt);
            return false;
        }
    }
    return true;
}

tombola_status_t RandomUniformProblem::create(const Settings& settings,
                                              const_tombola_primitive_attr_t attr,
                                              PrimitiveDesc& primitive_desc,
                                              std::string& reason) const {
    reference::Scalar low, high;
    if (!bounds(low, high, reason)) return tombola_invalid_arguments;
    const DescResult dst = make_desc({dims, dt, tag.text}, settings.allow_enum_tags_only);
    reason = dst.reason;
    if (dst.status != tombola_success) return dst.status;
    tombola_primitive_desc_t created = nullptr;
    const auto status = tombola_random_uniform_primitive_desc_create(
        &created, engine(), alignment, dst.desc.get(), seeds.global, seeds.op, int_draws, attr);
    primitive_desc.reset(created);
    return status;
}

std::string RandomUniformProblem::refusal(const Arguments* args) const {
    reference::Scalar low, high;
    std::string reason;
    if (!bounds(low, high, reason)) return reason;
    const auto kind = reference::expand_tag(tag.text, static_cast<int>(dims.size())).kind;
    if (tag.text != "any" && kind == reference::Tag::Kind::malformed)
        return "the tag is for another number of dimensions";
    // Values inside tensors are looked at when the primitive runs.
    return args ? reference::uniform_refusal(request(args)) : "";
}

void RandomUniformProblem::add_arguments(const Settings& settings, Arguments& args) const {
    if (!settings.src.empty())
        throw CaseError("--src: random_uniform has no input tensor; --state gives its state");
    reference::Scalar low, high;
    std::string reason;
    bounds(low, high, reason);
    const size_t size = reference::size_of(dt);
    args.add_input(TOMBOLA_ARG_MIN, "MIN", Bytes(low.begin(), low.begin() + size));
    args.add_input(TOMBOLA_ARG_MAX, "MAX", Bytes(high.begin(), high.begin() + size));
    if (offset != 0) args.add_input(TOMBOLA_ARG_OFFSET, "OFFSET", bytes_of(&offset, 1));
    if (!settings.state.empty())
        args.add_input(
            TOMBOLA_ARG_SRC_STATE, "SRC_STATE",
            read_file(settings.state, reference::uniform_state_bytes(alignment), "--state"));
    args.add_output(TOMBOLA_ARG_DST, "DST", Argument::Dump::tensor);
    // The optional outputs cost time, so a measurement leaves them out.
    if (settings.mode.performance && !settings.mode.correctness && settings.dump.empty()) return;
    args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", Argument::Dump::state);
    args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

reference::UniformRequest RandomUniformProblem::request(const Arguments* args) const {
    reference::UniformRequest request;
    request.alignment = alignment;
    request.int_draws = int_draws;
    request.type = dt;
    std::string reason;
    bounds(request.min, request.max, reason);
    request.global_seed = seeds.global;
    request.op_seed = seeds.op;
    request.offset = offset;
    if (const Argument* state = args->find(TOMBOLA_ARG_SRC_STATE)) request.state = state->values;
    return request;
}

void RandomUniformProblem::expect(Arguments& args) const {
    reference::UniformRequest wanted = request(&args);
    if (Argument* used = args.find(TOMBOLA_ARG_DST_SEEDS)) {
        const uint64_t own[2] = {seeds.global, seeds.op};
        used->expected = bytes_of(own, 2);
        if (is_entropy()) {
            // Any seeds but those that ask for entropy; the numbers must be theirs.
            used->expected = used->values;
            std::memcpy(&wanted.global_seed, used->values.data(), 8);
            std::memcpy(&wanted.op_seed, used->values.data() + 8, 8);
            if (wanted.global_seed == 0 && wanted.op_seed == 0)
                throw CaseError("DST_SEEDS is 0, 0, expected the seeds drawn");
        }
    } else if (is_entropy()) {
        args.at(TOMBOLA_ARG_DST).compared = false;
        return;
    }
    Argument& dst = args.at(TOMBOLA_ARG_DST);
    dst.expected.resize(dst.logical_bytes());
    Argument* state = args.find(TOMBOLA_ARG_DST_STATE);
    reference::random_uniform_reference(wanted, dst.count(), dst.expected.data(),
                                        state ? &state->expected : nullptr);
}

void RandomUniformProblem::pin(const Arguments& args) {
    const Argument* used = args.find(TOMBOLA_ARG_DST_SEEDS);
    if (!is_entropy() || !used || used->values.size() != 16) return;
    std::memcpy(&seeds.global, used->values.data(), 8);
    std::memcpy(&seeds.op, used->values.data() + 8, 8);
}

std::unique_ptr<Problem> RandomUniformProblem::resized(int64_t bytes) const {
    auto twin = std::make_unique<RandomUniformProblem>(*this);
    twin->dims = {bytes / static_cast<int64_t>(reference::size_of(dt))};
    twin->tag.text = "abx";
    return twin;
}

}  // namespace tombola::bench
