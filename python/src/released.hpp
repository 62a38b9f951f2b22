// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

namespace tombola_python {

// Lets other threads of Python run as long as it lives. A thread that wants the GIL back when the interpreter ends is ended
// by Python, as if by pthread_exit(), which neither a destructor nor the objects of its stack survive: it sleeps instead,
// as it does in Python 3.14.
class Released {
  public:
    Released() : state_(PyEval_SaveThread()) {}
    ~Released() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            for (;;) pause();
        }
    }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

  private:
    PyThreadState* state_;
};

}  // namespace tombola_python
