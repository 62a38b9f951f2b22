// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that copy rows of a fixed number of bytes.

#include <cstdint>
#include <tuple>
#include <utility>

#include "common/cpu_isa.hpp"
#include "common/status.hpp"
#include "cpu/x64/jit_function.hpp"
#include "cpu/x64/shuffle/permute_program.hpp"
#include "cpu/x64/shuffle/stores.hpp"

namespace tombola::impl::cpu::x64 {

// The smallest of 4, 8, 16, 32 and 64 that is at least `bytes`. A wider load or store would cross lines more often.
inline int size_of_access(int64_t bytes) {
    int size = 4;
    while (size < bytes) size *= 2;
    return size;
}

// ---- rows at the addresses of three nested loops: row_kernel.cpp --------------------------------------------------

// One loop: how often it runs, and by how many bytes the addresses advance.
struct RowLoop {
    int64_t count, src, dst;
};
struct RowArgs {
    const void* src;
    void* dst;
    RowLoop images, turns;  // the outer loop and the next one; counts are at least 1
    int64_t rows;           // of each turn, at least 1
    int64_t ahead = 0;  // bytes from where a line is stored to the line that is prefetched with it
};
struct RowKey {
    CpuIsa isa;
    int64_t row_bytes;         // at least 4
    int64_t src_row, dst_row;  // bytes from row to row of a turn
    // If it streams, all rows of a call follow each other in the destination without gaps: dst_row equals row_bytes, which is at least
    // kMinStreamingBytes.
    Stores stores;
    Sources sources = Sources::plain;  // if it streams: what each store prefetches
    int64_t turn = 0;                  // rows of each turn, as straight code; 0: RowArgs::rows
    // A row of less than 32 bytes is one load and one store, of size_of_access(row_bytes) bytes. The store also writes to the first bytes
    // of the next row, and the store of that row then writes the correct bytes. The caller copies the last rows by a kernel without
    // `overruns`.
    bool overruns = false;

    auto fields() const {
        return std::tie(isa, row_bytes, src_row, dst_row, stores, sources, turn, overruns);
    }
    bool operator<(const RowKey& other) const { return fields() < other.fields(); }
};
inline constexpr int64_t kMinStreamingBytes = 128;

Result<JitFunction<RowArgs>> row_function(const RowKey& key);

// ---- short rows into a destination without gaps, in whole cache lines, on AVX-512: stitch_kernel.cpp --------------

struct StitchKey {
    int64_t row_bytes;
    int64_t Q, G;       // rows in a group, groups in an image
    int64_t src_axis;   // source bytes from group to group; from row to row they are G * src_axis
    int64_t src_image;  // source bytes from image to image
    // Streaming needs a destination that is aligned to a line. Streaming in parts needs one that is aligned to kLaneBytes.
    Stores stores;
    Sources sources = Sources::plain;  // what each store prefetches

    auto fields() const { return std::tie(row_bytes, Q, G, src_axis, src_image, stores, sources); }
    bool operator<(const StitchKey& other) const { return fields() < other.fields(); }
};

// A call copies rows that follow each other in the destination.
struct StitchArgs {
    const void* src;      // source of the first row
    void* period;         // destination of the period that holds this row
    int64_t in_period;    // number of this row in the period
    int64_t rows;         // of the call
    int64_t rows_left;    // in the group of the first row, this row included
    int64_t groups_left;  // in the image of the first row, this group included
    const void* group_src;
    const void* image_src;
    int64_t ahead;  // bytes from where a line is stored to the line that is prefetched with it
};

// The generated function, called by rows.
class StitchFunction {
  public:
    // Whether the code is small, its offsets fit, and it is faster than a copy of each row. The machine must have AVX-512, for stores under
    // masks.
    static bool serves(const StitchKey& key);
    static Result<StitchFunction> make(const StitchKey& key);

    // Copies rows [begin, end) of dst, counted from 0 through all images. begin < end. If the key says streaming, the caller must hold a
    // StreamingStores. `ahead`: see StitchArgs.
    void operator()(const char* src, char* dst, int64_t begin, int64_t end, int64_t ahead) const;

    // The number of rows that fill a whole number of cache lines.
    int64_t period() const;

  private:
    StitchFunction(const StitchKey& key, JitFunction<StitchArgs> function)
        : key_(key), function_(std::move(function)) {}

    StitchKey key_;
    JitFunction<StitchArgs> function_;
};

}  // namespace tombola::impl::cpu::x64
