// SPDX-License-Identifier: Apache-2.0
#pragma once

// An execution of random_permutation under the philox alignment, whatever computes the elements.

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/random_permutation/feistel.hpp"
#include "cpu/random_permutation/permutation_part.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/philox_call.hpp"

namespace tombola::impl::cpu {

// generate(network, first, count, to) writes elements [first, first + count) of the permutation.
template <class T, class Generate>
Status execute_philox_permutation(const ExecContext& context, const RandomPermutationDesc& desc,
                                  double nanoseconds_per_element, const Generate& generate) {
    const int64_t first = TOMBOLA_TRY(resolve_first(context, desc));
    const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, 0));
    const FeistelNetwork network(static_cast<uint64_t>(desc.range), call.start, call.key());
    const FillOptions options{1, 1, nanoseconds_per_element};
    fill(desc.dst, context.output(TOMBOLA_ARG_DST), options, [&](const FillPart& part) {
        part.for_each_run([&](const Run& run) {
            generate(network, static_cast<uint64_t>(first + run.first), run.count,
                     static_cast<T*>(run.to));
        });
    });
    report_philox_blocks(context, call, kFeistelKeyBlocks);
    return {};
}

}  // namespace tombola::impl::cpu
