// SPDX-License-Identifier: Apache-2.0

// Transformations in the order of memory. Each element is computed from the elements at its place alone, so their numbers do not matter.

#include <algorithm>
#include <cassert>
#include <numeric>

#include "common/parallel.hpp"
#include "common/types.hpp"
#include "cpu/rng/dense_bands.hpp"
#include "cpu/rng/mask_bits.hpp"
#include "cpu/rng/transform.hpp"
#include "cpu/streaming.hpp"

namespace tombola::impl::cpu {
namespace {

using Kind = TransformMask::Kind;

// The maximum number of bits of a mask that are put in the order of memory at once: at least 8 pixels of a band.
constexpr int64_t kBandBits = 32 * 1024;
// The maximum number of elements whose bits are drawn at once.
constexpr int64_t kDrawnBits = 128 * 1024;

// Whether every element of both tensors has the same place, and the tensors have no gaps.
bool lie_alike(const MemoryDesc& a, MemoryDesc b) {
    b.data_type = a.data_type;
    return a.is_dense() && same_layout(a, b);
}

// Transforms tensors that lie alike, in the order of memory.
void transform_dense(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
                     double nanoseconds_per_element, FunctionRef<void(const TransformRun&)> body) {
    const auto vector_of = [&](DataType type) {
        return MemoryDesc::vector(type, dst.desc.padded_nelems());
    };
    TransformMask dense_mask = mask;
    dense_mask.desc = vector_of(DataType::u8);
    transform({vector_of(src.desc.data_type), src.data}, {vector_of(dst.desc.data_type), dst.data},
              dense_mask, nanoseconds_per_element, body);
    // The padding of the source may have any values.
    zero_padding(dst.desc, dst.data);
    if (mask.kind == Kind::bytes && mask.is_written) zero_padding(mask.desc, mask.data);
}

// Whether the bits of pixels can be put in the order of memory.
bool have_bits_in_order(const DenseBands& bands) {
    return bands.exist() && (bands.rows() == 4 || bands.rows() % 8 == 0) &&
           bands.rows() <= kBandBits / 8;
}

// Many short rows are transformed by tiles in less time. Measured on Zen 5.
bool bands_are_faster(const DenseBands& bands) {
    constexpr int64_t kManyRows = 32, kShortRow = 32;
    return bands.rows() <= kManyRows || bands.columns() >= kShortRow;
}

// Puts the bits of pixels in the order of memory: those of a part of a band, or of bands that follow one another.
class PixelBits {
  public:
    // body(first, count, bits) is called for the elements that lie in memory from element `first` on.
    using Body = FunctionRef<void(int64_t first, int64_t count, uint8_t* bits)>;
    PixelBits(const DenseBands& bands, Body body) : bands_(bands), body_(body) {}

    // Adds pixels of a band. Bit 0 of `bits` is that of element `number_of_bits`. All but the last pixels of a band are a multiple of 8.
    void add(const uint8_t* bits, int64_t number_of_bits, const DenseBands::Band& band,
             int64_t column, int64_t count) {
        const int64_t rows = bands_.rows();
        while (count > 0) {
            const int64_t at = band.offset + column * rows;
            if (at != first_ + filled_ || filled_ + 8 * rows > kBandBits) finish();
            if (filled_ == 0) first_ = at;
            const int64_t taken =
                std::min({count, kMaxMaskColumns, (kBandBits - filled_) / rows / 8 * 8});
            // If a band of 4 rows has an odd number of columns, the next one begins within a byte.
            uint8_t* to = filled_ % 8 == 0 ? bits_ + filled_ / 8 : piece_;
            get_rows_of_bits(
                bits, {band.first - number_of_bits + column, bands_.columns(), band.rows, taken},
                rows, to);
            if (to == piece_) put_bits(bits_, filled_, taken * rows, piece_);
            filled_ += taken * rows;
            column += taken;
            count -= taken;
        }
    }
    // Calls body() for the pixels that are left.
    void finish() {
        if (filled_ > 0) body_(first_, filled_, bits_);
        filled_ = 0;
    }

