// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/c_api.hpp"

namespace tombola::impl {
namespace {

template <size_t n>
Status check_type(const MemoryDesc& desc, const char* name, const DataType (&allowed)[n]) {
    if (std::find(std::begin(allowed), std::end(allowed), desc.data_type) != std::end(allowed))
        return {};
    std::string list;
    for (const DataType type : allowed)
        list += (list.empty() ? "" : ", ") + std::string(name_of(type));
    return invalid("%s has the data type %s; expected %s%s", name, name_of(desc.data_type),
                   n > 1 ? "one of " : "", list.c_str());
}

// 0 or 1: what a C boolean may be.
Status check_flag(int value, const char* name) {
    if (value == 0 || value == 1) return {};
    return invalid("%s is %d; expected 0 or 1", name, value);
}

Status check_matrix(const MemoryDesc& desc, const char* name, const char* columns) {
    if (desc.ndims == 2) return {};
    return invalid("%s has %d dimensions; expected 2, [batch, %s]", name, desc.ndims, columns);
}

Status check_multinomial(const MemoryDesc& probs, const MemoryDesc& dst, bool with_replacement) {
    TOMBOLA_TRY(check_matrix(probs, "probs_desc", "classes"));
    TOMBOLA_TRY(check_matrix(dst, "dst_desc", "samples"));
    TOMBOLA_TRY(check_type(probs, "probs_desc",
                           {DataType::f16, DataType::bf16, DataType::f32, DataType::f64}));
    TOMBOLA_TRY(check_type(dst, "dst_desc", {DataType::s32, DataType::s64}));
    const auto batch = static_cast<long long>(probs.dims[0]);
    const auto classes = static_cast<long long>(probs.dims[1]);
    const auto samples = static_cast<long long>(dst.dims[1]);
    if (dst.dims[0] != probs.dims[0])
        return invalid("dst_desc has %lld rows; expected %lld, as probs_desc",
                       static_cast<long long>(dst.dims[0]), batch);
    if (dst.has_zero_dim()) return {};
    if (classes == 0) return invalid("probs_desc has 0 classes; expected at least 1");
    if (dst.data_type == DataType::s32 && classes > INT64_C(0x80000000))
        return invalid("dst_desc has the data type s32; expected s64 for %lld classes", classes);
    if (!with_replacement && samples > classes)
        return invalid(
            "dst_desc has %lld samples; expected at most %lld, the number of classes, "
            "without replacement",
            samples, classes);
    return {};
}

}  // namespace
}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_generator_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_generator_kind_t kind, const_tombola_memory_desc_t dst_desc,
    const_tombola_primitive_attr_t attr) {
    return api_call("random_generator", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        if (kind != tombola_philox4x32_10)
            return invalid("kind is %d; expected tombola_philox4x32_10", static_cast<int>(kind));
        TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
        const MemoryDesc dst = row_major_if_any(*from_handle(dst_desc));
        TOMBOLA_TRY(check_type(dst, "dst_desc", {DataType::u32}));
        return create_primitive_desc(primitive_desc, engine,
                                     RandomGeneratorDesc{GeneratorKind::philox4x32_10, dst}, attr);
    });
}

tombola_status_t tombola_random_uniform_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, tombola_int_draws_t int_draws, const_tombola_primitive_attr_t attr) {
    return api_call("random_uniform", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        if (alignment != tombola_alignment_tensorflow && alignment != tombola_alignment_pytorch)
            return invalid("alignment is %d; expected tensorflow or pytorch",
                           static_cast<int>(alignment));
        if (int_draws != tombola_int_draws_spec && int_draws != tombola_int_draws_torch1 &&
            int_draws != tombola_int_draws_torch2)
            return invalid("int_draws is %d; expected spec, torch1 or torch2",
                           static_cast<int>(int_draws));
        TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
        const MemoryDesc dst = row_major_if_any(*from_handle(dst_desc));
        TOMBOLA_TRY(check_type(dst, "dst_desc",
                               {DataType::f16, DataType::bf16, DataType::f32, DataType::f64,
                                DataType::s32, DataType::s64}));
        return create_primitive_desc(
            primitive_desc, engine,
            RandomUniformDesc{static_cast<Alignment>(alignment), dst, global_seed, op_seed,
                              static_cast<IntDraws>(int_draws)},
            attr);
    });
}

tombola_status_t tombola_multinomial_primitive_desc_create(tombola_primitive_desc_t* primitive_desc,
                                                           tombola_engine_t engine,
                                                           const_tombola_memory_desc_t probs_desc,
                                                           const_tombola_memory_desc_t dst_desc,
                                                           int with_replacement, int log_probs,
                                                           uint64_t global_seed, uint64_t op_seed,
                                                           const_tombola_primitive_attr_t attr) {
    return api_call("multinomial", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        TOMBOLA_TRY(check_flag(with_replacement, "with_replacement"));
        TOMBOLA_TRY(check_flag(log_probs, "log_probs"));
        TOMBOLA_TRY(check_tensor_with_layout(probs_desc, "probs_desc"));
        TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
        const MemoryDesc& probs = *from_handle(probs_desc);
        const MemoryDesc dst = row_major_if_any(*from_handle(dst_desc));
        TOMBOLA_TRY(check_multinomial(probs, dst, with_replacement == 1));
        return create_primitive_desc(primitive_desc, engine,
                                     MultinomialDesc{probs, dst, with_replacement == 1,
                                                     log_probs == 1, global_seed, op_seed},
                                     attr);
    });
}
