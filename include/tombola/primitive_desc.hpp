// SPDX-License-Identifier: Apache-2.0

/// @file
/// Primitive descriptors of the C++ API: the classes that all primitives share. Included by tombola.hpp.

#ifndef TOMBOLA_PRIMITIVE_DESC_HPP
#define TOMBOLA_PRIMITIVE_DESC_HPP

#include <string>

#include "engine.hpp"
#include "handle.hpp"
#include "memory.hpp"
#include "primitive.hpp"

namespace tombola {

/// @addtogroup tombola_cpp_primitive
/// @{

/// The queries of query_s64() and query_md(); see tombola_query_t.
enum class query {
    undef = tombola_query_undef,                                    ///< Nothing.
    memory_consumption_s64 = tombola_query_memory_consumption_s64,  ///< Bytes of scratchpad.
    group_size_s64 = tombola_query_group_size_s64,                  ///< Group size of a shuffle.
    src_md = tombola_query_src_md,                                  ///< SRC.
    diff_src_md = tombola_query_diff_src_md,                        ///< DIFF_SRC.
    dst_md = tombola_query_dst_md,                                  ///< DST.
    diff_dst_md = tombola_query_diff_dst_md,                        ///< DIFF_DST.
    scratchpad_md = tombola_query_scratchpad_md,                    ///< SCRATCHPAD.
    exec_arg_md = tombola_query_exec_arg_md,  ///< The argument given as index.
};

/// The queries that all primitive descriptors share. A query for an argument that the primitive does not have gives an
/// empty memory descriptor.
struct primitive_desc_base
    : public handle<tombola_primitive_desc_t, tombola_primitive_desc_destroy> {
    using handle::handle;

    /// An empty handle.
    primitive_desc_base() = default;

    /// The engine.
    /// @return A handle that does not keep the engine alive.
    engine get_engine() const {
        return engine(query<tombola_engine_t>(tombola_query_engine), true);
    }
    /// The name of the implementation.
    /// @return Text that is valid for ever, such as "jit:avx2" or "portable".
    const char* impl_info_str() const { return query<const char*>(tombola_query_impl_info_str); }
    /// The kind of primitive.
    /// @return The kind.
    primitive::kind get_kind() const {
        return static_cast<primitive::kind>(
            query<tombola_primitive_kind_t>(tombola_query_primitive_kind));
    }
    /// A property that is a number of 64 bits.
    /// @param what tombola_query_memory_consumption_s64 or tombola_query_group_size_s64.
    /// @return The number: bytes of scratchpad, or a group size.
    /// @throws error not_required if this primitive has no such property; invalid_arguments for another
    ///     query.
    memory::dim query_s64(tombola_query_t what) const {
        if (what != tombola_query_memory_consumption_s64 && what != tombola_query_group_size_s64)
            error::raise(tombola_invalid_arguments,
                         "what is " + std::to_string(static_cast<int>(what)) +
                             "; expected memory_consumption_s64 or group_size_s64");
        return query<memory::dim>(what);
    }
    /// A property that is a number of 64 bits.
    /// @param what query::memory_consumption_s64 or query::group_size_s64.
    /// @return The number: bytes of scratchpad, or a group size.
    /// @throws error not_required if this primitive has no such property; invalid_arguments for another
    ///     query.
    memory::dim query_s64(tombola::query what) const {
        return query_s64(static_cast<tombola_query_t>(what));
    }
    /// A memory descriptor.
    /// @param what tombola_query_*_md.
    /// @param index For tombola_query_exec_arg_md the argument, TOMBOLA_ARG_*, otherwise 0.
    /// @return A copy; an empty descriptor when the primitive has no such argument.
    /// @throws error invalid_arguments for another query; out_of_memory.
    memory::desc query_md(tombola_query_t what, int index = 0) const {
        const auto owned = tombola_primitive_desc_query_md(get(), what, index);
        if (owned == nullptr) error::raise(tombola_invalid_arguments, tombola_get_last_error());
        return memory::desc::copy_of(owned);
    }
    /// A memory descriptor.
    /// @param what query::*_md.
    /// @param index For query::exec_arg_md the argument, TOMBOLA_ARG_*, otherwise 0.
    /// @return A copy; an empty descriptor when the primitive has no such argument.
    /// @throws error invalid_arguments for another query; out_of_memory.
    memory::desc query_md(tombola::query what, int index = 0) const {
        return query_md(static_cast<tombola_query_t>(what), index);
    }
    /// The descriptor of an execution argument.
    /// @param arg TOMBOLA_ARG_*.
    /// @return A copy; an empty descriptor when the primitive has no such argument.
    memory::desc exec_arg_desc(int arg) const { return query_md(tombola_query_exec_arg_md, arg); }
    /// The descriptor of SRC.
    /// @param index 0; any other gives an empty descriptor.
    /// @return A copy; an empty descriptor when the primitive has no such argument.
    memory::desc src_desc(int index = 0) const { return query_md(tombola_query_src_md, index); }
    /// The descriptor of DST.
    /// @param index 0; any other gives an empty descriptor.
    /// @return A copy, whose layout is never any; an empty descriptor when the primitive has no such argument.
    memory::desc dst_desc(int index = 0) const { return query_md(tombola_query_dst_md, index); }
    /// The descriptor of DIFF_SRC.
    /// @param index 0; any other gives an empty descriptor.
    /// @return A copy, whose layout is never any; an empty descriptor when the primitive has no such argument.
    memory::desc diff_src_desc(int index = 0) const {
        return query_md(tombola_query_diff_src_md, index);
    }
    /// The descriptor of DIFF_DST.
    /// @param index 0; any other gives an empty descriptor.
    /// @return A copy, whose layout is never any; an empty descriptor when the primitive has no such argument.
    memory::desc diff_dst_desc(int index = 0) const {
        return query_md(tombola_query_diff_dst_md, index);
    }
    /// The descriptor of SCRATCHPAD.
    /// @return A copy: u8 [bytes]; empty unless the scratchpad mode is user and one is needed.
    memory::desc scratchpad_desc() const { return query_md(tombola_query_scratchpad_md); }
    /// The descriptor of weights, for code that asks any primitive: no primitive here has weights.
    /// @param index It is not used.
    /// @return An empty descriptor.
    memory::desc weights_desc([[maybe_unused]] int index = 0) const { return {}; }
    /// The descriptor of diff weights, for code that asks any primitive: no primitive here has them.
    /// @param index It is not used.
    /// @return An empty descriptor.
    memory::desc diff_weights_desc([[maybe_unused]] int index = 0) const { return {}; }
    /// The descriptor of a workspace, for code that asks any primitive: no primitive here has one.
    /// @return An empty descriptor.
    memory::desc workspace_desc() const { return {}; }
    /// The engine of the scratchpad.
    /// @return get_engine().
    engine scratchpad_engine() const { return get_engine(); }
    /// The attributes.
    /// @return A copy.
    /// @throws error out_of_memory.
    primitive_attr get_primitive_attr() const {
        const_tombola_primitive_attr_t owned = nullptr;
        error::check(tombola_primitive_desc_get_attr(get(), &owned));
        tombola_primitive_attr_t copy = nullptr;
        error::check(tombola_primitive_attr_clone(&copy, owned));
        return primitive_attr(copy);
    }

  protected:
    /// A property of a primitive descriptor.
    /// @tparam T The type stated beside the query's name.
    /// @param what The query.
    /// @return The property.
    template <class T>
    T query(tombola_query_t what) const {
        T result{};
        error::check(tombola_primitive_desc_query(get(), what, 0, &result));
        return result;
    }
};

inline primitive::primitive(const primitive_desc_base& pd)
    : primitive(static_cast<const_tombola_primitive_desc_t>(pd.get())) {}

/// A primitive descriptor that can move on to the next implementation.
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;

