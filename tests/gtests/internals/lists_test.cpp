// SPDX-License-Identifier: Apache-2.0

// The tables of implementations: every row serves something, and every data type is served or refused by all rows of
// a primitive alike. What a row computes is compared elsewhere, for every row that serves a case (for_each_implementation).

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/cpu_isa.hpp"
#include "common/implementation.hpp"

namespace tombola::impl {
namespace {

std::vector<DataType> all_types() {
    std::vector<DataType> types;
    constexpr int kBeyondEveryType = 64;
    for (int value = 0; value < kBeyondEveryType; ++value)
        if (const auto type = static_cast<DataType>(value); is_valid(type)) types.push_back(type);
    return types;
}

std::vector<PrimitiveKind> all_kinds() {
    return {
#define TOMBOLA_KIND(name, value) PrimitiveKind::name,
        TOMBOLA_PRIMITIVES(TOMBOLA_KIND)
#undef TOMBOLA_KIND
    };
}

MemoryDesc tensor(std::vector<dim_t> dims, DataType type) {
    return MemoryDesc::from_strides(static_cast<int>(dims.size()), dims.data(), type, nullptr)
        .take();
}

// Descriptors of every primitive with elements of `type`. A new primitive adds its own here: without them its rows
// serve nothing, and the test says so.
std::vector<OpDesc> descriptors(DataType type) {
    std::vector<OpDesc> descs;
    const dim_t dims[] = {2, 32, 6, 5};
    const dim_t nhwc[] = {32 * 6 * 5, 1, 5 * 32, 32};
    for (const MemoryDesc& data :
         {tensor({2, 32, 6, 5}, type), MemoryDesc::from_strides(4, dims, type, nhwc).take(),
          MemoryDesc::from_tag(4, dims, type, tombola_nChw16c).take()})
        descs.push_back(ShuffleDesc{{PropKind::forward_training, data, data}, 1, 4});
    descs.push_back(RandomGeneratorDesc{GeneratorKind::philox4x32_10, tensor({40}, type)});
    for (const Alignment alignment : {Alignment::tensorflow, Alignment::pytorch})
        descs.push_back(RandomUniformDesc{{alignment, tensor({40}, type), 1, 2}, IntDraws::spec});
    for (const Alignment alignment : {Alignment::tensorflow, Alignment::pytorch})
        descs.push_back(RandomNormalDesc{{alignment, tensor({40}, type), 1, 2}});
    for (const Alignment alignment : {Alignment::tensorflow, Alignment::pytorch}) {
        descs.push_back(RandomExponentialDesc{{alignment, tensor({40}, type), 1, 2}});
        for (const DataType p_type : {DataType::f32, DataType::f64})
            for (const dim_t p_size : {1, 40})
                descs.push_back(RandomBernoulliDesc{{alignment, tensor({40}, type), 1, 2},
                                                    tensor({p_size}, p_type)});
    }
    for (const bool log_probs : {false, true})
        descs.push_back(MultinomialDesc{tensor({3, 40}, type), tensor({3, 5}, DataType::s32), true,
                                        log_probs, 1, 2});
    for (const PermutationAlignment alignment :
         {PermutationAlignment::pytorch, PermutationAlignment::philox})
        descs.push_back(RandomPermutationDesc{alignment, tensor({40}, type), 50, 1, 2});
    for (const auto direction : {PropKind::forward_training, PropKind::backward_data})
        descs.push_back(DropoutDesc{
            {direction, tensor({40}, type), tensor({40}, type)}, 16, DropoutMask::bits, 1, 2});
    descs.push_back(StochasticRoundingDesc{tensor({40}, DataType::f32), tensor({40}, type), 1, 2});
    descs.push_back(TokenSamplerDesc{tensor({3, 40}, type), tensor({3, 5}, DataType::s32),
                                     FilterOrder::vllm, Logprobs::raw, 2, 1, 2});
    return descs;
}

// What the C API lets through: the rows of a list are asked about nothing else.
bool may_have(const OpDesc& desc, DataType type) {
    if (std::holds_alternative<ShuffleDesc>(desc)) return true;
    if (std::holds_alternative<RandomGeneratorDesc>(desc)) return type == DataType::u32;
    if (std::holds_alternative<RandomPermutationDesc>(desc))
        return type == DataType::s32 || type == DataType::s64;
    if (std::holds_alternative<MultinomialDesc>(desc) ||
        std::holds_alternative<RandomNormalDesc>(desc))
        return type == DataType::f16 || type == DataType::bf16 || type == DataType::f32 ||
               type == DataType::f64;
    if (std::holds_alternative<DropoutDesc>(desc))
        return type == DataType::f16 || type == DataType::bf16 || type == DataType::f32;
    if (std::holds_alternative<StochasticRoundingDesc>(desc))
        return type == DataType::f16 || type == DataType::bf16;
    if (std::holds_alternative<TokenSamplerDesc>(desc))
        return type == DataType::f16 || type == DataType::bf16 || type == DataType::f32;
    return true;
}

TEST(Lists, EveryRowServesSomething) {
    std::map<std::pair<PrimitiveKind, const Implementation*>, int> served;
    for (const PrimitiveKind kind : all_kinds())
        for (const Implementation& row : implementations(kind)) served[{kind, &row}] = 0;
    EXPECT_GE(served.size(), all_kinds().size());
    for (const DataType type : all_types())
        for (const OpDesc& desc : descriptors(type)) {
            if (!may_have(desc, type)) continue;
            for (const Implementation& row : implementations(kind_of(desc)))
                if (row.isa <= detected_isa() && row.plan(row.isa, desc).ok())
                    ++served[{kind_of(desc), &row}];
        }
    for (const auto& [key, count] : served) {
        if (key.second->isa > detected_isa()) continue;
        EXPECT_GT(count, 0) << name_of(key.first) << ": " << key.second->name;
    }
}

// A type that a generated row serves is served by portable C++, which it is compared with.
TEST(Lists, PortableRowsServeWhatAnyRowServes) {
    int compared = 0;
    for (const DataType type : all_types())
        for (const OpDesc& desc : descriptors(type)) {
            if (!may_have(desc, type)) continue;
            bool any = false, portable = false;
            for (const Implementation& row : implementations(kind_of(desc))) {
                if (row.isa > detected_isa() || !row.plan(row.isa, desc).ok()) continue;
                any = true;
                portable |= row.isa == CpuIsa::none;
                ++compared;
            }
            EXPECT_EQ(any, portable) << name_of(kind_of(desc)) << ' ' << name_of(type);
        }
    EXPECT_GT(compared, 40);
}

// --impl and verbose lines name rows: a list has no name twice for one descriptor.
TEST(Lists, RowsThatServeADescriptorHaveDifferentNames) {
    for (const DataType type : all_types())
        for (const OpDesc& desc : descriptors(type)) {
            if (!may_have(desc, type)) continue;
            std::set<std::string> names;
            for (const Implementation& row : implementations(kind_of(desc)))
                if (row.isa <= detected_isa() && row.plan(row.isa, desc).ok()) {
                    EXPECT_TRUE(names.insert(row.name).second) << row.name;
                }
        }
}

}  // namespace
}  // namespace tombola::impl
