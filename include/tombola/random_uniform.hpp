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
#include <type_traits>

#include "memory.hpp"
#include "primitive.hpp"
#include "primitive_desc.hpp"

namespace tombola {

/// @addtogroup tombola_cpp_random_uniform
/// @{

/// Whose numbers a random_uniform gives.
enum class alignment {
    tensorflow = tombola_alignment_tensorflow,  ///< TensorFlow's: Philox.
    pytorch = tombola_alignment_pytorch,        ///< PyTorch's: MT19937.
};

/// How many words an integer of the pytorch alignment takes; see tombola_int_draws_t.
enum class int_draws {
    spec = tombola_int_draws_spec,      ///< As the specification says.
    torch1 = tombola_int_draws_torch1,  ///< As PyTorch 1.x.
    torch2 = tombola_int_draws_torch2,  ///< As current PyTorch.
};

/// Uniform numbers in [MIN, MAX).
///
/// Execution arguments: TOMBOLA_ARG_MIN and TOMBOLA_ARG_MAX, one element of DST's type each, finite,
/// MIN < MAX; TOMBOLA_ARG_DST; optional TOMBOLA_ARG_SEEDS u64[2] {global, op}, in place of the
/// descriptor's; TOMBOLA_ARG_OFFSET u64[1], the element of the stream at which DST starts;
/// TOMBOLA_ARG_SRC_STATE and TOMBOLA_ARG_DST_STATE, the state before and after, u64[2] (tensorflow) or
/// u32[625] (pytorch), in one buffer if you like; TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that were used,
/// which may be SEEDS' own buffer. Otherwise no two share memory.
struct random_uniform : public primitive {
    /// The arguments of a random_uniform.
    struct desc {
        tombola::alignment alignment;  ///< Whose numbers.
        memory::desc dst_desc;         ///< The numbers.
        uint64_t global_seed;          ///< Global seed.
        uint64_t op_seed;              ///< Operation's seed.
        tombola::int_draws int_draws;  ///< Words an integer takes (pytorch).

