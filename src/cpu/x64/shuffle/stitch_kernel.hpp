// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies short rows into a destination without gaps, in whole cache lines, on AVX-512. See stitch_kernel.cpp.

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class StitchKernel : public Vocabulary {
  public:
    static constexpr int64_t kLineBytes = 64;

    struct Key {
        CpuIsa isa;
        int64_t row_bytes;
        int64_t Q, G;       // rows in a group, groups in an image
        int64_t src_axis;   // source bytes from group to group; G times as many from row to row
        int64_t src_image;  // and from image to image

        auto fields() const { return std::tie(isa, row_bytes, Q, G, src_axis, src_image); }
        bool operator<(const Key& other) const { return fields() < other.fields(); }
    };

    // Whether the code is small, and faster than a copy of each row.
    static bool serves(const Key& key);

    // A run of rows that follow each other in the destination.
    struct Args {
        const void* src;  // source of the run's first row
        void* period;  // destination of the last row before it, or of itself, that begins a period
        int64_t in_period;    // rows from there to it
        int64_t rows;         // of the run
        int64_t rows_left;    // in the first row's group
        int64_t groups_left;  // in its image, that one included
        const void* group_src;
        const void* image_src;
        void* last_line;     // the line that the run ends in
        uint64_t last_mask;  // its bytes before that end; 0 if the run begins in that line too
    };
    explicit StitchKernel(const Key& key);

    // The minimum number of rows that fill a whole number of lines.
    static int64_t period_of(int64_t row_bytes);

  private:
    // A row of the period.
    struct Row {
        int64_t line;     // bytes from the period to the line that the row begins in
        int64_t in_line;  // and from there to the row
        Label first;  // the row is the run's first: the bytes before it in its line are not written
        Label next;   // its line is being assembled
        Label behind_head;  // its line has been stored
    };

    void generate() override;
    void load_arguments();
    void take_rows();
    void emit_row(Row& row, bool last_of_period);
    void emit_first_row(Row& row, const Row& next);
    void emit_row_end();
    void go_on_at(const Label& next_row);
    void emit_next_group();
    void emit_last_line();

    bool ends_line(const Row& row) const { return row.in_line + row_bytes_ >= kLineBytes; }
    uint64_t bytes_of(const Row& row) const;  // in its line

    Reg args() const { return gpr(0); }
    Reg src() const { return gpr(1); }
    Reg dst() const { return gpr(2); }
    Reg rows_left() const { return gpr(3); }
    Reg rows_behind() const { return gpr(4); }
    Reg groups_left() const { return gpr(5); }
    Reg group_src() const { return gpr(6); }
    Reg image_src() const { return gpr(7); }
    Reg resume() const { return gpr(8); }
    Reg scratch() const { return gpr(9); }
    Vec line_under_way() const { return vec(0); }

    int64_t row_bytes_, Q_, G_, src_axis_, src_image_;
    std::vector<Row> rows_;
    std::vector<Label> group_ends_;
    Label first_rows_, next_group_, last_line_;
    int turn_ = 0;
};

// The generated function, called by rows.
class StitchFunction {
  public:
    using Args = StitchKernel::Args;
    StitchFunction(const StitchKernel::Key& key, JitFunction<Args> function)
        : key_(key), function_(std::move(function)) {}
    // Copies rows [begin, end) of dst, counted from 0 through all images. begin < end.
    void operator()(const char* src, char* dst, int64_t begin, int64_t end) const;

  private:
    StitchKernel::Key key_;
    JitFunction<Args> function_;
};

}  // namespace tombola::impl::cpu::x64
