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
constexpr uint8_t kZeroByte = 0x80;
constexpr int kWorking = 7;

// The piece to load for the unit at `source`. It has 16 bytes, or fewer if the extent is shorter. It begins at the unit
// or, if `on_grid`, at a multiple of its size from the start of the extent. It is moved back if it would pass the end
// of the extent.
Piece piece_for(int64_t source, const std::vector<Piece>& extents, bool on_grid) {
    const Piece* extent = extent_at(extents, source);
    int bytes = kLaneBytes;
    while (bytes > extent->bytes) bytes /= 2;
    const int64_t offset = on_grid ? source - (source - extent->offset) % bytes : source;
    return {std::min(offset, extent->end() - bytes), bytes};
}

// One piece for each lane, and one shuffle.
struct Term {
    std::array<Piece, kMaxLanes> pieces;
    Table control;
};

struct Terms {
    std::vector<Term> list;
    int lanes = 1;

    bool is_contiguous(const Term& term) const {
        for (int lane = 0; lane < lanes; ++lane) {
            const Piece& piece = term.pieces[lane];
            if (piece.bytes != kLaneBytes ||
                piece.offset != term.pieces[0].offset + lane * kLaneBytes)
                return false;
        }
        return true;
    }
    // The cost of the terms, up to a constant. An insertion is two micro-operations.
    int micro_operations() const {
        int sum = 0;
        for (const Term& term : list) sum += 1 + 2 * (is_contiguous(term) ? 1 : lanes);
        return sum;
    }
};

// Finds the pieces that hold a lane's units, from the lowest address up. Returns how many terms they take.
size_t add_lane(Terms& terms, int lane, const int64_t* source, int units, int unit,
                const std::vector<Piece>& extents, bool on_grid) {
    std::array<int, kLaneBytes> order;
    int count = 0;
    for (int i = 0; i < units; ++i)
        if (source[i] >= 0) order[count++] = i;
    std::sort(order.begin(), order.begin() + count,
              [&](int a, int b) { return source[a] < source[b]; });
    size_t used = 0;
    const auto add = [&](const Piece& piece) {
        if (++used > terms.list.size()) {
            terms.list.emplace_back();
            terms.list.back().control.fill(kZeroByte);
        }
        terms.list[used - 1].pieces[lane] = piece;
    };
    for (int k = 0; k < count; ++k) {
        const int i = order[k];
        const auto is_held = [&](const Piece& piece) {
            return piece.offset <= source[i] && source[i] + unit <= piece.end();
        };
        if (used == 0 || !is_held(terms.list[used - 1].pieces[lane]))
            add(piece_for(source[i], extents, on_grid));
        Term& last = terms.list[used - 1];
        for (int byte = 0; byte < unit; ++byte)
            last.control[lane * kLaneBytes + i * unit + byte] =
                static_cast<uint8_t>(source[i] - last.pieces[lane].offset + byte);
    }
    // The lane has only padding, so any load will do.
    if (used == 0) add(piece_for(extents.front().offset, extents, true));
    return used;
}

Terms terms_of(const PermuteProgram& program, const PermuteSection& section,
               const PermuteOutput& output, bool on_grid) {
    const int units_per_lane = std::min(output.units, kLaneBytes / program.unit);
    Terms terms;
    terms.lanes = output.units / units_per_lane;
    std::array<size_t, kMaxLanes> used{};
    for (int lane = 0; lane < terms.lanes; ++lane)
        used[lane] = add_lane(terms, lane, program.source(output) + lane * units_per_lane,
                              units_per_lane, program.unit, section.extents, on_grid);
    // A lane with fewer pieces loads its last piece again, which has no effect.
    for (int lane = 0; lane < terms.lanes; ++lane)
        for (size_t t = used[lane]; t < terms.list.size(); ++t)
            terms.list[t].pieces[lane] = terms.list[used[lane] - 1].pieces[lane];
    return terms;
}

bool is_copy(const Terms& terms, int bytes) {
    if (terms.list.size() != 1) return false;
    for (int byte = 0; byte < bytes; ++byte)
        if (terms.list[0].control[byte] != byte % kLaneBytes) return false;
    return true;
}

int load(Lowering& to, const Terms& terms, const Term& term) {
    const Piece& first = term.pieces[0];
    if (terms.is_contiguous(term)) return to.load({first.offset, terms.lanes * kLaneBytes});
    int value = to.load(first);
    for (int lane = 1; lane < terms.lanes; ++lane) {
        const Piece& piece = term.pieces[lane];
        value = piece.bytes == kLaneBytes ? to.insert(value, piece, lane)
                                          : to.insert_lane(value, to.load(piece), lane);
    }
    return value;
}

int gather(Lowering& to, const Terms& terms, int bytes) {
    if (is_copy(terms, bytes)) return load(to, terms, terms.list[0]);
    const int width = terms.lanes * kLaneBytes;
    int out = kNone;
    for (const Term& term : terms.list) {
        const int value = load(to, terms, term);
        const int part = to.permute_lanes(value, term.control, width);
        out = out == kNone ? part : to.or_bits(out, part, width);
    }
    return out;
}

}  // namespace

Operations lower_to_lanes(const PermuteProgram& program) {
    Lowering to(program, kMaxLanes * kLaneBytes);
    for (const PermuteSection& section : program.sections) {
        to.begin_section(kWorking);
        for (const PermuteOutput& output : section.outputs) {
            const Terms loose = terms_of(program, section, output, false);
            const Terms grid = terms_of(program, section, output, true);
            const Terms& fewer = grid.micro_operations() <= loose.micro_operations() ? grid : loose;
            const int bytes = program.bytes(output);
            to.store(gather(to, fewer, bytes), {output.dst_offset, bytes});
        }
        to.end_section(section);
    }
    return to.take();
}

}  // namespace tombola::impl::cpu::x64
