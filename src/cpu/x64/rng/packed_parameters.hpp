// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parameters of a conversion for one execution, as its code reads them. A conversion declares a struct of its
// parameters. Its pack() fills one, and its code reads them by their offsets.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tombola::impl::cpu::x64 {

struct PackedParameters {
    static constexpr size_t kBytes = 40;

    PackedParameters() = default;  // for a conversion without parameters
    // `form` is the form of the conversion that these values allow. 0 handles all values; the others are faster
    // special cases.
    template <class Parameters>
    explicit PackedParameters(const Parameters& values, uint32_t a_form = 0) : form(a_form) {
        static_assert(std::is_trivially_copyable_v<Parameters> && sizeof(Parameters) <= kBytes);
        std::memcpy(bytes, &values, sizeof values);
    }

    alignas(8) unsigned char bytes[kBytes] = {};
    uint32_t form = 0;
};

}  // namespace tombola::impl::cpu::x64
