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

constexpr int kZmmBytes = 64;
// If a step has at most this many windows, all of them stay in registers. Otherwise each output loads the windows that it needs.
constexpr int kMaxResident = 20;
constexpr int kOtherWorking = 6;  // registers for outputs and indices

// Covers each extent by contiguous vectors. The last one is moved back so that it ends where the extent ends.
std::vector<Piece> windows_over(const std::vector<Piece>& extents) {
    std::vector<Piece> windows;
    for (const Piece& extent : extents)
        for (const Piece& piece : cut_into_vectors(extent.bytes, kZmmBytes, true))
            windows.push_back({extent.offset + piece.offset, piece.bytes});
    return windows;
}

// Units of an output that come from one window.
struct Term {
    int window;
    uint64_t units;
};
// Where the units of an output come from. A unit in no term is zero.
using Cover = std::vector<Term>;

// Finds the windows that hold the units of an output.
class Covering {
  public:
    Covering(const std::vector<Piece>& windows, int unit)
        : windows_(windows), unit_(unit), left_(windows.size()) {}

    // Repeatedly takes the window that serves most of the units that are not yet served, until all units are served.
    Cover cover(const int64_t* source, int units) {
        held_.clear();
        for (int i = 0; i < units; ++i)
            if (source[i] != kZeroSource) add_windows_of(source[i], uint64_t{1} << i);
        std::sort(held_.begin(), held_.end());
        Cover cover;
        for (;;) {
            Term best{kNone, 0};
            int most = 0;
            for (const int window : held_) {
                const int served = __builtin_popcountll(left_[window]);
                if (served > most) best = {window, left_[window]};
                most = std::max(most, served);
            }
            if (most == 0) return cover;
            cover.push_back(best);
            for (const int window : held_) left_[window] &= ~best.units;
        }
    }

  private:
    // A window overlaps only its neighbours, so at most two windows hold the unit at `source`.
    void add_windows_of(int64_t source, uint64_t unit) {
        const auto begins_after = [](int64_t at, const Piece& window) {
            return at < window.offset;
        };
        auto window = std::upper_bound(windows_.begin(), windows_.end(), source, begins_after);
        for (int tried = 0; tried < 2 && window != windows_.begin(); ++tried) {
            --window;
            if (source + unit_ > window->end()) continue;
            const auto index = static_cast<int>(window - windows_.begin());
            if (left_[index] == 0) held_.push_back(index);
            left_[index] |= unit;
        }
    }

    const std::vector<Piece>& windows_;
    int unit_;
    std::vector<uint64_t>
        left_;  // for each window: its units that no window serves yet; between two calls of cover() all are 0
    std::vector<int> held_;  // the windows that hold units of the output
};

class WindowLowering : public Lowering {
  public:
    WindowLowering(const PermuteProgram& program, CpuIsa isa)
        : Lowering(program, kZmmBytes),
          merging_(program.unit <= 2 && shape_of(isa).permutes_from == 1) {}

  private:
    bool lower_section(const PermuteSection& section) override {
        windows_ = windows_over(section.extents);
        std::vector<Cover> covers;
        covers.reserve(section.outputs.size());
        std::vector<bool> taken(windows_.size());
        Covering covering(windows_, unit());
        for (const PermuteOutput& output : section.outputs) {
            covers.push_back(covering.cover(program().source(output), output.units));
            for (const Term& term : covers.back()) taken[term.window] = true;
        }
        const auto count = static_cast<int>(std::count(taken.begin(), taken.end(), true));
        resident_ = count <= kMaxResident;
        use_registers(kOtherWorking + (resident_ ? count : 0));
        values_.assign(windows_.size(), kNone);
        for (size_t w = 0; resident_ && w < windows_.size(); ++w)
            if (taken[w]) values_[w] = load(windows_[w]);
        for (size_t o = 0; o < section.outputs.size(); ++o) {
            const PermuteOutput& output = section.outputs[o];
            source_ = program().source(output);
            units_ = output.units;
            store(gather(covers[o]), {output.dst_offset, program().bytes(output)});
        }
        return true;
    }

