// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies rows of a fixed number of bytes from three nested loops of addresses: see row_kernel.cpp.

#include <cstdint>

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class RowKernel : public Vocabulary {
  public:
    // One loop: how often, and by how many bytes the addresses advance.
    struct Loop {
        int64_t count, src, dst;
    };
    struct Args {
        const void* src;
        void* dst;
        Loop images, groups, rows;  // slowest first; counts of at least 1
    };
    struct Key {
        CpuIsa isa;
        int64_t row_bytes;
        bool streaming;  // stores past the caches; row_bytes >= kMinStreamingBytes
    };
    static constexpr int64_t kMinStreamingBytes = 512;

    explicit RowKernel(const Key& key);
    void operator()(Args& args) const { run(&args); }

  private:
    void generate() override;
    void emit_row();
    void emit_short_row();
    void emit_long_row();
    void emit_streaming_row();
    void emit_piece(int64_t offset, int bytes, int turn);

    int64_t row_bytes_;
    bool streaming_;
};

}  // namespace tombola::impl::cpu::x64
