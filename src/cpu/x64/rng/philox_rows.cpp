// SPDX-License-Identifier: Apache-2.0
// Several rows at once, for tensors whose rows lie side by side (cpu/rng/scatter.hpp). In nhwc a row is the pixels of a channel:
//
//     memory, pixel by pixel:   channels 0 1 2 ...   channels 0 1 2 ...   ...
//     numbers:                  those of channel 0, pixel by pixel, then those of channel 1, ...
//
// Each lane holds a block of its own row: the next elements of this row. So the words of a register, in order, are the words of one column
// and then those of the next column. They go to memory without a transpose. The rows must begin with whole blocks.
//
// There are as many rows as lanes, or twice as many. If twice, streams with even numbers make the first part of the rows, and streams with odd
// numbers make the second part of the same columns. So the parts of a line are stored one right after the other.
//
// The conversions do not know about rows. They store a group in the frame, as if it were part of a run, and the columns are copied from
// there. A kernel that reads a tensor finds its columns in the frame, too.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "cpu/rng/philox.hpp"
#include "cpu/x64/rng/philox_generator.hpp"

namespace tombola::impl::cpu::x64 {

// Adds M0 times the number of each lane's first block.
void PhiloxGenerator::add_row_products(const Vec& product, const Vec& scratch) {
    const uint64_t lanes[] = {0, 1, 2, 3, 4, 5, 6, 7};
    broadcast_u64(scratch, ptr[args_ + offsetof(Args, rows.blocks)]);
    vpmuludq(scratch, scratch, vector_table(lanes));
    vpmuludq(scratch, scratch, vector_u64(kPhiloxM0));
    vpaddq(product, product, scratch);
    part_product_ = spread_u64(args_, offsetof(Args, rows.part_product), next_slot_++, scratch);
}

// A lane has the pair (w1, w0) or (w3, w2) of its row. An element of two words is a pair whose words change places. Elements of one
// word are put in order: w0 of all rows, and then w1 of all rows.
void PhiloxGenerator::emit_unpack_rows(const Stream& s) {
    if (shape_.words == 2) {
        swap_words_u64(vec(s.c0), vec(s.c0));
        swap_words_u64(vec(s.c2), vec(s.c2));
        return;
    }
    uint32_t order[16];
    const auto words = static_cast<uint32_t>(lanes(sizeof(uint32_t)));
    for (uint32_t i = 0; i < words; ++i) order[i] = 2 * i < words ? 2 * i + 1 : 2 * i - words;
    load(vec(s.c1), vector_table(order));
    vpermd(vec(s.c0), vec(s.c1), vec(s.c0));
    vpermd(vec(s.c2), vec(s.c1), vec(s.c2));
}

// Loads the distances of rows. Their registers follow those of the kernel.
void PhiloxGenerator::load_steps() {
    int next = kUsedGprs + extra_gprs();
    const auto loaded = [&](size_t offset) {
        const Reg reg = gpr(next++);
        mov(reg, ptr[args_ + offset]);
        return reg;
    };
    dst_step_ = loaded(offsetof(Args, rows.dst_step));
    dst_ahead_ = loaded(offsetof(Args, rows.dst_ahead));
    src_step_ = loaded(offsetof(Args, rows.src_step));
    src_ahead_ = loaded(offsetof(Args, rows.src_ahead));
    mask_step_ = loaded(offsetof(Args, rows.mask_step));
}

// Columns 0 to 3 from the pointer on. For column 3, scratch_ is overwritten.
Xbyak::RegExp PhiloxGenerator::emit_column(const Reg& pointer, const Reg& step, int column) {
    if (column == 0) return pointer;
    if (column < 3) return pointer + step * column;
    lea(scratch_, ptr[pointer + step]);
    return scratch_ + step * 2;
}

// Prefetches a line of each column of a block.
void PhiloxGenerator::emit_prefetches(const Reg& pointer, const Reg& step, const Reg& ahead,
                                      bool writes) {
    lea(scratch2_, ptr[pointer + ahead]);
    for (int column = 0; column < block_columns(); ++column) {
        const Xbyak::RegExp at = emit_column(scratch2_, step, column);
        writes ? prefetchw(ptr[at]) : prefetcht1(ptr[at]);
    }
}

// Moves the pointer to the next columns, after the last part of the rows.
void PhiloxGenerator::emit_next_columns(const Reg& pointer, const Reg& step, int group) {
    if (is_last_part(group)) lea(pointer, ptr[pointer + step * block_columns()]);
}

// Copies columns of the source to the frame. c1 and c3 are scratch. The frame gets whole vectors, because a load that needs several stores
// waits until they have left the store buffer.
void PhiloxGenerator::emit_load_columns(const Reg& pointer, int element_bytes, const Stream& s,
                                        int group) {
    constexpr int kQuarter = 16;
    const int part = group % row_parts_, piece = group_blocks() * element_bytes;
    if (part == 0) emit_prefetches(pointer, src_step_, src_ahead_, false);
    const int inserted = std::max(piece, kQuarter), all = block_columns() * piece;
    assert(all <= kMaskFrame - kSrcFrame);
    int column = 0;
    const auto next = [&] { return ptr[emit_column(pointer, src_step_, column++) + part * piece]; };
    for (int offset = 0; offset < all; offset += inserted) {
        const int place = offset % bytes() / inserted, target = place == 0 ? s.c1 : s.c3;
        load_part(target, next(), piece);
        if (piece < kQuarter) vmovhps(quarter(target), quarter(target), next());
        if (place > 0)
            insert_piece(vec(s.c1), vec(s.c1), Vocabulary::part(target, inserted), inserted, place);
        if ((offset + inserted) % bytes() == 0)
            store(ptr[frame(kSrcFrame + offset + inserted - bytes())], vec(s.c1));
    }
    emit_next_columns(pointer, src_step_, group);
}

// c0 is scratch.
void PhiloxGenerator::emit_store_columns(const Reg& pointer, const Reg& step, int offset,
                                         int element_bytes, const Stream& s, int group) {
    const int part = group % row_parts_, piece = group_blocks() * element_bytes;
    for (int column = 0; column < block_columns(); ++column) {
        load_part(s.c0, ptr[frame(offset + column * piece)], piece);
        store_part(ptr[emit_column(pointer, step, column) + part * piece], s.c0, piece);
    }
    emit_next_columns(pointer, step, group);
}

// The elements of the group in the frame.
void PhiloxGenerator::emit_store_elements(int element_bytes, const Stream& s, int group) {
    assert(group_bytes() <= kSrcFrame - kDstFrame);
    if (group % row_parts_ == 0) emit_prefetches(dst_, dst_step_, dst_ahead_, true);
    emit_store_columns(dst_, dst_step_, kDstFrame, element_bytes, s, group);
}

// The mask of the group in the frame.
void PhiloxGenerator::emit_store_mask(const Reg& pointer, const Stream& s, int group) {
    emit_store_columns(pointer, mask_step_, kMaskFrame, 1, s, group);
}

}  // namespace tombola::impl::cpu::x64