    int gather(const Cover& cover) {
        if (cover.empty()) return zero();  // only padding
        uint64_t taken = 0;
        for (const Term& term : cover) taken |= term.units;
        if (taken == low_bits(units_)) taken = 0;  // no unit is zero
        if (cover.size() == 1 && taken == 0 && is_copy(cover[0])) return window(cover[0]);
        return merging_ ? merge(cover, taken != 0) : gather_by_pairs(cover, taken);
    }

    bool is_copy(const Term& term) const {
        for (int i = 0; i < units_; ++i)
            if (byte_in_window(term, i) != i * unit()) return false;
        return true;
    }

    int merge(const Cover& cover, bool has_zeros) {
        Table indices{};  // for units that are zero, any index will do
        for (int i = 0; i < units_ * unit(); ++i) indices[i] = static_cast<uint8_t>(i % unit());
        for (const Term& term : cover) set_indices(indices, term, false);
        int out = kNone;
        for (const Term& term : cover) {
            const int from = window(term);
            const uint64_t mask = byte_mask(term.units);
            out = out == kNone ? permute(1, from, indices, has_zeros ? mask : 0)
                               : masked_permute(1, out, from, indices, mask);
        }
        return out;
    }

    int gather_by_pairs(const Cover& cover, uint64_t mask) {
        const int first = window(cover[0]);
        Table indices{};
        set_indices(indices, cover[0], false);
        if (cover.size() == 1) return permute(unit(), first, indices, mask);
        const int second = window(cover[1]);
        set_indices(indices, cover[1], true);
        int out = permute2(unit(), first, second, indices, mask);
        for (size_t term = 2; term < cover.size(); ++term) {
            const int from = window(cover[term]);
            indices = {};  // the first source is the output so far
            for (int i = 0; i < units_; ++i) indices[i * unit()] = static_cast<uint8_t>(i);
            set_indices(indices, cover[term], true);
            out = permute2(unit(), out, from, indices);
        }
        return out;
    }

    int window(const Term& term) {
        return resident_ ? values_[term.window] : load(windows_[term.window]);
    }

    // The byte offset of a unit in the window of its term.
    int64_t byte_in_window(const Term& term, int i) const {
        return source_[i] - windows_[term.window].offset;
    }

    // Sets the indices of the units that a term serves. `second`: its window is the second source of the permute. For
    // merge() the indices count bytes.
    void set_indices(Table& indices, const Term& term, bool second) const {
        const int width = merging_ ? 1 : unit();
        for (uint64_t left = term.units; left != 0; left &= left - 1) {
            const int i = __builtin_ctzll(left);
            const int64_t at = byte_in_window(term, i) + (second ? kZmmBytes : 0);
            for (int byte = 0; byte < unit(); byte += width)
                indices[i * unit() + byte] = static_cast<uint8_t>((at + byte) / width);
        }
    }

    // A mask of bytes from a mask of units.
    uint64_t byte_mask(uint64_t units) const {
        uint64_t mask = 0;
        for (; units != 0; units &= units - 1)
            mask |= low_bits(unit()) << (__builtin_ctzll(units) * unit());
        return mask;
    }

    bool merging_;                     // merge() instead of gather_by_pairs()
    const int64_t* source_ = nullptr;  // of the current output
    int units_ = 0;                    // of the current output
    std::vector<Piece> windows_;
    std::vector<int> values_;  // of the windows, if they are resident
    bool resident_ = false;
};

}  // namespace

std::vector<Operations> lower_to_windows(const PermuteProgram& program, CpuIsa isa,
                                         double max_cycles) {
    std::vector<Operations> all;
    WindowLowering(program, isa).add_to(all, limit_of_first(program, max_cycles));
    // For words with VBMI, both ways to join windows are tried, because either may be cheaper.
    if (program.unit == 2 && shape_of(isa).permutes_from == 1)
        WindowLowering(program, CpuIsa::avx512_core).add_to(all, max_cycles);
    return all;
}

}  // namespace tombola::impl::cpu::x64
