// SPDX-License-Identifier: Apache-2.0
#include "common/op_desc.hpp"

#include "common/hash.hpp"

namespace tombola::impl {
namespace {

constexpr auto kInput = ArgSpec::Role::input;
constexpr auto kOutput = ArgSpec::Role::output;
constexpr auto kExact = ArgSpec::Match::exact;
constexpr auto kVector = ArgSpec::Match::vector;

constexpr dim_t kPhiloxStateWords = 6;      // counter[4], key[2]
constexpr dim_t kTensorflowStateWords = 2;  // n, op counter
constexpr dim_t kMt19937StateWords = 625;   // words[624], position

ArgSpec required(int arg, ArgSpec::Role role, ArgSpec::Match match, const MemoryDesc& desc) {
    return {arg, name_of_arg(arg), role, true, match, desc};
}

ArgSpec optional_input(int arg, DataType type, dim_t count) {
    return {arg, name_of_arg(arg), kInput, false, kVector, MemoryDesc::vector(type, count)};
}

ArgSpec optional_output(int arg, DataType type, dim_t count, int may_alias) {
    return {arg,      name_of_arg(arg), kOutput, false, kVector, MemoryDesc::vector(type, count),
            may_alias};
}

std::vector<ArgSpec> args_of(const ShuffleDesc& desc) {
    if (desc.is_forward())
        return {required(TOMBOLA_ARG_SRC, kInput, kExact, desc.src),
                required(TOMBOLA_ARG_DST, kOutput, kExact, desc.dst)};
    return {required(TOMBOLA_ARG_DIFF_DST, kInput, kExact, desc.src),
            required(TOMBOLA_ARG_DIFF_SRC, kOutput, kExact, desc.dst)};
}

std::vector<ArgSpec> args_of(const RandomGeneratorDesc& desc) {
    return {required(TOMBOLA_ARG_SRC_STATE, kInput, kVector,
                     MemoryDesc::vector(DataType::u32, kPhiloxStateWords)),
            required(TOMBOLA_ARG_DST, kOutput, kExact, desc.dst),
            optional_output(TOMBOLA_ARG_DST_STATE, DataType::u32, kPhiloxStateWords,
                            TOMBOLA_ARG_SRC_STATE)};
}

std::vector<ArgSpec> args_of(const RandomUniformDesc& desc) {
    const MemoryDesc bound = MemoryDesc::vector(desc.dst.data_type, 1);
    const bool philox = desc.alignment == Alignment::tensorflow;
    const DataType state_type = philox ? DataType::u64 : DataType::u32;
    const dim_t state_words = philox ? kTensorflowStateWords : kMt19937StateWords;
    return {required(TOMBOLA_ARG_MIN, kInput, kVector, bound),
            required(TOMBOLA_ARG_MAX, kInput, kVector, bound),
            required(TOMBOLA_ARG_DST, kOutput, kExact, desc.dst),
            optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2),
            optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1),
            optional_input(TOMBOLA_ARG_SRC_STATE, state_type, state_words),
            optional_output(TOMBOLA_ARG_DST_STATE, state_type, state_words, TOMBOLA_ARG_SRC_STATE),
            optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS)};
}

std::vector<ArgSpec> args_of(const MultinomialDesc& desc) {
    MemoryDesc uniforms =
        MemoryDesc::from_strides(2, desc.dst.dims.data(), DataType::f64, nullptr).take();
    return {
        required(TOMBOLA_ARG_SRC, kInput, kExact, desc.src),
        required(TOMBOLA_ARG_DST, kOutput, kExact, desc.dst),
        optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2),
        optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1),
        {TOMBOLA_ARG_UNIFORMS, name_of_arg(TOMBOLA_ARG_UNIFORMS), kInput, false, kExact, uniforms},
        optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS)};
}

uint64_t hash_field(const MemoryDesc& desc) { return hash_of(desc); }
template <class T>
uint64_t hash_field(T value) {
    return static_cast<uint64_t>(value);
}

// Whether equal(x, y) for each field, or each default, of two descriptors of one operator.
template <class Equal>
bool all_fields(const OpDesc& a, const OpDesc& b, bool defaults, const Equal& equal) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&](const auto& x) {
            using Desc = std::decay_t<decltype(x)>;
            const auto& y = std::get<Desc>(b);
            return std::apply(
                [&](auto... f) {
                    return ((f.is_default != defaults || equal(x.*f.member, y.*f.member)) && ...);
                },
                Desc::fields());
        },
        a);
}

bool identical_field(const MemoryDesc& a, const MemoryDesc& b) {
    return a == b && a.strides == b.strides;
}
template <class T>
bool identical_field(T a, T b) {
    return a == b;
}

template <class Desc>
auto seeds_in(const Desc& desc, int) -> decltype(Seeds{desc.global_seed, desc.op_seed}) {
    return {desc.global_seed, desc.op_seed};
}
template <class Desc>
Seeds seeds_in(const Desc&, long) {
    return {};
}

}  // namespace

PrimitiveKind kind_of(const OpDesc& desc) {
    return std::visit([](const auto& d) { return std::decay_t<decltype(d)>::kKind; }, desc);
}

PropKind prop_kind_of(const OpDesc& desc) {
    const auto* shuffle = std::get_if<ShuffleDesc>(&desc);
    return shuffle == nullptr ? PropKind::undef : shuffle->prop_kind;
}

uint64_t hash_of(const OpDesc& desc) {
    uint64_t hash = hash_combine(0, kind_of(desc));
    std::visit(
        [&](const auto& d) {
            const auto add = [&](auto f) {
                if (!f.is_default) hash = hash_combine(hash, hash_field(d.*f.member));
            };
            std::apply([&](auto... f) { (add(f), ...); }, std::decay_t<decltype(d)>::fields());
        },
        desc);
    return hash;
}

bool operator==(const OpDesc& a, const OpDesc& b) {
    return all_fields(a, b, false, [](const auto& x, const auto& y) { return x == y; });
}

bool identical(const OpDesc& a, const OpDesc& b) {
    return all_fields(a, b, false,
                      [](const auto& x, const auto& y) { return identical_field(x, y); });
}

bool same_defaults(const OpDesc& a, const OpDesc& b) {
    return all_fields(a, b, true, [](const auto& x, const auto& y) { return x == y; });
}

Seeds seeds_of(const OpDesc& desc) {
    return std::visit([](const auto& d) { return seeds_in(d, 0); }, desc);
}

std::vector<ArgSpec> arg_specs(const OpDesc& desc) {
    return std::visit([](const auto& d) { return args_of(d); }, desc);
}

}  // namespace tombola::impl
