// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of one execution, for primitives with TensorFlow's numbers. They come from the Philox stream with
//
//     counter (n_lo, n_hi, op_lo, op_hi), n = 0 at first      key (global_lo, global_hi)
//
// SRC_STATE, u64[2] {n, op}, gives the whole counter in place of the op seed. OFFSET is the number of the first element
// in the stream.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/rng/seeds.hpp"

namespace tombola::impl::cpu {

struct PhiloxCall {
    Seeds seeds;
    PhiloxCounter start;
    uint64_t offset;
    int64_t elements;

    PhiloxKey key() const { return PhiloxKey::from(seeds.global); }
    // The number in the stream of element `element` of the tensor.
    Uint128 number_of(int64_t element) const {
        return Uint128{offset} + static_cast<uint64_t>(element);
    }
};

// Resolves the call from the optional arguments SEEDS, SRC_STATE and OFFSET.
Result<PhiloxCall> resolve_philox_call(const ExecContext& context, int64_t elements);

// Writes the optional DST_SEEDS and DST_STATE. DST_STATE is the counter `blocks` blocks after the start of the call. Call it after
// everything that may fail.
void report_philox_blocks(const ExecContext& context, const PhiloxCall& call, Uint128 blocks);
// The same where DST_STATE is the counter at which TensorFlow would continue.
void report_philox_call(const ExecContext& context, const PhiloxCall& call);

// Fills `dst` in plain C++. Convert has kWords, the number of words per element, and T operator()(const uint32_t*),
// which makes an element of its words.
template <class Convert>
void fill_from_philox(const MemoryDesc& dst, void* data, const PhiloxCall& call,
                      const Convert& convert) {
    constexpr int kWords = Convert::kWords;
    const FillOptions options{1, 1, kWords * kPortablePhiloxWordNanoseconds};
    fill(dst, data, options, [&](const FillPart& part) {
        PhiloxWords source(call.start, call.key(), call.number_of(part.first()) * kWords);
        part.for_each_run([&](const Run& run) {
            uint32_t words[kWords];
            auto* to = static_cast<decltype(convert(words))*>(run.to);
            for (int64_t i = 0; i < run.count; ++i) {
                for (uint32_t& word : words) word = source.next();
                to[i] = convert(words);
            }
        });
    });
}

}  // namespace tombola::impl::cpu
