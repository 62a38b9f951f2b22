// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fills by chunks: a distribution takes the words of its stream in chunks that stay in the first-level cache. A chunk
// of words is drawn into a buffer, and a function object makes elements of them:
//
//     stream --draw--> words of a chunk (buffer) --convert--> elements (the tensor, or a buffer that is scattered)
//
// Use it if a conversion needs more registers than a fused kernel has, or needs the numbers of the elements.

#include <cstddef>
#include <cstdint>

#include "common/function_ref.hpp"
#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/rng/fill.hpp"

namespace tombola::impl::cpu {

// 8 windows of MT19937. These 20 KB and the elements that are made of them stay in the first-level cache of every machine.
inline constexpr int kChunkWords = 8 * 624;
// The number of words after the last word of a chunk that may be read.
inline constexpr int kChunkSlack = 32;

struct WordChunk {
    int64_t first;  // the number of its first element in the tensor
    int64_t count;  // elements, at least 1
    const uint32_t* words;
    char* to;        // dense
    bool streaming;  // stores should bypass the caches; `to` is then aligned to a cache line
};

// Writes the elements of a part. draw(word, to, max_count) writes at least 1 and at most `max_count` words, and returns their
// number. The first one is word number `word` of the tensor. Unless runs come in any order, these are the next words of the stream.
void fill_part_by_chunks(const FillPart& part, int words_per_element, size_t element_bytes,
                         FunctionRef<int64_t(int64_t word, uint32_t* to, int64_t max_count)> draw,
                         FunctionRef<void(const WordChunk&)> convert);

// Fills `dst` from the stream of an execution, in plain C++. It resolves SEEDS, SRC_STATE and OFFSET, and writes
// DST_SEEDS and DST_STATE. convert() runs on several threads at the same time.
Status fill_by_chunks(const ExecContext& context, Alignment alignment, const MemoryDesc& dst,
                      int words_per_element, FunctionRef<void(const WordChunk&)> convert);

}  // namespace tombola::impl::cpu
