// SPDX-License-Identifier: Apache-2.0

// Philox against its peers, in one process: Random123's philox4x32 as g++ -O3 -march=native makes it, and what
// the machine does with the same buffer when nothing is computed: memset, plain stores, stores past the caches.
// (The standard library has no Philox before C++26.)
//
//   philox_peers --benchmark_filter=.../1048576      bytes of the destination, one thread with OMP_NUM_THREADS=1

#include <Random123/philox.h>
#include <benchmark/benchmark.h>
#include <immintrin.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tombola/tombola.hpp"

namespace {

using tombola::memory;

// Page-aligned and touched: page faults are not what is measured.
class Buffer {
  public:
    explicit Buffer(size_t bytes) : bytes_(bytes) {
        data_ = static_cast<char*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        std::memset(data_, 1, bytes);
    }
    ~Buffer() { munmap(data_, bytes_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    char* data() const { return data_; }

  private:
    char* data_;
    size_t bytes_;
};

size_t bytes_of(const benchmark::State& state) { return static_cast<size_t>(state.range(0)); }

void report(benchmark::State& state, size_t words) {
    state.SetBytesProcessed(state.iterations() * state.range(0));
    state.counters["words/s"] =
        benchmark::Counter(static_cast<double>(words) * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate);
}

void random123_words(benchmark::State& state) {
    const size_t bytes = bytes_of(state);
    const Buffer buffer(bytes);
    r123::Philox4x32 philox;
    const r123::Philox4x32::key_type key = {{1, 2}};
    for (auto _ : state) {
        r123::Philox4x32::ctr_type counter = {{0, 0, 3, 4}};
        for (size_t at = 0; at < bytes; at += 16, counter.incr()) {
            const r123::Philox4x32::ctr_type block = philox(counter, key);
            std::memcpy(buffer.data() + at, block.v, 16);
        }
        benchmark::ClobberMemory();
    }
    report(state, bytes / 4);
}

// The same, converted as random_uniform's alignment tensorflow has it, for [0, 1).
void random123_f32(benchmark::State& state) {
    const size_t bytes = bytes_of(state);
    const Buffer buffer(bytes);
    r123::Philox4x32 philox;
    const r123::Philox4x32::key_type key = {{1, 2}};
    for (auto _ : state) {
        r123::Philox4x32::ctr_type counter = {{0, 0, 3, 4}};
        for (size_t at = 0; at < bytes; at += 16, counter.incr()) {
            const r123::Philox4x32::ctr_type block = philox(counter, key);
            float values[4];
            for (int i = 0; i < 4; ++i) {
                const uint32_t bits = 0x3F800000 | (block.v[i] & 0x7FFFFF);
                std::memcpy(&values[i], &bits, sizeof bits);
                values[i] -= 1.0f;
            }
            std::memcpy(buffer.data() + at, values, 16);
        }
        benchmark::ClobberMemory();
    }
    report(state, bytes / 4);
}

void fill_memset(benchmark::State& state) {
    const Buffer buffer(bytes_of(state));
    for (auto _ : state) {
        std::memset(buffer.data(), 7, bytes_of(state));
        benchmark::ClobberMemory();
    }
    report(state, bytes_of(state) / 4);
}

void fill_stores(benchmark::State& state) {
    const Buffer buffer(bytes_of(state));
    const __m256i value = _mm256_set1_epi32(7);
    for (auto _ : state) {
        for (size_t at = 0; at < bytes_of(state); at += sizeof value)
            _mm256_store_si256(reinterpret_cast<__m256i*>(buffer.data() + at), value);
        benchmark::ClobberMemory();
    }
    report(state, bytes_of(state) / 4);
}

void fill_streaming_stores(benchmark::State& state) {
    const Buffer buffer(bytes_of(state));
    const __m256i value = _mm256_set1_epi32(7);
    for (auto _ : state) {
        for (size_t at = 0; at < bytes_of(state); at += sizeof value)
            _mm256_stream_si256(reinterpret_cast<__m256i*>(buffer.data() + at), value);
        _mm_sfence();
        benchmark::ClobberMemory();
    }
    report(state, bytes_of(state) / 4);
}

// What the library is asked for: a type, and bounds as its bytes.
struct Uniform {
    memory::data_type type;
    size_t size;
    int words;
    uint64_t min, max;
};

class Call {
  public:
    Call() : engine_(tombola::engine::kind::cpu, 0), stream_(engine_) {}
    tombola::engine engine_;
    tombola::stream stream_;
};

void tombola_words(benchmark::State& state, tombola_cpu_isa_t isa) {
    tombola_set_max_cpu_isa(isa);
    if (tombola_get_effective_cpu_isa() < isa) return state.SkipWithError("not on this machine");
    const Call call;
    const Buffer buffer(bytes_of(state));
    const memory::desc dst_desc({state.range(0) / 4}, memory::data_type::u32,
                                memory::format_tag::a);
    const tombola::random_generator::primitive_desc desc(
        {tombola::generator_kind::philox4x32_10, dst_desc}, call.engine_);
    const tombola::random_generator primitive(desc);
    uint32_t words[6] = {0, 0, 3, 4, 1, 2};
    const memory src_state({{6}, memory::data_type::u32, memory::format_tag::a}, call.engine_,
                           words);
    const memory dst(dst_desc, call.engine_, buffer.data());
    for (auto _ : state)
        primitive.execute(call.stream_,
                          {{TOMBOLA_ARG_SRC_STATE, src_state}, {TOMBOLA_ARG_DST, dst}});
    report(state, bytes_of(state) / 4);
}

void tombola_uniform(benchmark::State& state, tombola_cpu_isa_t isa, const Uniform& uniform) {
    tombola_set_max_cpu_isa(isa);
    if (tombola_get_effective_cpu_isa() < isa) return state.SkipWithError("not on this machine");
    const Call call;
    const Buffer buffer(bytes_of(state));
    const auto count = state.range(0) / static_cast<int64_t>(uniform.size);
    const memory::desc dst_desc({count}, uniform.type, memory::format_tag::a);
    const tombola::random_uniform::primitive_desc desc(
        {tombola::alignment::tensorflow, dst_desc, 1, 2}, call.engine_);
    const tombola::random_uniform primitive(desc);
    uint64_t bounds[2] = {uniform.min, uniform.max};
    const memory::desc scalar({1}, uniform.type, memory::format_tag::a);
    const memory min(scalar, call.engine_, &bounds[0]), max(scalar, call.engine_, &bounds[1]);
    const memory dst(dst_desc, call.engine_, buffer.data());
    for (auto _ : state)
        primitive.execute(call.stream_,
                          {{TOMBOLA_ARG_MIN, min}, {TOMBOLA_ARG_MAX, max}, {TOMBOLA_ARG_DST, dst}});
    report(state, static_cast<size_t>(count) * static_cast<size_t>(uniform.words));
}

template <class T>
uint64_t bits(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

void register_all(int64_t bytes) {
    using benchmark::RegisterBenchmark;
    const auto sized = [bytes](benchmark::internal::Benchmark* b) { b->Arg(bytes)->UseRealTime(); };
    sized(RegisterBenchmark("fill/memset", fill_memset));
    sized(RegisterBenchmark("fill/stores", fill_stores));
    sized(RegisterBenchmark("fill/streaming_stores", fill_streaming_stores));
    sized(RegisterBenchmark("random123/words", random123_words));
    sized(RegisterBenchmark("random123/f32", random123_f32));
    const struct {
        const char* name;
        Uniform uniform;
    } kUniforms[] = {
        {"f32_unit", {memory::data_type::f32, 4, 1, bits(0.0f), bits(1.0f)}},
        {"f32_range", {memory::data_type::f32, 4, 1, bits(-3.0f), bits(7.0f)}},
        {"f64_unit", {memory::data_type::f64, 8, 2, bits(0.0), bits(1.0)}},
        {"f64_range", {memory::data_type::f64, 8, 2, bits(-3.0), bits(7.0)}},
        {"f16_unit", {memory::data_type::f16, 2, 1, 0x0000, 0x3C00}},
        {"f16_range", {memory::data_type::f16, 2, 1, 0xC200, 0x4700}},
        {"bf16_unit", {memory::data_type::bf16, 2, 1, 0x0000, 0x3F80}},
        {"bf16_range", {memory::data_type::bf16, 2, 1, 0xC040, 0x40E0}},
        {"s32", {memory::data_type::s32, 4, 1, bits(-1000), bits(999999)}},
        {"s64", {memory::data_type::s64, 8, 2, bits(int64_t{-1000}), bits(int64_t{1} << 50)}},
    };
    for (const auto& [isa_name, isa] : {std::pair{"avx512_core", tombola_cpu_isa_avx512_core},
                                        std::pair{"avx2", tombola_cpu_isa_avx2}}) {
        const std::string prefix = std::string("tombola/") + isa_name + "/";
        sized(RegisterBenchmark((prefix + "words").c_str(), tombola_words, isa));
        for (const auto& [name, uniform] : kUniforms)
            sized(RegisterBenchmark((prefix + name).c_str(), tombola_uniform, isa, uniform));
    }
}

}  // namespace

int main(int argc, char** argv) {
    for (const int64_t bytes : {int64_t{256}, int64_t{1} << 20, int64_t{512} << 20})
        register_all(bytes);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
