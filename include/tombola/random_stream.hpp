// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the primitives that draw from a random stream share in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_RANDOM_STREAM_HPP
#define TOMBOLA_RANDOM_STREAM_HPP

#include <cstdint>

#include "memory.hpp"
#include "primitive.hpp"
#include "primitive_desc.hpp"

namespace tombola {

/// @addtogroup tombola_cpp_primitive
/// @{

/// The descriptor of a primitive with the arguments SEEDS and OFFSET.
/// @tparam Desc The primitive's arguments.
/// @tparam primitive_kind The primitive.
/// @tparam Hint As in primitive_desc_of.
template <class Desc, primitive::kind primitive_kind, class... Hint>
struct seeded_desc : public primitive_desc_of<Desc, primitive_kind, Hint...> {
    using primitive_desc_of<Desc, primitive_kind, Hint...>::primitive_desc_of;

    /// The descriptor of SEEDS and of DST_SEEDS.
    /// @return u64[2].
    memory::desc seeds_desc() const { return this->exec_arg_desc(TOMBOLA_ARG_SEEDS); }
    /// The descriptor of OFFSET.
    /// @return u64[1].
    memory::desc offset_desc() const { return this->exec_arg_desc(TOMBOLA_ARG_OFFSET); }
};

/// The descriptor of a primitive with the arguments SEEDS, OFFSET, SRC_STATE and DST_STATE.
/// @tparam Desc The primitive's arguments.
/// @tparam primitive_kind The primitive.
template <class Desc, primitive::kind primitive_kind>
struct stream_desc : public seeded_desc<Desc, primitive_kind> {
    using seeded_desc<Desc, primitive_kind>::seeded_desc;

    /// The descriptor of SRC_STATE.
    /// @return u64[2] for a stream of Philox, u32[625] for MT19937 (random_normal: u32[628]).
    memory::desc src_state_desc() const { return this->exec_arg_desc(TOMBOLA_ARG_SRC_STATE); }
    /// The descriptor of DST_STATE.
    /// @return That of SRC_STATE.
    memory::desc dst_state_desc() const { return this->exec_arg_desc(TOMBOLA_ARG_DST_STATE); }
};

/// The framework whose numbers a primitive draws: tensorflow or pytorch; see tombola_alignment_t.
enum class alignment {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_alignment_##name
    TOMBOLA_ALIGNMENTS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// The arguments that all primitives have which fill a tensor from TensorFlow's or PyTorch's stream.
struct random_fill_desc {
    tombola::alignment alignment;  ///< The framework whose numbers are drawn.
    memory::desc dst_desc;         ///< The numbers.
    uint64_t global_seed;          ///< Global seed.
    uint64_t op_seed;              ///< Operation's seed.

    /// What is drawn.
    /// @param aalignment The framework whose numbers are drawn.
    /// @param adst_desc The numbers: a data type that the primitive serves, any shape and layout; the layout any is
    ///     row-major.
    /// @param aglobal_seed Global seed, any number (pytorch: its low 32 bits count); both seeds 0: fresh
    ///     entropy at each execution.
    /// @param aop_seed Operation's seed, any number. Under the pytorch alignment it matters only if the global seed is 0: (0, 0) draws entropy.
    random_fill_desc(tombola::alignment aalignment, const memory::desc& adst_desc,
                     uint64_t aglobal_seed, uint64_t aop_seed)
        : alignment(aalignment),
          dst_desc(adst_desc),
          global_seed(aglobal_seed),
          op_seed(aop_seed) {}
};

/// The primitive descriptor of a fill whose arguments are those of random_fill_desc alone.
/// @tparam Desc The fill's arguments, derived from random_fill_desc.
/// @tparam fill_kind The fill.
template <class Desc, primitive::kind fill_kind>
struct fill_desc : public stream_desc<Desc, fill_kind> {
    using stream_desc<Desc, fill_kind>::stream_desc;
    /// An empty handle.
    fill_desc() = default;
    /// Chooses an implementation.
    /// @copydetails random_fill_desc::random_fill_desc
    /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
    /// @param attr Attributes; they are copied.
    /// @param allow_empty Whether a failure gives an empty object instead of an exception.
    /// @throws error As primitive_desc_of.
    fill_desc(const engine& aengine, tombola::alignment aalignment, const memory::desc& adst_desc,
              uint64_t aglobal_seed, uint64_t aop_seed,
              const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
        : stream_desc<Desc, fill_kind>(Desc(aalignment, adst_desc, aglobal_seed, aop_seed), aengine,
                                       attr, allow_empty) {}
};

/// @}

}  // namespace tombola

#endif
