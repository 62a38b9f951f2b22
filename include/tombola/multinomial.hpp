// SPDX-License-Identifier: Apache-2.0

/// @file
/// Class indices drawn by weight in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_MULTINOMIAL_HPP
#define TOMBOLA_MULTINOMIAL_HPP

#include <cstdint>

#include "memory.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_multinomial Multinomial
/// @ingroup tombola_cpp
/// Source: OpenVINO's Multinomial-13. What is computed: @ref tombola_multinomial.
/// @{

/// Class indices drawn by weight.
///
/// Execution arguments: TOMBOLA_ARG_SRC, weights, finite and at least 0, or logits, not NaN and below
/// infinity, with something to draw in each row; TOMBOLA_ARG_DST; optional TOMBOLA_ARG_SEEDS u64[2]
/// {global, op}, in place of the descriptor's; TOMBOLA_ARG_OFFSET u64[1], the sample of the stream at which
/// DST starts; TOMBOLA_ARG_UNIFORMS, f64 [batch, samples] row-major in [0, 1], in place of the stream;
/// TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that were used, which may be SEEDS' own buffer. Otherwise an
/// output shares no memory with another argument. Inputs may share memory.
struct multinomial : public primitive {
    /// The arguments of a multinomial.
    struct desc {
        memory::desc probs_desc;  ///< Weights or logits, [batch, classes].
        memory::desc dst_desc;    ///< Class indices, [batch, samples].
        bool with_replacement;    ///< Whether a class may be drawn more than once.
        bool log_probs;           ///< Whether the input is logits.
        uint64_t global_seed;     ///< Global seed.
        uint64_t op_seed;         ///< Operation's seed.

        /// What is drawn.
        /// @param aprobs_desc Weights or logits: [batch, classes], f16, bf16, f32 or f64, any layout but any.
        /// @param adst_desc Class indices: [batch, samples], s32 or s64, any layout; the layout any is
        ///     row-major. Without replacement there are at most as many samples as classes.
        /// @param awith_replacement Whether a class may be drawn more than once a row.
        /// @param alog_probs Whether the input is logits, whose exponentials are the weights.
        /// @param aglobal_seed Global seed, any number; both seeds 0: fresh entropy at each execution.
        /// @param aop_seed Operation's seed, any number.
        desc(const memory::desc& aprobs_desc, const memory::desc& adst_desc, bool awith_replacement,
             bool alog_probs, uint64_t aglobal_seed, uint64_t aop_seed)
            : probs_desc(aprobs_desc),
              dst_desc(adst_desc),
              with_replacement(awith_replacement),
              log_probs(alog_probs),
              global_seed(aglobal_seed),
              op_seed(aop_seed) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_multinomial_primitive_desc_create(
                result, c_engine, probs_desc.get(true), dst_desc.get(true),
                with_replacement ? 1 : 0, log_probs ? 1 : 0, global_seed, op_seed, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a multinomial.
    struct primitive_desc : public seeded_desc<desc, primitive::kind::multinomial> {
        using seeded_desc<desc, primitive::kind::multinomial>::seeded_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, const memory::desc& aprobs_desc,
                       const memory::desc& adst_desc, bool awith_replacement, bool alog_probs,
                       uint64_t aglobal_seed, uint64_t aop_seed,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : seeded_desc(desc(aprobs_desc, adst_desc, awith_replacement, alog_probs, aglobal_seed,
                               aop_seed),
                          aengine, attr, allow_empty) {}
        /// The descriptor of UNIFORMS.
        /// @return f64 of DST's dimensions, row-major.
        memory::desc uniforms_desc() const { return exec_arg_desc(TOMBOLA_ARG_UNIFORMS); }
    };

    /// An empty handle.
    multinomial() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    multinomial(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
