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

const char* name_of(FloatDraws draws) {
    switch (draws) {
        case FloatDraws::torch1:
            return "torch1";
        case FloatDraws::torch2:
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
