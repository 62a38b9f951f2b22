// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where an execution that draws classes by weight gets its uniform numbers from.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

// The uniform numbers of one execution: sample i of the row-major [batch, samples] has the number i of UNIFORMS,
// or the number OFFSET + i of the f64 stream of random_uniform's tensorflow alignment.
struct UniformSource {
    const double* given = nullptr;  // UNIFORMS, which have been checked
    PhiloxCall stream{};

    // A number of UNIFORMS, in [0, 1] even if another thread changes it.
    static double number(const double* at) {
        const double u = *at;
        return u >= 0 && u <= 1 ? u : 0;
    }
};

// Reads them in order, from sample `first` on.
class UniformReader {
  public:
    UniformReader(const UniformSource& source, dim_t first)
        : given_(source.given == nullptr ? nullptr : source.given + first),
          words_(source.stream.start, source.stream.key(), source.stream.number_of(first) * 2) {}

    double next() {
        if (given_ != nullptr) return UniformSource::number(given_++);
        const uint32_t first = words_.next();
        return u52(first, words_.next());
    }

  private:
    const double* given_;
    PhiloxWords words_;
};

// Refuses a number outside [0, 1] in UNIFORMS, which has `rows` times `samples` numbers.
Status check_uniforms(const double* uniforms, dim_t rows, dim_t samples);

}  // namespace tombola::impl::cpu
