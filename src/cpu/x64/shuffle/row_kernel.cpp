// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/row_functions.hpp"

#include <algorithm>
#include <cstddef>

// A shuffle of whole rows, in the order of the destination, so that the addresses of the stores ascend:
//
//   for each image, v < G, u < Q:   dst row u + v * Q = src row u * G + v
//
// The number of bytes of a row is part of the code. A row is copied as vectors side by side. If they do not fill it,
// a last vector ends where the row ends and overlaps the one before. A row shorter than a vector is at most two
// shorter vectors, which may overlap: a store under a mask takes longer than two stores.
//
//   49 bytes   [0 .......... 31]            196 bytes, AVX-512   [0..63][64..127][128..191]
//                    [17 .......... 48]                                       [132 ..... 195]
//
// register  role
// gpr 0     arguments
// gpr 1-2   source and destination of the image
// gpr 3-4   source and destination of the group
// gpr 5-6   source and destination of the row
// gpr 7-9   images, groups, rows left
// gpr 10    offset in a long row, or in several rows that stream
// gpr 11    scratch; offset in one of several rows that stream
// vec 0-15  bytes that are being copied

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kInFlight = 16;
constexpr int kVectorsUnrolled = 16;  // a row of up to this many vectors is straight code
constexpr int kVectorsInLoop = 4;
constexpr int kMaxRowsUnrolled = 8;
constexpr int kRowsStreaming = 4;
constexpr int kLinesInLoop = 4;

bool fits_displacement(int64_t value) {
    return -(int64_t{1} << 31) <= value && value < int64_t{1} << 31;
}

class RowKernel : public Vocabulary {
  public:
    using Args = RowArgs;
    using Key = RowKey;

    explicit RowKernel(const Key& key) : Vocabulary(key.isa, "shuffle_row"), key_(key) {}

  private:
    void generate() override {
        begin(12);
        const Reg args = gpr(0), src = gpr(1), dst = gpr(2), group_src = gpr(3), group_dst = gpr(4),
                  images = gpr(7), groups = gpr(8);
        const auto advance = [&](const Reg& s, const Reg& d, size_t loop) {
            add(s, ptr[args + loop + offsetof(RowLoop, src)]);
            add(d, ptr[args + loop + offsetof(RowLoop, dst)]);
        };
        Label each_image, each_group;
        mov(src, ptr[args + offsetof(Args, src)]);
        mov(dst, ptr[args + offsetof(Args, dst)]);
        mov(images, ptr[args + offsetof(Args, images)]);
        L(each_image);
        mov(group_src, src);
        mov(group_dst, dst);
        mov(groups, ptr[args + offsetof(Args, groups)]);
        L(each_group);
        emit_group();
        advance(group_src, group_dst, offsetof(Args, groups));
        dec(groups);
        jnz(each_group, T_NEAR);
        advance(src, dst, offsetof(Args, images));
        dec(images);
        jnz(each_image, T_NEAR);
        end();
    }

    // Copies rows_unrolled() rows at a time, then half as many, and so on down to one.
    void emit_group() {
        const Reg args = gpr(0), group_src = gpr(3), group_dst = gpr(4), row_src = gpr(5),
                  row_dst = gpr(6), rows = gpr(9);
        mov(row_src, group_src);
        mov(row_dst, group_dst);
        mov(rows, ptr[args + offsetof(Args, rows)]);
        for (int count = rows_unrolled(); count >= 1; count /= 2) {
            Label next, end;
            sub(rows, count);
            jl(end, T_NEAR);
            align(16);
            L(next);
            emit_rows(count);
            advance_rows(count);
            sub(rows, count);
            jge(next, T_NEAR);
            L(end);
            add(rows, count);
        }
    }

    void advance_rows(int rows) {
        const auto advance = [&](const Reg& address, int64_t bytes) {
            if (fits_displacement(bytes)) return add(address, static_cast<uint32_t>(bytes));
            mov(gpr(11), bytes);
            add(address, gpr(11));
        };
        advance(gpr(5), rows * key_.src_row);
        advance(gpr(6), rows * key_.dst_row);
    }

    int rows_unrolled() const {
        const int64_t vectors = (key_.row_bytes + bytes() - 1) / bytes();
        int rows = key_.streaming ? kRowsStreaming : kMaxRowsUnrolled;
        while (rows > 1 && ((!key_.streaming && rows * vectors > kVectorsUnrolled) ||
                            !fits_displacement(rows * key_.src_row + key_.row_bytes) ||
                            !fits_displacement(rows * key_.dst_row + key_.row_bytes)))
            rows /= 2;
        return rows;
    }

    void emit_rows(int count) {
        if (key_.streaming) return emit_streaming_rows(count);
        for (int row = 0; row < count; ++row)
            emit_row(row * key_.src_row, row * key_.dst_row, row * kInFlight / count);
    }

