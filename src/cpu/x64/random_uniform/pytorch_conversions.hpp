// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment pytorch of random_uniform by conversions of the MT19937 kernels: the parameters, how they follow from MIN and MAX
// (pack), and the kernels (pytorch_conversions.cpp). The specification in scalar form is cpu/random_uniform/pytorch_convert.hpp.
//
//   floating point   value = fma(integer of the word's low bits, scale, minimum), in f32 for the 16-bit types
//   integers         value = x mod divisor + minimum, wrapping; x is one word, or two

#include <cstdint>
#include <type_traits>

#include "common/cpu_isa.hpp"
#include "common/primitives/random_uniform.hpp"
#include "common/status.hpp"
#include "common/types.hpp"
#include "cpu/random_uniform/pytorch_convert.hpp"
#include "cpu/x64/rng/mt19937_generator.hpp"

namespace tombola::impl::cpu::x64 {

template <class Compute>
struct PytorchFloatParameters {
    alignas(8) Compute minimum, scale, maximum;  // scale: range * 2^-digits; maximum: of torch2
};

// `reciprocal` is floor((2^32 - 1) / divisor), or floor((2^64 - 1) / divisor) for two words. A divisor and a reciprocal of 0
// leave the word as it is.
struct PytorchIntegerParameters {
    uint64_t minimum;
    alignas(16) uint64_t divisor;
    uint64_t reciprocal;
};

// Whether the kernels serve the bounds, and the parameters of the kernel for convert.words().
template <class T, FloatDraws rule, bool integral = std::is_integral_v<T>>
struct PytorchParameters {
    using Convert = PytorchConvert<T>;
    using Compute = typename Convert::Compute;

    static Compute scale_of(const Convert& convert) { return convert.range() * kUnit; }
    // The arithmetic is PyTorch's if the scale is exact. It is not exact only for ranges of subnormal size.
    static bool serves(const Convert& convert) {
        return scale_of(convert) / kUnit == convert.range();
    }
    static PackedParameters pack(const Convert& convert) {
        return PackedParameters(PytorchFloatParameters<Compute>{
            convert.minimum(), scale_of(convert), convert.maximum()});
    }

  private:
    static constexpr Compute kUnit =
        Compute{1} / static_cast<Compute>(uint64_t{1} << Convert::digits(rule));
};

template <class T, FloatDraws rule>
struct PytorchParameters<T, rule, true> {
    static bool serves(const PytorchConvert<T>&) { return true; }
    static PackedParameters pack(const PytorchConvert<T>& convert) {
        const uint64_t max_draw = convert.words() == 2 ? ~uint64_t{0} : 0xFFFFFFFF;
        const uint64_t divisor = convert.range().range();
        PytorchIntegerParameters p{convert.range().min(), 0, 0};
        if (divisor <= max_draw)
            // Otherwise every word is below the range.
            p = {p.minimum, divisor, max_draw / divisor};
        return PackedParameters(p);
    }
};

// The kernel for values of `words` words.
Result<Mt19937Kernel> make_pytorch_kernel(CpuIsa isa, DataType type, FloatDraws rule, int words);

}  // namespace tombola::impl::cpu::x64
