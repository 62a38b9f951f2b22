// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vec_traits.hpp"

// This lowering loads the source in full-width vectors ("windows") w0, w1, ... of 64 bytes. For units of 4 and 8 bytes
// (and of 2 without VBMI), an output that takes units from K windows is
//
//   out = permute2(i01, w0, w1);  out = permute2(i2, out, w2);  ...      K - 1 permutes
//
// where the indices i2 keep the units that `out` already has. For units of 1 and 2 bytes with VBMI the output is
//
//   out = permute(i, w0);  out = masked_permute(m1, i, w1);  ...             K permutes, one index vector
//
// because vpermt2b costs three micro-operations and vpermb one. For example G = 2, f32, 16 lanes:
//
//   w0 = 0 1 2 ... 15   w1 = 16 17 ... 31
//   v = 0: i01 = 0 2 4 ... 30         out = 0 2 4 ... 30
//   v = 1: i01 = 1 3 5 ... 31         out = 1 3 5 ... 31

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kVectorBytes = 64;
// If a step has at most this many windows, all of them stay in registers. If there are more, each output loads its own.
constexpr int kMaxResident = 20;
constexpr int kOtherWorking = 6;  // registers for outputs and indices

// Covers each extent by contiguous vectors. The last one is moved back so that it ends where the extent ends.
std::vector<Piece> windows_over(const std::vector<Piece>& extents) {
    std::vector<Piece> windows;
    for (const Piece& extent : extents)
        for (const Piece& piece : cut_into_vectors(extent.bytes, kVectorBytes, true))
            windows.push_back({extent.offset + piece.offset, piece.bytes});
    return windows;
}

// Where the units of an output come from: those in bits[t] come from windows[t]. A unit in no term is zero.
struct Cover {
    std::array<int, kVectorBytes> windows;
    std::array<uint64_t, kVectorBytes> bits;
    int terms = 0;
};

// Repeatedly takes the window that serves most of the units that are not yet served, until all units are served.
Cover cover(const int64_t* source, int units, int unit, const std::vector<Piece>& windows) {
    std::vector<uint64_t> bits(
        windows.size());  // the units that each window holds and that are not yet served
    // The last window that begins at or before the unit. Neighbouring units often have the same one.
    int last = 0;
    for (int i = 0; i < units; ++i) {
        if (source[i] == kZeroSource) continue;
        const auto begins_behind = [&](int w) {
            return w >= static_cast<int>(windows.size()) || windows[w].offset > source[i];
        };
        if (begins_behind(last) || !begins_behind(last + 1))
            last = static_cast<int>(
                       std::upper_bound(windows.begin(), windows.end(), source[i],
                                        [](int64_t at, const Piece& w) { return at < w.offset; }) -
                       windows.begin()) -
                   1;
        for (int w = last; w >= 0 && w > last - 2; --w)
            if (source[i] + unit <= windows[w].end()) bits[w] |= uint64_t{1} << i;
    }
    std::vector<int> served;  // how many units each window would serve
    for (const uint64_t held : bits) served.push_back(__builtin_popcountll(held));
    Cover cover;
    for (;;) {
        const auto best =
            static_cast<size_t>(std::max_element(served.begin(), served.end()) - served.begin());
        if (served[best] == 0) return cover;
        const uint64_t taken = bits[best];
        cover.windows[cover.terms] = static_cast<int>(best);
        cover.bits[cover.terms++] = taken;
        // Windows overlap at most their neighbour.
        for (size_t w = best > 0 ? best - 1 : 0; w < std::min(best + 2, bits.size()); ++w) {
            bits[w] &= ~taken;
            served[w] = __builtin_popcountll(bits[w]);
        }
    }
}

class WindowLowering {
  public:
    WindowLowering(const PermuteProgram& program, CpuIsa isa)
        : program_(program),
          unit_(program.unit),
          merging_(program.unit <= 2 && shape_of(isa).permutes_from == 1),
          to_(program, kVectorBytes) {}

    Operations lower() {
        for (const PermuteSection& section : program_.sections) lower(section);
        return to_.take();
    }

  private:
    void lower(const PermuteSection& section) {
        windows_ = windows_over(section.extents);
        covers_.clear();
        std::vector<bool> taken(windows_.size());
        for (const PermuteOutput& output : section.outputs) {
            covers_.push_back(cover(program_.source(output), output.units, unit_, windows_));
            for (int t = 0; t < covers_.back().terms; ++t) taken[covers_.back().windows[t]] = true;
        }
        const auto count = static_cast<int>(std::count(taken.begin(), taken.end(), true));
        resident_ = count <= kMaxResident;
        to_.begin_section(kOtherWorking + (resident_ ? count : 0));
        values_.assign(windows_.size(), kNone);
        for (size_t w = 0; resident_ && w < windows_.size(); ++w)
            if (taken[w]) values_[w] = to_.load(windows_[w]);
        for (size_t o = 0; o < section.outputs.size(); ++o) {
            const PermuteOutput& output = section.outputs[o];
            source_ = program_.source(output);
            units_ = output.units;
            to_.store(gather(covers_[o]), {output.dst_offset, program_.bytes(output)});
        }
        to_.end_section(section);
    }

