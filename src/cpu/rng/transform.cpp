// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/transform.hpp"

#include <algorithm>

#include "common/parallel.hpp"
#include "common/types.hpp"
#include "cpu/loop_nest.hpp"
#include "cpu/streaming.hpp"

namespace tombola::impl::cpu {

void put_bits(uint8_t* bits, int64_t first, int64_t count, const uint8_t* dense) {
    const auto shift = static_cast<unsigned>(first % 8);
    uint8_t* to = bits + first / 8;
    uint32_t left = to[0] & ((1u << shift) - 1);
    const int64_t whole = count / 8;
    for (int64_t i = 0; i < whole; ++i) {
        left |= uint32_t{dense[i]} << shift;
        *to++ = static_cast<uint8_t>(left);
        left >>= 8;
    }
    auto rest = static_cast<unsigned>(count % 8);
    if (rest != 0) left |= (dense[whole] & ((1u << rest) - 1)) << shift;
    for (rest += shift; rest > 0; rest -= std::min(rest, 8u), ++to, left >>= 8) {
        const uint32_t kept = rest < 8 ? ~0u << rest : 0;
        *to = static_cast<uint8_t>((*to & kept) | (left & ~kept));
    }
}

namespace {

// The size in bytes of a run of the wider tensor. Three such buffers make 40 KiB of stack.
constexpr size_t kWideBytes = 16 * 1024, kMinWideBytes = 2;
static_assert(kWideBytes % (kTransformMultiple * sizeof(uint64_t)) == 0);

using Kind = TransformMask::Kind;

char* element(void* data, int64_t number, size_t size) {
    return static_cast<char*>(data) + static_cast<size_t>(number) * size;
}
const char* element(const void* data, int64_t number, size_t size) {
    return static_cast<const char*>(data) + static_cast<size_t>(number) * size;
}

// Reads `count` bits of `bits` from bit `first` on. They begin at bit 0 of `dense`.
void get_bits(const uint8_t* bits, int64_t first, int64_t count, uint8_t* dense) {
    const int shift = static_cast<int>(first % 8);
    for (const uint8_t* from = bits + first / 8; count > 0; count -= 8, ++from, ++dense) {
        const bool crosses = shift + std::min<int64_t>(count, 8) > 8;
        *dense = static_cast<uint8_t>((from[0] | (crosses ? from[1] << 8 : 0)) >> shift);
    }
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
                   (mask_.kind == Kind::none ||
                    (mask_.kind == Kind::bytes && bytes.is_side_by_side(tile) && !mask_in_place_));
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
                    rows_body({tile.first, rows, tile.columns, tile.distance,
                               src_place.row(row, static_cast<int64_t>(src_size())),
                               dst_place.row(row, static_cast<int64_t>(dst_size())),
                               mask_in_place_ ? mask_place : mask_place.row(row, 1)});
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
        // Otherwise serves_rows() refuses every tile.
        const bool in_place = src.has_tiles() && dst.has_tiles() &&
                              (mask_.kind == Kind::none || (!mask_in_place_ && bytes.has_tiles()));
        const TileLimits limits = copier.limits(capacity, in_place ? rows_at_once_ : RowsAtOnce());
        copier.for_each_tile(range, limits, transform_tile);
    }

    const ReadTensor& src_;
    const WrittenTensor& dst_;
    const TransformMask& mask_;
    const RowsAtOnce& rows_at_once_;
    bool src_in_place_, dst_in_place_, mask_in_place_, streaming_;
};

}  // namespace

void transform_elements(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
                        double nanoseconds_per_element,
                        FunctionRef<void(const TransformRun&)> body) {
    const MemoryDesc& desc = dst.desc;
    const auto lies_like_dst = [&](MemoryDesc other) {
        other.data_type = desc.data_type;
        return same_layout(other, desc);
    };
    const bool in_memory_order =
        desc.is_dense() && lies_like_dst(src.desc) &&
        (mask.kind == Kind::none || (mask.kind == Kind::bytes && lies_like_dst(mask.desc)));
    if (!in_memory_order) return transform(src, dst, mask, nanoseconds_per_element, body);
    const auto vector_of = [&](DataType type) {
        return MemoryDesc::vector(type, desc.padded_nelems());
    };
    TransformMask flat_mask = mask;
    flat_mask.desc = vector_of(DataType::u8);
    transform({vector_of(src.desc.data_type), src.data}, {vector_of(desc.data_type), dst.data},
              flat_mask, nanoseconds_per_element, body);
    // The padding of the source may have any values.
    zero_padding(desc, dst.data);
    if (mask.kind == Kind::bytes && mask.is_written) zero_padding(mask.desc, mask.data);
}

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
