// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/word_chunks.hpp"

#include <algorithm>

#include "common/types.hpp"
#include "cpu/rng/mt19937_call.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/streaming.hpp"

namespace tombola::impl::cpu {
namespace {

template <class Source>
int64_t draw_words(Source& source, uint32_t* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = source.next();
    return count;
}

// The number of words in a chunk. A streamed chunk is short, so that the processor's store buffer holds most of its stores. The processor
// then writes them to memory while the words of the next chunk are drawn. Sapphire Rapids holds 112 stores, 7 KiB. Chunks of less than two
// windows of MT19937 would be slower, because there would be more calls.
int64_t chunk_words(bool streaming, int words_per_element, size_t element_bytes) {
    constexpr int64_t kStreamedBytes = 5 * 1024;
    if (!streaming) return kChunkWords;
    const int64_t words = kStreamedBytes / static_cast<int64_t>(element_bytes) * words_per_element;
    return std::clamp<int64_t>(words / kMtWords, 2, kChunkWords / kMtWords) * kMtWords;
}

}  // namespace

// The words of an incomplete element move to the front of the buffer. If the destination is streamed, so do the words of elements after its
// last whole cache line.
void fill_part_by_chunks(const FillPart& part, int words_per_element, size_t element_bytes,
                         FunctionRef<int64_t(int64_t word, uint32_t* to, int64_t max_count)> draw,
                         FunctionRef<void(const WordChunk&)> convert) {
    part.for_each_run([&](const Run& run) {
        alignas(64) uint32_t words[kChunkWords + kChunkSlack];
        std::fill_n(words + kChunkWords, kChunkSlack, 0u);
        const int64_t capacity = chunk_words(run.streaming, words_per_element, element_bytes);
        int64_t have = 0, done = 0;
        while (done < run.count) {
            const int64_t wanted = (run.count - done) * words_per_element;
            have += draw((run.first + done) * words_per_element + have, words + have,
                         std::min(wanted, capacity) - have);
            int64_t count = have / words_per_element;
            char* to = static_cast<char*>(run.to) + static_cast<size_t>(done) * element_bytes;
            if (run.streaming && done + count < run.count) {
                const auto beyond = static_cast<int64_t>(
                    bytes_into_line(to + static_cast<size_t>(count) * element_bytes) /
                    element_bytes);
                if (beyond < count) count -= beyond;
            }
            if (count > 0)
                convert({run.first + done, count, words, to,
                         run.streaming && bytes_into_line(to) == 0});
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
        const FillOptions options{1, 1, words_per_element * kPortablePhiloxWordNanoseconds};
        fill(dst, data, options, [&](const FillPart& part) {
            const Uint128 first =
                call.number_of(part.first()) * static_cast<unsigned>(words_per_element);
            PhiloxWords source(call.start, call.key(), first);
            fill_part_by_chunks(
                part, words_per_element, size,
                [&](int64_t, uint32_t* to, int64_t max_count) {
                    return draw_words(source, to, max_count);
                },
                convert);
        });
        report_philox_call(context, call);
        return {};
    }
    Mt19937Call call(words_per_element, MtJumpLoops::portable());
    TOMBOLA_TRY(call.resolve(context, dst.nelems(), Mt19937Call::Draws::elements));
    const double time = words_per_element * kPortableMtWordNanoseconds;
    call.fill(dst, data, time, [&](Mt19937& state, const FillPart& part) {
        fill_part_by_chunks(
            part, words_per_element, size,
            [&](int64_t, uint32_t* to, int64_t max_count) {
                return draw_words(state, to, max_count);
            },
            convert);
    });
    call.report(context);
    return {};
}

}  // namespace tombola::impl::cpu
