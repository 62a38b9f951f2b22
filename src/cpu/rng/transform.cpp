// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/transform.hpp"

#include <algorithm>
#include <cassert>

#include "common/parallel.hpp"
#include "common/types.hpp"
#include "cpu/rng/mask_bits.hpp"
#include "cpu/streaming.hpp"

namespace tombola::impl::cpu {

namespace {

// The size in bytes of a run of the wider tensor. Three such buffers make 40 KiB of stack.
constexpr size_t kWideBytes = 16 * 1024, kMinWideBytes = 2;
static_assert(kWideBytes % (kTransformMultiple * sizeof(uint64_t)) == 0);

// Fewer whole rows in a tile take longer than parts of more rows. A fill, whose runs cost less, has 16. Measured on Zen 4 alone.
constexpr int64_t kWholeRowsOfTransform = 8;

using Kind = TransformMask::Kind;

char* element(void* data, int64_t number, size_t size) {
    return static_cast<char*>(data) + static_cast<size_t>(number) * size;
}
const char* element(const void* data, int64_t number, size_t size) {
    return static_cast<const char*>(data) + static_cast<size_t>(number) * size;
}

// The transformation of one thread's range of elements.
class Part {
  public:
    Part(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
         const RowsAtOnce& rows_at_once, bool streaming)
        : src_(src),
          dst_(dst),
          mask_(mask),
          rows_at_once_(rows_at_once),
          src_in_place_(src.desc.is_row_major()),
          dst_in_place_(dst.desc.is_row_major()),
          mask_in_place_(mask.kind != Kind::bytes || mask.desc.is_row_major()),
          streaming_(streaming && dst_in_place_ && src.data != dst.data) {}

    void run(Range range, FunctionRef<void(const TransformRun&)> body,
             FunctionRef<void(const TransformRows&)> rows_body) const {
        if (!src_in_place_ || !dst_in_place_ || !mask_in_place_)
            return run_by_tiles(range, body, rows_body);
        const StreamingStores stores(streaming_);
        body({range.begin, range.end - range.begin, element(src_.data, range.begin, src_size()),
              element(dst_.data, range.begin, dst_size()), mask_at(range.begin), stores.allowed()});
    }

  private:
    size_t src_size() const { return size_of(src_.desc.data_type); }
    size_t dst_size() const { return size_of(dst_.desc.data_type); }
    uint8_t* mask_at(int64_t number) const {
        if (mask_.kind == Kind::none) return nullptr;
        return mask_.data + (mask_.kind == Kind::bits ? number / 8 : number);
    }

