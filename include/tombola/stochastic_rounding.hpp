// SPDX-License-Identifier: Apache-2.0

/// @file
/// Stochastic rounding in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_STOCHASTIC_ROUNDING_HPP
#define TOMBOLA_STOCHASTIC_ROUNDING_HPP

#include <cstdint>

#include "memory.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_stochastic_rounding Stochastic rounding
/// @ingroup tombola_cpp
/// What is computed: @ref tombola_stochastic_rounding.
/// @{

/// Rounds f32 to bf16 or f16 up or down at random, so that the expected value is the number itself.
///
/// Execution arguments: TOMBOLA_ARG_SRC f32 and TOMBOLA_ARG_DST bf16 or f16, of the same dimensions, each in a layout
/// of its own. Optional: TOMBOLA_ARG_SEEDS u64[2] {global, op}, in place of the descriptor's; TOMBOLA_ARG_OFFSET
/// u64[1], the draw of the stream that belongs to the first element; TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that were
/// used, which may be SEEDS' own buffer. Otherwise an output shares no
/// memory with another argument. Inputs may share memory.
struct stochastic_rounding : public primitive {
    /// The arguments.
    struct desc {
        memory::desc src_desc;  ///< Source.
        memory::desc dst_desc;  ///< Destination.
        uint64_t global_seed;   ///< Global seed.
        uint64_t op_seed;       ///< The operation's seed.

        /// The tensors and the seeds.
        /// @param asrc_desc The source: f32, any shape and layout but any.
        /// @param adst_desc The destination: bf16 or f16, the same shape in any layout; the layout any is the source's.
        /// @param aglobal_seed The global seed. If both seeds are 0, each execution draws fresh entropy.
        /// @param aop_seed The operation's seed.
        desc(const memory::desc& asrc_desc, const memory::desc& adst_desc, uint64_t aglobal_seed,
             uint64_t aop_seed)
            : src_desc(asrc_desc),
              dst_desc(adst_desc),
              global_seed(aglobal_seed),
              op_seed(aop_seed) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_stochastic_rounding_primitive_desc_create(
                result, c_engine, src_desc.get(true), dst_desc.get(true), global_seed, op_seed,
                attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of stochastic rounding.
    struct primitive_desc : public seeded_desc<desc, primitive::kind::stochastic_rounding> {
        using seeded_desc<desc, primitive::kind::stochastic_rounding>::seeded_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, const memory::desc& asrc_desc,
                       const memory::desc& adst_desc, uint64_t aglobal_seed, uint64_t aop_seed,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : seeded_desc(desc(asrc_desc, adst_desc, aglobal_seed, aop_seed), aengine, attr,
                          allow_empty) {}
    };

    /// An empty handle.
    stochastic_rounding() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    stochastic_rounding(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
