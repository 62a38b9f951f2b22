// SPDX-License-Identifier: Apache-2.0
#include "peers.hpp"

#include <benchmark/benchmark.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "tombola/tombola.hpp"

namespace tombola::peers {

namespace {

// What is no larger is run once before it is timed, for the same reasons as in benchtombola: whoever came before may
// have put it out of the caches, or have left lines to be written back.
constexpr size_t kWarmUpTo = size_t{256} << 20;

constexpr size_t kPageBytes = 4096;

// With `margin` bytes before and behind what is used.
class Mapping {
  public:
    explicit Mapping(size_t margin = 0) {
        void* mapped = mmap(nullptr, kMaxBytes + 2 * margin, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) {
            std::perror("peers: mmap");
            std::exit(1);
        }
        data_ = static_cast<char*>(mapped) + margin;
    }
    // The first `bytes`, of which those that nobody asked for before pass through touch(data, bytes).
    template <class Touch>
    char* first(size_t bytes, const Touch& touch) {
        if (bytes > kMaxBytes) std::abort();
        if (bytes > touched_) {
            touch(data_ + touched_, bytes - touched_);
            touched_ = bytes;
        }
        return data_;
    }

  private:
    char* data_;
    size_t touched_ = 0;
};

}  // namespace

// Two mappings of 512 MiB lie side by side. If that is also the distance of source and destination, shuffles in the caches took
// up to 2.6 times as long on a Zen 4 as at other distances, 512 MiB and some pages among them. The likely reason is the way
// predictor of its first-level cache, which tells lines apart by the lower bits of their addresses; it was not observed. No
// allocator places tensors so by design, so the destination has a margin.
char* destination(size_t bytes) {
    static Mapping mapping(5 * kPageBytes);
    return mapping.first(bytes, [](char* data, size_t more) { std::memset(data, 1, more); });
}

char* source(size_t bytes) {
    static Mapping mapping;
    static std::minstd_rand engine(1);
    return mapping.first((bytes + kPageBytes - 1) / kPageBytes * kPageBytes,
                         [](char* data, size_t more) {
                             auto* values = reinterpret_cast<float*>(data);
                             for (size_t i = 0; i < more / sizeof(float); ++i)
                                 values[i] = static_cast<float>(engine() & 0xFFFFFF) * 0x1p-24f;
                         });
}

namespace {

void register_benchmark(const std::string& name, int threads, const Prepare& prepare) {
    const auto run = [prepare, threads](benchmark::State& state) {
        omp_set_num_threads(threads);  // tombola's, oneDNN's and PyTorch's alike
        const Work work = prepare();
        if (work.bytes <= kWarmUpTo) work.run();
        for (auto _ : state) work.run();
        state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(work.bytes));
        state.SetLabel(work.implementation);
    };
    benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime();
}

cpu_isa best_isa() {
    static const cpu_isa best = get_effective_cpu_isa();
    return best;
}

Prepare under(cpu_isa isa, const Prepare& prepare) {
    return [prepare, isa] {
        set_max_cpu_isa(isa);
        return prepare();
    };
}

}  // namespace

void add(const std::string& section_and_case, const std::string& who, const Prepare& prepare) {
    register_benchmark(section_and_case + "/" + who, 1, prepare);
}

Prepare with_best_isa(const Prepare& prepare) { return under(best_isa(), prepare); }

void add_tombola(const std::string& section_and_case, const Prepare& prepare) {
    add(section_and_case, "tombola", under(best_isa(), prepare));
    if (best_isa() > cpu_isa::avx2)
        add(section_and_case, "tombola-avx2", under(cpu_isa::avx2, prepare));
}

void add_threads(const std::string& name, const std::string& who, const Prepare& prepare) {
    for (const int threads : {1, 2})
        register_benchmark("threads/" + name + "/" + who + (threads == 2 ? kTwoThreads : ""),
                           threads, prepare);
}

void add_tombola_threads(const std::string& name, const Prepare& prepare) {
    add_threads(name, "tombola", under(best_isa(), prepare));
    if (best_isa() > cpu_isa::avx2)
        add_threads(name, "tombola-avx2", under(cpu_isa::avx2, prepare));
}

Work copying(size_t bytes) {
    return {[bytes, to = destination(bytes), from = source(bytes)] {
                std::memcpy(to, from, bytes);
                keep(to);
            },
            2 * bytes};
}

const char* name_of(Type type) {
    constexpr const char* kNames[] = {"f16", "bf16", "f32", "f64", "s8", "s32", "s64"};
    return kNames[static_cast<size_t>(type)];
}

size_t size_of(Type type) {
    constexpr size_t kSizesOfTypes[] = {2, 2, 4, 8, 1, 4, 8};
    return kSizesOfTypes[static_cast<size_t>(type)];
}

