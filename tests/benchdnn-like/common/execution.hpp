// SPDX-License-Identifier: Apache-2.0
#pragma once

// One problem's primitive with its tensors in memory, ready to run.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/arguments.hpp"
#include "common/buffer.hpp"
#include "common/driver.hpp"

namespace tombola::bench {

class Execution {
  public:
    enum class Outcome { ready, unimplemented, refused, skipped };

    // Creates the primitive descriptor, moves it to the implementation asked for, and creates the primitive.
    // Nothing else may be called unless outcome() is ready; then reason() says why. Throws CaseError.
    Execution(const Problem& problem, const Settings& settings);

    Outcome outcome() const { return outcome_; }
    const std::string& reason() const { return reason_; }
    const std::string& impl() const { return impl_; }
    Arguments& args() { return args_; }

    // Allocates the tensors, writes the inputs and fills the outputs with kPoison.
    void allocate(Buffer::Place place);
    tombola_status_t run() const;

    // The address of an argument's first element, null if it has none.
    uint8_t* data(int arg) const;
    // Outputs from memory into Argument::values.
    void fetch_outputs();
    // Whether a tensor's memory still is what allocate() wrote.
    bool is_as_allocated(const Argument& argument) const;
    // The whole memory of an output as it must be: expected elements, zeros as padding, and kPoison between.
    Bytes expected_memory(const Argument& argument) const;

    static constexpr uint8_t kPoison = 0xA5;

  private:
    Bytes initial_memory(const Argument& argument) const;

    PrimitiveDesc primitive_desc_;
    Primitive primitive_;
    Outcome outcome_ = Outcome::ready;
    std::string reason_, impl_;
    Arguments args_{nullptr};
    struct Tensor {
        Buffer buffer;
        Memory memory;
    };
    std::vector<Tensor> tensors_;  // parallel to args_.all(), then the scratchpad
    std::vector<tombola_exec_arg_t> exec_args_;
};

}  // namespace tombola::bench