    // Where the rows of a tile lie side by side in all tensors, tiles are transformed in place. Other tiles go through buffers.
    void run_by_tiles(Range range, FunctionRef<void(const TransformRun&)> body,
                      FunctionRef<void(const TransformRows&)> rows_body) const {
        alignas(64) char from[kWideBytes], to[kWideBytes];
        alignas(64) uint8_t mask[kWideBytes / kMinWideBytes];
        const size_t wide = std::max({src_size(), dst_size(), kMinWideBytes});
        const auto capacity = static_cast<int64_t>(kWideBytes / wide);
        const RunCopier src(src_.desc), dst(dst_.desc),
            bytes(mask_in_place_ ? src_.desc : mask_.desc);
        const auto serves_rows = [&](const Tile& tile) {
            return rows_at_once_.serves(tile) && src.is_side_by_side(tile) &&
                   dst.is_side_by_side(tile) &&
                   (mask_.kind != Kind::bytes ||
                    (bytes.is_side_by_side(tile) && !mask_in_place_)) &&
                   (mask_.kind != Kind::bits || tile.columns <= kMaxMaskColumns);
        };
        const auto transform_tile = [&](const Tile& whole) {
            Tile tile = whole;
            if (serves_rows(tile)) {
                const auto src_place = src.columns(src_.data, tile);
                const auto dst_place = dst.columns(dst_.data, tile);
                const auto mask_place =
                    mask_in_place_ ? Columns<char>{} : bytes.columns(mask_.data, tile);
                while (const int64_t rows = rows_at_once_.next_of(tile.rows)) {
                    const int64_t row = whole.rows - tile.rows;
                    // Rows have masks of bytes, from which the bits are taken.
                    const int64_t step = (rows + 7) / 8 * 8;
                    rows_body({tile.first, rows, tile.columns, tile.distance,
                               src_place.row(row, static_cast<int64_t>(src_size())),
                               dst_place.row(row, static_cast<int64_t>(dst_size())),
                               mask_.kind == Kind::bits
                                   ? Columns<char>{reinterpret_cast<char*>(mask), step, 0}
                               : mask_in_place_ ? mask_place
                                                : mask_place.row(row, 1)});
                    if (mask_.kind == Kind::bits) {
                        assert(mask_.is_written && step * tile.columns <= int64_t{sizeof mask});
                        put_rows_of_bits(mask_.data,
                                         {tile.first, tile.distance, rows, tile.columns}, mask,
                                         step);
                    }
                    tile.skip_rows(rows);
                }
            }
            if (tile.rows == 0) return;
            if (!src_in_place_) src.gather(src_.data, tile, from);
            if (!mask_in_place_ && !mask_.is_written) bytes.gather(mask_.data, tile, mask);
            for_each_run(tile, [&](int64_t first, int64_t count, int64_t at) {
                // A run of a mask of bits that begins or ends within a byte goes through a copy of its bits.
                const bool copies_bits =
                    mask_.kind == Kind::bits && (first % 8 != 0 || count % 8 != 0);
                if (copies_bits && !mask_.is_written) get_bits(mask_.data, first, count, mask);
                body({first, count,
                      src_in_place_ ? element(src_.data, first, src_size())
                                    : element(static_cast<const void*>(from), at, src_size()),
                      dst_in_place_ ? element(dst_.data, first, dst_size())
                                    : element(static_cast<void*>(to), at, dst_size()),
                      copies_bits      ? mask
                      : mask_in_place_ ? mask_at(first)
                                       : mask + at,
                      false});
                if (copies_bits && mask_.is_written) put_bits(mask_.data, first, count, mask);
            });
            if (!dst_in_place_) dst.scatter(dst_.data, tile, to);
            if (!mask_in_place_ && mask_.is_written) bytes.scatter(mask_.data, tile, mask);
        };
        const RunCopier& copier = dst.has_tiles() ? dst : src;
        // Otherwise serves_rows() refuses every tile: its rows do not lie side by side in each tensor. Blocks have powers of two of rows.
        const int64_t rows = std::min(dst.rows_side_by_side(), RunCopier::rows_of_line(dst_size()));
        const auto has_tiles_of_dst = [&](const RunCopier& other) {
            return other.has_tiles() && other.rows_side_by_side() >= rows;
        };
        const bool in_place =
            dst.has_tiles() && has_tiles_of_dst(src) &&
            (mask_.kind != Kind::bytes || (!mask_in_place_ && has_tiles_of_dst(bytes)));
        const TileLimits limits =
            copier.limits(capacity, in_place ? rows_at_once_ : RowsAtOnce(), kWholeRowsOfTransform);
        copier.for_each_tile(range, limits, transform_tile);
    }

    const ReadTensor& src_;
    const WrittenTensor& dst_;
    const TransformMask& mask_;
    const RowsAtOnce& rows_at_once_;
    bool src_in_place_, dst_in_place_, mask_in_place_, streaming_;
};

}  // namespace

void transform(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
               double nanoseconds_per_element, FunctionRef<void(const TransformRun&)> body,
               const RowsAtOnce& at_once, FunctionRef<void(const TransformRows&)> rows_body) {
    const int64_t count = dst.desc.nelems();
    if (count == 0) return;
    zero_padding(dst.desc, dst.data);
    if (mask.kind == Kind::bytes && mask.is_written) zero_padding(mask.desc, mask.data);
    // put_bits(), here and in the kernels' callers, keeps the bits after the last element.
    if (mask.kind == Kind::bits && mask.is_written) mask.data[(count - 1) / 8] = 0;
    const size_t bytes = static_cast<size_t>(count) * size_of(dst.desc.data_type);
    const bool streaming = bypasses_caches(bytes);
    const Part part(src, dst, mask, at_once, streaming);
    const size_t read_bytes = static_cast<size_t>(count) * size_of(src.desc.data_type);
    const Work work = work_of(static_cast<double>(count) * nanoseconds_per_element,
                              bytes + read_bytes, streaming ? bytes : 0);
    parallel_ranges(count, kTransformMultiple, work, [&](int64_t begin, int64_t end) {
        part.run({begin, end}, body, rows_body);
    });
}

}  // namespace tombola::impl::cpu
