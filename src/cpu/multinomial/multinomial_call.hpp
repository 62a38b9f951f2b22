// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of an execution of multinomial that does not depend on how samples are drawn: where the uniform numbers come
// from, and which row is refused.

#include "common/implementation.hpp"
#include "cpu/weights/lowest_row.hpp"
#include "cpu/weights/row_source.hpp"
#include "cpu/weights/uniform_source.hpp"

namespace tombola::impl::cpu {

// Reads the optional arguments. Refuses a number outside [0, 1] in UNIFORMS.
Result<UniformSource> uniform_source(const MultinomialDesc& desc, const ExecContext& context);

// Writes the other outputs of an execution: DST's padding and DST_SEEDS. Call it after everything that may fail.
void finish(const MultinomialDesc& desc, const ExecContext& context, const UniformSource& uniforms);

// The number of classes of positive weight that a row must have.
inline dim_t classes_needed(const MultinomialDesc& desc) {
    return desc.with_replacement ? 1 : desc.dst.dims[1];
}

// Whether a drawn class is taken out. A single sample is drawn in the same way with and without replacement.
inline bool takes_classes_out(const MultinomialDesc& desc) {
    return !desc.with_replacement && desc.dst.dims[1] > 1;
}

}  // namespace tombola::impl::cpu
