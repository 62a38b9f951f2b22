// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/row_functions.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "cpu/loop_nest.hpp"
#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/shuffle/store_vocabulary.hpp"

// Copies rows of R bytes, in the order of the destination, where they follow each other without a gap:
//
//   for each image, v < G, u < Q:   dst row u + v * Q = src row u * G + v
//
// If rows were copied one by one, most would begin and end within a cache line. A store under a mask that crosses a line costs several
// cycles; a load across a line costs little. So each line of the destination is assembled in a register and stored whole. Each row that has
// a part in the line is loaded from the address that brings its bytes to their place in the line. The load of the first part may also bring
// bytes after the end of its row; the next part replaces them under a mask. For the last row of a group the load brings no such bytes,
// because the source may end there. For R = 49:
//
//   byte of the line   0 ............ 48 49 ........ 63 | 0 ........ 33 34 ........ 63 | 0 ...
//   load               row 0 from s0                    | row 1 from s1 + 15           |
//   load, merging                        row 1 at s1-49 |               row 2 at s2-34 |
//   store              line 0                           | line 1                       |
//
// 64 / gcd(R, 64) rows fill a whole number of lines. The code is one such period, unrolled, so all masks and offsets
// are constants. After each row the code checks whether the group ends. If so, it continues with the source of the
// next group. A call may begin and end at any row of the period: its first and its last line are stored under masks.
// Masks are built from constants in the code. Loading them took part of the rate of the loads.
//
// register  role
// gpr 0     arguments
// gpr 1     source of the row
// gpr 2     destination of the period
// gpr 3-4   rows left in the group, and rows of the call after the group
// gpr 5     groups left in the image
// gpr 6-7   source of the group, of the image
// gpr 8     where to continue after a group
// gpr 9     scratch
// gpr 10    if it reads ahead: bytes from a line of the destination to the line that is prefetched
// vec 0     the line that is being assembled
// vec 1-8   lines that lie within a row, one register after the other
// vec 9     scratch
// k1        a mask

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int64_t kMaxLines = 256;    // in a period: about 10 KiB of code
constexpr int64_t kMinRowBytes = 33;  // copying shorter rows, by two stores each, is as fast

// The minimum number of rows that fill a whole number of lines.
int64_t period_of(int64_t row_bytes) { return kLineBytes / std::gcd(row_bytes, kLineBytes); }

class StitchKernel : public StoreVocabulary {
  public:
    using Args = StitchArgs;
    using Key = StitchKey;

    explicit StitchKernel(const Key& key)
        : StoreVocabulary(key.stores, key.sources, CpuIsa::avx512_core, "shuffle_stitch"),
          key_(key),
          rows_(static_cast<size_t>(period_of(key.row_bytes))) {
        for (size_t r = 0; r < rows_.size(); ++r) {
            const int64_t at = static_cast<int64_t>(r) * key_.row_bytes;
            rows_[r].line = at / kLineBytes * kLineBytes;
            rows_[r].in_line = at % kLineBytes;
        }
    }

  private:
    static constexpr int kInFlight = 8;

    // A row of the period.
    struct Row {
        int64_t line;      // from the start of the period to the line that the row begins in
        int64_t in_line;   // bytes from the start of that line to the row
        int64_t tail = 0;  // bytes of the row before those that begin another line
        // Entry if it is the first of a call: the line's earlier bytes are not written.
        Label first;
        Label next;        // entry if its line is being assembled
        Label after_head;  // entry if its line has been stored
        Label group_end;   // where it continues if it is the last of its group or of the call
    };

