// SPDX-License-Identifier: Apache-2.0

/// @file
/// Channel shuffle in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_SHUFFLE_HPP
#define TOMBOLA_SHUFFLE_HPP

#include "memory.hpp"
#include "primitive.hpp"
#include "primitive_desc.hpp"

namespace tombola {

/// @defgroup tombola_cpp_shuffle Shuffle
/// @ingroup tombola_cpp
/// Source: oneDNN's shuffle primitive. What is computed: @ref tombola_shuffle.
/// @{

/// The primitive descriptor of a shuffle in either direction.
/// @tparam Desc The arguments.
/// @tparam Hint For a backward shuffle, the primitive descriptor of the forward one; otherwise nothing.
template <class Desc, class... Hint>
struct shuffle_desc : public primitive_desc_of<Desc, primitive::kind::shuffle, Hint...> {
    using primitive_desc_of<Desc, primitive::kind::shuffle, Hint...>::primitive_desc_of;

    /// The direction.
    /// @return forward_training, forward_inference or backward_data.
    prop_kind get_prop_kind() const {
        return static_cast<prop_kind>(
            this->template query<tombola_prop_kind_t>(tombola_query_prop_kind));
    }
    /// The axis that is shuffled.
    /// @return 0 to ndims - 1.
    int get_axis() const { return this->template query<int>(tombola_query_axis_s32); }
    /// The forward shuffle's number of columns.
    /// @return A divisor of the axis' size.
    memory::dim get_group_size() const {
        return this->template query<memory::dim>(tombola_query_group_size_s64);
    }
};

/// Channel shuffle, forward.
///
/// Execution arguments: TOMBOLA_ARG_SRC and TOMBOLA_ARG_DST, of the same dimensions and data type, in
/// layouts of their own, sharing no memory.
struct shuffle_forward : public primitive {
    /// The arguments of a forward shuffle.
    struct desc {
        prop_kind direction;     ///< Forward training or inference.
        memory::desc src_desc;   ///< Source.
        memory::desc dst_desc;   ///< Destination.
        int axis;                ///< The axis that is shuffled.
        memory::dim group_size;  ///< Number of columns.

        /// Source and destination of one layout.
        /// @param aprop_kind prop_kind::forward_training or forward_inference: there is no difference.
        /// @param data_desc Source and destination: any shape, data type and layout but any.
        /// @param aaxis The axis that is shuffled, 0 to ndims - 1.
        /// @param agroup_size Number of columns, at least 1; divides the size of the axis.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, int aaxis,
             memory::dim agroup_size)
            : desc(aprop_kind, data_desc, data_desc, aaxis, agroup_size) {}
        /// Source and destination of layouts of their own.
        /// @param aprop_kind prop_kind::forward_training or forward_inference: there is no difference.
        /// @param asrc_desc The source: any shape, data type and layout but any.
        /// @param adst_desc The destination: the same shape and type in any layout; the layout any, or an
        ///     empty handle, memory::desc(nullptr), takes the source's. The empty descriptor memory::desc() is refused.
        /// @param aaxis The axis that is shuffled, 0 to ndims - 1.
        /// @param agroup_size Number of columns, at least 1; divides the size of the axis.
        desc(prop_kind aprop_kind, const memory::desc& asrc_desc, const memory::desc& adst_desc,
             int aaxis, memory::dim agroup_size)
            : direction(aprop_kind),
              src_desc(asrc_desc),
              dst_desc(adst_desc),
              axis(aaxis),
              group_size(agroup_size) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_shuffle_forward_primitive_desc_create(
                result, c_engine, static_cast<tombola_prop_kind_t>(direction), src_desc.get(true),
                dst_desc.get(true), axis, group_size, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a forward shuffle.
    struct primitive_desc : public shuffle_desc<desc> {
        using shuffle_desc<desc>::shuffle_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc(prop_kind, const memory::desc&, const memory::desc&, int, memory::dim)
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& asrc_desc,
                       const memory::desc& adst_desc, int aaxis, memory::dim agroup_size,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : shuffle_desc(desc(aprop_kind, asrc_desc, adst_desc, aaxis, agroup_size), aengine,
                           attr, allow_empty) {}
    };

    /// An empty handle.
    shuffle_forward() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    shuffle_forward(const primitive_desc& pd) : primitive(pd) {}
};

/// Channel shuffle, backward: each element of DIFF_DST goes back to where the forward shuffle of the same
/// axis and group size took it from.
///
/// Execution arguments: TOMBOLA_ARG_DIFF_DST is read and TOMBOLA_ARG_DIFF_SRC written, of the same
/// dimensions and data type, in layouts of their own, sharing no memory.
struct shuffle_backward : public primitive {
    /// The arguments of a backward shuffle.
    struct desc {
        memory::desc diff_src_desc;  ///< What is written.
        memory::desc diff_dst_desc;  ///< What is read.
        int axis;                    ///< The axis that is shuffled.
        memory::dim group_size;      ///< The forward shuffle's group size.

        /// Both tensors of one layout.
        /// @param diff_data_desc Diff source and diff destination: any shape, data type and layout. The layout
        ///     `any` is replaced by that of the hint's destination.
        /// @param aaxis The axis that is shuffled, 0 to ndims - 1.
        /// @param agroup_size The forward shuffle's group size; divides the size of the axis.
        desc(const memory::desc& diff_data_desc, int aaxis, memory::dim agroup_size)
            : desc(diff_data_desc, diff_data_desc, aaxis, agroup_size) {}
        /// Tensors of layouts of their own.
        /// @param adiff_src_desc What is written: shape and type of adiff_dst_desc, any layout; the layout any, or
        ///     an empty handle, memory::desc(nullptr), takes adiff_dst_desc's. The empty descriptor memory::desc() is
        ///     refused.
        /// @param adiff_dst_desc What is read: any shape, data type and layout; the layout any takes that of the
        ///     hint's destination.
        /// @param aaxis The axis that is shuffled, 0 to ndims - 1.
        /// @param agroup_size The forward shuffle's group size; divides the size of the axis.
        desc(const memory::desc& adiff_src_desc, const memory::desc& adiff_dst_desc, int aaxis,
             memory::dim agroup_size)
            : diff_src_desc(adiff_src_desc),
              diff_dst_desc(adiff_dst_desc),
              axis(aaxis),
              group_size(agroup_size) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_desc_t hint_fwd_pd,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_shuffle_backward_primitive_desc_create(
                result, c_engine, diff_src_desc.get(true), diff_dst_desc.get(true), axis,
                group_size, hint_fwd_pd, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a backward shuffle.
    struct primitive_desc : public shuffle_desc<desc, shuffle_forward::primitive_desc> {
        using shuffle_desc<desc, shuffle_forward::primitive_desc>::shuffle_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc(const memory::desc&, const memory::desc&, int, memory::dim)
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param hint_fwd_pd Primitive descriptor of the forward shuffle, whose axis, group size and
        ///     dimensions must be the same; may be empty.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, const memory::desc& adiff_src_desc,
                       const memory::desc& adiff_dst_desc, int aaxis, memory::dim agroup_size,
                       const shuffle_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : shuffle_desc(desc(adiff_src_desc, adiff_dst_desc, aaxis, agroup_size), aengine,
                           hint_fwd_pd, attr, allow_empty) {}
    };

    /// An empty handle.
    shuffle_backward() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    shuffle_backward(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
