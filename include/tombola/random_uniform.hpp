// SPDX-License-Identifier: Apache-2.0

/// @file
/// Uniform numbers in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_RANDOM_UNIFORM_HPP
#define TOMBOLA_RANDOM_UNIFORM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "memory.hpp"
#include "number.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_random_uniform Random uniform
/// @ingroup tombola_cpp
/// Source: OpenVINO's RandomUniform-8. What is computed: @ref tombola_random_uniform.
/// @{

/// How many words an integer of the pytorch alignment takes: spec, torch1 or torch2; see tombola_int_draws_t.
enum class int_draws {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_int_draws_##name
    TOMBOLA_INT_DRAWS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// How a floating-point number of the pytorch alignment is drawn: torch1 or torch2; see tombola_float_draws_t.
enum class float_draws {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_float_draws_##name
    TOMBOLA_FLOAT_DRAWS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// Uniform numbers in [MIN, MAX).
///
/// Execution arguments: TOMBOLA_ARG_MIN and TOMBOLA_ARG_MAX, one element of DST's type each, finite,
/// MIN < MAX (not with full_range); TOMBOLA_ARG_DST; optional TOMBOLA_ARG_SEEDS u64[2] {global, op}, in place of the
/// descriptor's; TOMBOLA_ARG_OFFSET u64[1], the element of the stream at which DST starts;
/// TOMBOLA_ARG_SRC_STATE and TOMBOLA_ARG_DST_STATE, the state before and after, u64[2] (tensorflow) or
/// u32[625] (pytorch), which may share one buffer; TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that were used,
/// which may be SEEDS' own buffer. Otherwise an output shares no
/// memory with another argument. Inputs may share memory.
/// The table of @ref tombola_random_uniform has the types, shapes and ranges.
struct random_uniform : public primitive {
    /// The arguments of a random_uniform. The data type is f16, bf16, f32, f64, s32 or s64.
    struct desc : public random_fill_desc {
        tombola::int_draws int_draws;      ///< Words an integer takes (pytorch).
        tombola::float_draws float_draws;  ///< How a floating-point number is drawn (pytorch).
        bool full_range;  ///< Integers from 0 to the type's greatest value (pytorch).

