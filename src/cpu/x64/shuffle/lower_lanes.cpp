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
//
// If several outputs of a step take from the same pieces, the loads of these pieces may stay in registers instead of tables.

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kMaxLanes = 2;
constexpr int kWorking = 7;
constexpr size_t kMaxKept = 8;  // loads that stay in registers

// The terms of one output. A piece has 16 bytes, or fewer if its extent is shorter. It begins at the first unit that it serves or, if
// `on_grid`, at a multiple of its size from the start of the extent.
class Terms {
  public:
    Terms(const PermuteProgram& program, const PermuteSection& section, const PermuteOutput& output,
          bool on_grid)
        : unit_(program.unit), extents_(section.extents), on_grid_(on_grid) {
        const int units = std::min(output.units, kLaneBytes / unit_);
        for (int i = 0; i < output.units; i += units) add_lane(program.source(output) + i, units);
    }

    size_t count() const { return count_; }
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
    bool is_same_piece(size_t term) const {
        return piece(term, 0).bytes == kLaneBytes && piece(term, 0) == piece(term, lanes_ - 1);
    }
    // The cost of the terms, up to a constant. An insertion is two micro-operations.
    int micro_operations() const {
        int sum = 0;
        for (size_t term = 0; term < count(); ++term)
            sum += 1 + 2 * (is_contiguous(term) || is_same_piece(term) ? 1 : lanes_);
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
        if (used_[lane] == count_) controls_[count_++].fill(kZeroByte);
        return pieces_[lane][used_[lane]++] = {std::min(offset, extent->end() - bytes), bytes};
    }

    int unit_, lanes_ = 0;
    const std::vector<Piece>& extents_;
    bool on_grid_;
    std::array<std::array<Piece, kLaneBytes>, kMaxLanes> pieces_;  // of each lane, one for a term
    std::array<size_t, kMaxLanes> used_{};                         // pieces of each lane
    std::array<Table, kLaneBytes> controls_;                       // of each term
    size_t count_ = 0;                                             // of the terms
};

class LaneLowering : public Lowering {
  public:
    LaneLowering(const PermuteProgram& program, bool keeps_loads)
        : Lowering(program, kMaxLanes * kLaneBytes), keeps_loads_(keeps_loads) {}

    bool has_kept() const { return has_kept_; }

  private:
    bool lower_section(const PermuteSection& section) override {
        kept_.clear();
        for (const PermuteOutput& output : section.outputs) {
            const Terms grid(program(), section, output, true);
            if (keeps_loads_) {
                lower_output(grid, output);
                continue;
            }
            const Terms loose(program(), section, output, false);
            lower_output(grid.micro_operations() <= loose.micro_operations() ? grid : loose,
                         output);
        }
        use_registers(keeps_loads_ ? max_live_values() + 1 : kWorking);
        return true;
    }

    void lower_output(const Terms& terms, const PermuteOutput& output) {
        store_output(gather(terms, program().bytes(output)), output);
    }

    int gather(const Terms& terms, int bytes) {
        int out = kNone;
        for (size_t term = 0; term < terms.count(); ++term) {
            const int part = permute_lanes(load_term(terms, term), terms.control(term), bytes);
            out = out == kNone ? part : or_bits(out, part, bytes);
        }
        return out;
    }

    // Loads the pieces of a term into one register, or returns the register that already holds them.
    int load_term(const Terms& terms, size_t term) {
        if (!keeps_loads_) return load_pieces(terms, term);
        const Kept wanted{terms.piece(term, 0), terms.piece(term, terms.lanes() - 1), terms.lanes(),
                          kNone};
        const auto known = std::find(kept_.begin(), kept_.end(), wanted);
        if (known != kept_.end()) {
            has_kept_ = true;
            std::rotate(known, known + 1, kept_.end());
            return kept_.back().value;
        }
        if (kept_.size() == kMaxKept) kept_.erase(kept_.begin());
        kept_.push_back(wanted);
        return kept_.back().value = load_pieces(terms, term);
    }

    int load_pieces(const Terms& terms, size_t term) {
        const Piece& first = terms.piece(term, 0);
        if (terms.is_contiguous(term)) return load({first.offset, terms.lanes() * kLaneBytes});
        if (terms.is_same_piece(term)) return broadcast_lane(first);
        int value = load(first);
        for (int lane = 1; lane < terms.lanes(); ++lane) {
            const Piece& piece = terms.piece(term, lane);
            value = piece.bytes == kLaneBytes ? insert(value, piece, lane)
                                              : insert_lane(value, load(piece), lane);
        }
        return value;
    }

    // A load that stays in its register. If there are too many, the load that was used least recently is dropped.
    struct Kept {
        Piece first, last;  // of its lanes
        int lanes, value;
        bool operator==(const Kept& other) const {
            return first == other.first && last == other.last && lanes == other.lanes;
        }
    };

    bool keeps_loads_, has_kept_ = false;
    std::vector<Kept> kept_;
};

}  // namespace

std::vector<Operations> lower_to_lanes(const PermuteProgram& program, double max_cycles) {
    std::vector<Operations> all;
    LaneLowering(program, false).add_to(all, limit_of_first(program, max_cycles));
    LaneLowering keeping(program, true);
    if (keeping.add_to(all, max_cycles) && !keeping.has_kept()) all.pop_back();
    return all;
}

}  // namespace tombola::impl::cpu::x64
