// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a generator is in its stream.

#include <mutex>

#include "tensor.hpp"

namespace tombola_python {

// The position of a tombola.Generator in its stream: PyTorch's words of MT19937 with the normal number that it keeps, or
// the two numbers of a Philox stream. Threads take turns: a call locks the mutex when all its arguments have been read and
// the GIL is released. No code of Python runs while the mutex is locked, so an argument whose methods draw from the same
// generator does not wait for itself.
class State {
  public:
    // Copies an array. Raises ValueError for one that is no such position.
    explicit State(py::handle words);
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // The words, to be read and written with the mutex locked. Raises ValueError for the other kind of stream.
    void* words(bool pytorch);
    size_t bytes() const;
    std::mutex& mutex() { return mutex_; }
    // A new array of the words.
    py::object copy();
    // Goes on where `from` is, a position of the same kind.
    void set(const State& from);

  private:
    Tensor words_;
    std::mutex mutex_;
};

// The State that a call continues from, or null for None.
State* state_of(py::handle state);
// The words and the mutex of a state, or null if there is none.
inline void* words_of(State* state, bool pytorch) {
    return state == nullptr ? nullptr : state->words(pytorch);
}
inline std::mutex* mutex_of(State* state) { return state == nullptr ? nullptr : &state->mutex(); }

}  // namespace tombola_python
