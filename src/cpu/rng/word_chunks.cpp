// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/word_chunks.hpp"

#include <algorithm>

#include "common/types.hpp"
#include "cpu/rng/mt19937_call.hpp"
#include "cpu/rng/philox_call.hpp"

namespace tombola::impl::cpu {
namespace {

template <class Source>
int64_t draw_words(Source& source, uint32_t* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = source.next();
    return count;
}

}  // namespace

// The words of an incomplete element move to the front of the buffer.
void fill_part_by_chunks(const FillPart& part, int words_per_element, size_t element_bytes,
                         FunctionRef<int64_t(uint32_t* to, int64_t max_count)> draw,
                         FunctionRef<void(const WordChunk&)> convert) {
    part.for_each_run([&](const Run& run) {
        alignas(64) uint32_t words[kChunkWords + kChunkSlack];
        std::fill_n(words + kChunkWords, kChunkSlack, 0u);
        int64_t have = 0, done = 0;
        while (done < run.count) {
            const int64_t wanted = (run.count - done) * words_per_element;
            have += draw(words + have, std::min<int64_t>(wanted, kChunkWords) - have);
            const int64_t count = have / words_per_element;
            if (count > 0)
                convert({run.first + done, count, words,
                         static_cast<char*>(run.to) + static_cast<size_t>(done) * element_bytes});
            done += count;
            const int64_t used = count * words_per_element;
            std::copy(words + used, words + have, words);
            have -= used;
        }
    });
}

Status fill_by_chunks(const ExecContext& context, Alignment alignment, const MemoryDesc& dst,
                      int words_per_element, FunctionRef<void(const WordChunk&)> convert) {
    void* data = context.output(TOMBOLA_ARG_DST);
    const size_t size = size_of(dst.data_type);
    if (alignment == Alignment::tensorflow) {
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, dst.nelems()));
        fill(dst, data, {}, [&](const FillPart& part) {
            const Uint128 first =
                call.number_of(part.first()) * static_cast<unsigned>(words_per_element);
            PhiloxWords source(call.start, call.key(), first);
            fill_part_by_chunks(
                part, words_per_element, size,
                [&](uint32_t* to, int64_t max_count) { return draw_words(source, to, max_count); },
                convert);
        });
        report_philox_call(context, call);
        return {};
    }
    Mt19937Call call(words_per_element, MtJumpLoops::portable());
    TOMBOLA_TRY(call.resolve(context, dst.nelems(), Mt19937Call::Draws::elements));
    call.fill(dst, data, [&](Mt19937& state, const FillPart& part) {
        fill_part_by_chunks(
            part, words_per_element, size,
            [&](uint32_t* to, int64_t max_count) { return draw_words(state, to, max_count); },
            convert);
    });
    call.report(context);
    return {};
}

}  // namespace tombola::impl::cpu
