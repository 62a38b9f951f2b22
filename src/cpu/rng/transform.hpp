// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a tensor is read, changed element by element and written to another tensor, on any number of threads.
//
//   transform({src_desc, src}, {dst_desc, dst}, mask, nanoseconds, [&](const TransformRun& run) { ... });
//
// Elements are numbered in logical row-major order, so an element gets the same number in every layout. A row-major
// tensor is read or written in place. Any other tensor goes through a buffer on the stack: a run of it is gathered
// before the call, or scattered after it. If rows lie side by side in all tensors, a source may read and write several
// rows at once where they lie. Padding of the written tensors is zeroed.

#include <cstdint>

#include "common/function_ref.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"
#include "cpu/rng/scatter.hpp"

namespace tombola::impl::cpu {

// A thread's range begins at a multiple of this many elements of the tensor. A run may begin at any element.
inline constexpr int64_t kTransformMultiple = 64;
// The most elements before a run, and behind it, that a run with room may touch (TransformRun::has_room).
inline constexpr int64_t kTransformRoom = 128;

struct TransformRun {
    int64_t first;     // the number of its first element
    int64_t count;     // at least 1
    const void* from;  // dense, as are the others
    void* to;          // may be `from`
    // The first element's byte, or the byte whose lowest bit is the first element's. Null: there is no mask.
    uint8_t* mask;
    bool streaming;  // the tensor is so large that stores should bypass the caches
    // Whether there are kTransformRoom elements before the run and behind it that a kernel may read and write too. They may have any values.
    // Afterwards, what lies before the run in the written tensors must be as it was. What lies behind it does not matter. A source in place is
    // only read.
    bool has_room = false;
};

// Several rows of a tile, which are read and written where they lie.
struct TransformRows {
    int64_t first;  // the number of the first element of the first row
    int64_t rows;
    int64_t columns;   // of each row
    int64_t distance;  // from row to row, in numbers of elements
    Columns<const char> from;
    Columns<char> to;
    // Bytes, 0 or 1, also where the mask beside the tensors has bits. at is null: there is no mask.
    Columns<char> mask;
};

// A mask beside the elements.
struct TransformMask {
    enum class Kind { none, bytes, bits };
    Kind kind = Kind::none;
    bool is_written = false;  // otherwise it is read
    MemoryDesc desc;          // of a mask of bytes: u8 with the dimensions of the tensors
    uint8_t* data = nullptr;
};

struct ReadTensor {
    const MemoryDesc& desc;
    const void* data;  // the address of the first element: offset0 has been added

    size_t element_bytes() const { return size_of(desc.data_type); }
    // The address that is this many elements after the first.
    const char* at(int64_t elements) const {
        return static_cast<const char*>(data) + static_cast<size_t>(elements) * element_bytes();
    }
};
struct WrittenTensor {
    const MemoryDesc& desc;
    void* data;

    size_t element_bytes() const { return size_of(desc.data_type); }
    char* at(int64_t elements) const {
        return static_cast<char*>(data) + static_cast<size_t>(elements) * element_bytes();
    }
};

// src and dst have equal dimensions. They may be one buffer if their layouts are equal. How long one thread takes to
// compute an element decides from which size on the tensors are shared by threads. rows_body() computes as many rows at once
// as `at_once` allows.
void transform(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
               double nanoseconds_per_element, FunctionRef<void(const TransformRun&)> body,
               const RowsAtOnce& at_once, FunctionRef<void(const TransformRows&)> rows_body);
inline void transform(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
                      double nanoseconds_per_element, FunctionRef<void(const TransformRun&)> body) {
    transform(src, dst, mask, nanoseconds_per_element, body, {}, [](const TransformRows&) {});
}

// The same, but body() computes each element from the elements at its place alone. Tensors of equal layouts are transformed in the order of
// memory, so `first` of a run means nothing.
void transform_elements(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
                        double nanoseconds_per_element,
                        FunctionRef<void(const TransformRun&)> body);

// Whether transform_by_bits() may serve such tensors.
bool serves_bits(const MemoryDesc& src, const MemoryDesc& dst);
// The same where draws decide which elements are kept, for tensors that serves_bits() accepts.
//
//   draw(first, count, bits)   writes a bit for each of the elements [first, first + count), by their numbers
//   body(run, mask)            finds these bits, in the order of memory, in run.mask. It writes a mask of bytes at `mask`, unless that is null
//
// A mask of bits is written by the function itself. It returns false, and does nothing, if the layout of the mask or the number of threads does
// not suit.
using DrawBits = FunctionRef<void(int64_t first, int64_t count, uint8_t* bits)>;
bool transform_by_bits(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
                       double nanoseconds_per_element, DrawBits draw,
                       FunctionRef<void(const TransformRun&, uint8_t* mask)> body);

}  // namespace tombola::impl::cpu
