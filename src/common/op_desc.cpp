// SPDX-License-Identifier: Apache-2.0
#include "common/op_desc.hpp"

#include "common/hash.hpp"

namespace tombola::impl {
namespace {

uint64_t hash_field(const MemoryDesc& desc) { return hash_of(desc); }
template <class T>
uint64_t hash_field(T value) {
    return static_cast<uint64_t>(value);
}

// Whether two descriptors are of the same operator, and equal(x, y) holds for their fields: for all default fields if `defaults`, otherwise
// for all other fields.
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
auto prop_kind_in(const Desc& desc, int) -> decltype(desc.prop_kind) {
    return desc.prop_kind;
}
template <class Desc>
PropKind prop_kind_in(const Desc&, long) {
    return PropKind::undef;
}

template <class Desc>
auto seeds_in(const Desc& desc, int) -> decltype(Seeds{desc.global_seed, desc.op_seed}) {
    return {desc.global_seed, desc.op_seed};
}
template <class Desc>
Seeds seeds_in(const Desc&, long) {
    return {};
}

template <class Desc>
auto pytorch_in(const Desc& desc, int) -> decltype(desc.alignment == desc.alignment) {
    return desc.alignment == decltype(desc.alignment)::pytorch;
}
template <class Desc>
bool pytorch_in(const Desc&, long) {
    return false;
}

}  // namespace

PrimitiveKind kind_of(const OpDesc& desc) {
    return std::visit([](const auto& d) { return std::decay_t<decltype(d)>::kKind; }, desc);
}

PropKind prop_kind_of(const OpDesc& desc) {
    return std::visit([](const auto& d) { return prop_kind_in(d, 0); }, desc);
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

bool draws_mt19937(const OpDesc& desc) {
    return std::visit([](const auto& d) { return pytorch_in(d, 0); }, desc);
}

std::vector<ArgSpec> arg_specs(const OpDesc& desc) {
    return std::visit([](const auto& d) { return d.args(); }, desc);
}

}  // namespace tombola::impl