    int gather(const Cover& cover) {
        if (cover.terms == 0) return to_.zero();  // only padding
        if (is_copy(cover)) return window(cover, 0);
        uint64_t taken = 0;
        for (int term = 0; term < cover.terms; ++term) taken |= cover.bits[term];
        if (taken == low_bits(units_)) taken = 0;  // no unit is zero
        return merging_ ? merge(cover, taken != 0) : gather_by_pairs(cover, taken);
    }

    int merge(const Cover& cover, bool has_zeros) {
        Table indices{};  // for units that are zero, any index will do
        for (int i = 0; i < units_ * unit_; ++i) indices[i] = static_cast<uint8_t>(i % unit_);
        for (int term = 0; term < cover.terms; ++term) set_indices(indices, cover, term, false);
        int out = kNone;
        for (int term = 0; term < cover.terms; ++term) {
            const int from = window(cover, term);
            const uint64_t mask = byte_mask(cover.bits[term]);
            out = term == 0 ? to_.permute(1, from, indices, has_zeros ? mask : 0)
                            : to_.masked_permute(1, out, from, indices, mask);
        }
        return out;
    }

    int gather_by_pairs(const Cover& cover, uint64_t mask) {
        const int first = window(cover, 0);
        Table indices{};
        set_indices(indices, cover, 0, false);
        if (cover.terms == 1) return to_.permute(unit_, first, indices, mask);
        const int second = window(cover, 1);
        set_indices(indices, cover, 1, true);
        int out = to_.permute2(unit_, first, second, indices, mask);
        for (int term = 2; term < cover.terms; ++term) {
            const int from = window(cover, term);
            indices = {};  // the first source is the output so far
            for (int i = 0; i < units_; ++i) indices[i * unit_] = static_cast<uint8_t>(i);
            set_indices(indices, cover, term, true);
            out = to_.permute2(unit_, out, from, indices);
        }
        return out;
    }

    int window(const Cover& cover, int term) {
        const auto w = static_cast<size_t>(cover.windows[static_cast<size_t>(term)]);
        return resident_ ? values_[w] : to_.load(windows_[w]);
    }

    // The byte offset of a unit in the window of its term.
    int64_t byte_in_window(const Cover& cover, int term, int i) const {
        return source_[i] - windows_[cover.windows[term]].offset;
    }

    // Sets the indices of the units that a term serves. `second`: its window is the second source of the permute. For
    // merge() the indices count bytes.
    void set_indices(Table& indices, const Cover& cover, int term, bool second) const {
        const int width = merging_ ? 1 : unit_;
        for (uint64_t left = cover.bits[term]; left != 0; left &= left - 1) {
            const int i = __builtin_ctzll(left);
            const int64_t at = byte_in_window(cover, term, i) + (second ? kVectorBytes : 0);
            for (int byte = 0; byte < unit_; byte += width)
                indices[i * unit_ + byte] = static_cast<uint8_t>((at + byte) / width);
        }
    }

    // A mask of bytes from a mask of units.
    uint64_t byte_mask(uint64_t units) const {
        uint64_t mask = 0;
        for (; units != 0; units &= units - 1)
            mask |= low_bits(unit_) << (__builtin_ctzll(units) * unit_);
        return mask;
    }

    bool is_copy(const Cover& cover) const {
        if (cover.terms != 1 || cover.bits[0] != low_bits(units_)) return false;
        for (int i = 0; i < units_; ++i)
            if (byte_in_window(cover, 0, i) != i * unit_) return false;
        return true;
    }

    const PermuteProgram& program_;
    int unit_;
    bool merging_;  // merge() instead of gather_by_pairs()
    Lowering to_;
    const int64_t* source_ = nullptr;  // of the current output
    int units_ = 0;
    std::vector<Piece> windows_;
    std::vector<Cover> covers_;
    std::vector<int> values_;  // of the windows, if they are resident
    bool resident_ = false;
};

}  // namespace

Operations lower_to_windows(const PermuteProgram& program, CpuIsa isa) {
    return WindowLowering(program, isa).lower();
}

}  // namespace tombola::impl::cpu::x64