    void generate() override {
        begin(prefetches_sources() ? 11 : 10);
        load_arguments();
        jmp(ptr[resume() + scratch() * sizeof(void*)]);
        align(32);
        const size_t last = rows_.size() - 1;
        for (size_t r = 0; r <= last; ++r) emit_row(rows_[r], r == last);
        jmp(rows_[0].next, T_NEAR);
        for (size_t r = 0; r <= last; ++r) {
            Row& next = rows_[r < last ? r + 1 : 0];
            emit_end_of_group(rows_[r], next);
            if (r > 0) emit_first_row(rows_[r], next);
        }
        emit_next_group();
        L(end_);
        end();
        L(first_rows_);
        for (const Row& row : rows_) putL(row.first);
    }

    void load_arguments() {
        const auto load = [&](const Reg& to, size_t offset) { mov(to, ptr[args() + offset]); };
        load(src(), offsetof(Args, src));
        load(dst(), offsetof(Args, period));
        load(rows_left(), offsetof(Args, rows_left));
        load(rows_after(), offsetof(Args, rows));
        load(groups_left(), offsetof(Args, groups_left));
        load(group_src(), offsetof(Args, group_src));
        load(image_src(), offsetof(Args, image_src));
        load(scratch(), offsetof(Args, in_period));
        if (prefetches_sources()) load(ahead(), offsetof(Args, ahead));
        lea(resume(), ptr[rip + first_rows_]);
        take_rows();
    }

    // rows_left = min(rows_left, rows_after);  rows_after -= rows_left
    void take_rows() {
        cmp(rows_left(), rows_after());
        cmovg(rows_left(), rows_after());
        sub(rows_after(), rows_left());
    }

    // The head of the row completes the current line. Then whole lines of the row follow. The tail begins another line.
    void emit_row(Row& row, bool last_of_period) {
        int64_t from = row.in_line > 0 ? std::min(kLineBytes - row.in_line, key_.row_bytes) : 0;
        L(row.next);
        if (row.in_line == 0) L(row.first);
        if (from > 0) {
            set_mask(bytes_of(row), scratch());
            vmovdqu8(line_under_way() | k1, ptr[src() - row.in_line]);
            if (ends_line(row)) store_line(row.line, line_under_way());
            L(row.after_head);
        }
        for (; from + kLineBytes <= key_.row_bytes; from += kLineBytes) {
            const Vec line = vec(1 + next_line_++ % kInFlight);
            load(line, ptr[src() + from]);
            store_line(row.line + row.in_line + from, line);
        }
        if (last_of_period)
            add(dst(), static_cast<uint32_t>(static_cast<int64_t>(rows_.size()) * key_.row_bytes));
        row.tail = from;
        dec(rows_left());
        jz(row.group_end, T_NEAR);
        if (from < key_.row_bytes)
            load_part(line_under_way().getIdx(), ptr[src() + from],
                      size_of_access(key_.row_bytes - from));
        add(src(), static_cast<uint32_t>(key_.G * key_.src_axis));
    }

    // Emits the code for the first row of a call that begins within a line. It stores only those bytes of the line that belong to the row.
    void emit_first_row(Row& row, Row& next) {
        L(row.first);
        set_mask(bytes_of(row), scratch());
        vmovdqu8(line_under_way() | k1 | T_z, ptr[src() - row.in_line]);
        vmovdqu8(ptr[dst() + row.line] | k1, line_under_way());
        if (ends_line(row)) return jmp(row.after_head, T_NEAR);
        add(src(), static_cast<uint32_t>(key_.G * key_.src_axis));
        dec(rows_left());
        jnz(next.first, T_NEAR);
        test(rows_after(), rows_after());
        jz(end_, T_NEAR);
        go_on_at(next.first);
    }

