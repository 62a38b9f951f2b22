// SPDX-License-Identifier: Apache-2.0
#include "common/types.hpp"

namespace tombola::impl {

size_t size_of(DataType type) {
    switch (type) {
        case DataType::s8:
        case DataType::u8:
            return 1;
        case DataType::f16:
        case DataType::bf16:
            return 2;
        case DataType::f32:
        case DataType::s32:
        case DataType::u32:
            return 4;
        case DataType::f64:
        case DataType::s64:
        case DataType::u64:
            return 8;
        case DataType::undef:
            break;
    }
    return 0;
}

const char* name_of(DataType type) {
    switch (type) {
        case DataType::f16:
            return "f16";
        case DataType::bf16:
            return "bf16";
        case DataType::f32:
            return "f32";
        case DataType::f64:
            return "f64";
        case DataType::s8:
            return "s8";
        case DataType::u8:
            return "u8";
        case DataType::s32:
            return "s32";
        case DataType::u32:
            return "u32";
        case DataType::s64:
            return "s64";
        case DataType::u64:
            return "u64";
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
        case PrimitiveKind::shuffle:
            return "shuffle";
        case PrimitiveKind::random_generator:
            return "random_generator";
        case PrimitiveKind::random_uniform:
            return "random_uniform";
        case PrimitiveKind::multinomial:
            return "multinomial";
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
    }
    return nullptr;
}

}  // namespace tombola::impl
