// SPDX-License-Identifier: Apache-2.0

// tombola beside other people's code, in one process and, but for the section "threads", on one thread: whatever of it was installed when this was
// built. scripts/perf-report runs it and makes doc/performance.md of what it says; by hand, for one case:
//
//   peers --benchmark_filter='^shuffle/f32:nchw:fwd:64x116x28x28/' --benchmark_repetitions=9
//         --benchmark_enable_random_interleaving=true

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "peers.hpp"
#include "tombola/tombola.hpp"

int main(int argc, char** argv) {
    // Whatever allocates its results gets the memory of those before, so that no page fault is measured.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);

    benchmark::AddCustomContext("compiler", "g++ " __VERSION__);
    benchmark::AddCustomContext(
        "isa",
        tombola_cpu_isa2str(static_cast<tombola_cpu_isa_t>(tombola::get_effective_cpu_isa())));

    using namespace tombola::peers;
    add_random();
    add_distributions();
    add_shuffle();
    add_multinomial();
    add_permutation();
    add_dropout();
    add_token_sampler();
    add_plain();
#ifdef TOMBOLA_PEER_RANDOM123
    add_random123();
#endif
    add_mt19937();
#ifdef TOMBOLA_PEER_DNNL
    add_dnnl();
#endif
#ifdef TOMBOLA_PEER_TORCH
    add_torch();
    add_token_sampler_torch();
#endif

    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
