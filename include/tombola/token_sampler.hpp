// SPDX-License-Identifier: Apache-2.0

/// @file
/// Token ids drawn from logits in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_TOKEN_SAMPLER_HPP
#define TOMBOLA_TOKEN_SAMPLER_HPP

#include <cstdint>

#include "memory.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_token_sampler Token sampler
/// @ingroup tombola_cpp
/// What is computed: @ref tombola_token_sampler.
/// @{

/// The order of the filters of a token_sampler: transformers, vllm, joint or temperature_last; see
/// tombola_filter_order_t.
enum class filter_order {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_filter_order_##name
    TOMBOLA_FILTER_ORDERS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// Which log probabilities a token_sampler writes: none, processed or raw; see tombola_logprobs_t.
enum class logprobs {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_logprobs_##name
    TOMBOLA_LOGPROBS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// Token ids drawn from logits.
///
/// Execution arguments: TOMBOLA_ARG_SRC, logits, below infinity, with something to draw in each row;
/// TOMBOLA_ARG_DST. Optional, one element for all rows or one per row: TOMBOLA_ARG_TEMPERATURE f32, 0 (greedy) or from
/// 2^-64 on; TOMBOLA_ARG_TOP_K s32, 0 for all classes; TOMBOLA_ARG_TOP_P and TOMBOLA_ARG_MIN_P f32 in [0, 1];
/// TOMBOLA_ARG_OFFSET u64, where in the stream the rows start. Optional: TOMBOLA_ARG_MASK, s32
/// [batch, ceil(classes / 32)], bit k % 32 of word k / 32 is 1 where class k is allowed; TOMBOLA_ARG_UNIFORMS, f64
/// [batch, samples] in [0, 1], in place of the stream; TOMBOLA_ARG_SEEDS u64[2] {global, op}, or [batch, 2], a stream
/// per row. Optional outputs: TOMBOLA_ARG_DST_LOGPROBS f32 [batch, samples]; TOMBOLA_ARG_DST_KEPT s32[batch];
/// TOMBOLA_ARG_DST_TOP_IDS and TOMBOLA_ARG_DST_TOP_LOGPROBS [batch, top_n]; TOMBOLA_ARG_DST_SEEDS, of SEEDS' shape,
/// the seeds that were used, which may be SEEDS' own buffer. Otherwise an output shares no
/// memory with another argument. Inputs may share memory.
/// The table of @ref tombola_token_sampler has the types, shapes and ranges.
struct token_sampler : public primitive {
    /// The arguments of a token_sampler.
    struct desc {
        memory::desc logits_desc;            ///< Logits, [batch, classes].
        memory::desc dst_desc;               ///< Class indices, [batch, samples].
        tombola::filter_order filter_order;  ///< The order of the filters.
        tombola::logprobs logprobs;          ///< Which log probabilities are written.
        memory::dim top_n;                   ///< Classes in DST_TOP_IDS.
        uint64_t global_seed;                ///< Global seed.
        uint64_t op_seed;                    ///< Operation's seed.

        /// What is drawn.
        /// @param alogits_desc Logits: [batch, classes], f16, bf16 or f32, any layout but any.
        /// @param adst_desc Class indices: [batch, samples], s32 or s64, any layout; the layout any is
        ///     row-major.
        /// @param afilter_order The order of the filters.
        /// @param alogprobs Which log probabilities are written.
        /// @param atop_n The number of classes in DST_TOP_IDS, from 0 to classes.
        /// @param aglobal_seed Global seed, any number; both seeds 0: fresh entropy at each execution.
        /// @param aop_seed Operation's seed, any number.
        desc(const memory::desc& alogits_desc, const memory::desc& adst_desc,
             tombola::filter_order afilter_order, tombola::logprobs alogprobs, memory::dim atop_n,
             uint64_t aglobal_seed, uint64_t aop_seed)
            : logits_desc(alogits_desc),
              dst_desc(adst_desc),
              filter_order(afilter_order),
              logprobs(alogprobs),
              top_n(atop_n),
              global_seed(aglobal_seed),
              op_seed(aop_seed) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_token_sampler_primitive_desc_create(
                result, c_engine, logits_desc.get(true), dst_desc.get(true),
                static_cast<tombola_filter_order_t>(filter_order),
                static_cast<tombola_logprobs_t>(logprobs), top_n, global_seed, op_seed, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a token_sampler. seeds_desc() and offset_desc() are those of one stream for all rows.
    struct primitive_desc : public seeded_desc<desc, primitive::kind::token_sampler> {
        using seeded_desc<desc, primitive::kind::token_sampler>::seeded_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, const memory::desc& alogits_desc,
                       const memory::desc& adst_desc, tombola::filter_order afilter_order,
                       tombola::logprobs alogprobs, memory::dim atop_n, uint64_t aglobal_seed,
                       uint64_t aop_seed, const primitive_attr& attr = primitive_attr(),
                       bool allow_empty = false)
            : seeded_desc(desc(alogits_desc, adst_desc, afilter_order, alogprobs, atop_n,
                               aglobal_seed, aop_seed),
                          aengine, attr, allow_empty) {}
        /// The descriptor of MASK.
        /// @return s32 [batch, ceil(classes / 32)], row-major.
        memory::desc mask_desc() const { return exec_arg_desc(TOMBOLA_ARG_MASK); }
        /// The descriptor of UNIFORMS.
        /// @return f64 of DST's dimensions, row-major.
        memory::desc uniforms_desc() const { return exec_arg_desc(TOMBOLA_ARG_UNIFORMS); }
        /// The descriptor of DST_LOGPROBS.
        /// @return f32 of DST's dimensions, row-major; empty if logprobs is none.
        memory::desc logprobs_desc() const { return exec_arg_desc(TOMBOLA_ARG_DST_LOGPROBS); }
        /// The descriptor of DST_KEPT.
        /// @return s32[batch].
        memory::desc kept_desc() const { return exec_arg_desc(TOMBOLA_ARG_DST_KEPT); }
        /// The descriptor of DST_TOP_IDS.
        /// @return [batch, top_n] of DST's type, row-major; empty if top_n is 0.
        memory::desc top_ids_desc() const { return exec_arg_desc(TOMBOLA_ARG_DST_TOP_IDS); }
        /// The descriptor of DST_TOP_LOGPROBS.
        /// @return f32 [batch, top_n], row-major; empty if top_n is 0 or logprobs is none.
        memory::desc top_logprobs_desc() const {
            return exec_arg_desc(TOMBOLA_ARG_DST_TOP_LOGPROBS);
        }
        /// The descriptor of TEMPERATURE with one element for all rows.
        /// @return f32[1].
        memory::desc temperature_desc() const { return exec_arg_desc(TOMBOLA_ARG_TEMPERATURE); }
        /// The descriptor of TOP_K with one element for all rows.
        /// @return s32[1].
        memory::desc top_k_desc() const { return exec_arg_desc(TOMBOLA_ARG_TOP_K); }
        /// The descriptor of TOP_P with one element for all rows.
        /// @return f32[1].
        memory::desc top_p_desc() const { return exec_arg_desc(TOMBOLA_ARG_TOP_P); }
        /// The descriptor of MIN_P with one element for all rows.
        /// @return f32[1].
        memory::desc min_p_desc() const { return exec_arg_desc(TOMBOLA_ARG_MIN_P); }
    };

    /// An empty handle.
    token_sampler() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    token_sampler(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
