// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/fill.hpp"

#include <algorithm>
#include <cassert>

#include "common/types.hpp"
#include "cpu/streaming.hpp"

namespace tombola::impl::cpu {
namespace {

// Half of the smallest first-level cache of any machine. A run of one row gains nothing from a larger buffer.
constexpr size_t kRunBytes = 16 * 1024;
// The buffer for runs of several rows that lie side by side, or for a tile of whole rows. It holds 4 rows of f32 in images of 56 x 56 pixels,
// or 16 in images of 28 x 28. Measured on Sapphire Rapids alone.
constexpr size_t kLongRunBytes = 49 * 1024;
// Fewer whole rows in a tile take longer than parts of more rows. Measured on Zen 4 alone.
constexpr int64_t kWholeRowsOfFill = 16;

}  // namespace

// The buffers are in functions that are not inlined, so that each call takes the stack of one buffer.

template <size_t kBytes>
[[gnu::noinline]] void FillPart::generate_runs(const RunCopier& copier, int64_t end,
                                               FunctionRef<void(const Run&)> generate) const {
    alignas(64) char buffer[kBytes];
    const size_t size = size_of(desc_.data_type);
    const auto capacity = static_cast<int64_t>(kBytes / size) / run_multiple_ * run_multiple_;
    for (int64_t at = range_.begin; at < range_.end;) {
        int64_t limit = std::min(at + capacity, range_.end);
        if (limit < range_.end && limit / end * end > at) limit = limit / end * end;
        generate({at, limit - at, buffer, false});
        copier.scatter(data_, at, limit - at, buffer);
        at = limit;
    }
}

template <size_t kBytes>
[[gnu::noinline]] void FillPart::generate_tiles(
    const RunCopier& copier, FunctionRef<void(const Run&)> generate, const RowsAtOnce& at_once,
    FunctionRef<void(const RowsRun&)> generate_rows) const {
    alignas(64) char buffer[kBytes];
    const size_t size = size_of(desc_.data_type);
    const TileLimits limits =
        copier.limits(static_cast<int64_t>(kBytes / size), at_once, kWholeRowsOfFill);
    copier.for_each_tile(range_, limits, [&](const Tile& tile) {
        Tile rest = tile;
        if (at_once.serves(tile) && copier.is_side_by_side(tile)) {
            const Columns<char> place = copier.columns(data_, tile);
            while (const int64_t rows = at_once.next_of(rest.rows)) {
                generate_rows({rest.first, rows, tile.columns, tile.distance,
                               place.row(tile.rows - rest.rows, static_cast<int64_t>(size))});
                rest.skip_rows(rows);
            }
        }
        if (rest.rows == 0) return;
        cpu::for_each_run(rest, [&](int64_t first, int64_t count, int64_t at) {
            generate({first, count, buffer + static_cast<size_t>(at) * size, false});
        });
        copier.scatter(data_, rest, buffer);
    });
}

FillPart FillPart::buffered(int64_t first, int64_t count, void* buffer) const {
    FillPart part = *this;
    part.range_ = {first, first + count};
    part.data_ = buffer;
    part.is_buffered_ = true;
    return part;
}

void FillPart::for_each_run(FunctionRef<void(const Run&)> generate, const RowsAtOnce& at_once,
                            FunctionRef<void(const RowsRun&)> generate_rows) const {
    if (is_buffered_) return generate({first(), count(), data_, false});
    const size_t size = size_of(desc_.data_type);
    if (desc_.is_row_major()) {
        char* to = static_cast<char*>(data_) + static_cast<size_t>(first()) * size;
        const StreamingStores stores(streaming_);
        return generate({first(), count(), to, stores.allowed()});
    }
    const RunCopier copier(desc_);
    if (any_runs_) {
        // The runs of a tile that is generated row by row become longer.
        if (!at_once.serves_rows_of(copier.row_elements()) &&
            copier.has_long_rows(static_cast<int64_t>(kRunBytes / size)))
            return generate_tiles<kLongRunBytes>(copier, generate, at_once, generate_rows);
        return generate_tiles<kRunBytes>(copier, generate, at_once, generate_rows);
    }
    assert(range_.begin % run_multiple_ == 0);
    const int64_t end =
        copier.end_of_runs(run_multiple_, static_cast<int64_t>(kLongRunBytes / size));
    if (static_cast<size_t>(end) * size > kRunBytes)
        generate_runs<kLongRunBytes>(copier, end, generate);
    else
        generate_runs<kRunBytes>(copier, end, generate);
}

bool has_long_rows(const MemoryDesc& desc, int64_t run_multiple) {
    const size_t size = size_of(desc.data_type);
    if (desc.is_row_major() || static_cast<size_t>(desc.nelems()) * size <= kLongRunBytes)
        return false;
    const RunCopier copier(desc);
    return copier.has_tiles() && copier.row_elements() % run_multiple == 0 &&
           copier.end_of_runs(run_multiple, static_cast<int64_t>(kLongRunBytes / size)) ==
               run_multiple;
}

void fill(const MemoryDesc& desc, void* data, const FillOptions& options,
          FunctionRef<void(const FillPart&)> generate_part) {
    const int64_t count = desc.nelems();
    if (count == 0) return;
    zero_padding(desc, data);
    const size_t bytes = static_cast<size_t>(count) * size_of(desc.data_type);
    const bool streaming = bypasses_caches(bytes);
    const int64_t longest = std::max<int64_t>(1, count / options.elements_per_part);
    const Work work = work_of(static_cast<double>(count) * options.nanoseconds_per_element, bytes,
                              streaming ? bytes : 0);
    // Without a choice nothing is asked of the threading run-time, which might allocate. zero_padding() asks it if there is much padding.
    const int parts =
        longest == 1 ? 1 : static_cast<int>(std::min<int64_t>(longest, parts_for(work)));
    if (parts == 1) return generate_part({desc, data, {0, count}, streaming, options});
    parallel(parts, [&](int part, int all) {
        const Range range = split(count, part, all, options.multiple);
        if (range.begin < range.end) generate_part({desc, data, range, streaming, options});
    });
}

}  // namespace tombola::impl::cpu
