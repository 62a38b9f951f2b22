// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of an execution of multinomial that does not depend on how samples are drawn: where the uniform numbers come
// from, and which row is refused.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "common/implementation.hpp"
#include "common/parallel.hpp"
#include "cpu/multinomial/row_source.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/rng/seeds.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

// The uniform numbers of one execution: sample i of the row-major [batch, samples] has the number i of UNIFORMS,
// or the number OFFSET + i of the f64 stream of random_uniform's tensorflow alignment.
struct UniformSource {
    const double* given = nullptr;  // UNIFORMS
    PhiloxCall stream{};
};

// Reads them in order, from sample `first` on.
class UniformReader {
  public:
    UniformReader(const UniformSource& source, dim_t first)
        : given_(source.given == nullptr ? nullptr : source.given + first),
          words_(source.stream.start, source.stream.key(), source.stream.number_of(first) * 2) {}

    double next() {
        if (given_ != nullptr) return *given_++;
        const uint32_t first = words_.next();
        return u52(first, words_.next());
    }

  private:
    const double* given_;
    PhiloxWords words_;
};

// Reads the optional arguments. Refuses a number outside [0, 1] in UNIFORMS.
Result<UniformSource> uniform_source(const MultinomialDesc& desc, const ExecContext& context);

// Writes the other outputs of an execution: DST's padding and DST_SEEDS. Call it after everything that may fail.
void finish(const MultinomialDesc& desc, const ExecContext& context, const UniformSource& uniforms);

// The lowest row that any thread has found to be wrong.
class LowestRow {
  public:
    void report(dim_t row) {
        dim_t lowest = row_.load(std::memory_order_relaxed);
        while (row < lowest &&
               !row_.compare_exchange_weak(lowest, row, std::memory_order_relaxed)) {
        }
    }
    bool any() const { return row() != kNone; }
    dim_t row() const { return row_.load(std::memory_order_relaxed); }

  private:
    static constexpr dim_t kNone = INT64_MAX;
    std::atomic<dim_t> row_{kNone};
};

// The number of classes of positive weight that a row must have.
inline dim_t classes_needed(const MultinomialDesc& desc) {
    return desc.with_replacement ? 1 : desc.dst.dims[1];
}

// Whether a drawn class is taken out. A single sample is drawn in the same way with and without replacement.
inline bool takes_classes_out(const MultinomialDesc& desc) {
    return !desc.with_replacement && desc.dst.dims[1] > 1;
}

}  // namespace tombola::impl::cpu
