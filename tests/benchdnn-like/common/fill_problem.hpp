// SPDX-License-Identifier: Apache-2.0
#pragma once

// The base of the drivers that fill a tensor from TensorFlow's or PyTorch's stream. It has the options, arguments and
// expectations that they share. A driver P names its Request, the struct that its reference takes (a StreamRequest with a
// member `type`), and has
//   std::string option_refusal() const;                  why an option has no value; empty if all have one
//   tombola_status_t create_fill(Creation&, tombola_primitive_desc_t*) const;
//   void add_own_arguments(Arguments& args) const;       the arguments in front of OFFSET
//   void complete(Request& request, const Arguments& args) const;     sets what the fills do not share
//   static std::string value_refusal(const Request&, uint64_t count); why the library must refuse an execution
//   static constexpr auto* kReference;                   the reference, as reference::random_uniform_reference()

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/word_source.hpp"

namespace tombola::bench {

template <class P, class Request>
class FillProblem : public TensorProblem<P> {
  public:
    tombola_alignment_t alignment = tombola_alignment_tensorflow;
    tombola_data_type_t dt = tombola_f32;
    Seeds seeds{150, 10};
    uint64_t offset = 0;

    tombola_status_t create(Creation& creation,
                            tombola_primitive_desc_t* primitive_desc) const final {
        const std::string reason = self().option_refusal();
        if (!reason.empty()) throw Refused{tombola_invalid_arguments, reason};
        return self().create_fill(creation, primitive_desc);
    }

    std::string refusal(const Arguments* args) const final {
        std::string reason = self().option_refusal();
        if (reason.empty()) reason = self().desc_refusal();
        // Values inside tensors are looked at when the primitive runs.
        if (!reason.empty() || args == nullptr) return reason;
        reason = P::value_refusal(request(*args), this->elements());
        return reason.empty() ? this->offset_refusal(offset, this->elements()) : reason;
    }

    void add_arguments(Arguments& args) const final {
        self().add_own_arguments(args);
        args.add_offset(offset);
        args.add_state(TOMBOLA_ARG_SRC_STATE, "SRC_STATE", P::state_bytes(alignment));
        args.add_output(TOMBOLA_ARG_DST, "DST", "");
        if (!args.wants_optional_outputs()) return;
        args.add_output(TOMBOLA_ARG_DST_STATE, "DST_STATE", ".state");
        args.add_output(TOMBOLA_ARG_DST_SEEDS, "DST_SEEDS");
    }

    void expect(Arguments& args) const final {
        Request wanted = request(args);
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
        P::kReference(wanted, dst.count(), dst.expected.data(), state ? &state->expected : nullptr);
    }

    void pin(const Arguments& args) final { pin_seeds(args, seeds); }
    Problem::Ceiling ceiling() const final { return Problem::Ceiling::fill; }
    std::unique_ptr<Problem> resized(int64_t bytes) const final {
        return this->resized_to(bytes / static_cast<int64_t>(reference::size_of(dt)));
    }

    // Why the library must refuse the descriptor.
    std::string desc_refusal() const { return this->tag_refusal(); }
    // Bytes of SRC_STATE.
    static size_t state_bytes(tombola_alignment_t kind) {
        return reference::stream_state_bytes(kind);
    }

  protected:
    // Adds an input of one element.
    static void add_number(Arguments& args, int arg, const char* name, const NumberText& number,
                           tombola_data_type_t type) {
        const reference::Scalar value = number.as(type);
        args.add_input(arg, name, Bytes(value.begin(), value.begin() + reference::size_of(type)));
    }

  private:
    const P& self() const { return static_cast<const P&>(*this); }
    Request request(const Arguments& args) const {
        Request result;
        result.alignment = alignment;
        result.type = dt;
        result.global_seed = seeds.global;
        result.op_seed = seeds.op;
        result.offset = offset;
        if (const Argument* state = args.find(TOMBOLA_ARG_SRC_STATE)) result.state = state->values;
        self().complete(result, args);
        return result;
    }
};

}  // namespace tombola::bench