  private:
    const DenseBands& bands_;
    Body body_;
    alignas(64) uint8_t bits_[kBandBits / 8];
    uint8_t piece_[kMaxMaskColumns * 4 / 8];  // for bands of 4 rows
    // The place in the tensor, and the number, of the elements whose bits are in bits_.
    int64_t first_ = 0, filled_ = 0;
};

// The work of a transformation of all pixels.
Work work_of_pixels(const ReadTensor& src, const WrittenTensor& dst, double nanoseconds_per_element,
                    bool streaming) {
    constexpr double kNanosecondsPerBit = 0.05;  // of get_rows_of_bits()
    const auto elements = static_cast<size_t>(dst.desc.padded_nelems());
    const size_t bytes = elements * size_of(dst.desc.data_type);
    return work_of(static_cast<double>(elements) * (nanoseconds_per_element + kNanosecondsPerBit),
                   bytes + elements * size_of(src.desc.data_type), streaming ? bytes : 0);
}

bool streams(const WrittenTensor& dst) {
    return bypasses_caches(static_cast<size_t>(dst.desc.padded_nelems()) *
                           size_of(dst.desc.data_type));
}

// As transform_dense(), for a mask of bits that is read, whose order is that of the elements.
void transform_bands(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
                     const DenseBands& bands, double nanoseconds_per_element,
                     FunctionRef<void(const TransformRun&)> body) {
    constexpr int64_t kLinePixels = 8;  // fill whole cache lines, as there are 4 rows or more
    const int64_t pixels = bands.count() * bands.columns();
    const bool streaming = streams(dst);
    const Work work = work_of_pixels(src, dst, nanoseconds_per_element, streaming);
    parallel_ranges(pixels, kLinePixels, work, [&](int64_t begin, int64_t end) {
        const StreamingStores stores(streaming && src.data != dst.data);
        const auto transform_pixels = [&](int64_t first, int64_t count, uint8_t* bits) {
            body({first, count, src.at(first), dst.at(first), bits, stores.allowed()});
        };
        PixelBits pixel_bits(bands, transform_pixels);
        for (int64_t pixel = begin; pixel < end;) {
            const int64_t column = pixel % bands.columns();
            const int64_t count = std::min(bands.columns() - column, end - pixel);
            pixel_bits.add(mask.data, 0, bands.at(pixel / bands.columns()), column, count);
            pixel += count;
        }
        pixel_bits.finish();
    });
}

// Threads share bands in units of this many, so that no two of them write bits of one byte.
int64_t bands_of_unit(const DenseBands& bands, const TransformMask& mask) {
    if (mask.kind != Kind::bits) return 1;
    const auto units = [](int64_t elements) { return 8 / std::gcd(elements, int64_t{8}); };
    if (bands.have_padding()) return bands.of_image() * units(bands.elements_of_image());
    return units(bands.rows() * bands.columns());
}

}  // namespace

void transform_elements(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
                        double nanoseconds_per_element,
                        FunctionRef<void(const TransformRun&)> body) {
    if (dst.desc.nelems() == 0 || dst.desc.is_row_major() || !lie_alike(dst.desc, src.desc))
        return transform(src, dst, mask, nanoseconds_per_element, body);
    if (mask.kind == Kind::none || (mask.kind == Kind::bytes && lie_alike(dst.desc, mask.desc)))
        return transform_dense(src, dst, mask, nanoseconds_per_element, body);
    if (mask.kind == Kind::bits && !mask.is_written) {
        const DenseBands bands(dst.desc);
        if (have_bits_in_order(bands) && bands_are_faster(bands))
            return transform_bands(src, dst, mask, bands, nanoseconds_per_element, body);
    }
    transform(src, dst, mask, nanoseconds_per_element, body);
}

bool serves_bits(const MemoryDesc& src, const MemoryDesc& dst) {
    if (dst.nelems() == 0 || dst.is_row_major() || !lie_alike(dst, src)) return false;
    // Shorter rows are faster by tiles. Measured on Zen 5 alone.
    constexpr int64_t kMinColumns = 8;
    const DenseBands bands(dst);
    return have_bits_in_order(bands) && bands.columns() >= kMinColumns &&
           bands.rows() * bands.columns() <= kDrawnBits;
}

bool transform_by_bits(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
                       double nanoseconds_per_element, DrawBits draw,
                       FunctionRef<void(const TransformRun&, uint8_t* mask)> body) {
    assert(serves_bits(src.desc, dst.desc));
    const int64_t count = dst.desc.nelems();
    if (mask.kind == Kind::bytes && !lie_alike(dst.desc, mask.desc)) return false;
    const DenseBands bands(dst.desc);
    const int64_t elements = bands.rows() * bands.columns(), unit = bands_of_unit(bands, mask);
    const bool streaming = streams(dst);
    const int parts = parts_for(work_of_pixels(src, dst, nanoseconds_per_element, streaming));
    // transform() cuts the work as finely as threads like.
    if (parts > 1 && bands.count() / unit < parts) return false;

    if (mask.kind == Kind::bits) mask.data[(count - 1) / 8] = 0;
    parallel(parts, [&](int part, int all) {
        const auto [begin, end] = split(bands.count(), part, all, unit);
        const StreamingStores stores(streaming && src.data != dst.data);
        const auto transform_pixels = [&](int64_t first, int64_t number, uint8_t* bits) {
            body({first, number, src.at(first), dst.at(first), bits, stores.allowed()},
                 mask.kind == Kind::bytes ? mask.data + first : nullptr);
        };
        PixelBits pixel_bits(bands, transform_pixels);
        alignas(64) uint8_t drawn[kDrawnBits / 8];
        for (int64_t number = begin; number < end;) {
            const int64_t last = std::min(end, number + kDrawnBits / elements);
            const int64_t first = bands.at(number).first;
            const DenseBands::Band last_band = bands.at(last - 1);
            const int64_t drawn_count = last_band.first + last_band.rows * bands.columns() - first;
            draw(first, drawn_count, drawn);
            if (mask.kind == Kind::bits) put_bits(mask.data, first, drawn_count, drawn);
            for (; number < last; ++number)
                pixel_bits.add(drawn, first, bands.at(number), 0, bands.columns());
        }
        pixel_bits.finish();
    });
    return true;
}

}  // namespace tombola::impl::cpu
