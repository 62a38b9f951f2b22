// SPDX-License-Identifier: Apache-2.0
#include "reference/random_uniform_reference.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "reference/word_source.hpp"

namespace tombola::reference {

namespace {

// float(bits << 23 | x) - 1 and its like for the other formats: the value in [0,1) of the fraction's bits.
float tensorflow_f32(uint32_t x) {
    const uint32_t bits = 0x3F800000u | (x & 0x7FFFFFu);
    float value;
    std::memcpy(&value, &bits, 4);
    return value - 1.0f;
}
double tensorflow_f64(uint32_t first, uint32_t second) {
    const uint64_t bits = uint64_t{0x3FF} << 52 | uint64_t{first & 0xFFFFFu} << 32 | second;
    double value;
    std::memcpy(&value, &bits, 8);
    return value - 1.0;
}

// The 16-bit formats draw few distinct values: one table a request, indexed by the bits drawn.
std::vector<uint16_t> table16(const UniformRequest& request) {
    const bool half = request.type == tombola_f16;
    const auto encode = half ? double_to_f16 : double_to_bf16;
    const auto decode = half ? f16_to_double : bf16_to_double;
    const double min = double_of(request.type, request.min);
    const double max = double_of(request.type, request.max);
    const double range = decode(encode(max - min));

    // tensorflow: 10 / 7 bits under an implied 1, minus 1: bits * 2^-10 / 2^-7. pytorch: 11 / 8 bits.
    const bool torch = request.alignment == tombola_alignment_pytorch;
    const int bits = (half ? 10 : 7) + (torch ? 1 : 0);
    std::vector<uint16_t> table(size_t{1} << bits);
    for (size_t x = 0; x < table.size(); ++x) {
        const double v = std::ldexp(static_cast<double>(x), -bits);
        if (torch)
            table[x] = encode(std::fma(static_cast<float>(v), static_cast<float>(range),
                                       static_cast<float>(min)));
        else
            // The product of two such values is exact in double, so each line rounds once, to the type.
            table[x] = encode(decode(encode(v * range)) + min);
    }
    return table;
}

// float_draws torch2 of f16 and bf16: f32 numbers of 24 bits, rounded to the type.
void fill_16_bits_by_torch2(const UniformRequest& request, MtSource& source, uint64_t count,
                            uint16_t* to) {
    const auto encode = request.type == tombola_f16 ? double_to_f16 : double_to_bf16;
    const auto min = static_cast<float>(double_of(request.type, request.min));
    const auto max = static_cast<float>(double_of(request.type, request.max));
    const float range = max - min;
    for (uint64_t i = 0; i < count; ++i) {
        const float v = static_cast<float>(source.next() & 0xFFFFFFu) / 16777216.0f;
        to[i] = encode(std::fma(v, range, min));
    }
}

// float_draws torch2: MAX becomes MIN.
void exclude_max(const UniformRequest& request, uint64_t count, void* dst) {
    const size_t size = size_of(request.type);
    const double max = double_of(request.type, request.max);
    auto* at = static_cast<uint8_t*>(dst);
    for (uint64_t i = 0; i < count; ++i, at += size) {
        Scalar value{};
        std::memcpy(value.data(), at, size);
        if (double_of(request.type, value) == max) std::memcpy(at, request.min.data(), size);
    }
}

template <class Source>
void fill_floating(const UniformRequest& request, Source& source, uint64_t count, void* dst) {
    const bool torch = request.alignment == tombola_alignment_pytorch;
    if (request.type == tombola_f64) {
        auto* to = static_cast<double*>(dst);
        const auto min = value_of<double>(request.min);
        const double range = value_of<double>(request.max) - min;
        for (uint64_t i = 0; i < count; ++i) {
            const uint32_t first = source.next(), second = source.next();
            if (torch) {
                const uint64_t word = uint64_t{first} << 32 | second;
                const double v =
                    std::ldexp(static_cast<double>(word & ((uint64_t{1} << 53) - 1)), -53);
                to[i] = std::fma(v, range, min);
            } else {
                const double product = tensorflow_f64(first, second) * range;
                to[i] = product + min;
            }
        }
    } else if (request.type == tombola_f32) {
        auto* to = static_cast<float*>(dst);
        const auto min = value_of<float>(request.min);
        const float range = value_of<float>(request.max) - min;
        for (uint64_t i = 0; i < count; ++i) {
            const uint32_t x = source.next();
            if (torch) {
                const float v = static_cast<float>(x & 0xFFFFFFu) * 0x1p-24f;
                to[i] = std::fma(v, range, min);
            } else {
                const float product = tensorflow_f32(x) * range;
                to[i] = product + min;
            }
        }
    } else {
        auto* to = static_cast<uint16_t*>(dst);
        const std::vector<uint16_t> table = table16(request);
        for (uint64_t i = 0; i < count; ++i) to[i] = table[source.next() & (table.size() - 1)];
    }
}

template <class Source>
void fill_integer(const UniformRequest& request, Source& source, uint64_t count, void* dst) {
    const bool torch = request.alignment == tombola_alignment_pytorch;
    const bool two = uniform_words(request) == 2;
    const bool wide = request.type == tombola_s64;
    uint64_t min = wide ? value_of<uint64_t>(request.min) : value_of<uint32_t>(request.min);
    const uint64_t max = wide ? value_of<uint64_t>(request.max) : value_of<uint32_t>(request.max);
    uint64_t range = wide ? max - min : static_cast<uint32_t>(max - min);
    if (request.full_range) {
        min = 0;
        range = wide ? uint64_t{1} << 63 : uint64_t{1} << 31;
    }
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t word = source.next();
        if (two) {
            const uint64_t second = source.next();
            // TensorFlow puts the second word on top, PyTorch the first.
            word = torch ? word << 32 | second : second << 32 | word;
        }
        const uint64_t value = word % range + min;
        if (wide)
            static_cast<uint64_t*>(dst)[i] = value;
        else
            static_cast<uint32_t*>(dst)[i] = static_cast<uint32_t>(value);
    }
}

template <class Source>
void fill(const UniformRequest& request, uint64_t count, void* dst,
          std::vector<uint8_t>* state_out) {
    Source source(request, uniform_words(request));
    bool filled = false;
    const bool torch2 = std::is_same_v<Source, MtSource> && is_floating(request.type) &&
                        request.float_draws == tombola_float_draws_torch2;
    if constexpr (std::is_same_v<Source, MtSource>)
        if (torch2 && size_of(request.type) == 2) {
            fill_16_bits_by_torch2(request, source, count, static_cast<uint16_t*>(dst));
            filled = true;
        }
    if (!filled && is_floating(request.type))
        fill_floating(request, source, count, dst);
    else if (!filled)
        fill_integer(request, source, count, dst);
    if (torch2) exclude_max(request, count, dst);
    if (state_out) *state_out = source.state_after(count);
}

}  // namespace

