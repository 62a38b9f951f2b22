// SPDX-License-Identifier: Apache-2.0
#pragma once

// The public enumerations as scoped types with the same values, and their sizes and names.

#include <cstddef>
#include <cstdint>

#include "tombola/tombola.h"

namespace tombola::impl {

using dim_t = tombola_dim_t;
inline constexpr int kMaxDims = TOMBOLA_MAX_NDIMS;

enum class DataType {
    undef = tombola_data_type_undef,
#define TOMBOLA_ENUMERATOR(name, value, bytes) name = tombola_##name,
    TOMBOLA_DATA_TYPES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

enum class PropKind {
    undef = tombola_prop_kind_undef,
    forward_training = tombola_forward_training,
    forward_inference = tombola_forward_inference,
    backward_data = tombola_backward_data,
};

enum class PrimitiveKind {
    undef = tombola_undefined_primitive,
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_##name,
    TOMBOLA_PRIMITIVES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

enum class GeneratorKind { philox4x32_10 = tombola_philox4x32_10 };

// clang-format off
#define TOMBOLA_ENUMERATOR(name, value) name = value,
enum class Alignment { TOMBOLA_ALIGNMENTS(TOMBOLA_ENUMERATOR) };
enum class IntDraws { TOMBOLA_INT_DRAWS(TOMBOLA_ENUMERATOR) };
enum class FloatDraws { TOMBOLA_FLOAT_DRAWS(TOMBOLA_ENUMERATOR) };
enum class PermutationAlignment { TOMBOLA_PERMUTATION_ALIGNMENTS(TOMBOLA_ENUMERATOR) };
enum class DropoutMask { TOMBOLA_DROPOUT_MASKS(TOMBOLA_ENUMERATOR) };
enum class FilterOrder { TOMBOLA_FILTER_ORDERS(TOMBOLA_ENUMERATOR) };
enum class Logprobs { TOMBOLA_LOGPROBS(TOMBOLA_ENUMERATOR) };
enum class ScratchpadMode { TOMBOLA_SCRATCHPAD_MODES(TOMBOLA_ENUMERATOR) };
#undef TOMBOLA_ENUMERATOR
// clang-format on

// Bytes of one element; 0 for undef and for values outside the enumeration.
size_t size_of(DataType type);
inline bool is_valid(DataType type) { return size_of(type) != 0; }

// Names as verbose mode, error messages and the command line spell them.
const char* name_of(DataType type);
const char* name_of(PropKind kind);
const char* name_of(PrimitiveKind kind);
const char* name_of(GeneratorKind kind);
const char* name_of(Alignment alignment);
const char* name_of(PermutationAlignment alignment);
const char* name_of(IntDraws draws);
const char* name_of(FloatDraws draws);
const char* name_of(DropoutMask kind);
const char* name_of(FilterOrder order);
const char* name_of(Logprobs logprobs);
const char* name_of(ScratchpadMode mode);
// "DST_STATE"; null if no primitive has such an argument.
const char* name_of_arg(int arg);

}  // namespace tombola::impl
