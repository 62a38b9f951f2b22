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

// The size in bytes of a run of the wider tensor. Three such buffers make 86 KiB of stack. With 16 KiB, images of 29 x 29 and 57 x 57 take
// 0.9 to 1.8 times as long. Measured on Zen 4 alone.
constexpr size_t kWideBytes = 32 * 1024, kMinWideBytes = 2;
// The room before and behind a buffer.
constexpr size_t kRoomBytes = kTransformRoom * sizeof(uint64_t);
constexpr size_t kMaskBytes = kWideBytes / kMinWideBytes;
static_assert(kWideBytes % (kTransformMultiple * sizeof(uint64_t)) == 0);

// Fewer whole rows in a tile take longer than parts of more rows. A fill, whose runs cost less, has 16. Measured on Zen 4 alone.
constexpr int64_t kWholeRowsOfTransform = 8;

using Kind = TransformMask::Kind;

// What one execution transforms.
struct Tensors {
    const ReadTensor& src;
    const WrittenTensor& dst;
    const TransformMask& mask;
    bool src_in_place, dst_in_place, mask_in_place;

    Tensors(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask)
        : src(src),
          dst(dst),
          mask(mask),
          src_in_place(src.desc.is_row_major()),
          dst_in_place(dst.desc.is_row_major()),
          mask_in_place(mask.kind != Kind::bytes || mask.desc.is_row_major()) {}
    // Whether the run [first, first + count) has room, if each tensor that is not in place has a buffer with room.
    bool have_room(int64_t first, int64_t count) const {
        const bool src_has_room =
            !src_in_place ||
            (first >= kTransformRoom && first + count + kTransformRoom <= src.desc.nelems());
        return !dst_in_place && src_has_room &&
               (mask.kind == Kind::none || (mask.kind == Kind::bytes && !mask_in_place));
    }
    bool are_in_place() const { return src_in_place && dst_in_place && mask_in_place; }
    uint8_t* mask_at(int64_t number) const {
        if (mask.kind == Kind::none) return nullptr;
        return mask.data + (mask.kind == Kind::bits ? number / 8 : number);
    }
};

// The transformation of a thread's elements by tiles. Where the rows of a tile lie side by side in all tensors, the tile is transformed in
// place. Other tiles go through buffers.
class TileTransform {
  public:
    TileTransform(const Tensors& tensors, const RowsAtOnce& at_once,
                  FunctionRef<void(const TransformRun&)> body,
                  FunctionRef<void(const TransformRows&)> rows_body)
        : t_(tensors),
          at_once_(at_once),
          body_(body),
          rows_body_(rows_body),
          src_(t_.src.desc),
          dst_(t_.dst.desc),
          bytes_(t_.mask_in_place ? t_.src.desc : t_.mask.desc) {}

    void run(Range range) {
        const RunCopier& copier = dst_.has_tiles() ? dst_ : src_;
        copier.for_each_tile(range, limits(copier), [&](const Tile& tile) {
            const Tile rest = transform_rows(tile);
            if (rest.rows > 0) transform_runs(rest);
        });
    }

  private:
    TileLimits limits(const RunCopier& copier) const {
        const size_t wide =
            std::max({t_.src.element_bytes(), t_.dst.element_bytes(), kMinWideBytes});
        // If the rows do not lie side by side in each tensor, serves_rows() refuses every tile. Blocks have powers of two of rows.
        const int64_t rows =
            std::min(dst_.rows_side_by_side(), RunCopier::rows_of_line(t_.dst.element_bytes()));
        const auto has_tiles_of_dst = [&](const RunCopier& other) {
            return other.has_tiles() && other.rows_side_by_side() >= rows;
        };
        const bool in_place =
            dst_.has_tiles() && has_tiles_of_dst(src_) &&
            (t_.mask.kind != Kind::bytes || (!t_.mask_in_place && has_tiles_of_dst(bytes_)));
        auto capacity = static_cast<int64_t>(kWideBytes / wide);
        // Tiles of more columns would not be computed in place (serves_rows()).
        if (in_place && t_.mask.kind == Kind::bits)
            capacity = std::min(capacity, rows * kMaxMaskColumns);
        return copier.limits(capacity, in_place ? at_once_ : RowsAtOnce(), kWholeRowsOfTransform);
    }

    bool serves_rows(const Tile& tile) const {
        if (!at_once_.serves(tile) || !src_.is_side_by_side(tile) || !dst_.is_side_by_side(tile))
            return false;
        if (t_.mask.kind == Kind::bits) return tile.columns <= kMaxMaskColumns;
        return t_.mask.kind == Kind::none || (bytes_.is_side_by_side(tile) && !t_.mask_in_place);
    }

