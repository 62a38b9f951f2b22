// SPDX-License-Identifier: Apache-2.0
#pragma once

// The descriptors of the operators: what a caller asks for, before an implementation is chosen.
//
// Each descriptor names its fields once, in fields(). Hash, equality and the verbose line derive
// from that list, so a new field is a new line there and nothing else. The C API's functions check
// every argument before they fill a descriptor: implementations check none again, they only say
// whether they serve it.

#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/memory_desc.hpp"
#include "common/status.hpp"
#include "common/types.hpp"

namespace tombola::impl {

// A field of a descriptor: its name in verbose lines, and where it is. A default stands in for an execution argument
// that is not given. It shapes neither a plan nor code, so equality and hash pass over it: one entry of a cache serves
// every value.
template <class Desc, class T>
struct Field {
    const char* name;
    T Desc::*member;
    bool is_default;
};
template <class Desc, class T>
constexpr Field<Desc, T> field(const char* name, T Desc::*member) {
    return {name, member, false};
}
template <class Desc, class T>
constexpr Field<Desc, T> default_field(const char* name, T Desc::*member) {
    return {name, member, true};
}

// The seeds of a random stream: the defaults of the argument SEEDS.
struct Seeds {
    uint64_t global = 0, op = 0;
};

// Calls visit(name, value) for each field in order.
template <class Desc, class Visitor>
void for_each_field(const Desc& desc, Visitor&& visit) {
    std::apply([&](auto... f) { (visit(f.name, desc.*f.member), ...); }, Desc::fields());
}

struct ShuffleDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::shuffle;
    PropKind prop_kind = PropKind::undef;
    MemoryDesc src;  // DIFF_DST of a backward shuffle: the tensor that is read
    MemoryDesc dst;  // DIFF_SRC of a backward shuffle: the tensor that is written
    int axis = 0;
    dim_t group_size = 1;

    bool is_forward() const { return prop_kind != PropKind::backward_data; }
    // G of the transposition that is carried out: backward is forward with C/G in the place of G.
    dim_t effective_group() const {
        return is_forward() ? group_size : src.dims[axis] / group_size;
    }

    static constexpr auto fields() {
        return std::make_tuple(field("prop_kind", &ShuffleDesc::prop_kind),
                               field("src", &ShuffleDesc::src), field("dst", &ShuffleDesc::dst),
                               field("axis", &ShuffleDesc::axis),
                               field("group", &ShuffleDesc::group_size));
    }
};

struct RandomGeneratorDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_generator;
    GeneratorKind generator = GeneratorKind::philox4x32_10;
    MemoryDesc dst;

    static constexpr auto fields() {
        return std::make_tuple(field("generator", &RandomGeneratorDesc::generator),
                               field("dst", &RandomGeneratorDesc::dst));
    }
};

struct RandomUniformDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_uniform;
    Alignment alignment = Alignment::tensorflow;
    MemoryDesc dst;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;
    IntDraws int_draws = IntDraws::spec;

    static constexpr auto fields() {
        return std::make_tuple(field("alignment", &RandomUniformDesc::alignment),
                               field("dst", &RandomUniformDesc::dst),
                               default_field("global_seed", &RandomUniformDesc::global_seed),
                               default_field("op_seed", &RandomUniformDesc::op_seed),
                               field("int_draws", &RandomUniformDesc::int_draws));
    }
};

struct MultinomialDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::multinomial;
    MemoryDesc src;  // weights or logits, [batch, classes]
    MemoryDesc dst;  // class indices, [batch, samples]
    bool with_replacement = true;
    bool log_probs = false;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    static constexpr auto fields() {
        return std::make_tuple(field("src", &MultinomialDesc::src),
                               field("dst", &MultinomialDesc::dst),
                               field("with_replacement", &MultinomialDesc::with_replacement),
                               field("log_probs", &MultinomialDesc::log_probs),
                               default_field("global_seed", &MultinomialDesc::global_seed),
                               default_field("op_seed", &MultinomialDesc::op_seed));
    }
};

using OpDesc = std::variant<ShuffleDesc, RandomGeneratorDesc, RandomUniformDesc, MultinomialDesc>;

PrimitiveKind kind_of(const OpDesc& desc);
PropKind prop_kind_of(const OpDesc& desc);
// Of all fields but the defaults.
uint64_t hash_of(const OpDesc& desc);
bool operator==(const OpDesc& a, const OpDesc& b);
// Equal also in strides that are never taken, along dimensions of one step, which == passes over.
bool identical(const OpDesc& a, const OpDesc& b);

bool same_defaults(const OpDesc& a, const OpDesc& b);
// The descriptor's seeds; (0, 0) of a primitive that has none.
Seeds seeds_of(const OpDesc& desc);

// One argument that an execution takes.
struct ArgSpec {
    enum class Role { input, output };
    // exact: the memory's descriptor equals `desc` (offset0 aside).
    // vector: any descriptor of desc's type whose elements, as many as desc's, lie behind one
    // another in the last dimension, the other dimensions being 1.
    enum class Match { exact, vector };
    int arg;
    const char* name;  // as messages spell it: "DST_STATE"
    Role role;
    bool required;
    Match match;
    MemoryDesc desc;
    int may_alias = 0;  // an output: the input whose buffer it may share whole
};

// The arguments of an execution, in a fixed order, without the scratchpad.
std::vector<ArgSpec> arg_specs(const OpDesc& desc);

}  // namespace tombola::impl
