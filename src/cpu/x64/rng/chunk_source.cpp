// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/chunk_source.hpp"

#include "common/types.hpp"
#include "cpu/rng/mt19937_call.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/x64/rng/mt19937_stream.hpp"
#include "cpu/x64/rng/mt19937_words.hpp"
#include "cpu/x64/rng/philox_fill.hpp"
#include "cpu/x64/rng/philox_words.hpp"

namespace tombola::impl::cpu::x64 {

Result<ChunkSource> ChunkSource::create(CpuIsa isa, Alignment alignment) {
    ChunkSource source(alignment);
    if (alignment == Alignment::tensorflow) {
        source.philox_ = TOMBOLA_TRY(philox_words_kernel(isa));
    } else {
        source.mt_ = TOMBOLA_TRY(mt19937_words_kernel(isa));
        source.loops_ = TOMBOLA_TRY(JitMtJumpLoops::create(isa));
    }
    return source;
}

Status ChunkSource::fill(const ExecContext& context, const MemoryDesc& dst, int words_per_element,
                         int instructions, FunctionRef<void(const WordChunk&)> convert) const {
    void* data = context.output(TOMBOLA_ARG_DST);
    const size_t size = size_of(dst.data_type);
    if (alignment_ == Alignment::tensorflow) {
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, dst.nelems()));
        const PhiloxFill words(philox_, call.start, call.key(), {});
        const Uint128 first = call.number_of(0) * static_cast<unsigned>(words_per_element);
        cpu::fill(
            dst, data,
            philox_fill_options(machine().nanoseconds_per_lane(instructions, philox_.vector_bytes)),
            [&](const FillPart& part) {
                const auto draw = [&](int64_t word, uint32_t* to, int64_t max_count) {
                    words.generate(first + static_cast<uint64_t>(word), max_count, to, false);
                    return max_count;
                };
                fill_part_by_chunks(part, words_per_element, size, draw, convert);
            });
        report_philox_call(context, call);
        return {};
    }
    Mt19937Call call(words_per_element, *loops_);
    TOMBOLA_TRY(call.resolve(context, dst.nelems(), Mt19937Call::Draws::elements));
    const double time = mt_.nanoseconds_per_value * words_per_element +
                        machine().nanoseconds_per_lane(instructions, mt_.vector_words * 4);
    call.fill(dst, data, time, [&](Mt19937& state, const FillPart& part) {
        Mt19937Stream words(mt_, {}, state);
        const auto draw = [&](int64_t, uint32_t* to, int64_t max_count) {
            const int64_t count = words.up_to_window_end(max_count);
            words.generate(count, to, false);
            return count;
        };
        fill_part_by_chunks(part, words_per_element, size, draw, convert);
        if (call.needs_state()) state = words.state();
    });
    call.report(context);
    return {};
}

}  // namespace tombola::impl::cpu::x64
