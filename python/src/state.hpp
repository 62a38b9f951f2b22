// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a generator is in its stream.

#include <atomic>
#include <mutex>
#include <optional>

#include "released.hpp"
#include "tensor.hpp"

namespace tombola_python {

class Prepared;

// The position of a tombola.Generator in its stream: PyTorch's words of MT19937 with the normal number that it keeps, or
// the two numbers of a Philox stream. Threads take turns: see Turn.
//
// There are two positions, the current one and one that a call writes. The call ends by exchanging them, with one store.
// So a child that fork() made while another thread was drawing has the position before that draw or after it.
class State {
  public:
    // Copies an array. Raises ValueError for one that is no such position.
    explicit State(py::handle words);
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // An address for the arguments SRC_STATE and DST_STATE, until a turn sets theirs. Raises ValueError for the other kind of
    // stream.
    void* words(bool pytorch);
    // A new array of the words.
    py::object copy();
    // Goes on where `from` is, a position of the same kind.
    void set(const State& from);

  private:
    friend class Turn;

    size_t bytes() const;
    const void* current() const { return positions_[current_].data; }
    void* next() const { return positions_[1 - current_].data; }
    void renew_after_fork();

    Tensor positions_[2];
    std::atomic<int> current_{0};
    std::timed_mutex mutex_;
    int forks_;  // the number of forks that led to the process which made mutex_
};

// A call's turn at a state, or at nothing if there is no state. The GIL is released and the state is locked as long as the turn
// lives, so no code of Python runs then. A call begins its turn when all its arguments have been read: an argument whose
// methods draw from the same generator does not wait for itself.
class Turn {
  public:
    // Waits for the state. Signals are handled meanwhile: raises KeyboardInterrupt for Ctrl-C.
    explicit Turn(State* state);

    // The position before the call, and the one to write.
    const void* current() const { return state_->current(); }
    void* next() const { return state_->next(); }
    // Sets the addresses of SRC_STATE and DST_STATE.
    void fill(Prepared& prepared) const;
    // Makes the written position the current one.
    void commit();

  private:
    State* state_;
    std::optional<Released> released_;
    std::unique_lock<std::timed_mutex> lock_;  // ends before the thread waits for the GIL
};

// The State that a call continues from, or null for None.
State* state_of(py::handle state);
// The address for a state's arguments, or null if there is no state.
inline void* words_of(State* state, bool pytorch) {
    return state == nullptr ? nullptr : state->words(pytorch);
}

}  // namespace tombola_python
