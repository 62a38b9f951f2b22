// SPDX-License-Identifier: Apache-2.0

/// @file
/// Dropout in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_DROPOUT_HPP
#define TOMBOLA_DROPOUT_HPP

#include <cstdint>

#include "memory.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_dropout Dropout
/// @ingroup tombola_cpp
/// Source: the rule of tf.nn.dropout. What is computed: @ref tombola_dropout.
/// @{

/// The form of the argument TOMBOLA_ARG_MASK: none, u8 or bits; see tombola_dropout_mask_t.
enum class dropout_mask {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_dropout_mask_##name
    TOMBOLA_DROPOUT_MASKS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// The primitive descriptor of a dropout in either direction.
/// @tparam Desc The arguments.
/// @tparam Hint For a backward dropout, the primitive descriptor of the forward one; otherwise nothing.
template <class Desc, class... Hint>
struct dropout_desc : public seeded_desc<Desc, primitive::kind::dropout, Hint...> {
    using seeded_desc<Desc, primitive::kind::dropout, Hint...>::seeded_desc;

    /// The direction.
    /// @return forward_training, forward_inference or backward_data.
    prop_kind get_prop_kind() const {
        return static_cast<prop_kind>(
            this->template query<tombola_prop_kind_t>(tombola_query_prop_kind));
    }
    /// The descriptor of P.
    /// @return f32[1].
    memory::desc p_desc() const { return this->exec_arg_desc(TOMBOLA_ARG_P); }
    /// The descriptor of MASK.
    /// @return u8: the shape and layout of SRC or DIFF_SRC, or a byte for 8 elements; empty without a mask.
    memory::desc mask_desc() const { return this->exec_arg_desc(TOMBOLA_ARG_MASK); }
};

/// Dropout, forward: each element becomes +0 with the probability P', which is P rounded up to a multiple of 2^-23, 2^-16 or
/// 2^-8, as draw_bits says, and is multiplied by 1 / (1 - P') otherwise.
///
/// Execution arguments: TOMBOLA_ARG_SRC and TOMBOLA_ARG_DST, f32, f16 or bf16, of the same dimensions and data type; if
/// their layouts are the same too, they may be one buffer. TOMBOLA_ARG_P f32[1], 0 to 1. Optional: TOMBOLA_ARG_MASK,
/// which is written; TOMBOLA_ARG_SEEDS u64[2] {global, op}, in place of the descriptor's; TOMBOLA_ARG_OFFSET u64[1],
/// the draw of the stream that belongs to the first element; TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that were used,
/// which may be SEEDS' own buffer.
struct dropout_forward : public primitive {
    /// The arguments of a forward dropout.
    struct desc {
        prop_kind direction;     ///< Forward training or inference.
        memory::desc src_desc;   ///< Source.
        memory::desc dst_desc;   ///< Destination.
        int draw_bits;           ///< Bits of the stream per element.
        dropout_mask mask_kind;  ///< The form of MASK.
        uint64_t global_seed;    ///< Global seed.
        uint64_t op_seed;        ///< The operation's seed.

