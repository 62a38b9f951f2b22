// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fills by chunks (cpu/rng/word_chunks.hpp) whose words generated kernels draw.

#include <optional>

#include "cpu/rng/word_chunks.hpp"
#include "cpu/x64/rng/mt19937_generator.hpp"
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"
#include "cpu/x64/rng/philox_generator.hpp"

namespace tombola::impl::cpu::x64 {

class ChunkSource {
  public:
    static Result<ChunkSource> create(CpuIsa isa, Alignment alignment);

    // Does what fill_by_chunks() of cpu/rng/word_chunks.hpp does. `instructions` is the cost of the conversion: instructions for as many
    // elements as a vector has words.
    Status fill(const ExecContext& context, const MemoryDesc& dst, int words_per_element,
                int instructions, FunctionRef<void(const WordChunk&)> convert) const;

  private:
    explicit ChunkSource(Alignment alignment) : alignment_(alignment) {}

    Alignment alignment_;
    PhiloxKernel philox_;  // tensorflow
    Mt19937Kernel mt_;     // pytorch
    std::optional<JitMtJumpLoops> loops_;
};

}  // namespace tombola::impl::cpu::x64
