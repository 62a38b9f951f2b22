// SPDX-License-Identifier: Apache-2.0
#pragma once

// One problem's primitive with its tensors in memory, ready to run.

#include <string>
#include <vector>

#include "common/arguments.hpp"
#include "common/buffer.hpp"
#include "common/driver.hpp"

namespace tombola::bench {

// Seconds that a creation took, the first time and once more, when the library's cache has it.
struct CreationTimes {
    double first = 0, again = 0;
};

// The implementations that serve the problem, best first; none if it cannot be created.
std::vector<std::string> implementations(const Problem& problem, const Settings& settings);
// Whether a name is what --impl asks for: a whole name or a part of it.
bool is_wanted(const std::string& name, const std::vector<std::string>& impl);

class Execution {
  public:
    // too_large: refused, as it must be, for a tensor that is larger than any may be.
    enum class Outcome { ready, unimplemented, refused, too_large, skipped };

    // Creates the primitive descriptor, moves it to the implementation asked for, and creates the primitive.
    // Nothing else may be called unless outcome() is ready; then reason() says why. Throws CaseError, and
    // TooLarge if a tensor is so large and the settings have problems skipped that memory does not hold.
    Execution(const Problem& problem, const Settings& settings);

    Outcome outcome() const { return outcome_; }
    const std::string& reason() const { return reason_; }
    const std::string& impl() const { return impl_; }
    Arguments& args() { return args_; }
    const Arguments& args() const { return args_; }
    // In performance mode: the primitive descriptor with the descriptors that it is made of, and the primitive.
    const CreationTimes& descriptor_times() const { return descriptor_times_; }
    const CreationTimes& primitive_times() const { return primitive_times_; }

    // Allocates the tensors, writes the inputs and fills the outputs with kPoison.
    void allocate(Buffer::Place place);
    tombola_status_t run();
    // Whether the last run() did.
    bool has_succeeded() const { return status_ == tombola_success; }

    // The address of an argument's first element, null if it has none.
    uint8_t* data(int arg) const;
    // Outputs from memory into Argument::values.
    void fetch_outputs();
    // The name of a guarded tensor in front of which something was written; empty: there is none.
    std::string overrun_in_front() const;
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
    tombola_status_t status_ = tombola_runtime_error;
    std::string reason_, impl_;
    CreationTimes descriptor_times_, primitive_times_;
    Arguments args_;
    struct Tensor {
        Buffer buffer;
        Memory memory;
    };
    std::vector<Tensor> tensors_;  // parallel to args_.all(), then the scratchpad
    std::vector<tombola_exec_arg_t> exec_args_;
};

}  // namespace tombola::bench
