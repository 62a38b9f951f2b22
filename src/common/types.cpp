// SPDX-License-Identifier: Apache-2.0
#include "common/types.hpp"

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

const char* name_of(GeneratorKind kind) {
    switch (kind) {
        case GeneratorKind::philox4x32_10:
            return "philox4x32_10";
    }
    return "unknown";
}

const char* name_of(Alignment alignment) {
    switch (alignment) {
        case Alignment::tensorflow:
            return "tensorflow";
        case Alignment::pytorch:
            return "pytorch";
    }
    return "unknown";
}

const char* name_of(IntDraws draws) {
    switch (draws) {
        case IntDraws::spec:
            return "spec";
        case IntDraws::torch1:
            return "torch1";
        case IntDraws::torch2:
            return "torch2";
    }
    return "unknown";
}

const char* name_of(PermutationAlignment alignment) {
    switch (alignment) {
        case PermutationAlignment::pytorch:
            return "pytorch";
        case PermutationAlignment::philox:
            return "philox";
    }
    return "unknown";
}

const char* name_of(DropoutMask kind) {
    switch (kind) {
        case DropoutMask::none:
            return "none";
        case DropoutMask::u8:
            return "u8";
        case DropoutMask::bits:
            return "bits";
    }
    return "unknown";
}

const char* name_of(ScratchpadMode mode) {
    switch (mode) {
        case ScratchpadMode::library:
            return "library";
        case ScratchpadMode::user:
            return "user";
    }
    return "unknown";
}

const char* name_of_arg(int arg) {
    switch (arg) {
        case TOMBOLA_ARG_SRC:
            return "SRC";
        case TOMBOLA_ARG_DST:
            return "DST";
        case TOMBOLA_ARG_SCRATCHPAD:
            return "SCRATCHPAD";
        case TOMBOLA_ARG_DIFF_SRC:
            return "DIFF_SRC";
        case TOMBOLA_ARG_DIFF_DST:
            return "DIFF_DST";
        case TOMBOLA_ARG_MIN:
            return "MIN";
        case TOMBOLA_ARG_MAX:
            return "MAX";
        case TOMBOLA_ARG_SEEDS:
            return "SEEDS";
        case TOMBOLA_ARG_OFFSET:
            return "OFFSET";
        case TOMBOLA_ARG_UNIFORMS:
            return "UNIFORMS";
        case TOMBOLA_ARG_SRC_STATE:
            return "SRC_STATE";
        case TOMBOLA_ARG_DST_STATE:
            return "DST_STATE";
        case TOMBOLA_ARG_DST_SEEDS:
            return "DST_SEEDS";
        case TOMBOLA_ARG_P:
            return "P";
        case TOMBOLA_ARG_MASK:
            return "MASK";
        case TOMBOLA_ARG_MEAN:
            return "MEAN";
        case TOMBOLA_ARG_STD:
            return "STD";
        case TOMBOLA_ARG_TEMPERATURE:
            return "TEMPERATURE";
        case TOMBOLA_ARG_TOP_K:
            return "TOP_K";
        case TOMBOLA_ARG_TOP_P:
            return "TOP_P";
        case TOMBOLA_ARG_MIN_P:
            return "MIN_P";
        case TOMBOLA_ARG_DST_LOGPROBS:
            return "DST_LOGPROBS";
        case TOMBOLA_ARG_DST_KEPT:
            return "DST_KEPT";
        case TOMBOLA_ARG_DST_TOP_IDS:
            return "DST_TOP_IDS";
        case TOMBOLA_ARG_DST_TOP_LOGPROBS:
            return "DST_TOP_LOGPROBS";
        case TOMBOLA_ARG_LAMBDA:
            return "LAMBDA";
    }
    return nullptr;
}

}  // namespace tombola::impl
