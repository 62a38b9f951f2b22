// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_generator.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

constexpr dim_t kStateWords = 6;  // counter[4], key[2]

}  // namespace

std::vector<ArgSpec> RandomGeneratorDesc::args() const {
    return {
        required_input(TOMBOLA_ARG_SRC_STATE, MemoryDesc::vector(DataType::u32, kStateWords),
                       ArgSpec::Match::vector),
        required_output(TOMBOLA_ARG_DST, dst),
        optional_output(TOMBOLA_ARG_DST_STATE, DataType::u32, kStateWords, TOMBOLA_ARG_SRC_STATE)};
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_generator_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_generator_kind_t kind, const_tombola_memory_desc_t dst_desc,
    const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<RandomGeneratorDesc>(
        primitive_desc, engine, attr, [&](RandomGeneratorDesc& desc) -> Status {
            TOMBOLA_TRY(set_enum(desc.generator, kind, "kind"));
            return set_filled(desc.dst, dst_desc, "dst_desc", desc.kTypes);
        });
}
