// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/philox_transform.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "cpu/rng/mask_bits.hpp"
#include "cpu/streaming.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/rng/philox_args.hpp"
#include "cpu/x64/rng/philox_fill.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using Pointers = PhiloxTransformGenerator::Pointers;

constexpr int kLineBytes = 64;
constexpr int64_t kMaxGroupElements = 128;
constexpr int64_t kMaxSrcBytes = 4;      // bytes of an element of the source
constexpr int64_t kMaxGroupBytes = 512;  // bytes of the results of a group
// The maximum number of elements of a call whose mask of bits does not begin at a whole byte of the run's mask. Such a
// mask is written to a buffer and then shifted to its place.
constexpr int64_t kShiftedElements = 2048;

PhiloxShape philox_shape(const std::string& name, const TransformShape& tensors,
                         const OwnRegisters& own) {
    PhiloxShape shape{name, tensors.dst_bytes, 1};
    shape.own = own;
    shape.draws = tensors.draws_per_word();
    shape.whole_groups = true;
    return shape;
}

}  // namespace

PhiloxTransformGenerator::PhiloxTransformGenerator(const PhiloxGenerator::Key& key,
                                                   const std::string& name,
                                                   const TransformShape& shape,
                                                   const OwnRegisters& own)
    : PhiloxGenerator(key, philox_shape(name, shape, own)), tensors_(shape) {}

void PhiloxTransformGenerator::load_parameters() {
    mov(src(), parameter_address(offsetof(Pointers, src)));
    mov(mask(), parameter_address(offsetof(Pointers, mask)));
    load_values();
}

void PhiloxTransformGenerator::emit_output(Stream& s, int group, const Xbyak::RegExp& to, int,
                                           bool streaming) {
    if (makes_rows()) return emit_rows_output(s, group);
    const Xbyak::RegExp from = src() + group * src_group_bytes();
    // The hardware prefetches too, but it stops at the end of each page of 4 KiB, and does not catch up in time.
    for (int line = 0; line < src_group_bytes(); line += kLineBytes)
        prefetcht0(ptr[from + machine().prefetch_bytes() + line]);
    emit_group(s, from, to, mask() + group * mask_group_bytes(), streaming);
}

void PhiloxTransformGenerator::emit_rows_output(const Stream& s, int group) {
    emit_load_columns(src(), tensors_.src_bytes, s, group);
    emit_group(s, frame(src_frame()), frame(0), frame(mask_frame()), false);
    emit_store_elements(tensors_.dst_bytes, s, group);
    if (tensors_.mask != DropoutMask::none) emit_store_mask(mask(), s, group);
}

void PhiloxTransformGenerator::emit_advance_pointers(int groups) {
    add(src(), groups * src_group_bytes());
    if (tensors_.mask != DropoutMask::none) add(mask(), groups * mask_group_bytes());
}

double PhiloxTransformKernel::nanoseconds_per_element() const {
    const double drawing = kPhiloxInstructions / static_cast<double>(shape.draws_per_word());
    return machine().nanoseconds_per_lane(drawing + kTransformInstructions, vector_bytes);
}

RowsAtOnce PhiloxTransformKernel::rows_at_once(const PhiloxCall& call) const {
    return philox_rows_at_once(row_functions, shape.block_elements(), call.start, call.number_of(0),
                               call.elements);
}

PhiloxTransform::PhiloxTransform(const PhiloxTransformKernel& kernel, PhiloxCounter start,
                                 PhiloxKey key, const PackedParameters& parameters)
    : kernel_(kernel), start_(start), key_(key), args_{} {
    set_philox_keys(args_, key);
    std::memcpy(args_.parameters, parameters.bytes, sizeof args_.parameters);
}

void PhiloxTransform::call(PhiloxCounter counter, int64_t count, const void* from, void* to,
                           void* mask, bool streaming) const {
    PhiloxArgs args = args_;
    const Pointers pointers{from, mask};
    std::memcpy(args.parameters, &pointers, sizeof pointers);
    args.dst = to;
    args.count = count;
    args.streaming = streaming && bytes_into_line(to) == 0 ? 1 : 0;
    fold_philox_rounds(args, counter, key_);
    kernel_.function(args);
}

// The number of elements before the first one that begins a block of draws and a cache line of the destination. Returns
// -1 if there is no such element in the first group.
int64_t PhiloxTransform::head_for_streaming(int64_t skip, const TransformRun& run) const {
    const char* to = static_cast<const char*>(run.to);
    for (int64_t head = 0; skip + head < kernel_.group_elements; ++head)
        if ((skip + head) % kernel_.shape.block_elements() == 0 &&
            bytes_into_line(to + head * kernel_.shape.dst_bytes) == 0)
            return head;
    return -1;
}