    /// Moves to the next implementation. Copies of this object stay where they are.
    /// @return Whether there was one; if not, the object stays as it is.
    /// @throws error out_of_memory.
    bool next_impl() {
        tombola_primitive_desc_t copy = nullptr;
        error::check(tombola_primitive_desc_clone(&copy, get()));
        handle moved(copy);
        const auto status = tombola_primitive_desc_next_impl(copy);
        if (status == tombola_last_impl_reached) return false;
        error::check(status);
        static_cast<handle&>(*this) = moved;
        return true;
    }
};

/// @cond
namespace detail {

inline const char* name_of(primitive::kind kind) {
    switch (kind) {
#define TOMBOLA_CASE(name, value) \
    case primitive::kind::name:   \
        return #name;
        TOMBOLA_PRIMITIVES(TOMBOLA_CASE)
#undef TOMBOLA_CASE
        case primitive::kind::undef:
            break;
    }
    return "undef";
}

}  // namespace detail
/// @endcond

/// The descriptor of a primitive. The classes of the primitives derive from it and add a constructor that
/// takes the arguments one by one, as oneDNN 3 does. The constructor here takes them as a desc, as oneDNN 2 does.
/// @tparam Desc The primitive's arguments.
/// @tparam primitive_kind The primitive.
/// @tparam Hint For a backward primitive, the primitive descriptor of the forward one; otherwise nothing.
template <class Desc, primitive::kind primitive_kind, class... Hint>
struct primitive_desc_of : public primitive_desc {
    /// An empty handle.
    primitive_desc_of() = default;
    /// A copy of a C primitive descriptor.
    /// @param c_pd The C primitive descriptor; it stays the caller's.
    /// @throws error invalid_arguments for NULL, or if it is of another primitive or direction; out_of_memory.
    primitive_desc_of(tombola_primitive_desc_t c_pd) {
        tombola_primitive_desc_t copy = nullptr;
        error::check(tombola_primitive_desc_clone(&copy, c_pd));
        reset(copy);
        constexpr bool has_direction = primitive_kind == primitive::kind::shuffle ||
                                       primitive_kind == primitive::kind::dropout;
        const bool same_kind = get_kind() == primitive_kind;
        bool backward = false;
        if (same_kind && has_direction)
            backward = query<tombola_prop_kind_t>(tombola_query_prop_kind) == tombola_backward_data;
        if (same_kind && backward == (sizeof...(Hint) > 0)) return;
        const auto direction = [](bool is_backward) {
            return is_backward ? "backward " : "forward ";
        };
        std::string found = detail::name_of(get_kind()), expected = detail::name_of(primitive_kind);
        if (same_kind) found.insert(0, direction(backward));
        if (has_direction) expected.insert(0, direction(sizeof...(Hint) > 0));
        error::raise(tombola_invalid_arguments,
                     "primitive_desc: c_pd is of " + found + "; expected " + expected);
    }
    /// Chooses an implementation for a primitive's arguments.
    /// @param adesc The arguments.
    /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
    /// @param hint For a backward primitive, the primitive descriptor of the forward one; it may be empty.
    /// @param attr Attributes; they are copied.
    /// @param allow_empty Whether a failure gives an empty object instead of an exception. (An empty engine
    ///     always throws.)
    /// @throws error invalid_arguments for arguments that the primitive does not take; out_of_memory. Valid arguments
    ///     never give unimplemented, because the portable implementations serve all of them.
    primitive_desc_of(const Desc& adesc, const engine& aengine, const Hint&... hint,
                      const primitive_attr& attr = primitive_attr(), bool allow_empty = false) {
        tombola_primitive_desc_t result = nullptr;
        const tombola_status_t status =
            adesc.create(&result, aengine.get(), hint.get(true)..., attr.get(true));
        if (!allow_empty) error::check(status);
        if (status == tombola_success) reset(result);
    }
};

/// @}

}  // namespace tombola

#endif
