// SPDX-License-Identifier: Apache-2.0

/// @file
/// Bernoulli numbers in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_RANDOM_BERNOULLI_HPP
#define TOMBOLA_RANDOM_BERNOULLI_HPP

#include <cstdint>

#include "memory.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_random_bernoulli Random Bernoulli
/// @ingroup tombola_cpp
/// Source: PyTorch's Tensor.bernoulli_. What is computed: @ref tombola_random_bernoulli.
/// @{

/// Numbers that are 1 with the probability P, otherwise 0.
///
/// Execution arguments: TOMBOLA_ARG_P f32 or f64, one element or DST's dimensions, each in [0, 1];
/// TOMBOLA_ARG_DST; optional TOMBOLA_ARG_SEEDS u64[2] {global, op}, in place of the
/// descriptor's; TOMBOLA_ARG_OFFSET u64[1], the element of the stream at which DST starts;
/// TOMBOLA_ARG_SRC_STATE and TOMBOLA_ARG_DST_STATE, the state before and after, u64[2] (tensorflow) or
/// u32[625] (pytorch), which may share one buffer; TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that were used,
/// which may be SEEDS' own buffer. Otherwise an output shares no
/// memory with another argument. Inputs may share memory.
/// The table of @ref tombola_random_bernoulli has the types, shapes and ranges.
struct random_bernoulli : public primitive {
    /// The arguments of a random_bernoulli. The data type is u8, s32, s64, f16, bf16, f32 or f64.
    struct desc : public random_fill_desc {
        memory::desc p_desc;  ///< The probabilities.

        /// @copydoc random_fill_desc::random_fill_desc
        /// @param ap_desc The probabilities: f32 or f64, of the dimensions [1], one for all elements, or of adst_desc's
        ///     dimensions; any layout but any.
        desc(tombola::alignment aalignment, const memory::desc& adst_desc,
             const memory::desc& ap_desc, uint64_t aglobal_seed, uint64_t aop_seed)
            : random_fill_desc(aalignment, adst_desc, aglobal_seed, aop_seed), p_desc(ap_desc) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_random_bernoulli_primitive_desc_create(
                result, c_engine, static_cast<tombola_alignment_t>(alignment), dst_desc.get(true),
                p_desc.get(true), global_seed, op_seed, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a random_bernoulli.
    struct primitive_desc : public stream_desc<desc, primitive::kind::random_bernoulli> {
        using stream_desc<desc, primitive::kind::random_bernoulli>::stream_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, tombola::alignment aalignment,
                       const memory::desc& adst_desc, const memory::desc& ap_desc,
                       uint64_t aglobal_seed, uint64_t aop_seed,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : stream_desc(desc(aalignment, adst_desc, ap_desc, aglobal_seed, aop_seed), aengine,
                          attr, allow_empty) {}
        /// The descriptor of P.
        /// @return What was given.
        memory::desc p_desc() const { return exec_arg_desc(TOMBOLA_ARG_P); }
    };

    /// An empty handle.
    random_bernoulli() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    random_bernoulli(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
