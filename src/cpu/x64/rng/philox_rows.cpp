// SPDX-License-Identifier: Apache-2.0
// Several rows at once, for tensors whose rows lie side by side (cpu/rng/scatter.hpp). In nhwc a row is the pixels of a channel:
//
//     memory, pixel by pixel:   channels 0 1 2 ...   channels 0 1 2 ...   ...
//     numbers:                  those of channel 0, pixel by pixel, then those of channel 1, ...
//
// Each lane holds a block of its own row: the next elements of this row. So the words of a register, in order, are those of one
// column and then those of the next one, and go to memory without a transpose. The rows must begin with whole blocks.
//
// There are twice as many rows as lanes. The streams with even numbers make the first part of the rows, those with odd numbers the
// second part of the same columns, so that the parts of a line are stored together.
//
// The conversions know nothing of this. They store a group in the frame, as if it were part of a run. Its columns are copied from
// there. A kernel that reads a tensor finds its columns in the frame, too.
#include <algorithm>
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

// A line of each column of a block. scratch_ is overwritten.
void PhiloxGenerator::emit_prefetches(const Reg& pointer, size_t step, size_t ahead, bool writes) {
    mov(scratch_, ptr[args_ + ahead]);
    add(scratch_, pointer);
    for (int column = 0; column < block_columns(); ++column) {
        if (column > 0) add(scratch_, ptr[args_ + step]);
        writes ? prefetchw(ptr[scratch_]) : prefetcht1(ptr[scratch_]);
    }
}

// The pointer itself in the last part of the rows, which moves it on. In the other part a copy of it.
PhiloxGenerator::Reg PhiloxGenerator::columns_pointer(const Reg& pointer, int group) {
    if (is_last_part(group)) return pointer;
    mov(scratch_, pointer);
    return scratch_;
}

// c1 and c3 are scratch. Whole vectors are stored in the frame, because a load that needs several stores waits until they have left
// the store buffer.
void PhiloxGenerator::emit_load_columns(const Reg& pointer, int element_bytes, const Stream& s,
                                        int group) {
    constexpr int kQuarter = 16;
    const int part = group % kRowParts, piece = group_blocks() * element_bytes;
    if (part == 0)
        emit_prefetches(pointer, offsetof(Args, rows.src_step), offsetof(Args, rows.src_ahead),
                        false);
    const Reg from = columns_pointer(pointer, group);
    const Xbyak::RegExp at = from + part * piece;
    const auto next = [&] { add(from, ptr[args_ + offsetof(Args, rows.src_step)]); };
    const int inserted = std::max(piece, kQuarter), all = block_columns() * piece;
    for (int offset = 0; offset < all; offset += inserted) {
        const int place = offset % bytes() / inserted, target = place == 0 ? s.c1 : s.c3;
        load_part(target, ptr[at], piece);
        next();
        if (piece < kQuarter) {
            vmovhps(quarter(target), quarter(target), ptr[at]);
            next();
        }
        if (place > 0)
            insert_piece(vec(s.c1), vec(s.c1), Vocabulary::part(target, inserted), inserted, place);
        if ((offset + inserted) % bytes() == 0)
            store(ptr[frame(kSrcFrame + offset + inserted - bytes())], vec(s.c1));
    }
}

// c0 is scratch.
void PhiloxGenerator::emit_store_columns(const Reg& pointer, size_t step, int offset,
                                         int element_bytes, const Stream& s, int group) {
    const int part = group % kRowParts, piece = group_blocks() * element_bytes;
    if (part == 0 && offset == kDstFrame)
        emit_prefetches(pointer, step, offsetof(Args, rows.dst_ahead), true);
    const Reg to = columns_pointer(pointer, group);
    for (int column = 0; column < block_columns(); ++column) {
        load_part(s.c0, ptr[frame(offset + column * piece)], piece);
        store_part(ptr[to + part * piece], s.c0, piece);
        add(to, ptr[args_ + step]);
    }
}

}  // namespace tombola::impl::cpu::x64
