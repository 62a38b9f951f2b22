// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/memory_desc.hpp"
#include "cpu/loop_nest.hpp"

namespace tombola::impl::cpu {

// The bands of a tensor without gaps whose rows lie side by side. A band has all rows that do so, and is dense: in nhwc an image, in nChw16c
// a block. The rows of padding count too.
class DenseBands {
  public:
    // The tensor has elements.
    explicit DenseBands(const MemoryDesc& desc);
    bool exist() const { return exist_; }
    int64_t count() const { return outer_.iterations() * of_image(); }
    int64_t of_image() const { return (rows_.count - 1) / band_rows_ + 1; }
    int64_t elements_of_image() const { return rows_.count * row_.count; }
    // Whether the last band of each image has rows of padding.
    bool have_padding() const { return rows_.count % band_rows_ != 0; }
    int64_t rows() const { return band_rows_; }
    int64_t columns() const { return row_.count; }
    struct Band {
        int64_t first;   // the number of its first element
        int64_t rows;    // without those of padding
        int64_t offset;  // of its first element in the tensor, in elements
    };
    Band at(int64_t number) const;

  private:
    LoopNest outer_;
    Loop row_, rows_;
    int64_t element_, band_rows_;
    bool exist_;
};

}  // namespace tombola::impl::cpu
