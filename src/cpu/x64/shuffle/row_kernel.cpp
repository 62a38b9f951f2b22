// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/row_functions.hpp"

#include <algorithm>
#include <cstddef>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/shuffle/store_vocabulary.hpp"

// A shuffle of whole rows. The two inner loops are in the order of the destination (turns v of rows u) or of the source (turns u of rows
// v):
//
//   for each image, v < G, u < Q:   dst row u + v * Q = src row u * G + v       turns v of rows u, or turns u of rows v
//
// The number of bytes of a row is part of the code. A row is copied as vectors side by side. If they do not fill it,
// a last vector ends where the row ends and overlaps the one before. A row shorter than a vector is at most two
// shorter vectors, which may overlap: a store under a mask takes longer than two stores.
// With RowKey::overruns it is one access, which ends after the row.
//
//   49 bytes   [0 .......... 31]            196 bytes, AVX-512   [0..63][64..127][128..191]
//                    [17 .......... 48]                                       [132 ..... 195]
//
// register  role
// gpr 0     arguments
// gpr 1-2   source and destination of the image
// gpr 3-4   source and destination of the turn; straight turns: bytes to those of the next turn
// gpr 5-6   source and destination of the row, or of a straight turn
// gpr 7-9   images, turns, rows left
// gpr 10    offset in a long row, or in several rows that stream
// gpr 11    scratch; offset in one of several rows that stream
// gpr 12    rows that stream: where the line goes that holds the end of the row before
// gpr 13    rows that stream: source of the rows that are copied next, or a line that is prefetched
// gpr 12-14 rows that are copied as strings: what rcx, rsi and rdi held before
// vec 0-15  bytes that are being copied
// k1        straight turns: a row that is shorter than a vector

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kVectorsUnrolled = 16;  // a row of at most this many vectors is straight code
constexpr int kVectorsInLoop = 4;
constexpr int kMaxRowsUnrolled = 8;
constexpr int kRowsStreaming = 4;
constexpr int kLinesInLoop = 4;
constexpr int64_t kLinesOfNextRow = 8;  // lines of the next row that are prefetched

// The stack of rows that stream. A store of 64 bytes may begin or end anywhere in the line.
constexpr int kLineOnStack = kLineBytes;
// In place of the line of the destination in which the first row of the call begins.
constexpr int kFirstLineOnStack = 3 * kLineBytes;
constexpr int kStackOfStreaming = 4 * kLineBytes;

bool fits_displacement(int64_t value) {
    return -(int64_t{1} << 31) <= value && value < int64_t{1} << 31;
}

class RowKernel : public StoreVocabulary {
  public:
    using Args = RowArgs;
    using Key = RowKey;

    explicit RowKernel(const Key& key)
        : StoreVocabulary(key.stores, key.sources, key.isa, "shuffle_row"), key_(key) {}

  private:
    static constexpr int kInFlight = 16;
    // Lines of the destination are prefetched this far ahead, if the tensors exceed the second-level cache. Rows of 1.5 to 6
    // KiB are then copied up to 3 % faster from the third-level cache; 256 bytes to 2 KiB make no difference.
    static constexpr int64_t kBytesAhead = 16 * kLineBytes;
    static constexpr size_t kImages = offsetof(Args, images), kTurns = offsetof(Args, turns);

    void generate() override {
        begin(copies_strings() ? 15 : streams() ? 14 : 12, streams() ? kStackOfStreaming : 0);
        const int of_turn = is_straight() ? 5 : 3;
        const Reg args = gpr(0), src = gpr(1), dst = gpr(2), turn_src = gpr(of_turn),
                  turn_dst = gpr(of_turn + 1), images = gpr(7), turns = gpr(8);
        const Address to_next_src = ptr[args + kTurns + offsetof(RowLoop, src)],
                      to_next_dst = ptr[args + kTurns + offsetof(RowLoop, dst)];
        Label each_image, each_turn;
        mov(src, ptr[args + offsetof(Args, src)]);
        mov(dst, ptr[args + offsetof(Args, dst)]);
        mov(images, ptr[args + kImages]);
        if (streams()) lea(gpr(12), ptr[rsp + kFirstLineOnStack]);
        if (is_masked()) set_mask(low_bits(key_.row_bytes), gpr(9));
        if (is_straight()) {
            mov(gpr(3), to_next_src);
            mov(gpr(4), to_next_dst);
        }
        L(each_image);
        mov(turn_src, src);
        mov(turn_dst, dst);
        mov(turns, ptr[args + kTurns]);
        if (is_straight()) align(32);
        L(each_turn);
        if (is_straight()) {
            emit_rows(static_cast<int>(key_.turn));
            add(turn_src, gpr(3));  // with operands in memory, the code was a fifth slower on Zen 5
            add(turn_dst, gpr(4));
        } else {
            emit_loop_over_rows();
            add(turn_src, to_next_src);
            add(turn_dst, to_next_dst);
        }
        dec(turns);
        jnz(each_turn, T_NEAR);
        add(src, ptr[args + kImages + offsetof(RowLoop, src)]);
        add(dst, ptr[args + kImages + offsetof(RowLoop, dst)]);
        dec(images);
        jnz(each_image, T_NEAR);
        if (streams()) emit_first_and_last_line();
        end();
    }