std::string uniform_refusal(const UniformRequest& request) {
    if (request.full_range) {
        if (request.alignment != tombola_alignment_pytorch)
            return "the alignment has no full range";
        if (is_floating(request.type)) return "the type has no full range";
        return stream_refusal(request);
    }
    if (is_floating(request.type)) {
        const double min = double_of(request.type, request.min);
        const double max = double_of(request.type, request.max);
        if (!std::isfinite(min) || !std::isfinite(max)) return "a bound is not finite";
        if (!(min < max)) return "min is not below max";
        bool overflows = false;
        switch (request.type) {
            case tombola_f16:
                overflows = (double_to_f16(max - min) & 0x7c00) == 0x7c00;
                break;
            case tombola_bf16:
                overflows = (double_to_bf16(max - min) & 0x7f80) == 0x7f80;
                break;
            case tombola_f32:
                overflows = std::isinf(static_cast<float>(max) - static_cast<float>(min));
                break;
            default:
                overflows = std::isinf(max - min);
        }
        if (overflows) return "max - min overflows the type";
    } else {
        const int64_t min = request.type == tombola_s64 ? value_of<int64_t>(request.min)
                                                        : value_of<int32_t>(request.min);
        const int64_t max = request.type == tombola_s64 ? value_of<int64_t>(request.max)
                                                        : value_of<int32_t>(request.max);
        if (min >= max) return "min is not below max";
    }
    return stream_refusal(request);
}

int uniform_words(const UniformRequest& request) {
    const bool torch = request.alignment == tombola_alignment_pytorch;
    if (request.type == tombola_f64) return 2;
    if (is_floating(request.type)) return 1;
    const bool wide = request.type == tombola_s64;
    if (!torch || request.full_range) return wide ? 2 : 1;

    const int64_t min = wide ? value_of<int64_t>(request.min) : value_of<int32_t>(request.min);
    const int64_t max = wide ? value_of<int64_t>(request.max) : value_of<int32_t>(request.max);
    const uint64_t range = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
    constexpr int64_t kMaxU32 = 0xffffffff;
    switch (request.int_draws) {
        case tombola_int_draws_spec:
            return wide && !(min <= kMaxU32 && max <= kMaxU32) ? 2 : 1;
        case tombola_int_draws_torch1:
            return wide && range > kMaxU32 ? 2 : 1;
        case tombola_int_draws_torch2:
            return range >= uint64_t{1} << 28 ? 2 : 1;
    }
    return 1;
}

void random_uniform_reference(const UniformRequest& request, uint64_t count, void* dst,
                              std::vector<uint8_t>* state_out) {
    if (request.alignment == tombola_alignment_pytorch)
        fill<MtSource>(request, count, dst, state_out);
    else
        fill<PhiloxSource>(request, count, dst, state_out);
}

}  // namespace tombola::reference