        /// Source and destination of layouts of their own.
        /// @param aprop_kind prop_kind::forward_training or forward_inference: there is no difference.
        /// @param asrc_desc The source: f32, f16 or bf16, any shape and layout but any.
        /// @param adst_desc The destination: the same shape and type in any layout; the layout any, or an
        ///     empty handle, memory::desc(nullptr), takes the source's. The empty descriptor memory::desc() is refused.
        /// @param adraw_bits The bits of the stream that decide about an element: 32, 16 or 8. P is rounded up to a
        ///     multiple of 2^-23, 2^-16 or 2^-8.
        /// @param amask_kind The form of MASK.
        /// @param aglobal_seed The global seed. If both seeds are 0, each execution draws fresh entropy.
        /// @param aop_seed The operation's seed.
        desc(prop_kind aprop_kind, const memory::desc& asrc_desc, const memory::desc& adst_desc,
             int adraw_bits, dropout_mask amask_kind, uint64_t aglobal_seed, uint64_t aop_seed)
            : direction(aprop_kind),
              src_desc(asrc_desc),
              dst_desc(adst_desc),
              draw_bits(adraw_bits),
              mask_kind(amask_kind),
              global_seed(aglobal_seed),
              op_seed(aop_seed) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_dropout_forward_primitive_desc_create(
                result, c_engine, static_cast<tombola_prop_kind_t>(direction), src_desc.get(true),
                dst_desc.get(true), draw_bits, static_cast<tombola_dropout_mask_t>(mask_kind),
                global_seed, op_seed, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a forward dropout.
    struct primitive_desc : public dropout_desc<desc> {
        using dropout_desc<desc>::dropout_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& asrc_desc,
                       const memory::desc& adst_desc, int adraw_bits, dropout_mask amask_kind,
                       uint64_t aglobal_seed, uint64_t aop_seed,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : dropout_desc(desc(aprop_kind, asrc_desc, adst_desc, adraw_bits, amask_kind,
                                aglobal_seed, aop_seed),
                           aengine, attr, allow_empty) {}
    };

    /// An empty handle.
    dropout_forward() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    dropout_forward(const primitive_desc& pd) : primitive(pd) {}
};

/// Dropout, backward: the elements that forward kept are multiplied by the same number, and the others become +0.
///
/// Execution arguments: TOMBOLA_ARG_DIFF_DST is read and TOMBOLA_ARG_DIFF_SRC is written; TOMBOLA_ARG_P f32[1]. With
/// the optional TOMBOLA_ARG_MASK, which forward has written, the seeds and OFFSET are ignored. Without it the mask is
/// drawn again. That needs the seeds of the forward execution, as the descriptor's or as the optional
/// TOMBOLA_ARG_SEEDS, and its optional TOMBOLA_ARG_OFFSET. The seeds (0, 0) are refused.
struct dropout_backward : public primitive {
    /// The arguments of a backward dropout.
    struct desc {
        memory::desc diff_src_desc;  ///< What is written.
        memory::desc diff_dst_desc;  ///< What is read.
        int draw_bits;               ///< Bits of the stream per element.
        dropout_mask mask_kind;      ///< The form of MASK.
        uint64_t global_seed;        ///< Global seed.
        uint64_t op_seed;            ///< The operation's seed.

        /// Tensors of layouts of their own.
        /// @param adiff_src_desc What is written: shape and type of adiff_dst_desc, any layout; the layout any, or
        ///     an empty handle, memory::desc(nullptr), takes adiff_dst_desc's. The empty descriptor memory::desc() is
        ///     refused.
        /// @param adiff_dst_desc What is read: f32, f16 or bf16, any shape and layout; the layout any takes that of
        ///     the hint's destination.
        /// @param adraw_bits The forward dropout's bits per element: 32, 16 or 8.
        /// @param amask_kind The form of MASK.
        /// @param aglobal_seed The forward dropout's global seed.
        /// @param aop_seed The forward dropout's operation seed.
        desc(const memory::desc& adiff_src_desc, const memory::desc& adiff_dst_desc, int adraw_bits,
             dropout_mask amask_kind, uint64_t aglobal_seed, uint64_t aop_seed)
            : diff_src_desc(adiff_src_desc),
              diff_dst_desc(adiff_dst_desc),
              draw_bits(adraw_bits),
              mask_kind(amask_kind),
              global_seed(aglobal_seed),
              op_seed(aop_seed) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_desc_t hint_fwd_pd,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_dropout_backward_primitive_desc_create(
                result, c_engine, diff_src_desc.get(true), diff_dst_desc.get(true), draw_bits,
                static_cast<tombola_dropout_mask_t>(mask_kind), global_seed, op_seed, hint_fwd_pd,
                attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a backward dropout.
    struct primitive_desc : public dropout_desc<desc, dropout_forward::primitive_desc> {
        using dropout_desc<desc, dropout_forward::primitive_desc>::dropout_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param hint_fwd_pd Primitive descriptor of the forward dropout, whose dimensions, draw_bits and mask_kind
        ///     must be the same; may be empty.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, const memory::desc& adiff_src_desc,
                       const memory::desc& adiff_dst_desc, int adraw_bits, dropout_mask amask_kind,
                       uint64_t aglobal_seed, uint64_t aop_seed,
                       const dropout_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : dropout_desc(desc(adiff_src_desc, adiff_dst_desc, adraw_bits, amask_kind,
                                aglobal_seed, aop_seed),
                           aengine, hint_fwd_pd, attr, allow_empty) {}
    };

    /// An empty handle.
    dropout_backward() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    dropout_backward(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
