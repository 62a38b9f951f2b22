// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every source here shares: how a benchmark is added, the buffers that all of them work on, and the cases.
//
// A benchmark is called SECTION/CASE/WHO, as in shuffle/f32:nchw:fwd:64x116x28x28/oneDNN. All WHOs of one case do
// the same work on the same bytes, so their times may be divided; scripts/perf_report does so. PyTorch's dropout, channel_shuffle and
// token ids allocate their results.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tombola::peers {

// One piece of work, ready to be repeated; `bytes` is what its GB/s are counted by.
struct Work {
    std::function<void()> run;
    size_t bytes = 0;
    std::string implementation = {};
};
using Prepare = std::function<Work()>;

// Adds a benchmark of somebody else's code, and of tombola's: that once for the best instruction set, as WHO
// "tombola", and once for AVX2 alone, as "tombola-avx2", if the machine has more. prepare() comes before each
// repetition and is not measured.
void add(const std::string& section_and_case, const std::string& who, const Prepare& prepare);
void add_tombola(const std::string& section_and_case, const Prepare& prepare);
// The same with tombola's best instruction set, whatever the case before it was limited to.
Prepare with_best_isa(const Prepare& prepare);

// Adds a case of the section "threads": somebody else's work, or tombola's, on one thread and on two, as WHO and WHO-2.
constexpr const char* kTwoThreads = "-2";
void add_threads(const std::string& name, const std::string& who, const Prepare& prepare);
void add_tombola_threads(const std::string& name, const Prepare& prepare);

// Copies plainly, beside work that reads and writes as many bytes.
Work copying(size_t bytes);

// Every fill goes to the same buffer and every read comes from the other one, so that all meet the same pages.
// They are mapped, aligned to pages and written once. The source holds f32 in [0, 1): weights, logits, or bytes to
// copy.
constexpr size_t kMaxBytes = size_t{512} << 20;
char* destination(size_t bytes);
char* source(size_t bytes);

// Keeps the compiler from leaving out stores to what nobody looks at.
inline void keep(const void* data) { asm volatile("" : : "r"(data) : "memory"); }

// Tensors that are generated: in the second-level cache, and larger than any cache.
struct Size {
    const char* name;
    size_t bytes;
};
constexpr std::array<Size, 2> kSizes = {Size{"1MiB", size_t{1} << 20}, Size{"512MiB", kMaxBytes}};

// Tensors of the section "threads", whose cases are called NAME:SIZE. The small ones are not worth a second thread.
constexpr std::array<Size, 5> kThreadSizes = {Size{"4KiB", size_t{4} << 10},
                                              {"64KiB", size_t{64} << 10},
                                              {"512KiB", size_t{512} << 10},
                                              {"4MiB", size_t{4} << 20},
                                              {"64MiB", size_t{64} << 20}};

// Adds a case for each of these sizes; prepare(bytes) makes the work.
template <class PrepareBytes>
void add_tombola_threads_by_size(const std::string& name, const PrepareBytes& prepare) {
    for (const Size& size : kThreadSizes)
        add_tombola_threads(name + ":" + size.name,
                            [prepare, bytes = size.bytes] { return prepare(bytes); });
}

enum class Type { f16, bf16, f32, f64, s8, s32, s64 };
const char* name_of(Type type);
size_t size_of(Type type);

// random_uniform: bounds [min, max) that every type here can hold.
struct Uniform {
    const char* name;
    Type type;
    double min, max;
};
extern const std::vector<Uniform> kTensorflow, kPytorch;

// random_normal, random_exponential, random_bernoulli: the standard distributions, with the probability
// kBernoulliProbability.
enum class Distribution { normal, exponential, bernoulli };
constexpr double kBernoulliProbability = 0.3;
struct Distributed {
    Distribution what;
    bool is_pytorch;  // alignment pytorch, otherwise tensorflow
    Type type;
    std::string name(const Size& size) const;  // with its section
    std::string title() const;                 // as in "random_normal pytorch, f32"
};
extern const std::vector<Distributed> kDistributed;

// Adds peers' fills: of every case in cache; beyond it of the first alone, as memory is not what bounds them.
template <class Add>
void for_peers(const std::vector<Uniform>& cases, const Add& add_one) {
    for (const Size& size : kSizes)
        for (const Uniform& c : cases)
            if (&size == &kSizes[0] || &c == &cases[0])
                add_one(c, c.name + (":" + std::string(size.name)), size.bytes);
}

