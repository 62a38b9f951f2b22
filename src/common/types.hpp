// SPDX-License-Identifier: Apache-2.0
#pragma once

// The public enumerations as scoped types with the same values, and their sizes and names.

#include <array>
#include <cstddef>
#include <cstdint>

#include "tombola/tombola.h"

namespace tombola::impl {

using dim_t = tombola_dim_t;
inline constexpr int kMaxDims = TOMBOLA_MAX_NDIMS;

// A count that is known not to be negative.
constexpr size_t to_size(dim_t n) { return static_cast<size_t>(n); }

enum class DataType {
    undef = tombola_data_type_undef,
#define TOMBOLA_ENUMERATOR(name, value, bytes) name = tombola_##name,
    TOMBOLA_DATA_TYPES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

// Data types that a tensor may have: a view of a constant array.
class DataTypes {
  public:
    template <size_t kCount>
    constexpr DataTypes(const std::array<DataType, kCount>& types)
        : begin_(types.data()), end_(types.data() + kCount) {}
    constexpr const DataType* begin() const { return begin_; }
    constexpr const DataType* end() const { return end_; }
    constexpr size_t size() const { return static_cast<size_t>(end_ - begin_); }

  private:
    const DataType* begin_;
    const DataType* end_;
};

inline constexpr std::array kFloatTypes{DataType::f16, DataType::bf16, DataType::f32,
                                        DataType::f64};
inline constexpr std::array kIndexTypes{DataType::s32, DataType::s64};

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

// An enumeration of a primitive or its attributes, from the list of the public header: the type, its enumerators in the
// order of the list, and their names.
#define TOMBOLA_ENUMERATOR(name, value) name = (value)
#define TOMBOLA_VALUE(name, value) Enum::name
#define TOMBOLA_ENUM(Name, list)                  \
    enum class Name { list(TOMBOLA_ENUMERATOR) }; \
    constexpr auto all_of(Name) {                 \
        using Enum = Name;                        \
        return std::array{list(TOMBOLA_VALUE)};   \
    }                                             \
    const char* name_of(Name);
TOMBOLA_ENUM(GeneratorKind, TOMBOLA_GENERATOR_KINDS)
TOMBOLA_ENUM(Alignment, TOMBOLA_ALIGNMENTS)
TOMBOLA_ENUM(IntDraws, TOMBOLA_INT_DRAWS)
TOMBOLA_ENUM(FloatDraws, TOMBOLA_FLOAT_DRAWS)
TOMBOLA_ENUM(PermutationAlignment, TOMBOLA_PERMUTATION_ALIGNMENTS)
TOMBOLA_ENUM(DropoutMask, TOMBOLA_DROPOUT_MASKS)
TOMBOLA_ENUM(FilterOrder, TOMBOLA_FILTER_ORDERS)
TOMBOLA_ENUM(Logprobs, TOMBOLA_LOGPROBS)
TOMBOLA_ENUM(ScratchpadMode, TOMBOLA_SCRATCHPAD_MODES)
#undef TOMBOLA_ENUM
#undef TOMBOLA_VALUE
#undef TOMBOLA_ENUMERATOR

// Bytes of one element; 0 for undef and for values outside the enumeration.
size_t size_of(DataType type);
inline bool is_valid(DataType type) { return size_of(type) != 0; }

// Names, as verbose mode, error messages and the command line spell them.
const char* name_of(DataType type);
const char* name_of(PropKind kind);
const char* name_of(PrimitiveKind kind);
// "DST_STATE"; null if no primitive has such an argument.
const char* name_of_arg(int arg);

}  // namespace tombola::impl