        /// What is drawn.
        /// @param aalignment Whose numbers.
        /// @param adst_desc The numbers: f16, bf16, f32, f64, s32 or s64, of any shape and layout; the layout
        ///     any is row-major.
        /// @param aglobal_seed Global seed, any number (pytorch: its low 32 bits count); both seeds 0: fresh
        ///     entropy at each execution.
        /// @param aop_seed Operation's seed, any number; ignored by the pytorch alignment, but for the rule
        ///     above.
        /// @param aint_draws Words an integer takes (pytorch; otherwise ignored).
        desc(tombola::alignment aalignment, const memory::desc& adst_desc, uint64_t aglobal_seed,
             uint64_t aop_seed, tombola::int_draws aint_draws = tombola::int_draws::spec)
            : alignment(aalignment),
              dst_desc(adst_desc),
              global_seed(aglobal_seed),
              op_seed(aop_seed),
              int_draws(aint_draws) {}

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_random_uniform_primitive_desc_create(
                result, c_engine, static_cast<tombola_alignment_t>(alignment), dst_desc.get(true),
                global_seed, op_seed, static_cast<tombola_int_draws_t>(int_draws), attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a random_uniform.
    struct primitive_desc : public operator_desc<desc, primitive::kind::random_uniform> {
        using operator_desc<desc, primitive::kind::random_uniform>::operator_desc;
        /// An empty handle.
        primitive_desc() = default;
        /// Chooses an implementation.
        /// @copydetails desc::desc
        /// @param aengine The engine; it must outlive the primitive descriptor and its primitives.
        /// @param attr Attributes; they are copied.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        /// @throws error As operator_desc.
        primitive_desc(const engine& aengine, tombola::alignment aalignment,
                       const memory::desc& adst_desc, uint64_t aglobal_seed, uint64_t aop_seed,
                       tombola::int_draws aint_draws = tombola::int_draws::spec,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : operator_desc(desc(aalignment, adst_desc, aglobal_seed, aop_seed, aint_draws),
                            aengine, attr, allow_empty) {}
        /// The descriptor of MIN and of MAX.
        /// @return One element of the destination's type.
        memory::desc bound_desc() const { return exec_arg_desc(TOMBOLA_ARG_MIN); }
        /// The descriptor of SEEDS and of DST_SEEDS.
        /// @return u64[2].
        memory::desc seeds_desc() const { return exec_arg_desc(TOMBOLA_ARG_SEEDS); }
        /// The descriptor of OFFSET.
        /// @return u64[1].
        memory::desc offset_desc() const { return exec_arg_desc(TOMBOLA_ARG_OFFSET); }
        /// The descriptor of SRC_STATE.
        /// @return u64[2] (tensorflow) or u32[625] (pytorch).
        memory::desc src_state_desc() const { return exec_arg_desc(TOMBOLA_ARG_SRC_STATE); }
        /// The descriptor of DST_STATE.
        /// @return That of SRC_STATE.
        memory::desc dst_state_desc() const { return exec_arg_desc(TOMBOLA_ARG_DST_STATE); }
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
        /// @throws error invalid_arguments if T is not the destination's type; out_of_memory.
        template <class T>
        bounds(const primitive_desc& pd, T min, T max)
            : min_(make(pd.bound_desc(), pd.get_engine(), min)),
              max_(make(pd.bound_desc(), pd.get_engine(), max)) {}
        /// The argument TOMBOLA_ARG_MIN.
        /// @return One element of the destination's type.
        const memory& min() const { return min_; }
        /// The argument TOMBOLA_ARG_MAX.
        /// @return One element of the destination's type.
        const memory& max() const { return max_; }

      private:
        using type = memory::data_type;

        template <class T>
        static memory make(const memory::desc& md, const engine& aengine, T value) {
            constexpr bool is_float = std::is_same<T, float>::value;
            constexpr bool is_double = std::is_same<T, double>::value;
            constexpr bool is_integer = std::is_integral<T>::value && std::is_signed<T>::value;
            static_assert(is_float || is_double || (is_integer && sizeof(T) >= 4),
                          "bounds are float, double, int32_t or int64_t");
            const char* name = is_float         ? "float"
                               : is_double      ? "double"
                               : sizeof(T) == 4 ? "int32_t"
                                                : "int64_t";
            const type dst = md.get_data_type();
            if (std::strcmp(name, expected(dst)) != 0)
                throw error(tombola_invalid_arguments,
                            std::string("random_uniform::bounds: min and max are ") + name +
                                "; expected " + expected(dst) +
                                ", as the destination has the data type " +
                                tombola_dt2str(static_cast<tombola_data_type_t>(dst)));
            memory made(md, aengine);
            if (dst == type::f16 || dst == type::bf16) {
                const auto number = static_cast<float>(value);
                const uint16_t bits = dst == type::f16 ? to_f16(number) : to_bf16(number);
                std::memcpy(made.get_data_handle(), &bits, sizeof(bits));
            } else {
                std::memcpy(made.get_data_handle(), &value, sizeof(value));
            }
            return made;
        }
        static const char* expected(type dst) {
            if (dst == type::f64) return "double";
            if (dst == type::s32) return "int32_t";
            return dst == type::s64 ? "int64_t" : "float";
        }
        static uint32_t bits_of(float value) {
            uint32_t bits = 0;
            std::memcpy(&bits, &value, sizeof(bits));
            return bits;
        }
        static uint16_t to_bf16(float value) {
            const uint32_t bits = bits_of(value);
            if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FC0;  // NaN
            return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
        }
        static uint16_t to_f16(float value) {
            const uint32_t bits = bits_of(value);
            const uint32_t sign = bits >> 16 & 0x8000;
            const uint32_t magnitude = bits & 0x7FFFFFFF;
            if (magnitude > 0x7F800000) return 0x7E00;                                 // NaN
            if (magnitude >= 0x477FF000) return static_cast<uint16_t>(sign | 0x7C00);  // 65520 on
            if (magnitude >= 0x38800000) {  // 2^-14 on: rebias the exponent, round 13 bits away
                const uint32_t rebiased = magnitude - 0x38000000;
                return static_cast<uint16_t>(sign |
                                             ((rebiased + 0xFFF + (rebiased >> 13 & 1)) >> 13));
            }
            if (magnitude < 0x33000000) return static_cast<uint16_t>(sign);  // below 2^-25
            // A subnormal: a multiple of 2^-24.
            const uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
            const uint32_t shift = 126 - (magnitude >> 23);
            const uint32_t half = 1u << (shift - 1);
            const uint32_t even = mantissa >> shift & 1;
            return static_cast<uint16_t>(sign | ((mantissa + half - 1 + even) >> shift));
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
/// @throws error invalid_arguments for null, another number of bytes, or bytes that PyTorch would refuse.
inline mt19937_state mt19937_state_from_torch(const void* torch_state, size_t torch_state_bytes) {
    mt19937_state state;
    error::check(tombola_mt19937_state_from_torch(torch_state, torch_state_bytes, state.data()));
    return state;
}

/// Hands a PyTorch CPU generator back; see tombola_mt19937_state_to_torch().
/// @param state A DST_STATE.
/// @param torch_state The bytes that torch.get_rng_state() returned: patched in place; any alignment.
/// @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
/// @throws error invalid_arguments for null, a position beyond 624, another number of bytes, or bytes that
///     PyTorch would refuse.
inline void mt19937_state_to_torch(const mt19937_state& state, void* torch_state,
                                   size_t torch_state_bytes) {
    error::check(tombola_mt19937_state_to_torch(state.data(), torch_state, torch_state_bytes));
}

/// @}

}  // namespace tombola

#endif
