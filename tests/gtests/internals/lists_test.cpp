// SPDX-License-Identifier: Apache-2.0

// The tables of implementations: every row serves something, and every data type is served or refused by all rows of
// a primitive alike, and writes what the portable row writes. The suites of the primitives compare the rows with references
// (for_each_implementation).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/cpu_isa.hpp"
#include "common/implementation.hpp"
#include "common/scratchpad.hpp"
#include "cpu/float16.hpp"

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
        descs.push_back(RandomUniformDesc{
            {alignment, tensor({40}, type), 1, 2}, IntDraws::spec, FloatDraws::torch1, false});
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

template <class Desc, class = void>
struct HasTypes : std::false_type {};
template <class Desc>
struct HasTypes<Desc, std::void_t<decltype(Desc::kTypes)>> : std::true_type {};

// What the C API lets through: the rows of a list are asked about nothing else. A shuffle moves every type.
bool may_have(const OpDesc& desc, DataType type) {
    return std::visit(
        [&](const auto& one) {
            using Desc = std::decay_t<decltype(one)>;
            if constexpr (HasTypes<Desc>::value)
                return std::find(Desc::kTypes.begin(), Desc::kTypes.end(), type) !=
                       Desc::kTypes.end();
            else
                return std::is_same_v<Desc, ShuffleDesc>;
        },
        desc);
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
        EXPECT_GT(count, 0) << name_of(key.first) << ": " << key.second->name
                            << " serves none of descriptors(): add one that it serves";
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

using Bytes = std::vector<unsigned char>;

template <class T>
void put(Bytes& bytes, size_t i, T value) {
    std::memcpy(&bytes[i * sizeof value], &value, sizeof value);
}

void put_number(Bytes& bytes, size_t i, DataType type, double value) {
    if (type == DataType::f16) return put(bytes, i, cpu::to_f16(static_cast<float>(value)));
    if (type == DataType::bf16) return put(bytes, i, cpu::to_bf16(static_cast<float>(value)));
    if (type == DataType::f32) return put(bytes, i, static_cast<float>(value));
    if (type == DataType::f64) return put(bytes, i, value);
    const auto integer = static_cast<int64_t>(value);  // little-endian: the low bytes come first
    std::memcpy(&bytes[i * size_of(type)], &integer, size_of(type));
}

// Values that every primitive accepts for its argument.
double value_of(int arg, size_t i) {
    if (arg == TOMBOLA_ARG_MIN) return 0;
    if (arg == TOMBOLA_ARG_MAX) return 100;
    if (arg == TOMBOLA_ARG_P) return 0.25;
    return static_cast<double>(i * 7 % 13 + 1);
}

// Runs the plan with the required inputs and all outputs. Returns the outputs.
std::vector<Bytes> run(const OpDesc& desc, const Plan& plan) {
    const std::vector<ArgSpec> specs = arg_specs(desc);
    ExecContext context;
    context.set_default_seeds({1, 2});
    std::vector<Bytes> buffers(specs.size());
    for (size_t at = 0; at < specs.size(); ++at) {
        const ArgSpec& spec = specs[at];
        const bool is_input = spec.role == ArgSpec::Role::input;
        if (is_input && !spec.required) continue;
        buffers[at].assign(spec.desc.size(), 0xEE);
        for (size_t i = 0; is_input && i < spec.desc.size() / size_of(spec.desc.data_type); ++i)
            put_number(buffers[at], i, spec.desc.data_type, value_of(spec.arg, i));
        context.add(spec.arg, buffers[at].data(), spec.desc.nelems());
    }
    const std::unique_ptr<void, decltype(&std::free)> scratchpad(
        std::aligned_alloc(
            kScratchpadAlignment,
            (plan.scratchpad_bytes() / kScratchpadAlignment + 1) * kScratchpadAlignment),
        &std::free);
    context.set_scratchpad(scratchpad.get());
    auto built = plan.build();
    EXPECT_TRUE(built.ok());
    if (!built.ok()) return {};
    const Status status = built.value()->execute(context);
    EXPECT_TRUE(status.ok()) << status.message();
    return buffers;
}

// All lists, all types, all instruction sets of this machine.
TEST(Lists, EveryRowWritesWhatThePortableRowWrites) {
    std::set<const Implementation*> compared;
    for (const DataType type : all_types())
        for (const OpDesc& desc : descriptors(type)) {
            if (!may_have(desc, type)) continue;
            const ImplementationList list = implementations(kind_of(desc));
            const Implementation& portable = list.rows[list.count - 1];
            ASSERT_EQ(portable.isa, CpuIsa::none) << name_of(kind_of(desc));
            auto definition = portable.plan(portable.isa, desc);
            if (!definition.ok()) continue;  // PortableRowsServeWhatAnyRowServes
            const auto expected = run(desc, *definition.value());
            for (const Implementation& row : list) {
                if (row.isa > detected_isa()) continue;
                auto plan = row.plan(row.isa, desc);
                if (!plan.ok()) continue;
                EXPECT_TRUE(run(desc, *plan.value()) == expected)
                    << name_of(kind_of(desc)) << ' ' << row.name << ' ' << name_of(type);
                compared.insert(&row);
            }
        }
    for (const PrimitiveKind kind : all_kinds())
        for (const Implementation& row : implementations(kind))
            EXPECT_TRUE(row.isa > detected_isa() || compared.count(&row) == 1)
                << name_of(kind) << ' ' << row.name;
}

}  // namespace
}  // namespace tombola::impl