    // Transforms as many rows of the tile as can be computed several at once, and returns the others.
    Tile transform_rows(const Tile& whole) {
        Tile tile = whole;
        if (!serves_rows(tile)) return tile;
        const auto src = src_.columns(t_.src.data, tile);
        const auto dst = dst_.columns(t_.dst.data, tile);
        const auto bytes = t_.mask_in_place ? Columns<char>{} : bytes_.columns(t_.mask.data, tile);
        while (const int64_t rows = at_once_.next_of(tile.rows)) {
            const int64_t row = whole.rows - tile.rows;
            // Rows have masks of bytes, from which the bits are taken.
            const int64_t step = (rows + 7) / 8 * 8;
            const bool has_bits = t_.mask.kind == Kind::bits;
            rows_body_({tile.first, rows, tile.columns, tile.distance,
                        src.row(row, static_cast<int64_t>(t_.src.element_bytes())),
                        dst.row(row, static_cast<int64_t>(t_.dst.element_bytes())),
                        has_bits ? Columns<char>{reinterpret_cast<char*>(mask_), step, 0}
                                 : bytes.row(row, t_.mask_in_place ? 0 : 1)});
            if (has_bits) {
                assert(t_.mask.is_written &&
                       static_cast<size_t>(step * tile.columns) <= kMaskBytes);
                put_rows_of_bits(t_.mask.data, {tile.first, tile.distance, rows, tile.columns},
                                 mask_, step);
            }
            tile.skip_rows(rows);
        }
        return tile;
    }

    void transform_runs(const Tile& tile) {
        if (!t_.src_in_place) src_.gather(t_.src.data, tile, from_);
        if (!t_.mask_in_place && !t_.mask.is_written) bytes_.gather(t_.mask.data, tile, mask_);
        for_each_run(tile, [&](int64_t first, int64_t count, int64_t at) {
            transform_run(first, count, at);
        });
        if (!t_.dst_in_place) dst_.scatter(t_.dst.data, tile, to_);
        if (!t_.mask_in_place && t_.mask.is_written) bytes_.scatter(t_.mask.data, tile, mask_);
    }

    // A run whose elements are those of the tile from number `at` on.
    void transform_run(int64_t first, int64_t count, int64_t at) {
        // A run of a mask of bits that begins or ends within a byte goes through a copy of its bits.
        const bool copies_bits = t_.mask.kind == Kind::bits && (first % 8 != 0 || count % 8 != 0);
        if (copies_bits && !t_.mask.is_written) get_bits(t_.mask.data, first, count, mask_);
        const void* from = t_.src_in_place
                               ? t_.src.at(first)
                               : from_ + static_cast<size_t>(at) * t_.src.element_bytes();
        void* to = t_.dst_in_place ? t_.dst.at(first)
                                   : to_ + static_cast<size_t>(at) * t_.dst.element_bytes();
        uint8_t* mask = copies_bits ? mask_ : t_.mask_in_place ? t_.mask_at(first) : mask_ + at;
        body_({first, count, from, to, mask, false, t_.have_room(first, count)});
        if (copies_bits && t_.mask.is_written) put_bits(t_.mask.data, first, count, mask_);
    }

    const Tensors& t_;
    const RowsAtOnce& at_once_;
    FunctionRef<void(const TransformRun&)> body_;
    FunctionRef<void(const TransformRows&)> rows_body_;
    RunCopier src_, dst_, bytes_;
    alignas(64) char from_space_[kRoomBytes + kWideBytes + kRoomBytes];
    alignas(64) char to_space_[kRoomBytes + kWideBytes + kRoomBytes];
    alignas(64) uint8_t mask_space_[kRoomBytes + kMaskBytes + kRoomBytes];
    char* const from_ = from_space_ + kRoomBytes;
    char* const to_ = to_space_ + kRoomBytes;
    uint8_t* const mask_ = mask_space_ + kRoomBytes;
};

// Not inlined: a calling thread must not have the buffers of two such functions on its stack.
[[gnu::noinline]] void transform_tiles(const Tensors& tensors, const RowsAtOnce& at_once,
                                       Range range, FunctionRef<void(const TransformRun&)> body,
                                       FunctionRef<void(const TransformRows&)> rows_body) {
    TileTransform(tensors, at_once, body, rows_body).run(range);
}

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
    const Tensors tensors(src, dst, mask);
    const size_t read_bytes = static_cast<size_t>(count) * size_of(src.desc.data_type);
    const Work work = work_of(static_cast<double>(count) * nanoseconds_per_element,
                              bytes + read_bytes, streaming ? bytes : 0);
    parallel_ranges(count, kTransformMultiple, work, [&](int64_t begin, int64_t end) {
        if (!tensors.are_in_place())
            return transform_tiles(tensors, at_once, {begin, end}, body, rows_body);
        const StreamingStores stores(streaming && src.data != dst.data);
        body({begin, end - begin, src.at(begin), dst.at(begin), tensors.mask_at(begin),
              stores.allowed()});
    });
}

}  // namespace tombola::impl::cpu