    // Emits the code for the last row of a group or of the call. It loads nothing after the row, because the source may end there. If the
    // call ends here, it stores the bytes of the unfinished line.
    void emit_end_of_group(Row& row, Row& next) {
        const int64_t begun = (row.in_line + key_.row_bytes) % kLineBytes;
        Label goes_on;
        L(row.group_end);
        if (row.tail < key_.row_bytes) {
            set_mask(low_bits(key_.row_bytes - row.tail), scratch());
            vmovdqu8(line_under_way() | k1 | T_z, ptr[src() + row.tail]);
        }
        test(rows_after(), rows_after());
        jnz(goes_on, T_NEAR);
        if (begun > 0) {
            set_mask(low_bits(begun), scratch());
            vmovdqu8(ptr[dst() + next.line] | k1, line_under_way());
        }
        jmp(end_, T_NEAR);
        L(goes_on);
        go_on_at(next.next);
    }

    void store_line(int64_t at, const Vec& line) {
        prefetch_line(ptr[dst() + at]);
        if (prefetches_sources()) prefetch_source(ptr[dst() + ahead() + at]);
        streams() ? store_streaming(dst() + at, line, vec(1 + kInFlight))
                  : store(ptr[dst() + at], line);
    }

    // Continues at the first row of the next group, if there is one.
    void go_on_at(Label& next_row) {
        lea(resume(), ptr[rip + next_row]);
        jmp(next_group_, T_NEAR);
    }

    void emit_next_group() {
        Label same_image;
        L(next_group_);
        mov(rows_left(), key_.Q);
        take_rows();
        add(group_src(), static_cast<uint32_t>(key_.src_axis));
        dec(groups_left());
        jnz(same_image);
        mov(groups_left(), key_.G);
        add(image_src(), static_cast<uint32_t>(key_.src_image));
        mov(group_src(), image_src());
        L(same_image);
        mov(src(), group_src());
        jmp(resume());
    }

    uint64_t bytes_of(const Row& row) const {
        return low_bits(row.in_line + key_.row_bytes) & ~low_bits(row.in_line);
    }

    bool ends_line(const Row& row) const { return row.in_line + key_.row_bytes >= kLineBytes; }

    Reg args() const { return gpr(0); }
    Reg src() const { return gpr(1); }
    Reg dst() const { return gpr(2); }
    Reg rows_left() const { return gpr(3); }
    Reg rows_after() const { return gpr(4); }
    Reg groups_left() const { return gpr(5); }
    Reg group_src() const { return gpr(6); }
    Reg image_src() const { return gpr(7); }
    Reg resume() const { return gpr(8); }
    Reg scratch() const { return gpr(9); }
    Reg ahead() const { return gpr(10); }
    Vec line_under_way() const { return vec(0); }

    Key key_;
    std::vector<Row> rows_;
    Label first_rows_, next_group_, end_;
    int next_line_ = 0;  // number of the next line within a row, which selects its register
};

}  // namespace

bool StitchFunction::serves(const StitchKey& key) {
    const int64_t rows = period_of(key.row_bytes);
    return rows > 1 && key.row_bytes >= kMinRowBytes &&
           rows * key.row_bytes <= kMaxLines * kLineBytes &&
           key.G * key.src_axis < int64_t{1} << 31 && key.src_image < int64_t{1} << 31;
}

Result<StitchFunction> StitchFunction::make(const StitchKey& key) {
    return StitchFunction(key, TOMBOLA_TRY(cached_function<StitchKernel>(key)));
}

int64_t StitchFunction::period() const { return period_of(key_.row_bytes); }

void StitchFunction::operator()(const char* src, char* dst, int64_t begin, int64_t end,
                                int64_t ahead) const {
    const int64_t Q = key_.Q, G = key_.G;
    const auto [number, c] = divide(begin, Q * G);
    const auto [v, u] = divide(c, Q);
    const char* image = src + number * key_.src_image;
    const char* group = image + v * key_.src_axis;
    const int64_t in_period = begin & (period() - 1);
    StitchArgs args{group + u * G * key_.src_axis,
                    dst + (begin - in_period) * key_.row_bytes,
                    in_period,
                    end - begin,
                    Q - u,
                    G - v,
                    group,
                    image,
                    ahead};
    function_(args);
}

}  // namespace tombola::impl::cpu::x64
