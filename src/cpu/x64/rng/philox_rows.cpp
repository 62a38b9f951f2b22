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
namespace {

constexpr int kQuarterBytes = 16;

}  // namespace

// Adds M0 times the number of each lane's first block.
void PhiloxGenerator::add_row_products(const Vec& product, const Vec& scratch) {
    const uint64_t lanes[] = {0, 1, 2, 3, 4, 5, 6, 7};
    broadcast_u64(scratch, ptr[args_ + offsetof(Args, rows.blocks)]);
    vpmuludq(scratch, scratch, vector_table(lanes));
    vpmuludq(scratch, scratch, vector_u64(kPhiloxM0));
    vpaddq(product, product, scratch);
    part_product_ = spread_u64(args_, offsetof(Args, rows.part_product), next_slot_++, scratch);
}

// A lane has the pair (w1, w0) or (w3, w2): the next elements of its row, but the words must change places. They are put in order: the first
// element of all rows, then the second one of all rows, and so on.
void PhiloxGenerator::emit_unpack_rows(const Stream& s) {
    const Vec pairs[2] = {vec(s.c0), vec(s.c2)};
    if (shape_.words == 2) {
        for (const Vec& pair : pairs) swap_words_u64(pair, pair);
        return;
    }
    const int quarters = bytes() / kQuarterBytes, words = bytes() / 4;
    uint32_t order[16];
    if (shape_.draws > 1) {
        for (const Vec& pair : pairs) emit_unpack_two_rows(pair);
        for (int i = 0; i < words; ++i)
            order[i] = static_cast<uint32_t>(i % quarters * 4 + i / quarters);
    } else {
        for (int i = 0; i < words; ++i)
            order[i] = static_cast<uint32_t>(2 * i < words ? 2 * i + 1 : 2 * i - words);
    }
    const Vec table = vec(s.c1);
    load(table, vector_table(order));
    for (const Vec& pair : pairs) vpermd(pair, table, pair);
    if (shape_.draws == 4)
        for (const Vec& pair : pairs) emit_unpack_two_columns(pair);
}

// Puts the elements of each quarter in order. It has two rows of two or four elements a word.
void PhiloxGenerator::emit_unpack_two_rows(const Vec& pair) {
    const int element = 4 / shape_.draws, in_pair = 2 * shape_.draws;
    uint8_t order[64];
    for (int i = 0; i < 64; ++i) {
        const int column = i % kQuarterBytes / (2 * element), row = i / element % 2;
        order[i] = static_cast<uint8_t>(8 * row + (column + in_pair / 2) % in_pair * element +
                                        i % element);
    }
    vpshufb(pair, pair, vector_table(order));
}

// Puts the elements of each two columns of bytes in order. Two rows of one and two of the other alternate.
void PhiloxGenerator::emit_unpack_two_columns(const Vec& pair) {
    const int column_units = bytes() / kQuarterBytes, units = 2 * column_units;
    uint8_t order[64];
    for (int i = 0; i < 64; ++i) {
        const int unit = i / 2 % units, from = unit % column_units * 2 + unit / column_units;
        order[i] = static_cast<uint8_t>((i / 2 / units * units + from) * 2 % kQuarterBytes + i % 2);
    }
    vpshufb(pair, pair, vector_table(order));
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

// The place of a column. Columns are asked for in ascending order. scratch_ and scratch2_ are overwritten; the pointer may be scratch2_.
Xbyak::RegExp PhiloxGenerator::emit_column(const Reg& pointer, const Reg& step, int column) {
    constexpr int kColumns = 4;  // that one register reaches
    const Reg& first = column < kColumns ? pointer : scratch2_;
    const int offset = column % kColumns;
    if (column > 0 && offset == 0)
        lea(scratch2_, ptr[(column == kColumns ? pointer : scratch2_) + step * kColumns]);
    if (offset == 0) return first;
    if (offset < 3) return first + step * offset;
    lea(scratch_, ptr[first + step]);
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
    if (!is_last_part(group)) return;
    const int columns = std::min(block_columns(), 8);
    for (int i = 0; i < block_columns(); i += columns) lea(pointer, ptr[pointer + step * columns]);
}

// Copies columns of the source to the frame. c1 and c3 are scratch. The frame gets whole vectors, because a load that needs several stores
// waits until they have left the store buffer.
void PhiloxGenerator::emit_load_columns(const Reg& pointer, int element_bytes, const Stream& s,
                                        int group) {
    const int part = group % row_parts_, piece = group_blocks() * element_bytes;
    if (part == 0) emit_prefetches(pointer, src_step_, src_ahead_, false);
    const int inserted = std::max(piece, kQuarterBytes), all = block_columns() * piece;
    assert(src_frame() + all <= mask_frame());
    int column = 0;
    const auto next = [&] { return ptr[emit_column(pointer, src_step_, column++) + part * piece]; };
    for (int offset = 0; offset < all; offset += inserted) {
        const int place = offset % bytes() / inserted, target = place == 0 ? s.c1 : s.c3;
        load_part(target, next(), piece);
        if (piece < kQuarterBytes) vmovhps(quarter(target), quarter(target), next());
        if (place > 0)
            insert_piece(vec(s.c1), vec(s.c1), Vocabulary::part(target, inserted), inserted, place);
        if ((offset + inserted) % bytes() == 0)
            store(ptr[frame(src_frame() + offset + inserted - bytes())], vec(s.c1));
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
    assert(group_bytes() <= src_frame());
    if (group % row_parts_ == 0) emit_prefetches(dst_, dst_step_, dst_ahead_, true);
    emit_store_columns(dst_, dst_step_, 0, element_bytes, s, group);
}

// The mask of the group in the frame.
void PhiloxGenerator::emit_store_mask(const Reg& pointer, const Stream& s, int group) {
    emit_store_columns(pointer, mask_step_, mask_frame(), 1, s, group);
}

}  // namespace tombola::impl::cpu::x64
