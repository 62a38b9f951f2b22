// SPDX-License-Identifier: Apache-2.0
#include "common/types.hpp"

#include <array>

namespace tombola::impl {

size_t size_of(DataType type) {
    // Types of equal size have equal branches.
    // NOLINTBEGIN(bugprone-branch-clone)
    switch (type) {
#define TOMBOLA_CASE(name, value, bytes) \
    case DataType::name:                 \
        return bytes;
        TOMBOLA_DATA_TYPES(TOMBOLA_CASE)
#undef TOMBOLA_CASE
        case DataType::undef:
            break;
    }
    // NOLINTEND(bugprone-branch-clone)
    return 0;
}

const char* name_of(DataType type) {
    switch (type) {
#define TOMBOLA_CASE(name, value, bytes) \
    case DataType::name:                 \
        return #name;
        TOMBOLA_DATA_TYPES(TOMBOLA_CASE)
#undef TOMBOLA_CASE
        case DataType::undef:
            break;
    }
    return "undef";
}

const char* name_of(PropKind kind) {
    switch (kind) {
        case PropKind::forward_training:
            return "forward_training";
        case PropKind::forward_inference:
            return "forward_inference";
        case PropKind::backward_data:
            return "backward_data";
        case PropKind::undef:
            break;
    }
    return "undef";
}

const char* name_of(PrimitiveKind kind) {
    switch (kind) {
#define TOMBOLA_CASE(name, value) \
    case PrimitiveKind::name:     \
        return #name;
        TOMBOLA_PRIMITIVES(TOMBOLA_CASE)
#undef TOMBOLA_CASE
        case PrimitiveKind::undef:
            break;
    }
    return "undef";
}

template <class Enum, size_t N>
static const char* name_in(const std::array<const char*, N>& names, Enum enumerator) {
    constexpr std::array<Enum, N> all = all_of(Enum{});
    for (size_t i = 0; i < N; ++i)
        if (all[i] == enumerator) return names[i];
    return "unknown";
}

#define TOMBOLA_NAME(name, value) #name
#define TOMBOLA_NAME_OF(Type, list)                                 \
    const char* name_of(Type enumerator) {                          \
        return name_in(std::array{list(TOMBOLA_NAME)}, enumerator); \
    }
TOMBOLA_NAME_OF(GeneratorKind, TOMBOLA_GENERATOR_KINDS)
TOMBOLA_NAME_OF(Alignment, TOMBOLA_ALIGNMENTS)
TOMBOLA_NAME_OF(IntDraws, TOMBOLA_INT_DRAWS)
TOMBOLA_NAME_OF(FloatDraws, TOMBOLA_FLOAT_DRAWS)
TOMBOLA_NAME_OF(PermutationAlignment, TOMBOLA_PERMUTATION_ALIGNMENTS)
TOMBOLA_NAME_OF(DropoutMask, TOMBOLA_DROPOUT_MASKS)
TOMBOLA_NAME_OF(FilterOrder, TOMBOLA_FILTER_ORDERS)
TOMBOLA_NAME_OF(Logprobs, TOMBOLA_LOGPROBS)
TOMBOLA_NAME_OF(ScratchpadMode, TOMBOLA_SCRATCHPAD_MODES)
#undef TOMBOLA_NAME_OF
#undef TOMBOLA_NAME

const char* name_of_arg(int arg) {
    switch (arg) {
#define TOMBOLA_CASE(name)   \
    case TOMBOLA_ARG_##name: \
        return #name;
        TOMBOLA_CASE(SRC)
        TOMBOLA_CASE(DST)
        TOMBOLA_CASE(SCRATCHPAD)
        TOMBOLA_CASE(DIFF_SRC)
        TOMBOLA_CASE(DIFF_DST)
        TOMBOLA_CASE(MIN)
        TOMBOLA_CASE(MAX)
        TOMBOLA_CASE(SEEDS)
        TOMBOLA_CASE(OFFSET)
        TOMBOLA_CASE(UNIFORMS)
        TOMBOLA_CASE(SRC_STATE)
        TOMBOLA_CASE(DST_STATE)
        TOMBOLA_CASE(DST_SEEDS)
        TOMBOLA_CASE(P)
        TOMBOLA_CASE(MASK)
        TOMBOLA_CASE(MEAN)
        TOMBOLA_CASE(STD)
        TOMBOLA_CASE(TEMPERATURE)
        TOMBOLA_CASE(TOP_K)
        TOMBOLA_CASE(TOP_P)
        TOMBOLA_CASE(MIN_P)
        TOMBOLA_CASE(DST_LOGPROBS)
        TOMBOLA_CASE(DST_KEPT)
        TOMBOLA_CASE(DST_TOP_IDS)
        TOMBOLA_CASE(DST_TOP_LOGPROBS)
        TOMBOLA_CASE(LAMBDA)
#undef TOMBOLA_CASE
    }
    return nullptr;
}

}  // namespace tombola::impl
