// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a distribution gets at the words of its stream in pieces that stay in the first-level cache. A fill by chunks draws
// words into a buffer, and a function object makes elements of them:
//
//     stream --draw--> words of a chunk (buffer) --convert--> elements (the tensor, or a buffer that is scattered)
//
// Use it where a conversion needs more than the registers of a fused kernel, or needs the elements' numbers.

#include <cstddef>
#include <cstdint>

#include "common/function_ref.hpp"
#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/rng/fill.hpp"

namespace tombola::impl::cpu {

inline constexpr int kChunkWords = 8 * 624;  // 8 windows of MT19937; 20 KB
// Words that may be read behind the last of a chunk.
inline constexpr int kChunkSlack = 32;

struct WordChunk {
    int64_t first;  // the number of its first element in the tensor
    int64_t count;  // elements, at least 1
    const uint32_t* words;
    char* to;  // dense
};

// Writes the elements of a part. draw(to, max_count) writes at least 1 and at most `max_count` of the next words, and returns how many.
void fill_part_by_chunks(const FillPart& part, int words_per_element, size_t element_bytes,
                         FunctionRef<int64_t(uint32_t* to, int64_t max_count)> draw,
                         FunctionRef<void(const WordChunk&)> convert);

// Fills `dst` from the stream of an execution: resolves SEEDS, SRC_STATE and OFFSET, and writes DST_SEEDS and DST_STATE. Plain
// C++. convert() runs on several threads at the same time.
Status fill_by_chunks(const ExecContext& context, Alignment alignment, const MemoryDesc& dst,
                      int words_per_element, FunctionRef<void(const WordChunk&)> convert);

}  // namespace tombola::impl::cpu
