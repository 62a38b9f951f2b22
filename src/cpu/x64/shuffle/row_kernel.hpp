// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies rows of a fixed number of bytes at the addresses of three nested loops: see row_kernel.cpp.

#include <cstdint>
#include <tuple>

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
        Loop images, groups;  // slowest first; counts of at least 1
        int64_t rows;         // in each group, at least 1
    };
    struct Key {
        CpuIsa isa;
        int64_t row_bytes;
        int64_t src_row, dst_row;  // from row to row of a group
        bool streaming;            // stores bypass the caches; row_bytes >= kMinStreamingBytes

        auto fields() const { return std::tie(isa, row_bytes, src_row, dst_row, streaming); }
        bool operator<(const Key& other) const { return fields() < other.fields(); }
    };
    static constexpr int64_t kMinStreamingBytes = 512;

    explicit RowKernel(const Key& key);

  private:
    void generate() override;
    void emit_group();
    void emit_rows(int count);
    void emit_row(int64_t src_offset, int64_t dst_offset, int first_register);
    void advance_rows(int rows);
    int rows_unrolled() const;
    void emit_long_row();
    void emit_streaming_rows(int count);
    void emit_piece(int64_t src_offset, int64_t dst_offset, int size, int turn);

    int64_t row_bytes_, src_row_, dst_row_;
    bool streaming_;
};

}  // namespace tombola::impl::cpu::x64