const std::vector<Uniform> kTensorflow = {
    {"f32:unit", Type::f32, 0, 1},       {"f32:range", Type::f32, -3, 7},
    {"f64:unit", Type::f64, 0, 1},       {"f64:range", Type::f64, -3, 7},
    {"f16:unit", Type::f16, 0, 1},       {"f16:range", Type::f16, -3, 7},
    {"bf16:unit", Type::bf16, 0, 1},     {"bf16:range", Type::bf16, -3, 7},
    {"s32:range", Type::s32, -1e3, 1e6}, {"s64:range", Type::s64, -1e3, 0x1p50},
};

// Integers take one word of MT19937, or two if max - min is above 2^32.
const std::vector<Uniform> kPytorch = {
    {"f32:unit", Type::f32, 0, 1},           {"f32:range", Type::f32, -3, 7},
    {"f64:unit", Type::f64, 0, 1},           {"f16:unit", Type::f16, 0, 1},
    {"bf16:unit", Type::bf16, 0, 1},         {"s32:one word", Type::s32, 0, 1000003},
    {"s64:one word", Type::s64, 0, 1000003}, {"s64:two words", Type::s64, 0, 0x1p62},
};

const std::vector<Distributed> kDistributed = {
    {Distribution::normal, true, Type::f32},       {Distribution::normal, true, Type::f64},
    {Distribution::normal, true, Type::bf16},      {Distribution::normal, false, Type::f32},
    {Distribution::normal, false, Type::f64},      {Distribution::normal, false, Type::bf16},
    {Distribution::exponential, true, Type::f32},  {Distribution::exponential, true, Type::f64},
    {Distribution::exponential, true, Type::bf16}, {Distribution::exponential, false, Type::f32},
    {Distribution::bernoulli, true, Type::f32},    {Distribution::bernoulli, true, Type::s64},
    {Distribution::bernoulli, false, Type::f32},
};

namespace {
std::string name_of(Distribution what) {
    constexpr const char* kNames[] = {"normal", "exponential", "bernoulli"};
    return kNames[static_cast<size_t>(what)];
}
std::string alignment_and_type(const Distributed& c) {
    return std::string(c.is_pytorch ? "pytorch, " : "tensorflow, ") + name_of(c.type);
}
}  // namespace

std::string Distributed::name(const Size& size) const {
    return name_of(what) + "/" + alignment_and_type(*this) + ":" + size.name;
}

std::string Distributed::title() const {
    return "random_" + name_of(what) + " " + alignment_and_type(*this);
}

const std::vector<Multinomial> kMultinomials = {
    {"1x1000:a million, with replacement", 1, 1000, 1000000, true, false},
    {"64x32000:one, with replacement", 64, 32000, 1, true, false},
    {"64x32000:one, without replacement", 64, 32000, 1, false, false},
    {"64x32000:100, without replacement", 64, 32000, 100, false, false},
    {"1x10000000:1000, with replacement", 1, 10000000, 1000, true, false},
    {"64x128000:one, with replacement", 64, 128000, 1, true, false},
    {"64x128000:one, from logits", 64, 128000, 1, true, true},
    {"16384x18:one, with replacement", 16384, 18, 1, true, false},
    {"16384x18:one, from logits", 16384, 18, 1, true, true},
};

std::string Shuffle::name() const {
    std::string text = name_of(type);
    text += std::string(":") + layout + (forward ? ":fwd:" : ":bwd:");
    for (size_t d = 0; d < dims.size(); ++d) text += (d > 0 ? "x" : "") + std::to_string(dims[d]);
    return text;
}

size_t Shuffle::channels_per_block() const {
    const std::string name = layout;
    return name == "nChw8c" ? 8 : name == "nChw16c" ? 16 : 1;
}

size_t Shuffle::bytes() const {
    const size_t block = channels_per_block();
    const size_t channels = (static_cast<size_t>(dims[1]) + block - 1) / block * block;
    return static_cast<size_t>(dims[0] * dims[2] * dims[3]) * channels * size_of(type);
}

const std::vector<Shuffle>& shuffles() {
    static const std::vector<Shuffle> all = [] {
        struct Shape {
            std::array<int64_t, 4> dims;
            int64_t group_size;
        };
        const Shape shapes[] = {
            {{32, 4, 224, 224}, 2}, {{64, 116, 28, 28}, 2}, {{512, 192, 7, 7}, 2},
            {{256, 704, 7, 7}, 2},  {{64, 117, 28, 28}, 3}, {{256, 465, 7, 7}, 3},
            {{1, 1088, 7, 7}, 4},   {{16, 272, 56, 56}, 4}, {{64, 120, 28, 28}, 8},
        };
        std::vector<Shuffle> result;
        for (const Type type : {Type::f32, Type::bf16, Type::f16, Type::s8})
            for (const char* layout : {"nchw", "nhwc", "nChw8c", "nChw16c"})
                for (const bool forward : {true, false})
                    for (const Shape& shape : shapes)
                        result.push_back({type, layout, forward, shape.dims, shape.group_size});
        return result;
    }();
    return all;
}

}  // namespace tombola::peers