    bool is_straight() const { return key_.turn > 0; }

    // Copies rows_unrolled() rows at a time, then half as many, and so on down to one.
    void emit_loop_over_rows() {
        const Reg args = gpr(0), row_src = gpr(5), row_dst = gpr(6), rows = gpr(9);
        mov(row_src, gpr(3));
        mov(row_dst, gpr(4));
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
        advance(gpr(5), rows * key_.src_row);
        advance(gpr(6), rows * key_.dst_row);
    }

    void advance(const Reg& address, int64_t bytes) {
        if (fits_displacement(bytes)) return add(address, static_cast<uint32_t>(bytes));
        mov(gpr(11), bytes);
        add(address, gpr(11));
    }

    int rows_unrolled() const {
        const int64_t vectors = (key_.row_bytes + bytes() - 1) / bytes();
        int rows = copies_strings() ? 1 : streams() ? kRowsStreaming : kMaxRowsUnrolled;
        while (rows > 1 && ((!streams() && rows * vectors > kVectorsUnrolled) ||
                            !fits_displacement(rows * key_.src_row + key_.row_bytes) ||
                            !fits_displacement(rows * key_.dst_row + key_.row_bytes)))
            rows /= 2;
        return rows;
    }

    void emit_rows(int count) {
        if (streams()) return emit_streaming_rows(count);
        begin_step();
        for (int row = 0; row < count; ++row)
            emit_row(row * key_.src_row, row * key_.dst_row, row * kInFlight / count);
    }

    void emit_row(int64_t src_offset, int64_t dst_offset, int first_register) {
        if (copies_strings()) return emit_string();
        if (!is_straight() && key_.row_bytes > kVectorsUnrolled * bytes()) return emit_long_row();
        emit_store_prefetches(gpr(6) + dst_offset, key_.row_bytes);
        if (is_masked()) return emit_masked_row(src_offset, dst_offset, first_register);
        int number = first_register;
        for (const Piece& piece : pieces_of_row())
            emit_piece(src_offset + piece.offset, dst_offset + piece.offset, piece.bytes, number++);
    }

    // The pieces of a row. In straight turns, the last piece is as short as possible.
    std::vector<Piece> pieces_of_row() const {
        if (key_.overruns) return {{0, size_of_access(key_.row_bytes)}};
        std::vector<Piece> pieces = cut_into_vectors(key_.row_bytes, bytes(), false);
        const int64_t tail = key_.row_bytes % bytes();
        if (is_straight() && key_.row_bytes > bytes() && tail > 0) {
            const int size = size_of_access(tail);
            pieces.back() = {key_.row_bytes - size, size};
        }
        return pieces;
    }

    // 4, 8, 16 ... bytes() bytes, by a vector register of this number, which is reduced modulo kInFlight.
    void emit_piece(int64_t src_offset, int64_t dst_offset, int size, int number) {
        const Address from = ptr[gpr(5) + src_offset], to = ptr[gpr(6) + dst_offset];
        prefetch_once(gpr(6), dst_offset, size);
        if (size <= 8) {  // faster than through a vector register
            const auto scratch = gpr(11).changeBit(8 * size);
            mov(scratch, from);
            return mov(to, scratch);
        }
        load_part(number % kInFlight, from, size);
        store_part(to, number % kInFlight, size);
    }

