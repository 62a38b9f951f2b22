// SPDX-License-Identifier: Apache-2.0

/// @file
/// Normal numbers in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_RANDOM_NORMAL_HPP
#define TOMBOLA_RANDOM_NORMAL_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "memory.hpp"
#include "number.hpp"
#include "primitive.hpp"
#include "random_stream.hpp"

namespace tombola {

/// @defgroup tombola_cpp_random_normal Random normal
/// @ingroup tombola_cpp
/// Source: PyTorch's Tensor.normal_ and TensorFlow's tf.random.normal. What is computed: @ref tombola_random_normal.
/// @{

/// Normal numbers with the mean MEAN and the standard deviation STD.
///
/// Execution arguments: TOMBOLA_ARG_DST; optional TOMBOLA_ARG_MEAN (0 if absent) and TOMBOLA_ARG_STD (1 if absent, at
/// least 0), one finite element of DST's type each; TOMBOLA_ARG_SEEDS u64[2] {global, op}, in place of the
/// descriptor's; TOMBOLA_ARG_OFFSET u64[1], the element of the stream at which DST starts (pytorch: a multiple of 16,
/// and 0 if DST has 1 to 15 elements); TOMBOLA_ARG_SRC_STATE and TOMBOLA_ARG_DST_STATE, the state before and after,
/// u64[2] (tensorflow) or u32[628] (pytorch), which may share one buffer; TOMBOLA_ARG_DST_SEEDS u64[2], the seeds that
/// were used, which may be SEEDS' own buffer. Otherwise an output shares no
/// memory with another argument. Inputs may share memory.
/// The table of @ref tombola_random_normal has the types, shapes and ranges.
struct random_normal : public primitive {
    /// The arguments of a random_normal. The data type is f16, bf16, f32 or f64.
    struct desc : public random_fill_desc {
        using random_fill_desc::random_fill_desc;

        /// @cond
        tombola_status_t create(tombola_primitive_desc_t* result, tombola_engine_t c_engine,
                                const_tombola_primitive_attr_t attr) const {
            return tombola_random_normal_primitive_desc_create(
                result, c_engine, static_cast<tombola_alignment_t>(alignment), dst_desc.get(true),
                global_seed, op_seed, attr);
        }
        /// @endcond
    };

    /// Primitive descriptor of a random_normal.
    struct primitive_desc : public fill_desc<desc, primitive::kind::random_normal> {
        using fill_desc<desc, primitive::kind::random_normal>::fill_desc;
        /// The descriptor of MEAN and of STD.
        /// @return One element of the destination's type.
        memory::desc moment_desc() const { return exec_arg_desc(TOMBOLA_ARG_MEAN); }
    };

    /// MEAN and STD as numbers of C++, checked against the destination's data type.
    ///
    ///     random_normal::moments moments(pd, 5.0f, 0.5f);
    ///     random_normal(pd).execute(s, {{TOMBOLA_ARG_MEAN, moments.mean()}, {TOMBOLA_ARG_STD, moments.std()},
    ///                                   {TOMBOLA_ARG_DST, dst}});
    class moments {
      public:
        /// Makes a memory object of each number.
        /// @tparam T Type of the numbers: float for f16, bf16 and f32, double for f64.
        /// @param pd The primitive descriptor.
        /// @param mean The mean; f16 and bf16 take the nearest number, ties to even.
        /// @param std The standard deviation; likewise.
        /// @throws error invalid_arguments if T is not the destination's type, or for a finite number that rounds to
        ///     infinity in f16 or bf16; out_of_memory. The execution refuses NaN, infinities and an std below 0.
        template <class T>
        moments(const primitive_desc& pd, T mean, T std)
            : mean_(number(pd, mean, "random_normal::moments: mean")),
              std_(number(pd, std, "random_normal::moments: std")) {}
        /// The argument TOMBOLA_ARG_MEAN.
        /// @return One element of the destination's type.
        const memory& mean() const { return mean_; }
        /// The argument TOMBOLA_ARG_STD.
        /// @return One element of the destination's type.
        const memory& std() const { return std_; }

      private:
        template <class T>
        static memory number(const primitive_desc& pd, T value, const char* what) {
            return detail::number_memory(pd.moment_desc(), pd.get_engine(), value, what);
        }

        memory mean_;
        memory std_;
    };

    /// An empty handle.
    random_normal() = default;
    /// Makes the primitive.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error As primitive::primitive().
    random_normal(const primitive_desc& pd) : primitive(pd) {}
};

/// A state of random_normal's pytorch alignment: an mt19937_state, then 1 or 0 (whether a normal number is kept), then
/// the low and the high word of that f64 number.
using mt19937_normal_state = std::array<uint32_t, TOMBOLA_MT19937_NORMAL_STATE_WORDS>;

/// Takes over a PyTorch CPU generator; see tombola_mt19937_normal_state_from_torch().
/// @param torch_state The bytes that torch.get_rng_state() returned; any alignment.
/// @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
/// @return The state, for SRC_STATE.
/// @throws error invalid_arguments for null, another number of bytes, bytes that PyTorch would refuse or never writes,
///     words that are all 0, or a kept number that is not finite.
inline mt19937_normal_state mt19937_normal_state_from_torch(const void* torch_state,
                                                            size_t torch_state_bytes) {
    mt19937_normal_state state;
    error::check(
        tombola_mt19937_normal_state_from_torch(torch_state, torch_state_bytes, state.data()));
    return state;
}

/// Hands a PyTorch CPU generator back; see tombola_mt19937_normal_state_to_torch().
/// @param state A DST_STATE.
/// @param torch_state The bytes that torch.get_rng_state() returned: patched in place; any alignment.
/// @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
/// @throws error invalid_arguments for null, a position beyond 624, the position 0 with words that MT19937 cannot have
///     drawn, words that are all 0, a word for the kept number that is neither 0 nor 1, a kept number that is not finite,
///     another number of bytes, or bytes that PyTorch would refuse.
inline void mt19937_normal_state_to_torch(const mt19937_normal_state& state, void* torch_state,
                                          size_t torch_state_bytes) {
    error::check(
        tombola_mt19937_normal_state_to_torch(state.data(), torch_state, torch_state_bytes));
}

/// @}

}  // namespace tombola

#endif
