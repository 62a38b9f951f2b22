// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/fill.hpp"

#include <algorithm>

#include "common/types.hpp"
#include "cpu/streaming.hpp"

namespace tombola::impl::cpu {
namespace {

// Half of the smallest first-level cache of any machine. More would gain nothing and take more stack.
constexpr size_t kRunBytes = 16 * 1024;
// Except where rows lie side by side and one run has several rows: 4 of f32 in images of 56 x 56 pixels, or 16 in those of 28 x 28.
constexpr size_t kLongRunBytes = 49 * 1024;

// Generates the range from run to run in a buffer of so many bytes, and copies each run to its place. Runs end at multiples of `end`
// elements if they can, and all but the last at multiples of kRunMultiple.
template <size_t kBytes>
[[gnu::noinline]] void for_each_buffered_run(const RunCopier& copier, void* data, size_t size,
                                             const Range& range, int64_t end,
                                             FunctionRef<void(const Run&)> generate) {
    alignas(64) char buffer[kBytes];
    const auto capacity = static_cast<int64_t>(kBytes / size) / kRunMultiple * kRunMultiple;
    for (int64_t at = range.begin; at < range.end;) {
        int64_t limit = std::min(at + capacity, range.end);
        if (limit < range.end && limit / end * end > at) limit = limit / end * end;
        generate({at, limit - at, buffer, false});
        copier.scatter(data, at, limit - at, buffer);
        at = limit;
    }
}

}  // namespace

void FillPart::for_each_run(FunctionRef<void(const Run&)> generate, const RowsAtOnce& at_once,
                            FunctionRef<void(const RowsRun&)> generate_rows) const {
    const size_t size = size_of(desc_.data_type);
    if (desc_.is_row_major()) {
        char* to = static_cast<char*>(data_) + static_cast<size_t>(first()) * size;
        const StreamingStores stores(streaming_);
        return generate({first(), count(), to, stores.allowed()});
    }
    const RunCopier copier(desc_);
    if (!any_runs_) {
        const int64_t end =
            copier.end_of_runs(kRunMultiple, static_cast<int64_t>(kLongRunBytes / size));
        const auto fill = static_cast<size_t>(end) * size > kRunBytes
                              ? for_each_buffered_run<kLongRunBytes>
                              : for_each_buffered_run<kRunBytes>;
        return fill(copier, data_, size, range_, end, generate);
    }
    alignas(64) char buffer[kRunBytes];
    copier.for_each_tile(range_, static_cast<int64_t>(kRunBytes / size), [&](const Tile& tile) {
        Tile rest = tile;
        if (at_once.serves(tile) && copier.is_side_by_side(tile)) {
            const Columns<char> place = copier.columns(data_, tile);
            for (int64_t row = 0; rest.rows >= at_once.rows; row += at_once.rows) {
                generate_rows({rest.first, tile.columns, tile.distance,
                               place.row(row, static_cast<int64_t>(size))});
                rest.skip_rows(at_once.rows);
            }
        }
        if (rest.rows == 0) return;
        cpu::for_each_run(rest, [&](int64_t first, int64_t count, int64_t at) {
            generate({first, count, buffer + static_cast<size_t>(at) * size, false});
        });
        copier.scatter(data_, rest, buffer);
    });
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
    const int parts = static_cast<int>(std::min<int64_t>(longest, parts_for(work)));
    if (parts == 1) return generate_part({desc, data, {0, count}, streaming, options.any_runs});
    parallel(parts, [&](int part, int all) {
        const Range range = split(count, part, all, options.multiple);
        if (range.begin < range.end)
            generate_part({desc, data, range, streaming, options.any_runs});
    });
}

}  // namespace tombola::impl::cpu
