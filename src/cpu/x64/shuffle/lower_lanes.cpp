// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/x64/shuffle/operations.hpp"

// Each lane of an output has at most 16 bytes. It is assembled from the pieces of the source that hold its bytes:
//
//   out = or over the terms t of permute_lanes(control[t], the pieces of term t)
//
// where a control byte of 0x80 gives zero, and any other selects one of the 16 bytes of the lane. For example G = 2,
// f32, two lanes (each number is a channel):
//
//   term 0   load  0  1  2  3 |  8  9 10 11    shuffle  0  2  .  . |  8 10  .  .
//   term 1   load  4  5  6  7 | 12 13 14 15    shuffle  .  .  4  6 |  .  . 12 14
//   or                                                  0  2  4  6 |  8 10 12 14

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kMaxLanes = 2;
constexpr int kWorking = 7;

// The terms of one output. Pieces have 16 bytes, or fewer if the extent is shorter. They begin at a unit that they serve
// or, if `on_grid`, at a multiple of their size from the start of the extent.
class Terms {
  public:
    Terms(const PermuteProgram& program, const PermuteSection& section, const PermuteOutput& output,
          bool on_grid)
        : unit_(program.unit), extents_(section.extents), on_grid_(on_grid) {
        const int units = std::min(output.units, kLaneBytes / unit_);
        for (int i = 0; i < output.units; i += units) add_lane(program.source(output) + i, units);
    }

    size_t count() const { return controls_.size(); }
    int lanes() const { return lanes_; }
    const Table& control(size_t term) const { return controls_[term]; }
    // A lane with fewer pieces loads its last piece again, which has no effect.
    const Piece& piece(size_t term, int lane) const {
        return pieces_[lane][std::min(term, used_[lane] - 1)];
    }
    bool is_contiguous(size_t term) const {
        for (int lane = 0; lane < lanes_; ++lane)
            if (!(piece(term, lane) ==
                  Piece{piece(term, 0).offset + lane * kLaneBytes, kLaneBytes}))
                return false;
        return true;
    }
    // The cost of the terms, up to a constant. An insertion is two micro-operations.
    int micro_operations() const {
        int sum = 0;
        for (size_t term = 0; term < count(); ++term)
            sum += 1 + 2 * (is_contiguous(term) ? 1 : lanes_);
        return sum;
    }

  private:
    // Finds the pieces that hold a lane's units, from the lowest address up.
    void add_lane(const int64_t* source, int units) {
        const int lane = lanes_++;
        std::array<int, kLaneBytes> order;
        int count = 0;
        for (int i = 0; i < units; ++i)
            if (source[i] >= 0) order[count++] = i;
        std::sort(order.begin(), order.begin() + count,
                  [&](int a, int b) { return source[a] < source[b]; });
        Piece piece{};
        for (int k = 0; k < count; ++k) {
            const int i = order[k];
            if (k == 0 || source[i] < piece.offset || source[i] + unit_ > piece.end())
                piece = add_piece(lane, source[i], on_grid_);
            for (int byte = 0; byte < unit_; ++byte)
                controls_[used_[lane] - 1][lane * kLaneBytes + i * unit_ + byte] =
                    static_cast<uint8_t>(source[i] - piece.offset + byte);
        }
        // The lane has only padding, so any load will do.
        if (count == 0) add_piece(lane, extents_.front().offset, true);
    }

    // The piece is moved back if it would pass the end of its extent.
    Piece add_piece(int lane, int64_t source, bool on_grid) {
        const Piece* extent = extent_at(extents_, source);
        int bytes = kLaneBytes;
        while (bytes > extent->bytes) bytes /= 2;
        const int64_t offset = on_grid ? source - (source - extent->offset) % bytes : source;
        if (used_[lane] == controls_.size()) controls_.emplace_back().fill(kZeroByte);
        return pieces_[lane][used_[lane]++] = {std::min(offset, extent->end() - bytes), bytes};
    }

    int unit_, lanes_ = 0;
    const std::vector<Piece>& extents_;
    bool on_grid_;
    std::array<std::array<Piece, kLaneBytes>, kMaxLanes> pieces_;  // of each lane, one for a term
    std::array<size_t, kMaxLanes> used_{};                         // pieces of each lane
    std::vector<Table> controls_;                                  // of each term
};

class LaneLowering : public Lowering {
  public:
    explicit LaneLowering(const PermuteProgram& program)
        : Lowering(program, kMaxLanes * kLaneBytes) {}

  private:
    bool lower_section(const PermuteSection& section) override {
        use_registers(kWorking);
        for (const PermuteOutput& output : section.outputs) {
            const Terms loose(program(), section, output, false);
            const Terms grid(program(), section, output, true);
            const Terms& fewer = grid.micro_operations() <= loose.micro_operations() ? grid : loose;
            const int bytes = program().bytes(output);
            store(gather(fewer, bytes), {output.dst_offset, bytes});
        }
        return true;
    }

    int gather(const Terms& terms, int bytes) {
        int out = kNone;
        for (size_t term = 0; term < terms.count(); ++term) {
            const int part = permute_lanes(load_term(terms, term), terms.control(term), bytes);
            out = out == kNone ? part : or_bits(out, part, bytes);
        }
        return out;
    }

    int load_term(const Terms& terms, size_t term) {
        const Piece& first = terms.piece(term, 0);
        if (terms.is_contiguous(term)) return load({first.offset, terms.lanes() * kLaneBytes});
        int value = load(first);
        for (int lane = 1; lane < terms.lanes(); ++lane) {
            const Piece& piece = terms.piece(term, lane);
            value = piece.bytes == kLaneBytes ? insert(value, piece, lane)
                                              : insert_lane(value, load(piece), lane);
        }
        return value;
    }
};

}  // namespace

std::optional<Operations> lower_to_lanes(const PermuteProgram& program) {
    return LaneLowering(program).lower();
}

}  // namespace tombola::impl::cpu::x64