// Transforms elements [at, at + count) of the run. Element `at` takes draw `skip` of the counter's block. These are at
// most one group, and use no block after the wrap of the counter's lowest word.
void PhiloxTransform::transform_through_buffer(PhiloxCounter counter, int64_t skip, int64_t count,
                                               const TransformRun& run, int64_t at) const {
    alignas(64) char from[kMaxGroupElements * kMaxSrcBytes] = {};
    alignas(64) char to[kMaxGroupBytes];
    alignas(64) uint8_t mask[kMaxGroupElements] = {};
    const TransformShape& shape = kernel_.shape;
    assert(skip + count <= kernel_.group_elements && kernel_.group_elements <= kMaxGroupElements);
    assert(kernel_.group_elements * shape.dst_bytes <= kMaxGroupBytes);
    std::memcpy(from + skip * shape.src_bytes,
                static_cast<const char*>(run.from) + at * shape.src_bytes,
                static_cast<size_t>(count * shape.src_bytes));
    call(counter, kernel_.group_elements, from, to, mask, false);
    std::memcpy(static_cast<char*>(run.to) + at * shape.dst_bytes, to + skip * shape.dst_bytes,
                static_cast<size_t>(count * shape.dst_bytes));
    if (shape.mask == DropoutMask::u8)
        std::memcpy(run.mask + at, mask + skip, static_cast<size_t>(count));
    if (shape.mask == DropoutMask::bits) {
        Uint128 bits;
        std::memcpy(&bits, mask, sizeof bits);
        bits >>= static_cast<unsigned>(skip);
        std::memcpy(mask, &bits, sizeof bits);
        put_bits(run.mask, at, count, mask);
    }
}

void PhiloxTransform::transform_rows(Uint128 first, const TransformRows& run) const {
    const int64_t block = kernel_.shape.block_elements();
    PhiloxArgs args = args_;
    const Pointers pointers{run.from.at, run.mask.at};
    std::memcpy(args.parameters, &pointers, sizeof pointers);
    set_philox_rows(args, run.rows, run.columns, run.distance / block, run.to);
    args.rows.src_step = run.from.step;
    args.rows.src_ahead = run.from.ahead;
    args.rows.mask_step = run.mask.step;
    fold_philox_rounds(args, start_.plus(first / static_cast<unsigned>(block)), key_);
    kernel_.row_functions.of(run.rows)(args);
}

// Transforms a run with room in one call, from the first element of its first block on. Returns false if the counter wraps there.
bool PhiloxTransform::transform_with_room(Uint128 first, const TransformRun& run) const {
    const TransformShape& shape = kernel_.shape;
    const int64_t block = shape.block_elements(), group = kernel_.group_elements;
    const auto skip = static_cast<int64_t>(first % static_cast<unsigned>(block));
    const PhiloxCounter counter = start_.plus(first / static_cast<unsigned>(block));
    const int64_t count = (skip + run.count + group - 1) / group * group;
    if (count > philox_blocks_to_wrap(counter) * block) return false;

    // Before the first element lie results of an earlier run.
    constexpr size_t kKept = kLineBytes, kKeptMask = 16;
    assert(block <= int64_t{kKeptMask} && block * shape.dst_bytes <= int64_t{kKept});
    assert(kKept <= kTransformRoom && group <= kTransformRoom);
    char* const to = static_cast<char*>(run.to);
    uint8_t* const mask = shape.mask == DropoutMask::u8 ? run.mask : nullptr;
    char kept[kKept], kept_mask[kKeptMask];
    std::memcpy(kept, to - kKept, kKept);
    if (mask != nullptr) std::memcpy(kept_mask, mask - kKeptMask, kKeptMask);
    call(counter, count, static_cast<const char*>(run.from) - skip * shape.src_bytes,
         to - skip * shape.dst_bytes, mask == nullptr ? nullptr : mask - skip, false);
    std::memcpy(to - kKept, kept, kKept);
    if (mask != nullptr) std::memcpy(mask - kKeptMask, kept_mask, kKeptMask);
    return true;
}

void PhiloxTransform::transform(Uint128 first, const TransformRun& run) const {
    if (run.has_room && transform_with_room(first, run)) return;
    const TransformShape& shape = kernel_.shape;
    const int64_t group = kernel_.group_elements, block = shape.block_elements();
    const auto first_skip = static_cast<int64_t>(first % static_cast<unsigned>(block));
    int64_t head = run.streaming ? head_for_streaming(first_skip, run) : -1;
    const bool streaming = head >= 0;
    if (!streaming) head = first_skip == 0 ? 0 : block - first_skip;

    for (int64_t at = 0; at < run.count;) {
        const Uint128 draw = first + static_cast<uint64_t>(at);
        const auto skip = static_cast<int64_t>(draw % static_cast<unsigned>(block));
        const PhiloxCounter counter = start_.plus(draw / static_cast<unsigned>(block));
        const int64_t to_wrap = philox_blocks_to_wrap(counter) * block - skip;
        const int64_t left = std::min(run.count - at, to_wrap);
        int64_t count = left / group * group;
        if (at < head || skip != 0 || count == 0) {
            count = std::min(left, at < head ? head - at : group - skip);
            transform_through_buffer(counter, skip, count, run, at);
        } else {
            const bool shifted = shape.mask == DropoutMask::bits && at % 8 != 0;
            if (shifted) count = std::min(count, kShiftedElements);
            uint8_t bits[kShiftedElements / 8];
            uint8_t* mask = run.mask;
            if (mask != nullptr)
                mask = shifted ? bits : mask + (shape.mask == DropoutMask::bits ? at / 8 : at);
            call(counter, count, static_cast<const char*>(run.from) + at * shape.src_bytes,
                 static_cast<char*>(run.to) + at * shape.dst_bytes, mask, streaming);
            if (shifted) put_bits(run.mask, at, count, bits);
        }
        at += count;
    }
}

}  // namespace tombola::impl::cpu::x64