// shuffle: oneDNN's benchdnn, inputs/shuffle/option_set_perf, that is ShuffleNet v1 and v2.
struct Shuffle {
    Type type;
    const char* layout;  // nchw, nhwc, nChw8c, nChw16c
    bool forward;
    std::array<int64_t, 4> dims;
    int64_t group_size;

    std::string name() const;
    size_t channels_per_block() const;
    size_t bytes() const;  // of one tensor, padding included
};
const std::vector<Shuffle>& shuffles();

// multinomial: f32 weights or logits, s64 indices.
struct Multinomial {
    const char* name;
    int64_t batch, classes, samples;
    bool with_replacement, log_probs;
    size_t bytes() const { return static_cast<size_t>(batch * classes) * sizeof(float); }
};
extern const std::vector<Multinomial> kMultinomials;

// permutation: s64, all of it, or the first elements of a longer one.
struct Permutation {
    const char* name;
    int64_t count;
    size_t bytes() const { return static_cast<size_t>(count) * sizeof(int64_t); }
};
constexpr std::array<Permutation, 3> kPermutations = {
    Permutation{"1000", 1000}, {"1000000", 1000000}, {"10000000", 10000000}};

// dropout: source and destination of the type. Where PyTorch would take seconds, it is left out.
constexpr double kDropProbability = 0.1;
struct Dropout {
    const char* name;
    Type type;
    int draw_bits;
    int64_t count;
    bool has_peers;
    size_t bytes() const { return static_cast<size_t>(count) * size_of(type); }
    Dropout of_bytes(size_t bytes) const {
        return {name, type, draw_bits, static_cast<int64_t>(bytes / size_of(type)), has_peers};
    }
};
constexpr std::array<Dropout, 5> kDropouts = {
    Dropout{"f32:32768", Type::f32, 32, 32768, true},
    {"f32:16777216", Type::f32, 32, 16777216, true},
    {"f32:67108864", Type::f32, 32, 67108864, false},
    {"bf16, 16 bits:65536", Type::bf16, 16, 65536, true},
    {"bf16, 16 bits:33554432", Type::bf16, 16, 33554432, true}};

// rounding: f32 to bf16 or f16.
struct Rounding {
    Type type;
    int64_t count;
    std::string name() const { return name_of(type) + (":" + std::to_string(count)); }
    size_t src_bytes() const { return static_cast<size_t>(count) * sizeof(float); }
    size_t dst_bytes() const { return src_bytes() / 2; }
};
constexpr std::array<Rounding, 4> kRoundings = {
    Rounding{Type::bf16, 32768}, {Type::bf16, 16777216}, {Type::f16, 32768}, {Type::f16, 16777216}};

// token_sampler: f32 logits, one s64 id per row.
struct TokenSampler {
    const char* name;
    int64_t batch, classes;
    float temperature;
    int32_t top_k;
    float top_p;
    bool is_flat;  // otherwise a few dozen classes make most of a row's mass
    size_t bytes() const { return static_cast<size_t>(batch * classes) * sizeof(float); }
};
constexpr std::array<TokenSampler, 7> kTokenSamplers = {
    TokenSampler{"64x128000:greedy", 64, 128000, 0, 0, 1, false},
    {"64x128000:T", 64, 128000, 0.8f, 0, 1, false},
    {"64x128000:T, top_k 50, top_p 0.9", 64, 128000, 0.8f, 50, 0.9f, false},
    {"64x128000:T, top_k 1000", 64, 128000, 0.8f, 1000, 1, false},
    {"64x128000:T, top_p 0.9", 64, 128000, 0.8f, 0, 0.9f, false},
    {"64x128000:T, top_p 0.9, flat rows", 64, 128000, 0.8f, 0, 0.9f, true},
    {"1x128000:T, top_k 50, top_p 0.9", 1, 128000, 0.8f, 50, 0.9f, false}};
float* logits(const TokenSampler& c);

// calls: what a small execution, and the creation of a primitive whose kind exists, cost.
const Shuffle kSmallShuffle = {Type::f32, "nchw", true, {1, 8, 1, 1}, 2};
const Multinomial kSmallMultinomial = {"", 1, 10, 1, true, false};
constexpr size_t kSmallBytes = 64 * sizeof(float);

// The sets: tombola's primitives, what the machine does plainly, and the peers that CMake found.
void add_random();
void add_distributions();
void add_shuffle();
void add_multinomial();
void add_permutation();
void add_dropout();
void add_token_sampler();
void add_token_sampler_torch();
void add_plain();
void add_random123();
void add_mt19937();
void add_dnnl();
void add_torch();

}  // namespace tombola::peers
