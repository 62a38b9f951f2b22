// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one execution tells a conversion, as its code reads it. A conversion declares a struct of its parameters; its
// pack() fills one, and its code reads them by their offsets.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tombola::impl::cpu::x64 {

struct PackedParameters {
    static constexpr size_t kBytes = 40;

    PackedParameters() = default;  // of a conversion that has none
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