    // Whether a row of 33 to 63 bytes is one access under a mask: only where that takes no longer than two accesses.
    bool is_masked() const {
        return is_straight() && has_masks() && key_.row_bytes < bytes() &&
               key_.row_bytes > bytes() / 2;
    }

    void emit_masked_row(int64_t src_offset, int64_t dst_offset, int number) {
        const Vec row = vec(number % kInFlight);
        prefetch_once(gpr(6), dst_offset, static_cast<int>(key_.row_bytes));
        vmovdqu8(row | k1 | T_z, ptr[gpr(5) + src_offset]);
        vmovdqu8(ptr[gpr(6) + dst_offset] | k1, row);
    }

    void emit_store_prefetches(const Xbyak::RegExp& dst, int64_t count) {
        if (key_.stores != Stores::prefetched_ahead) return;
        for (int64_t line = 0; line < count; line += kLineBytes)
            prefetchw(ptr[dst + line + kBytesAhead]);
    }

    bool copies_strings() const { return key_.stores == Stores::strings; }

    // The string instruction uses registers that hold loop variables, so these are saved in other registers.
    void emit_string() {
        const Reg saved_rcx = gpr(12), saved_rsi = gpr(13), saved_rdi = gpr(14);
        mov(saved_rcx, rcx);
        mov(saved_rsi, rsi);
        mov(saved_rdi, rdi);
        mov(rsi, gpr(5));
        mov(rdi, gpr(6));
        mov(ecx, static_cast<uint32_t>(key_.row_bytes));
        rep();
        movsb();
        mov(rcx, saved_rcx);
        mov(rsi, saved_rsi);
        mov(rdi, saved_rdi);
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
        emit_store_prefetches(dst + at, step);
        for (int64_t line = 0; line < step; line += kLineBytes) prefetch_line(ptr[dst + at + line]);
        copy_bytes(dst + at, src + at, step, false);
        add(at, static_cast<uint32_t>(step));
        jnz(next);
        for (const Piece& piece : cut_into_vectors(key_.row_bytes, bytes(), false))
            if (piece.end() > looped)
                emit_piece(piece.offset - looped, piece.offset - looped, piece.bytes, 0);
        sub(src, static_cast<uint32_t>(looped));
        sub(dst, static_cast<uint32_t>(looped));
    }

    // Copies several rows at the same time, with stores that bypass the caches. A core that writes to one page at a
    // time does not use the whole bandwidth of the memory (measured with rows of 4 KiB, 256 MiB in all: 26.6 GB/s with
    // one row, 29.0 with four). All stores are whole lines of the destination. A line that two rows share is put
    // together on the stack: a store to a part of it would read it from memory.
    //
    //   | end of row 0 ....... start of row 1 | line | line | ... | end of row 1 ...... start of row 2 |
    //
    //   `at` is the offset of the first line in row 0, 1 to 64. Row r has a line at `at` + lead(r), with
    //   lead(r) = -r * dst_row mod 64
    void emit_streaming_rows(int count) {
        const Reg dst = gpr(6), at = gpr(10), left = gpr(11);
        if (!prefetches_sources()) emit_prefetches_of_next_rows(count);
        for (int row = 0; row < count; ++row) emit_line_between_rows(row);
        int64_t max_lead = 0;
        mov(at, dst);
        not_(at);
        and_(at, kLineBytes - 1);
        inc(at);  // 64 - dst mod 64
        for (int row = 0; row < count; ++row) {
            max_lead = std::max(max_lead, lead(row));
            if (lead(row) == 0) continue;
            Label end;
            lea(left, ptr[at - kLineBytes]);
            cmp(left, static_cast<uint32_t>(-lead(row)));
            jle(end);
            emit_lines(left, row, 1);
            L(end);
        }
        if (const int64_t last = key_.row_bytes - kLinesInLoop * kLineBytes - max_lead; last > 0) {
            Label loop, loop_end;
            L(loop);
            cmp(at, static_cast<uint32_t>(last));
            jg(loop_end, T_NEAR);
            for (int row = 0; row < count; ++row) {
                mov(left, at);
                emit_lines(left, row, kLinesInLoop);
            }
            mov(at, left);
            jmp(loop, T_NEAR);
            L(loop_end);
        }
        for (int row = 0; row < count; ++row) {
            Label next, end;
            mov(left, at);
            L(next);
            cmp(left, static_cast<uint32_t>(key_.row_bytes - kLineBytes - lead(row)));
            jg(end);
            emit_lines(left, row, 1);
            jmp(next);
            L(end);
        }
    }

