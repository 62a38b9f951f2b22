// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/multinomial.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

Status check_multinomial(const MemoryDesc& probs, const MemoryDesc& dst, bool with_replacement) {
    TOMBOLA_TRY(check_rows(probs, "probs_desc", MultinomialDesc::kTypes, dst));
    const dim_t classes = probs.dims[1], samples = dst.dims[1];
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

std::vector<ArgSpec> MultinomialDesc::args() const {
    return {required_input(TOMBOLA_ARG_SRC, src),
            required_output(TOMBOLA_ARG_DST, dst),
            optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2),
            optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1),
            optional_input(TOMBOLA_ARG_UNIFORMS,
                           MemoryDesc::row_major(2, dst.dims.data(), DataType::f64),
                           ArgSpec::Match::exact),
            optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS)};
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_multinomial_primitive_desc_create(tombola_primitive_desc_t* primitive_desc,
                                                           tombola_engine_t engine,
                                                           const_tombola_memory_desc_t probs_desc,
                                                           const_tombola_memory_desc_t dst_desc,
                                                           int with_replacement, int log_probs,
                                                           uint64_t global_seed, uint64_t op_seed,
                                                           const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<MultinomialDesc>(
        primitive_desc, engine, attr, [&](MultinomialDesc& desc) -> Status {
            TOMBOLA_TRY(check_flag(with_replacement, "with_replacement"));
            TOMBOLA_TRY(check_flag(log_probs, "log_probs"));
            TOMBOLA_TRY(check_tensor_with_layout(probs_desc, "probs_desc"));
            TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
            desc = {*from_handle(probs_desc),
                    row_major_if_any(*from_handle(dst_desc)),
                    with_replacement == 1,
                    log_probs == 1,
                    global_seed,
                    op_seed};
            return check_multinomial(desc.src, desc.dst, desc.with_replacement);
        });
}
