// SPDX-License-Identifier: Apache-2.0

/// @file
/// Raw words of a counter-based generator in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_RANDOM_GENERATOR_HPP
#define TOMBOLA_RANDOM_GENERATOR_HPP

#include "memory.hpp"
#include "primitive.hpp"
#include "primitive_desc.hpp"

namespace tombola {

/// @defgroup tombola_cpp_random_generator Random generator
/// @ingroup tombola_cpp
/// Source: DirectML's DML_RANDOM_GENERATOR_OPERATOR_DESC. What is computed: @ref tombola_random_generator.
/// @{

/// The generator of a random_generator: philox4x32_10; see tombola_generator_kind_t.
enum class generator_kind {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_##name
    TOMBOLA_GENERATOR_KINDS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// Raw words of a counter-based generator.
///
/// Execution arguments: TOMBOLA_ARG_SRC_STATE, u32[6]: the counter, least significant word first, then the
/// key; TOMBOLA_ARG_DST, u32; optional TOMBOLA_ARG_DST_STATE, u32[6]: the state after the call, which may be
/// SRC_STATE's own buffer. Otherwise an output shares no memory
/// with another argument.
/// The table of @ref tombola_random_generator has the types, shapes and ranges.
struct random_generator : public primitive {
    /// The arguments of a random generator.
    struct desc {
        generator_kind kind;    ///< The generator.
        memory::desc dst_desc;  ///< The words.

        /// What is drawn.
        /// @param akind The generator.
        /// @param adst_desc The words: u32 of any shape and layout; the layout any is row-major.
        desc(generator_kind akind, const memory::desc& adst_desc)
            : kind(akind), dst_desc(adst_desc) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_random_generator_primitive_desc_create(
                result, c_engine, static_cast<tombola_generator_kind_t>(kind), dst_desc.get(true),
                attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a random generator.
    struct primitive_desc : public primitive_desc_of<desc, primitive::kind::random_generator> {
        using primitive_desc_of<desc, primitive::kind::random_generator>::primitive_desc_of;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, generator_kind akind, const memory::desc& adst_desc,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc_of(desc(akind, adst_desc), aengine, attr, allow_empty) {}
        /// The descriptor of SRC_STATE.
        /// @return u32[6].
        memory::desc src_state_desc() const { return exec_arg_desc(TOMBOLA_ARG_SRC_STATE); }
        /// The descriptor of DST_STATE.
        /// @return u32[6].
        memory::desc dst_state_desc() const { return exec_arg_desc(TOMBOLA_ARG_DST_STATE); }
    };

    /// An empty handle.
    random_generator() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    random_generator(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
