// SPDX-License-Identifier: Apache-2.0

// What only shows after very many calls: memory or mappings that grow, and creations that take long.
//
//   endurance [--calls=N] [--primitives=N] [--creations=N]
//
// calls: N executions of small problems of every primitive. primitives: N different primitives are created, and some of
// them executed, with a primitive cache of 8 and of 1,024. What /proc/self/smaps tells at the end is compared with what it
// told half-way. creations: N primitives of random shapes, each without anything in the primitive cache; the
// percentiles of the time are printed. Exit code 1: something has grown.

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>

#include "gtests/common/handles.hpp"
#include "gtests/common/problems.hpp"

namespace {

using namespace tombola::test;

// What may grow in the second half: which kernels a cache holds, and the allocator's rounding. Calls of what exists have neither.
constexpr long kMostKilobytes = 2048, kMostKilobytesOfCalls = 128;
constexpr long kMostMappings = 64;

tombola_engine_t the_engine() {
    static const Engine engine = cpu_engine();
    return engine;
}

void require(tombola_status_t status, const char* what) {
    if (status == tombola_success) return;
    std::printf("%s: %s\n", what, tombola_get_last_error());
    std::exit(2);
}

struct Usage {
    long kilobytes = 0;  // memory that this process has written, resident or swapped
    long mappings = 0;
};
Usage usage() {
    malloc_trim(0);  // what the allocator keeps for later is no leak
    Usage sum;
    std::ifstream smaps("/proc/self/smaps");
    for (std::string line; std::getline(smaps, line);) {
        long value = 0;
        if (std::sscanf(line.c_str(), "Private_Dirty: %ld", &value) == 1 ||
            std::sscanf(line.c_str(), "Swap: %ld", &value) == 1)
            sum.kilobytes += value;
        else if (line.compare(0, 5, "Size:") == 0)
            ++sum.mappings;
    }
    return sum;
}

// Calls body(0) to body(count - 1). False if something has grown in the second half, by more than `most` kilobytes.
template <class Body>
bool endure(const char* what, long count, long most, const Body& body) {
    const auto begin = std::chrono::steady_clock::now();
    Usage early;
    for (long i = 0; i < count; ++i) {
        if (i == count / 2) early = usage();
        body(i);
    }
    const Usage late = usage();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const bool good =
        late.kilobytes <= early.kilobytes + most && late.mappings <= early.mappings + kMostMappings;
    std::printf(
        "%ld %s in %.0f s: %ld KB and %ld mappings half-way, %+ld KB and %+ld at the end%s\n",
        count, what, seconds, early.kilobytes, early.mappings, late.kilobytes - early.kilobytes,
        late.mappings - early.mappings, good ? "" : ": GROWN");
    std::fflush(stdout);
    return good;
}

// One of kProblems, ready to be executed for ever.
struct Call {
    std::vector<MemoryDesc> mds;
    std::vector<Memory> memories;
    std::vector<tombola_exec_arg_t> args;
    Primitive primitive;