    int64_t lead(int row) const { return (-row * key_.dst_row) & (kLineBytes - 1); }

    // Copies lines of a row from `offset` + lead(row) on, and advances `offset`.
    void emit_lines(const Reg& offset, int row, int lines) {
        const Xbyak::RegExp dst = gpr(6) + offset + (row * key_.dst_row + lead(row));
        emit_source_prefetches(dst, lines);
        copy_bytes(dst, gpr(5) + offset + (row * key_.src_row + lead(row)), lines * kLineBytes,
                   true);
        add(offset, static_cast<uint32_t>(lines * kLineBytes));
    }

    void emit_source_prefetches(const Xbyak::RegExp& dst, int lines) {
        if (!prefetches_sources()) return;
        const Reg line = gpr(13);
        lea(line, ptr[dst]);
        add(line, ptr[gpr(0) + offsetof(Args, ahead)]);
        for (int i = 0; i < lines; ++i) prefetch_source(ptr[line + i * kLineBytes]);
    }

    void copy_bytes(const Xbyak::RegExp& dst, const Xbyak::RegExp& src, int64_t count,
                    bool streaming) {
        const int vectors = static_cast<int>(count / bytes());
        for (int i = 0; i < vectors; ++i) load(vec(i), ptr[src + i * bytes()]);
        for (int i = 0; i < vectors; ++i) store(ptr[dst + i * bytes()], vec(i), streaming);
    }

    // Completes the line on the stack with the start of a row, stores it, and begins the next line with the end of the row.
    void emit_line_between_rows(int row) {
        const Reg src = gpr(5), dst = gpr(6), in_line = gpr(11), line_dst = gpr(12);
        const int64_t s = row * key_.src_row, d = row * key_.dst_row;
        const Xbyak::RegExp line = rsp + kLineOnStack;
        lea(in_line, ptr[dst + d]);
        and_(in_line, kLineBytes - 1);
        copy_bytes(line + in_line, src + s, kLineBytes, false);
        copy_bytes(line_dst, line, kLineBytes, true);
        emit_source_prefetches(line_dst, 1);
        lea(line_dst, ptr[dst + (d + key_.row_bytes)]);
        mov(in_line, line_dst);
        and_(in_line, kLineBytes - 1);
        sub(line_dst, in_line);
        copy_bytes(line + in_line - kLineBytes, src + (s + key_.row_bytes - kLineBytes), kLineBytes,
                   false);
    }

    // Prefetches the starts of the next rows. These are further rows of the turn, or the first rows of the next turn.
    void emit_prefetches_of_next_rows(int count) {
        const Reg args = gpr(0), turn_src = gpr(3), src = gpr(5), rows = gpr(9), next = gpr(13);
        Label known;
        mov(next, src);
        advance(next, count * key_.src_row);
        test(rows, rows);
        jnz(known);
        mov(next, ptr[args + kTurns + offsetof(RowLoop, src)]);
        add(next, turn_src);
        L(known);
        const int64_t lines = std::min(kLinesOfNextRow, key_.row_bytes / kLineBytes);
        for (int row = 0; row < count; ++row)
            for (int64_t line = 0; line < lines; ++line)
                prefetcht0(ptr[next + (row * key_.src_row + line * kLineBytes)]);
    }

    // Copies the bytes of the call's first and last lines from the stack.
    void emit_first_and_last_line() {
        const Reg end = gpr(6), line_dst = gpr(12), start = gpr(13);
        mov(start, ptr[gpr(0) + offsetof(Args, dst)]);
        mov(rcx, end);
        and_(rcx, kLineBytes - 1);
        lea(rsi, ptr[rsp + kLineOnStack]);
        mov(rdi, line_dst);
        rep();
        movsb();
        mov(rdi, start);
        and_(start, kLineBytes - 1);
        lea(rsi, ptr[rsp + start + kFirstLineOnStack]);
        mov(ecx, kLineBytes);
        sub(rcx, start);
        rep();
        movsb();
    }

    Key key_;
};

}  // namespace

Result<JitFunction<RowArgs>> row_function(const RowKey& key) {
    return cached_function<RowKernel>(key);
}

}  // namespace tombola::impl::cpu::x64
