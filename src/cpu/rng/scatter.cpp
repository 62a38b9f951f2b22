// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/scatter.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "common/types.hpp"

namespace tombola::impl::cpu {
namespace {

// Copies a run to a row of the tensor, or a row to a run. `stride` counts elements.
template <class T>
void copy(T* row, int64_t stride, const T* run, int64_t count) {
    if (stride == 1) {
        std::memcpy(row, run, static_cast<size_t>(count) * sizeof(T));
        return;
    }
    for (int64_t i = 0; i < count; ++i) row[i * stride] = run[i];
}
template <class T>
void copy(const T* row, int64_t stride, T* run, int64_t count) {
    if (stride == 1) {
        std::memcpy(run, row, static_cast<size_t>(count) * sizeof(T));
        return;
    }
    for (int64_t i = 0; i < count; ++i) run[i] = row[i * stride];
}

// Copies iterations [begin, end) of the fastest loop, to or from `run`. The type of the source, T or RunT, is const.
// `row` points to bytes.
template <class T, class RunT, class Byte>
void copy_row(const AxisStride& axis, Byte* row, int64_t begin, int64_t end, RunT* run) {
    const auto at = [&](int64_t i) { return reinterpret_cast<T*>(row + axis.offset(i)); };
    if (axis.is_plain())
        return copy(at(begin), axis.stride / static_cast<int64_t>(sizeof(T)), run, end - begin);
    while (begin < end) {
        const int64_t count = std::min(end - begin, axis.block - begin % axis.block);
        copy(at(begin), 1, run, count);
        begin += count;
        run += count;
    }
}

// Calls body(T{}) with an unsigned type of the element's size.
template <class Body>
void with_element_size(size_t size, const Body& body) {
    switch (size) {
        case 1:
            return body(uint8_t{});
        case 2:
            return body(uint16_t{});
        case 4:
            return body(uint32_t{});
        case 8:
            return body(uint64_t{});
    }
    assert(false && "an element has 1, 2, 4 or 8 bytes");
}

}  // namespace

RunCopier::RunCopier(const MemoryDesc& desc)
    : outer_(make_row_major_nest(desc)),
      row_(outer_.pop()),
      rows_(outer_.pop()),
      element_(size_of(desc.data_type)) {}

template <class T, class RunT, class Byte>
void RunCopier::copy_run(Byte* data, int64_t first, int64_t count, RunT* run) const {
    int64_t begin = first % row_.count, number = first / row_.count % rows_.count;
    LoopCursor at(outer_, first / row_.count / rows_.count);
    for (; count > 0; number = 0, at.next())
        for (; number < rows_.count && count > 0; ++number, begin = 0) {
            const int64_t end = std::min(row_.count, begin + count);
            copy_row<T>(row_.dst, data + at.dst() + rows_.dst.offset(number), begin, end, run);
            run += end - begin;
            count -= end - begin;
        }
}

void RunCopier::scatter(void* data, int64_t first, int64_t count, const void* from) const {
    with_element_size(element_, [&](auto type) {
        using T = decltype(type);
        copy_run<T>(static_cast<char*>(data), first, count, static_cast<const T*>(from));
    });
}

void RunCopier::gather(const void* data, int64_t first, int64_t count, void* to) const {
    with_element_size(element_, [&](auto type) {
        using T = decltype(type);
        copy_run<const T>(static_cast<const char*>(data), first, count, static_cast<T*>(to));
    });
}

}  // namespace tombola::impl::cpu
