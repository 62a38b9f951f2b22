// SPDX-License-Identifier: Apache-2.0
#pragma once

// How generated elements are written to a tensor of any layout, on any number of threads.
//
//   fill(desc, data, options, [&](const FillPart& part) {
//       Source source = source_at(part.first());           // once per part: jump ahead here
//       part.for_each_run([&](const Run& run) {            // in ascending order, without gaps, unless any_runs
//           source.generate(run.count, run.to);            // run.first is where the source stands
//       });
//   });
//
// A source that can compute several rows at once gives for_each_run() a RowsAtOnce and a second function.
//
// Elements are numbered in logical row-major order, so an element gets the same value in every layout. The tensor is
// cut by index into parts, which run on different threads. A part of a row-major tensor is one run, which is written in
// place. A part of any other tensor is many runs, which are written to a buffer on the stack and scattered from there, or
// several rows at once, which are written where they lie. A source may also ask for pieces of a part in an order of its
// own (FillPart::buffered()), and scatter them itself.
// Padding is zeroed.

#include <cstdint>

#include "common/memory_desc.hpp"
#include "common/parallel.hpp"
#include "cpu/rng/scatter.hpp"

namespace tombola::impl::cpu {

struct Run {
    int64_t first;   // the number of its first element
    int64_t count;   // at least 1
    void* to;        // dense; aligned to the size of an element, but maybe not to more
    bool streaming;  // the tensor is so large that stores should bypass the caches
};

// Several rows of a tile, which are written where they lie.
struct RowsRun {
    int64_t first;  // the number of the first element of the first row
    int64_t rows;
    int64_t columns;      // of each row
    int64_t distance;     // from row to row, in numbers of elements
    Columns<char> place;  // place of the first row; the others lie side by side with it
};

// The time that plain C++ takes for a word of Philox, at least. Portable implementations estimate their work by such constants. They were
// measured on Sapphire Rapids; a processor that runs portable code is probably not much faster.
inline constexpr double kPortablePhiloxWordNanoseconds = 2;

struct FillOptions {
    int64_t multiple = 1;           // parts begin at multiples of this many elements
    int64_t elements_per_part = 1;  // no part but the last is shorter than this
    // How long one thread takes to compute an element. It decides from which size on the tensor is shared by threads.
    double nanoseconds_per_element = 0;
    // The source can jump at little cost: runs may begin at any element and come in any order. Transposed layouts are then faster.
    bool any_runs = false;
    // Otherwise runs begin at multiples of this many elements, a divisor of `multiple`.
    int64_t run_multiple = 1;
};

class FillPart {
  public:
    FillPart(const MemoryDesc& desc, void* data, Range range, bool streaming,
             const FillOptions& options)
        : desc_(desc),
          data_(data),
          range_(range),
          run_multiple_(options.run_multiple),
          streaming_(streaming),
          any_runs_(options.any_runs) {}

    // Some elements of this part as a part of their own. It is one run, which is written to `buffer`.
    FillPart buffered(int64_t first, int64_t count, void* buffer) const;

    const MemoryDesc& desc() const { return desc_; }
    void* data() const { return data_; }
    Range range() const { return range_; }
    int64_t first() const { return range_.begin; }
    int64_t count() const { return range_.end - range_.begin; }
    void for_each_run(FunctionRef<void(const Run&)> generate) const {
        for_each_run(generate, {}, [](const RowsRun&) {});
    }
    // generate_rows() makes as many rows at once as `at_once` allows. It is called only if any_runs is set.
    void for_each_run(FunctionRef<void(const Run&)> generate, const RowsAtOnce& at_once,
                      FunctionRef<void(const RowsRun&)> generate_rows) const;

  private:
    // Generates runs in a buffer of kBytes bytes, and copies each to its place. Where possible, runs end at multiples of `end` elements.
    template <size_t kBytes>
    void generate_runs(const RunCopier& copier, int64_t end,
                       FunctionRef<void(const Run&)> generate) const;
    template <size_t kBytes>
    void generate_tiles(const RunCopier& copier, FunctionRef<void(const Run&)> generate,
                        const RowsAtOnce& at_once,
                        FunctionRef<void(const RowsRun&)> generate_rows) const;

    const MemoryDesc& desc_;
    void* data_;
    Range range_;
    int64_t run_multiple_;
    bool streaming_, any_runs_;
    bool is_buffered_ = false;
};

// Whether neighbouring rows lie side by side and are so long that the runs of such a tensor would write lines in parts. False if the
// rows do not begin at multiples of `run_multiple` elements.
bool has_long_rows(const MemoryDesc& desc, int64_t run_multiple);

// `data` is the address of the first element: offset0 has been added. A tensor without elements has no parts.
void fill(const MemoryDesc& desc, void* data, const FillOptions& options,
          FunctionRef<void(const FillPart&)> generate_part);

}  // namespace tombola::impl::cpu