    explicit Call(const Problem& problem) {
        std::vector<tombola_memory_desc_t> raw;
        for (const Problem::Tensor& tensor : problem.tensors) {
            if (tensor.arg == kNoArg) break;
            mds.push_back(
                tagged({tensor.dims, tensor.dims + tensor.ndims}, tensor.type, tensor.tag));
            raw.push_back(mds.back());
            memories.push_back(memory_over(mds.back(), the_engine(), TOMBOLA_MEMORY_ALLOCATE));
            void* data = nullptr;
            tombola_memory_get_data_handle(memories.back(), &data);
            const size_t bytes = tombola_memory_desc_get_size(mds.back());
            std::memset(data, 0, bytes);
            if (tensor.type == tombola_f32)
                std::fill_n(static_cast<float*>(data), bytes / 4, static_cast<float>(tensor.value));
            args.push_back({tensor.arg, memories.back()});
        }
        PrimitiveDesc pd;
        require(problem.create(pd.out(), the_engine(), raw.data(), nullptr), problem.name);
        require(tombola_primitive_create(primitive.out(), pd), problem.name);
    }
};

// Primitive number `i`: another shape for each number, of five kinds in turn. The shuffles of rows need 3,000 kernels, more
// than a cache of kernels holds, in an order that mixes small and large.
PrimitiveDesc describe(long i) {
    PrimitiveDesc pd;
    const tombola_dim_t n = i / 5;
    switch (i % 5) {
        case 0: {
            const MemoryDesc md = row_major({1 + n / 3000, 8 + 2 * (n * 1103 % 3000)}, tombola_u8);
            require(tombola_shuffle_forward_primitive_desc_create(
                        pd.out(), the_engine(), tombola_forward, md, md, 1, 2, nullptr),
                    "shuffle");
            break;
        }
        case 1: {
            const MemoryDesc md =
                tagged({1 + n, 3}, tombola_f32, n % 2 == 0 ? tombola_ab : tombola_ba);
            require(tombola_random_uniform_primitive_desc_create(
                        pd.out(), the_engine(), tombola_alignment_tensorflow, md, 1, 2,
                        tombola_int_draws_spec, nullptr),
                    "random_uniform");
            break;
        }
        case 2: {
            const MemoryDesc probs = row_major({2, 1 + n}, tombola_f32);
            const MemoryDesc dst = row_major({2, 3}, tombola_s64);
            require(tombola_multinomial_primitive_desc_create(pd.out(), the_engine(), probs, dst, 1,
                                                              0, 1, 2, nullptr),
                    "multinomial");
            break;
        }
        case 3: {
            const MemoryDesc md = row_major({1 + n}, tombola_bf16);
            require(tombola_random_normal_primitive_desc_create(
                        pd.out(), the_engine(), tombola_alignment_pytorch, md, 1, 2, nullptr),
                    "random_normal");
            break;
        }
        default: {
            const MemoryDesc md =
                tagged({1, 16 + n % 500, 1 + n / 500, 1}, tombola_f16, tombola_nhwc);
            require(tombola_shuffle_forward_primitive_desc_create(
                        pd.out(), the_engine(), tombola_forward, md, md, 1,
                        (16 + n % 500) % 4 == 0 ? 4 : 1, nullptr),
                    "shuffle of neighbours");
        }
    }
    return pd;
}

void create(long i) {
    Primitive primitive;
    require(tombola_primitive_create(primitive.out(), describe(i)), "primitive_create");
}

// Percentiles of the time in which a primitive descriptor and its primitive are made.
void measure_creations(long count) {
    require(tombola_set_primitive_cache_capacity(0), "set_primitive_cache_capacity");
    std::mt19937 random(1);
    std::vector<double> all[5];
    for (long i = 0; i < count; ++i) {
        const long number = static_cast<long>(random() % 100000);
        const auto begin = std::chrono::steady_clock::now();
        create(number);
        all[number % 5].push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
                .count());
    }
    constexpr const char* kNames[] = {"shuffle of rows of bytes", "random_uniform", "multinomial",
                                      "random_normal as PyTorch", "shuffle of f16 neighbours"};
    std::vector<double> together;
    const auto print = [](const char* name, std::vector<double>& times) {
        if (times.empty()) return;
        std::sort(times.begin(), times.end());
        std::printf("creation of %zu x %s: p50 %.1f us, p99 %.1f us, max %.1f us\n", times.size(),
                    name, times[times.size() / 2], times[times.size() * 99 / 100], times.back());
    };
    for (size_t kind = 0; kind < std::size(all); ++kind) {
        together.insert(together.end(), all[kind].begin(), all[kind].end());
        print(kNames[kind], all[kind]);
    }
    print("all of these", together);
}

}  // namespace

int main(int argc, char** argv) {
    long calls = 0, primitives = 0, creations = 0;
    for (int i = 1; i < argc; ++i)
        if (std::sscanf(argv[i], "--calls=%ld", &calls) != 1 &&
            std::sscanf(argv[i], "--primitives=%ld", &primitives) != 1 &&
            std::sscanf(argv[i], "--creations=%ld", &creations) != 1) {
            std::printf("%s: expected --calls=N, --primitives=N or --creations=N\n", argv[i]);
            return 2;
        }
    if (usage().mappings == 0) {
        std::printf("skipped: /proc/self/smaps cannot be read\n");
        return 77;
    }
    int former = 0;
    require(tombola_get_primitive_cache_capacity(&former), "get_primitive_cache_capacity");
    bool good = true;
    if (creations > 0) measure_creations(creations);
    for (const int capacity : {8, 1024}) {
        if (primitives == 0) break;
        require(tombola_set_primitive_cache_capacity(capacity), "set_primitive_cache_capacity");
        const std::string what = "different primitives with a cache of " + std::to_string(capacity);
        good = endure(what.c_str(), primitives, kMostKilobytes, create) && good;
    }
    require(tombola_set_primitive_cache_capacity(former), "set_primitive_cache_capacity");
    if (calls > 0) {
        const Stream stream = default_stream(the_engine());
        std::vector<Call> all;
        for (const Problem& problem : kProblems) all.emplace_back(problem);
        good = endure("calls of small problems", calls, kMostKilobytesOfCalls,
                      [&](long i) {
                          const Call& call = all[static_cast<size_t>(i) % all.size()];
                          require(tombola_primitive_execute(call.primitive, stream,
                                                            static_cast<int>(call.args.size()),
                                                            call.args.data()),
                                  "primitive_execute");
                      }) &&
               good;
    }
    return good ? 0 : 1;
}
