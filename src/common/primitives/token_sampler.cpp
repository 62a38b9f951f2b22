// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/token_sampler.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

constexpr dim_t kMaxClasses = INT32_MAX;

MemoryDesc matrix(DataType type, dim_t rows, dim_t columns) {
    const dim_t dims[] = {rows, columns};
    return MemoryDesc::row_major(2, dims, type);
}

Status check_token_sampler(const MemoryDesc& logits, const MemoryDesc& dst, dim_t top_n) {
    TOMBOLA_TRY(check_rows(logits, "logits_desc", TokenSamplerDesc::kTypes, dst));
    const dim_t classes = logits.dims[1];
    if (classes > kMaxClasses)
        return invalid("logits_desc has %lld classes; expected at most %lld", classes, kMaxClasses);
    if (top_n < 0 || top_n > classes)
        return invalid("top_n is %lld; expected 0 to %lld, the number of classes", top_n, classes);
    if (classes == 0 && dst.dims[0] > 0)
        return invalid("logits_desc has 0 classes; expected at least 1");
    return {};
}

}  // namespace

std::vector<ArgSpec> TokenSamplerDesc::args() const {
    const auto input = [](int arg, const MemoryDesc& desc) {
        return optional_input(arg, desc, ArgSpec::Match::exact);
    };
    const auto output = [](int arg, const MemoryDesc& desc) {
        return optional_output(arg, desc, ArgSpec::Match::exact);
    };
    const auto per_row = [&](ArgSpec spec) {
        spec.rows = batch();
        return spec;
    };
    std::vector<ArgSpec> specs{
        required_input(TOMBOLA_ARG_SRC, src),
        required_output(TOMBOLA_ARG_DST, dst),
        per_row(optional_input(TOMBOLA_ARG_TEMPERATURE, DataType::f32, 1)),
        per_row(optional_input(TOMBOLA_ARG_TOP_K, DataType::s32, 1)),
        per_row(optional_input(TOMBOLA_ARG_TOP_P, DataType::f32, 1)),
        per_row(optional_input(TOMBOLA_ARG_MIN_P, DataType::f32, 1)),
        input(TOMBOLA_ARG_MASK, matrix(DataType::s32, batch(), mask_words())),
        input(TOMBOLA_ARG_UNIFORMS, matrix(DataType::f64, batch(), samples())),
        per_row(optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2)),
        per_row(optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1)),
        output(TOMBOLA_ARG_DST_KEPT, MemoryDesc::vector(DataType::s32, batch())),
        per_row(optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS))};
    if (logprobs != Logprobs::none)
        specs.push_back(
            output(TOMBOLA_ARG_DST_LOGPROBS, matrix(DataType::f32, batch(), samples())));
    if (top_n > 0)
        specs.push_back(output(TOMBOLA_ARG_DST_TOP_IDS, matrix(dst.data_type, batch(), top_n)));
    if (top_n > 0 && logprobs != Logprobs::none)
        specs.push_back(
            output(TOMBOLA_ARG_DST_TOP_LOGPROBS, matrix(DataType::f32, batch(), top_n)));
    return specs;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_token_sampler_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t logits_desc, const_tombola_memory_desc_t dst_desc,
    tombola_filter_order_t filter_order, tombola_logprobs_t logprobs, tombola_dim_t top_n,
    uint64_t global_seed, uint64_t op_seed, const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<TokenSamplerDesc>(
        primitive_desc, engine, attr, [&](TokenSamplerDesc& desc) -> Status {
            TOMBOLA_TRY(set_enum(desc.filter_order, filter_order, "filter_order"));
            TOMBOLA_TRY(set_enum(desc.logprobs, logprobs, "logprobs"));
            TOMBOLA_TRY(check_tensor_with_layout(logits_desc, "logits_desc"));
            TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
            desc.src = *from_handle(logits_desc);
            desc.dst = row_major_if_any(*from_handle(dst_desc));
            desc.top_n = top_n;
            desc.global_seed = global_seed;
            desc.op_seed = op_seed;
            return check_token_sampler(desc.src, desc.dst, top_n);
        });
}
