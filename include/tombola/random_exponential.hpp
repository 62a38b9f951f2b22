// SPDX-License-Identifier: Apache-2.0

/// @file
/// Exponentially distributed numbers in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_RANDOM_EXPONENTIAL_HPP
#define TOMBOLA_RANDOM_EXPONENTIAL_HPP

#include "memory.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_random_exponential Random exponential
/// @ingroup tombola_cpp
/// Source: PyTorch's Tensor.exponential_. What is computed: @ref tombola_random_exponential.
/// @{

/// Exponentially distributed numbers.
///
/// Execution arguments: optional TOMBOLA_ARG_LAMBDA f64[1], the rate, finite and above 0, 1 if absent;
/// TOMBOLA_ARG_DST; optional TOMBOLA_ARG_SEEDS u64[2] {global, op}, in place of the
/// descriptor's; TOMBOLA_ARG_OFFSET u64[1], the element of the stream at which DST starts;
/// TOMBOLA_ARG_SRC_STATE and TOMBOLA_ARG_DST_STATE, the state before and after, u64[2] (tensorflow) or
/// u32[625] (pytorch), which may share one buffer; TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that were used,
/// which may be SEEDS' own buffer. Otherwise an output shares no
/// memory with another argument. Inputs may share memory.
/// The table of @ref tombola_random_exponential has the types, shapes and ranges.
struct random_exponential : public primitive {
    /// The arguments of a random_exponential. The data type is f16, bf16, f32 or f64.
    struct desc : public random_fill_desc {
        using random_fill_desc::random_fill_desc;

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_random_exponential_primitive_desc_create(
                result, c_engine, static_cast<tombola_alignment_t>(alignment), dst_desc.get(true),
                global_seed, op_seed, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a random_exponential.
    struct primitive_desc : public fill_desc<desc, primitive::kind::random_exponential> {
        using fill_desc<desc, primitive::kind::random_exponential>::fill_desc;
        /// The descriptor of LAMBDA.
        /// @return f64[1].
        memory::desc lambda_desc() const { return exec_arg_desc(TOMBOLA_ARG_LAMBDA); }
    };

    /// An empty handle.
    random_exponential() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    random_exponential(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