    void emit_row(int64_t src_offset, int64_t dst_offset, int first_register) {
        if (key_.row_bytes > kVectorsUnrolled * bytes()) return emit_long_row();
        int turn = first_register;
        for (const Piece& piece : cut_into_vectors(key_.row_bytes, bytes(), false))
            emit_piece(src_offset + piece.offset, dst_offset + piece.offset, piece.bytes, turn++);
    }

    // 4, 8, 16 ... bytes() bytes.
    void emit_piece(int64_t src_offset, int64_t dst_offset, int size, int turn) {
        const Address from = ptr[gpr(5) + src_offset], to = ptr[gpr(6) + dst_offset];
        if (size <= 8) {  // faster than through vec
            const auto scratch = gpr(11).changeBit(8 * size);
            mov(scratch, from);
            return mov(to, scratch);
        }
        load_part(turn % kInFlight, from, size);
        store_part(to, turn % kInFlight, size);
    }

    void emit_long_row() {
        const Reg src = gpr(5), dst = gpr(6), at = gpr(10);
        const int64_t step = kVectorsInLoop * bytes(), looped = key_.row_bytes / step * step;
        Label next;
        mov(at, -looped);
        add(src, static_cast<uint32_t>(looped));
        add(dst, static_cast<uint32_t>(looped));
        align(16);
        L(next);
        for (int i = 0; i < kVectorsInLoop; ++i) load(vec(i), ptr[src + at + i * bytes()]);
        for (int i = 0; i < kVectorsInLoop; ++i) store(ptr[dst + at + i * bytes()], vec(i));
        add(at, static_cast<uint32_t>(step));
        jnz(next);
        for (const Piece& piece : cut_into_vectors(key_.row_bytes, bytes(), false))
            if (piece.end() > looped)
                emit_piece(piece.offset - looped, piece.offset - looped, piece.bytes, 0);
        sub(src, static_cast<uint32_t>(looped));
        sub(dst, static_cast<uint32_t>(looped));
    }

    // Copies several rows at the same time, with stores that bypass the caches. A core that writes to one page at a
    // time does not use the whole bandwidth of the memory (measured with rows of 4 KiB, 512 MiB in all: 17.5 GB/s with
    // one row, 21.3 with four). The start and the last vector of a row are stored normally. The bytes between them are
    // stored in aligned vectors that bypass the caches.
    //
    //   `at` is the offset of a cache line in row 0; it starts below 64. Row r has a line at `at` + lead(r), with
    //   lead(r) = -r * dst_row mod 64
    void emit_streaming_rows(int count) {
        const Reg src = gpr(5), dst = gpr(6), at = gpr(10), left = gpr(11);
        const auto lead = [&](int row) { return (-row * key_.dst_row) & (kLineBytes - 1); };
        const auto copy_vectors = [&](const Reg& offset, int row, int vectors) {
            const Xbyak::RegExp from = src + offset + (row * key_.src_row + lead(row));
            const Xbyak::RegExp to = dst + offset + (row * key_.dst_row + lead(row));
            for (int i = 0; i < vectors; ++i) load(vec(i), ptr[from + i * bytes()]);
            for (int i = 0; i < vectors; ++i) store(ptr[to + i * bytes()], vec(i), true);
            add(offset, vectors * bytes());
        };
        int64_t max_lead = 0;
        for (int row = 0; row < count; ++row) {
            max_lead = std::max(max_lead, lead(row));
            const int64_t s = row * key_.src_row, d = row * key_.dst_row,
                          last = key_.row_bytes - bytes();
            for (int64_t offset = 0; offset < kLineBytes + lead(row); offset += bytes())
                emit_piece(s + offset, d + offset, bytes(), 0);
            emit_piece(s + last, d + last, bytes(), 1);
        }
        constexpr int kStep = kLinesInLoop * kLineBytes;
        Label loop, loop_end;
        mov(at, dst);
        neg(at);
        and_(at, kLineBytes - 1);
        L(loop);
        cmp(at, static_cast<uint32_t>(key_.row_bytes - kStep - max_lead));
        jg(loop_end, T_NEAR);
        for (int row = 0; row < count; ++row) {
            mov(left, at);
            copy_vectors(left, row, kStep / bytes());
        }
        add(at, kStep);
        jmp(loop, T_NEAR);
        L(loop_end);
        for (int row = 0; row < count; ++row) {
            Label next, end;
            mov(left, at);
            L(next);
            cmp(left, static_cast<uint32_t>(key_.row_bytes - bytes() - lead(row)));
            jg(end);
            copy_vectors(left, row, 1);
            jmp(next);
            L(end);
        }
    }

    Key key_;
};

}  // namespace

Result<JitFunction<RowArgs>> row_function(const RowKey& key) {
    return cached_function<RowKernel>(key);
}

}  // namespace tombola::impl::cpu::x64
