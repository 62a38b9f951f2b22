// SPDX-License-Identifier: Apache-2.0
#include "common/ceilings.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#include <x86intrin.h>
#endif
#ifdef TOMBOLA_RUNTIME_OMP
#include <omp.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstring>

#include "common/api.hpp"

namespace tombola::bench {

namespace {

constexpr size_t kSharedFrom = size_t{1} << 20;

// 0: none.
int limit() {
    int threads = 0;
    tombola_stream_get_max_threads(stream(), &threads);
    return threads;
}
void set_limit(int threads) { tombola_stream_set_max_threads(stream(), threads); }

// Runs body(begin, end) on parts of [0, bytes) that begin at multiples of 4096.
template <class Body>
void in_parallel(size_t bytes, const Body& body) {
    const int threads = threads_for(bytes);
    if (threads == 1) return body(size_t{0}, bytes);
#ifdef TOMBOLA_RUNTIME_OMP
    const size_t part = (bytes / static_cast<size_t>(threads) + 4096) / 4096 * 4096;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; ++t) {
        const size_t begin = std::min(part * static_cast<size_t>(t), bytes);
        const size_t end = std::min(begin + part, bytes);
        if (begin < end) body(begin, end);
    }
#endif
}

// Keeps the compiler from leaving out stores to, or loads from, what nobody looks at.
void keep(const void* data) { asm volatile("" : : "r"(data) : "memory"); }

void fill_memset(uint8_t* data, size_t bytes) {
    in_parallel(bytes, [=](size_t begin, size_t end) {
        std::memset(data + begin, 0x5A, end - begin);
        keep(data);
    });
}

}  // namespace

int max_threads() {
#ifdef TOMBOLA_RUNTIME_OMP
    return limit() > 0 ? std::min(limit(), omp_get_max_threads()) : omp_get_max_threads();
#else
    return 1;
#endif
}

int threads_for(size_t bytes) { return bytes < kSharedFrom ? 1 : max_threads(); }

ThreadLimit::ThreadLimit(int threads) : before_(limit()) { set_limit(threads); }
ThreadLimit::~ThreadLimit() { set_limit(before_); }

void copy_memcpy(uint8_t* to, const uint8_t* from, size_t bytes) {
    in_parallel(bytes, [=](size_t begin, size_t end) {
        std::memcpy(to + begin, from + begin, end - begin);
        keep(to);
    });
}

#if defined(__x86_64__)

namespace {

// Ordinary stores in a loop.
void fill_stores(uint8_t* data, size_t bytes) {
    in_parallel(bytes, [=](size_t begin, size_t end) {
        const __m128i value = _mm_set1_epi32(0x01234567);
        size_t i = begin;
        for (; i + 64 <= end; i += 64) {
            auto* to = reinterpret_cast<__m128i*>(data + i);
            _mm_storeu_si128(to, value);
            _mm_storeu_si128(to + 1, value);
            _mm_storeu_si128(to + 2, value);
            _mm_storeu_si128(to + 3, value);
        }
        std::memset(data + i, 0x67, end - i);
        keep(data);
    });
}

// Stores past the caches.
void fill_nt_stores(uint8_t* data, size_t bytes) {
    in_parallel(bytes, [=](size_t begin, size_t end) {
        const __m128i value = _mm_set1_epi32(0x01234567);
        size_t i = begin;
        // Non-temporal stores want whole cache lines.
        const auto head =
            std::min<size_t>(-reinterpret_cast<uintptr_t>(data + begin) % 64, end - begin);
        std::memset(data + i, 0x67, head);
        for (i += head; i + 64 <= end; i += 64) {
            auto* to = reinterpret_cast<__m128i*>(data + i);
            _mm_stream_si128(to, value);
            _mm_stream_si128(to + 1, value);
            _mm_stream_si128(to + 2, value);
            _mm_stream_si128(to + 3, value);
        }
        std::memset(data + i, 0x67, end - i);
        _mm_sfence();
        keep(data);
    });
}

}  // namespace

const std::vector<Fill>& fills() {
    static const std::vector<Fill> kFills = {
        {"memset", fill_memset}, {"stores", fill_stores}, {"nt-stores", fill_nt_stores}};
    return kFills;
}

void evict(const uint8_t* data, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) _mm_clflush(data + i);
    if (bytes) _mm_clflush(data + bytes - 1);
    _mm_mfence();
}

uint64_t ticks() { return __rdtsc(); }

namespace {

// Reads whole steps of 256 bytes by the widest loads of the machine, and returns where they end.
__attribute__((target("avx512f"))) size_t read_by_64(const uint8_t* data, size_t begin,
                                                     size_t end) {
    __m512i sum[4] = {};
    for (; begin + 256 <= end; begin += 256)
        for (size_t k = 0; k < 4; ++k)
            sum[k] = _mm512_xor_si512(sum[k], _mm512_loadu_si512(data + begin + 64 * k));
    keep(sum);
    return begin;
}
__attribute__((target("avx2"))) size_t read_by_32(const uint8_t* data, size_t begin, size_t end) {
    __m256i sum[8] = {};
    for (; begin + 256 <= end; begin += 256)
        for (size_t k = 0; k < 8; ++k)
            sum[k] = _mm256_xor_si256(
                sum[k],
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + begin + 32 * k)));
    keep(sum);
    return begin;
}

}  // namespace

void read_all(const uint8_t* data, size_t bytes) {
    static const auto read_steps = __builtin_cpu_supports("avx512f") ? read_by_64
                                   : __builtin_cpu_supports("avx2")  ? read_by_32
                                                                     : nullptr;
    in_parallel(bytes, [=](size_t begin, size_t end) {
        size_t i = read_steps != nullptr ? read_steps(data, begin, end) : begin;
        uint8_t sum = 0;
        for (; i < end; ++i) sum = static_cast<uint8_t>(sum ^ data[i]);
        keep(&sum);
    });
}

#else  // without stores that bypass the caches

const std::vector<Fill>& fills() {
    static const std::vector<Fill> kFills = {{"memset", fill_memset}};
    return kFills;
}

void evict(const uint8_t* data, size_t bytes) {
#if defined(__aarch64__)
    for (size_t i = 0; i < bytes; i += 64)
        asm volatile("dc civac, %0" : : "r"(data + i) : "memory");
    if (bytes) asm volatile("dc civac, %0" : : "r"(data + bytes - 1) : "memory");
    asm volatile("dsb ish" : : : "memory");
#else
    keep(data + bytes);
#endif
}

uint64_t ticks() {
#if defined(__aarch64__)
    uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

void read_all(const uint8_t* data, size_t bytes) {
    in_parallel(bytes, [=](size_t begin, size_t end) {
        uint8_t sum = 0;
        for (size_t i = begin; i < end; ++i) sum = static_cast<uint8_t>(sum ^ data[i]);
        keep(&sum);
    });
}

#endif

}  // namespace tombola::bench
