// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/dense_bands.hpp"

#include <algorithm>

#include "common/types.hpp"

namespace tombola::impl::cpu {

DenseBands::DenseBands(const MemoryDesc& desc)
    : outer_(make_row_major_nest(desc)),
      row_(outer_.pop()),
      rows_(outer_.pop()),
      element_(static_cast<int64_t>(size_of(desc.data_type))),
      band_rows_(rows_.dst.is_plain() ? rows_.count : rows_.dst.block) {
    const int64_t neighbour = rows_.dst.is_plain() ? rows_.dst.stride : rows_.dst.neighbour;
    exist_ = desc.is_dense() && row_.dst.is_plain() && neighbour == element_ &&
             row_.dst.stride == band_rows_ * element_;
}

DenseBands::Band DenseBands::at(int64_t number) const {
    const int64_t bands = of_image(), image = number / bands;
    const int64_t row = number % bands * band_rows_;
    const int64_t offset = LoopCursor(outer_, image).dst() + rows_.dst.offset(row);
    return {(image * rows_.count + row) * row_.count, std::min(band_rows_, rows_.count - row),
            offset / element_};
}

}  // namespace tombola::impl::cpu
