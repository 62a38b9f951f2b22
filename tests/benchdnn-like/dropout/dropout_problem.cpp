// SPDX-License-Identifier: Apache-2.0
#include "dropout/dropout_problem.hpp"

#include <utility>

#include "reference/numeric.hpp"

namespace tombola::bench {

namespace {

// The first elements are any bits. The others are numbers from 1 to 2 of either sign: subnormal numbers, which networks
// hardly have, take processors many times as long.
Bytes numbers_of(size_t bytes, tombola_data_type_t type) {
    constexpr size_t kAnyBits = 4096;
    Bytes values = pattern_bytes(bytes);
    const size_t size = reference::size_of(type);
    const int shift = type == tombola_f16 ? 10 : 7;  // of the exponent in the two highest bytes
    const int bias = type == tombola_f16 ? 15 : 127;
    for (size_t at = kAnyBits; at + size <= bytes; at += size) {
        uint16_t top;
        std::memcpy(&top, &values[at + size - 2], 2);
        top = static_cast<uint16_t>((top & (0x8000 | ((1 << shift) - 1))) | bias << shift);
        std::memcpy(&values[at + size - 2], &top, 2);
    }
    return values;
}

}  // namespace

std::vector<Field<DropoutProblem>> DropoutProblem::fields() {
    using P = DropoutProblem;
    return {
        field<P>("dir", &P::dir, "direction"),
        field<P>("dt", &P::dt, "data type", {tombola_f32, tombola_f16, tombola_bf16}),
        field<P>("tag", &P::tag, "layout of the tensor that is read"),
        field<P>("dtag", &P::dtag, "layout of the tensor that is written; any is the other one's"),
        field<P>("p", &P::p, "probability to drop an element, 0 to 1"),
        field<P>("draw-bits", &P::draw_bits, "bits of the stream per element", {32, 16, 8}),
        field<P>("mask-kind", &P::mask_kind, "form of the mask beside the tensors"),
        field<P>("seeds", &P::seeds, "seeds; 0:0 draws them from the operating system"),
        field<P>("offset", &P::offset, "draw of the stream that belongs to the first element"),
    };
}

tombola_status_t DropoutProblem::create(Creation& creation,
                                        tombola_primitive_desc_t* primitive_desc) const {
    if (const std::string reason = p.refusal("--p", tombola_f32); !reason.empty())
        throw Refused{tombola_invalid_arguments, reason};
    const auto from = creation.desc(dims, dt, tag.text);
    const auto to = creation.desc(dims, dt, dtag.text);
    const auto status = tombola_dropout_forward_primitive_desc_create(
        primitive_desc, engine(),
        dir == Direction::FWD_I ? tombola_forward_inference : tombola_forward_training, from, to,
        draw_bits, mask_kind, seeds.global, seeds.op, creation.attr());
    if (status != tombola_success || !is_backward()) return status;
    // A backward dropout takes the forward one as its hint, as training code does.
    const PrimitiveDesc hint(std::exchange(*primitive_desc, nullptr));
    return tombola_dropout_backward_primitive_desc_create(primitive_desc, engine(), to, from,
                                                          draw_bits, mask_kind, seeds.global,
                                                          seeds.op, hint.get(), creation.attr());
}

std::string DropoutProblem::refusal(const Arguments* args) const {
    if (std::string reason = p.refusal("--p", tombola_f32); !reason.empty()) return reason;
    if (tag.text == "any") return "the layout of the tensor that is read is open";
    if (!fits(tag) || !fits(dtag)) return "a tag is for another number of dimensions";
    // Values inside tensors are looked at when the primitive runs.
    if (args == nullptr) return "";
    const bool draws = !is_backward() || mask_kind == tombola_dropout_mask_none;
    if (is_backward() && elements() == 0) return "";
    if (std::string reason = reference::dropout_refusal(request().p); !reason.empty())
        return reason;
    if (is_backward() && draws && seeds.are_drawn()) return "backward does not know the mask";
    return draws ? offset_refusal(offset, elements()) : "";
}

reference::DropoutRequest DropoutProblem::request() const {
    reference::DropoutRequest request;
    request.type = dt;
    request.draw_bits = draw_bits;
    request.p = reference::value_of<float>(p.as(tombola_f32));
    request.global_seed = seeds.global;
    request.op_seed = seeds.op;
    request.offset = offset;
    return request;
}

Bytes DropoutProblem::mask_of(const std::vector<bool>& keeps) const {
    return mask_kind == tombola_dropout_mask_bits ? reference::dropout_mask_bits(keeps)
                                                  : reference::dropout_mask_bytes(keeps);
}

void DropoutProblem::add_arguments(Arguments& args) const {
    const float value = request().p;
    args.add_src(input(), is_backward() ? "DIFF_DST" : "SRC",
                 [this](size_t bytes) { return numbers_of(bytes, dt); });
    args.add_input(TOMBOLA_ARG_P, "P", bytes_of(&value, 1));
    args.add_offset(offset);
    args.add_output(output(), is_backward() ? "DIFF_SRC" : "DST", "");
    if (is_backward()) {
        if (mask_kind != tombola_dropout_mask_none)
            args.add_input(TOMBOLA_ARG_MASK, "MASK",
                           mask_of(reference::dropout_keeps(request(), elements())));
        return;
    }
    if (mask_kind != tombola_dropout_mask_none) args.add_output(TOMBOLA_ARG_MASK, "MASK", ".mask");
    if (args.wants_optional_outputs()) args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
}

void DropoutProblem::expect(Arguments& args) const {
    reference::DropoutRequest wanted = request();
    Argument& dst = args.at(output());
    Argument* mask = is_backward() ? nullptr : args.find(TOMBOLA_ARG_MASK);
    if (!is_backward()) {
        const auto used = expect_seeds(args, seeds);
        dst.compared = used.has_value();
        if (mask) mask->compared = dst.compared;
        if (!used) return;
        wanted.global_seed = used->global;
        wanted.op_seed = used->op;
    }
    const std::vector<bool> keeps = reference::dropout_keeps(wanted, dst.count());
    dst.expected.resize(dst.logical_bytes());
    reference::dropout_reference(wanted, keeps, args.at(input()).values.data(),
                                 dst.expected.data());
    if (mask) mask->expected = mask_of(keeps);
}

std::unique_ptr<Driver> make_dropout_driver() { return make_driver<DropoutProblem>(); }

}  // namespace tombola::bench
