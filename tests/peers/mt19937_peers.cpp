// SPDX-License-Identifier: Apache-2.0

// random_uniform, alignment pytorch, beside what else makes MT19937's numbers: std::mt19937, Boost's (if
// installed), and a plain fill, in one process. PyTorch itself is measured by scripts/bench-torch.py.
//
//   mt19937_peers --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//
// Each case fills the same buffer; items are the words of MT19937 that it takes.

#include <benchmark/benchmark.h>
#include <immintrin.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <unordered_map>

#include "tombola/tombola.hpp"

#ifdef TOMBOLA_PEER_BOOST
#include <boost/random/mersenne_twister.hpp>
#endif

namespace {

using tombola::memory;
using data_type = memory::data_type;

constexpr size_t kInCache = size_t{256} << 10;
constexpr size_t kBeyondCache = size_t{256} << 20;

void* buffer() {
    static void* const data = [] {
        void* allocated = std::aligned_alloc(4096, kBeyondCache);
        if (allocated == nullptr) std::abort();
        std::memset(allocated, 1, kBeyondCache);
        return allocated;
    }();
    return data;
}

void report(benchmark::State& state, size_t bytes, size_t words) {
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(words));
}

struct Case {
    const char* name;
    data_type type;
    uint64_t min, max;  // bit patterns
    size_t words;       // a value
    tombola::int_draws draws;
};

// One execution goes on from the state that the one before left, as a user's would.
void tombola_uniform(benchmark::State& bench, const Case& c, size_t bytes) {
    const tombola::engine engine(tombola::engine::kind::cpu, 0);
    tombola::stream stream(engine);
    const auto count = static_cast<memory::dim>(bytes / memory::data_type_size(c.type));
    const memory::desc dst_desc({count}, c.type, memory::format_tag::a);
    const tombola::random_uniform::primitive_desc pd(engine, tombola::alignment::pytorch, dst_desc,
                                                     1, 0, c.draws);
    const tombola::random_uniform primitive(pd);
    uint64_t min = c.min, max = c.max;
    tombola::mt19937_state state{};
    const memory dst(dst_desc, engine, buffer());
    const memory min_memory(pd.bound_desc(), engine, &min);
    const memory max_memory(pd.bound_desc(), engine, &max);
    const memory state_memory(pd.dst_state_desc(), engine, state.data());
    std::unordered_map<int, memory> args = {{TOMBOLA_ARG_DST, dst},
                                            {TOMBOLA_ARG_MIN, min_memory},
                                            {TOMBOLA_ARG_MAX, max_memory},
                                            {TOMBOLA_ARG_DST_STATE, state_memory}};
    primitive.execute(stream, args);
    args.insert({TOMBOLA_ARG_SRC_STATE, state_memory});
    for (auto _ : bench) primitive.execute(stream, args);
    bench.SetLabel(pd.impl_info_str());
    report(bench, bytes, static_cast<size_t>(count) * c.words);
}

// Raw words, as they come.
template <class Engine>
void words_of(benchmark::State& bench, size_t bytes) {
    Engine engine(1);
    auto* words = static_cast<uint32_t*>(buffer());
    const size_t count = bytes / sizeof(uint32_t);
    for (auto _ : bench) {
        for (size_t i = 0; i < count; ++i) words[i] = static_cast<uint32_t>(engine());
        benchmark::ClobberMemory();
    }
    report(bench, bytes, count);
}

void jump(benchmark::State& bench) {
    const tombola::engine engine(tombola::engine::kind::cpu, 0);
    tombola::stream stream(engine);
    const memory::desc dst_desc({1}, data_type::f32, memory::format_tag::a);
    const tombola::random_uniform::primitive_desc pd(engine, tombola::alignment::pytorch, dst_desc,
                                                     1, 0);
    const tombola::random_uniform primitive(pd);
    float min = 0, max = 1;
    uint64_t offset = uint64_t{1} << bench.range(0);
    const memory dst(dst_desc, engine, buffer());
    const memory min_memory(pd.bound_desc(), engine, &min);
    const memory max_memory(pd.bound_desc(), engine, &max);
    const memory offset_memory(pd.offset_desc(), engine, &offset);
    const std::unordered_map<int, memory> args = {{TOMBOLA_ARG_DST, dst},
                                                  {TOMBOLA_ARG_MIN, min_memory},
                                                  {TOMBOLA_ARG_MAX, max_memory},
                                                  {TOMBOLA_ARG_OFFSET, offset_memory}};
    for (auto _ : bench) primitive.execute(stream, args);
}

void fill_memset(benchmark::State& bench, size_t bytes) {
    int value = 0;
    for (auto _ : bench) {
        std::memset(buffer(), ++value, bytes);
        benchmark::ClobberMemory();
    }
    report(bench, bytes, bytes / 4);
}

// The plainest fill past the caches.
void fill_streaming(benchmark::State& bench, size_t bytes) {
    auto* vectors = static_cast<__m128i*>(buffer());
    int value = 0;
    for (auto _ : bench) {
        const __m128i vector = _mm_set1_epi32(++value);
        for (size_t i = 0; i < bytes / sizeof vector; ++i) _mm_stream_si128(vectors + i, vector);
        _mm_sfence();
    }
    report(bench, bytes, bytes / 4);
}

template <class T>
uint64_t bits_of(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

void add_cases() {
    const Case cases[] = {
        {"f32", data_type::f32, 0, bits_of(1.0f), 1, tombola::int_draws::spec},
        {"f64", data_type::f64, 0, bits_of(1.0), 2, tombola::int_draws::spec},
        {"f16", data_type::f16, 0, 0x3C00, 1, tombola::int_draws::spec},
        {"bf16", data_type::bf16, 0, 0x3F80, 1, tombola::int_draws::spec},
        {"s32", data_type::s32, 0, 1000003, 1, tombola::int_draws::spec},
        {"s64", data_type::s64, 0, 1000003, 1, tombola::int_draws::spec},
        {"s64_two_words", data_type::s64, 0, uint64_t{1} << 62, 2, tombola::int_draws::spec},
        {"s32_two_words", data_type::s32, 0, 1 << 30, 2, tombola::int_draws::torch2},
    };
    const auto add = [](const std::string& name, size_t bytes, auto body) {
        benchmark::RegisterBenchmark((name + (bytes == kInCache ? "/256KiB" : "/256MiB")).c_str(),
                                     [=](benchmark::State& state) { body(state, bytes); })
            ->UseRealTime();
    };
    for (const size_t bytes : {kInCache, kBeyondCache}) {
        for (const Case& c : cases)
            add(std::string("tombola/") + c.name, bytes,
                [c](benchmark::State& state, size_t n) { tombola_uniform(state, c, n); });
        add("std::mt19937", bytes, words_of<std::mt19937>);
#ifdef TOMBOLA_PEER_BOOST
        add("boost::mt19937", bytes, words_of<boost::random::mt19937>);
#endif
        add("fill/memset", bytes, fill_memset);
        add("fill/streaming", bytes, fill_streaming);
    }
    benchmark::RegisterBenchmark("tombola/jump", jump)
        ->Arg(20)
        ->Arg(30)
        ->Arg(40)
        ->Arg(63)
        ->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
    add_cases();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