        /// @copydoc random_fill_desc::random_fill_desc
        /// @param aint_draws Words an integer takes (pytorch; otherwise ignored).
        /// @param afloat_draws How a floating-point number is drawn (pytorch; otherwise ignored).
        /// @param afull_range The integers from 0 to the greatest value of the type, as PyTorch's random_() without
        ///     bounds draws them: there are no MIN and MAX then (pytorch, s32 and s64; otherwise refused).
        desc(tombola::alignment aalignment, const memory::desc& adst_desc, uint64_t aglobal_seed,
             uint64_t aop_seed, tombola::int_draws aint_draws = tombola::int_draws::spec,
             tombola::float_draws afloat_draws = tombola::float_draws::torch1,
             bool afull_range = false)
            : random_fill_desc(aalignment, adst_desc, aglobal_seed, aop_seed),
              int_draws(aint_draws),
              float_draws(afloat_draws),
              full_range(afull_range) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_random_uniform_primitive_desc_create_with_rules(
                result, c_engine, static_cast<tombola_alignment_t>(alignment), dst_desc.get(true),
                global_seed, op_seed, static_cast<tombola_int_draws_t>(int_draws),
                static_cast<tombola_float_draws_t>(float_draws), full_range ? 1 : 0, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a random_uniform.
    struct primitive_desc : public stream_desc<desc, primitive::kind::random_uniform> {
        using stream_desc<desc, primitive::kind::random_uniform>::stream_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails random_fill_desc::random_fill_desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param aint_draws Words an integer takes (pytorch; otherwise ignored).
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, tombola::alignment aalignment,
                       const memory::desc& adst_desc, uint64_t aglobal_seed, uint64_t aop_seed,
                       tombola::int_draws aint_draws = tombola::int_draws::spec,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : stream_desc(desc(aalignment, adst_desc, aglobal_seed, aop_seed, aint_draws), aengine,
                          attr, allow_empty) {}
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As primitive_desc_of.
        primitive_desc(const engine& aengine, tombola::alignment aalignment,
                       const memory::desc& adst_desc, uint64_t aglobal_seed, uint64_t aop_seed,
                       tombola::int_draws aint_draws, tombola::float_draws afloat_draws,
                       bool afull_range = false, const primitive_attr& attr = primitive_attr(),
                       bool allow_empty = false)
            : stream_desc(desc(aalignment, adst_desc, aglobal_seed, aop_seed, aint_draws,
                               afloat_draws, afull_range),
                          aengine, attr, allow_empty) {}
        /// The descriptor of MIN and of MAX.
        /// @return One element of the destination's type; empty with full_range, which has no bounds.
        memory::desc bound_desc() const { return exec_arg_desc(TOMBOLA_ARG_MIN); }
    };

    /// MIN and MAX as numbers of C++, checked against the destination's data type.
    ///
    ///     random_uniform::bounds range(pd, 0.0f, 1.0f);
    ///     random_uniform(pd).execute(s, {{TOMBOLA_ARG_MIN, range.min()}, {TOMBOLA_ARG_MAX, range.max()},
    ///                                    {TOMBOLA_ARG_DST, dst}});
    class bounds {
      public:
        /// Makes a memory object of each bound.
        /// @tparam T Type of the numbers: float for f16, bf16 and f32, double for f64, int32_t for s32 and
        ///     int64_t for s64.
        /// @param pd The primitive descriptor.
        /// @param min The lower bound, inclusive; f16 and bf16 take the nearest number, ties to even.
        /// @param max The upper bound, exclusive; likewise.
        /// @throws error invalid_arguments with full_range, if T is not the destination's type, or in f16 and bf16 for a finite number
        ///     that rounds to infinity, and for a min below max that round to equal numbers; out_of_memory.
        ///     The execution refuses NaN, infinities and a min that is not below max.
        template <class T>
        bounds(const primitive_desc& pd, T min, T max)
            : min_(number(pd, min, "random_uniform::bounds: min")),
              max_(number(pd, max, "random_uniform::bounds: max")) {
            check_distinct(min, max);
        }
        /// The argument TOMBOLA_ARG_MIN.
        /// @return One element of the destination's type.
        const memory& min() const { return min_; }
        /// The argument TOMBOLA_ARG_MAX.
        /// @return One element of the destination's type.
        const memory& max() const { return max_; }

      private:
        template <class T>
        static memory number(const primitive_desc& pd, T value, const char* what) {
            return detail::number_memory(pd.bound_desc(), pd.get_engine(), value, what);
        }
        // Refuses numbers that round to equal elements of f16 or bf16. Elements of wider types are the numbers themselves.
        template <class T>
        void check_distinct(T min, T max) const {
            const memory::data_type type = min_.get_desc().get_data_type();
            const bool is_half = type == memory::data_type::f16 || type == memory::data_type::bf16;
            if (!is_half || !(min < max)) return;
            uint16_t a = 0, b = 0;
            std::memcpy(&a, min_.get_data_handle(), sizeof(a));
            std::memcpy(&b, max_.get_data_handle(), sizeof(b));
            const bool are_zeros = ((a | b) & 0x7FFF) == 0;  // 0 equals -0
            if (a != b && !are_zeros) return;
            error::raise(tombola_invalid_arguments,
                         "random_uniform::bounds: min is " +
                             detail::number_text(static_cast<float>(min)) + " and max is " +
                             detail::number_text(static_cast<float>(max)) +
                             "; expected min < max, each rounded to " +
                             tombola_dt2str(static_cast<tombola_data_type_t>(type)));
        }

        memory min_;
        memory max_;
    };

    /// An empty handle.
    random_uniform() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    random_uniform(const primitive_desc& pd) : primitive(pd) {}
};

/// A state of the pytorch alignment: 624 words, then the position of the next one, 0 to 624.
using mt19937_state = std::array<uint32_t, TOMBOLA_MT19937_STATE_WORDS>;

/// Takes over a PyTorch CPU generator; see tombola_mt19937_state_from_torch().
/// @param torch_state The bytes that torch.get_rng_state() returned; any alignment.
/// @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
/// @return The state, for SRC_STATE.
/// @throws error invalid_arguments for null, another number of bytes, bytes that PyTorch would refuse or never writes,
///     or words that are all 0.
inline mt19937_state mt19937_state_from_torch(const void* torch_state, size_t torch_state_bytes) {
    mt19937_state state;
    error::check(tombola_mt19937_state_from_torch(torch_state, torch_state_bytes, state.data()));
    return state;
}

/// Hands a PyTorch CPU generator back; see tombola_mt19937_state_to_torch().
/// @param state A DST_STATE.
/// @param torch_state The bytes that torch.get_rng_state() returned: patched in place; any alignment.
/// @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
/// @throws error invalid_arguments for null, a position beyond 624, the position 0 with words that MT19937 cannot have
///     drawn, words that are all 0, another number of bytes, or bytes that PyTorch would refuse.
inline void mt19937_state_to_torch(const mt19937_state& state, void* torch_state,
                                   size_t torch_state_bytes) {
    error::check(tombola_mt19937_state_to_torch(state.data(), torch_state, torch_state_bytes));
}

/// @}

}  // namespace tombola

#endif
