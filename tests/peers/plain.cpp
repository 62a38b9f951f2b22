// SPDX-License-Identifier: Apache-2.0

// What the machine does with the same bytes when nothing is computed: fill, copy, read. Compiled for it.

#include <immintrin.h>

#include <cstring>

#include "peers.hpp"

namespace tombola::peers {

namespace {

#ifdef __AVX512F__
using Vector = __m512i;
void stream(Vector* to, Vector value) { _mm512_stream_si512(to, value); }
Vector load(const char* from) { return _mm512_load_si512(from); }
Vector merge(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
#elif defined(__AVX2__)
using Vector = __m256i;
void stream(Vector* to, Vector value) { _mm256_stream_si256(to, value); }
Vector load(const char* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); }
Vector merge(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
#else
using Vector = __m128i;
void stream(Vector* to, Vector value) { _mm_stream_si128(to, value); }
Vector load(const char* from) { return _mm_load_si128(reinterpret_cast<const __m128i*>(from)); }
Vector merge(Vector a, Vector b) { return _mm_xor_si128(a, b); }
#endif

void fill_memset(char* to, size_t bytes) {
    std::memset(to, 7, bytes);
    keep(to);
}

void fill_past_caches(char* to, size_t bytes) {
    Vector value;
    std::memset(&value, 7, sizeof value);
    for (size_t at = 0; at < bytes; at += sizeof value)
        stream(reinterpret_cast<Vector*>(to + at), value);
    _mm_sfence();
    keep(to);
}

// f32 to bf16 and f16, to nearest even.
void convert(const Rounding& c, char* to, const char* from) {
    const auto* values = reinterpret_cast<const uint32_t*>(from);
    auto* results = reinterpret_cast<uint16_t*>(to);
    if (c.type == Type::bf16) {
        for (int64_t i = 0; i < c.count; ++i) {
            const uint32_t x = values[i], rounded = (x + 0x7FFF + (x >> 16 & 1)) >> 16;
            const bool is_nan = (x & 0x7FFFFFFF) > 0x7F800000;
            results[i] = static_cast<uint16_t>(is_nan ? 0x7FC0 : rounded);
        }
    } else {
#ifdef __F16C__
        for (int64_t i = 0; i < c.count; i += 8)
            _mm_store_si128(
                reinterpret_cast<__m128i*>(results + i),
                _mm256_cvtps_ph(_mm256_load_ps(reinterpret_cast<const float*>(values + i)),
                                _MM_FROUND_TO_NEAREST_INT));
#endif
    }
    keep(to);
}

void read_all(const char* from, size_t bytes) {
    constexpr size_t kStep = 4 * sizeof(Vector);
    Vector sum[4] = {};
    size_t at = 0;
    for (; at + kStep <= bytes; at += kStep)
        for (size_t k = 0; k < 4; ++k) sum[k] = merge(sum[k], load(from + at + k * sizeof(Vector)));
    char rest = 0;
    for (; at < bytes; ++at) rest = static_cast<char>(rest ^ from[at]);
    keep(sum);
    keep(&rest);
}

}  // namespace

void add_plain() {
    for (const Size& size : kSizes) {
        const size_t n = size.bytes;
        const std::string name = std::string("random_generator/words:") + size.name;
        add(name, "memset", [n] {
            return Work{[n, to = destination(n)] { fill_memset(to, n); }, n};
        });
        add(name, "streaming", [n] {
            return Work{[n, to = destination(n)] { fill_past_caches(to, n); }, n};
        });
    }
    for (const Shuffle& c : shuffles())
        add("shuffle/" + c.name(), "memcpy", [n = c.bytes()] { return copying(n); });
    for (const Rounding& c : kRoundings)
        add("rounding/" + c.name(), "plain conversion", [c] {
            return Work{[c, to = destination(c.dst_bytes()), from = source(c.src_bytes())] {
                            convert(c, to, from);
                        },
                        c.src_bytes() + c.dst_bytes()};
        });
    for (const Multinomial& c : kMultinomials)
        add(std::string("multinomial/") + c.name, "read", [n = c.bytes()] {
            return Work{[n, from = source(n)] { read_all(from, n); }, n};
        });
    for (const TokenSampler& c : kTokenSamplers)
        add(std::string("token_sampler/") + c.name, "read", [c] {
            const auto* from = reinterpret_cast<const char*>(logits(c));
            return Work{[n = c.bytes(), from] { read_all(from, n); }, c.bytes()};
        });
}

}  // namespace tombola::peers
