// SPDX-License-Identifier: Apache-2.0

/// @file
/// Random permutations in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_RANDOM_PERMUTATION_HPP
#define TOMBOLA_RANDOM_PERMUTATION_HPP

#include <cstdint>

#include "memory.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_random_permutation Random permutation
/// @ingroup tombola_cpp
/// Source: torch.randperm; arXiv 2106.06161. What is computed: @ref tombola_random_permutation.
/// @{

/// How a permutation is drawn: pytorch or philox; see tombola_permutation_alignment_t.
enum class permutation_alignment {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_permutation_##name
    TOMBOLA_PERMUTATION_ALIGNMENTS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// A random permutation of 0 ... range - 1, or a part of one.
///
/// Execution arguments: TOMBOLA_ARG_DST; optional TOMBOLA_ARG_SEEDS u64[2] {global, op}, in place of the
/// descriptor's; TOMBOLA_ARG_OFFSET u64[1], the element of the permutation at which DST starts;
/// TOMBOLA_ARG_SRC_STATE and TOMBOLA_ARG_DST_STATE, the state before and after, u64[2] (philox) or u32[625]
/// (pytorch), which may share one buffer; TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that were used, which may be
/// SEEDS' own buffer. Otherwise an output shares no
/// memory with another argument. Inputs may share memory.
/// The table of @ref tombola_random_permutation has the types, shapes and ranges.
struct random_permutation : public primitive {
    /// The arguments of a random_permutation.
    struct desc {
        permutation_alignment alignment;  ///< How it is drawn.
        memory::desc dst_desc;            ///< The elements.
        memory::dim range;                ///< Elements of the whole permutation.
        uint64_t global_seed;             ///< Global seed.
        uint64_t op_seed;                 ///< Operation's seed.

        /// What is drawn.
        /// @param aalignment How the permutation is drawn.
        /// @param adst_desc The elements: s32 or s64 of one dimension, any stride; the layout any is dense.
        /// @param arange Elements of the whole permutation, at least as many as adst_desc has.
        /// @param aglobal_seed Global seed, any number (pytorch: its low 32 bits count); both seeds 0: fresh
        ///     entropy at each execution.
        /// @param aop_seed Operation's seed, any number. Under the pytorch alignment it matters only if the global seed is 0: (0, 0) draws entropy.
        desc(permutation_alignment aalignment, const memory::desc& adst_desc, memory::dim arange,
             uint64_t aglobal_seed, uint64_t aop_seed)
            : alignment(aalignment),
              dst_desc(adst_desc),
              range(arange),
              global_seed(aglobal_seed),
              op_seed(aop_seed) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_random_permutation_primitive_desc_create(
                result, c_engine, static_cast<tombola_permutation_alignment_t>(alignment),
                dst_desc.get(true), range, global_seed, op_seed, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a random_permutation.
    struct primitive_desc : public stream_desc<desc, primitive::kind::random_permutation> {
        using stream_desc<desc, primitive::kind::random_permutation>::stream_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, permutation_alignment aalignment,
                       const memory::desc& adst_desc, memory::dim arange, uint64_t aglobal_seed,
                       uint64_t aop_seed, const primitive_attr& attr = primitive_attr(),
                       bool allow_empty = false)
            : stream_desc(desc(aalignment, adst_desc, arange, aglobal_seed, aop_seed), aengine,
                          attr, allow_empty) {}
    };

    /// An empty handle.
    random_permutation() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    random_permutation(const primitive_desc& pd) : primitive(pd) {}
};

/// @}

}  // namespace tombola

#endif
