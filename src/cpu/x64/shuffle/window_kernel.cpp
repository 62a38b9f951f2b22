// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/window_kernel.hpp"

#include <algorithm>
#include <cstring>

// Source: two-source permutes as gathers from registers. With windows w0, w1, ... (64 source bytes each) an
// output that takes units from K of them is, for units of 4 and 8 bytes (and of 2 without VBMI),
//
//   out = vpermi2(i01, w0, w1);  out = vpermt2(out, i2, w2);  ...            K - 1 permutes
//
// where i2 keeps in place what out has already, and for units of 1 and 2 bytes with VBMI, as vpermt2b costs
// three micro-operations and vpermb one,
//
//   out = vpermb(i, w0);  out{k1} = vpermb(i, w1);  out{k2} = vpermb(i, w2)  K permutes, one index vector
//
// for example G = 2, f32, 16 lanes:   w0 = 0 1 2 ... 15   w1 = 16 17 ... 31
//   v = 0: i01 = 0 2 4 ... 30         out = 0 2 4 ... 30
//   v = 1: i01 = 1 3 5 ... 31         out = 1 3 5 ... 31
//
// register    role
// zmm 0-3     outputs under way, in turn
// zmm 4-5     an index vector, a window from memory
// zmm 6-      index vectors that stay
// zmm -31     windows of this step, from the top
// k1-k6       masks that stay, k7 any other

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kOutputs = 4;
constexpr int kTableScratch = 4, kWindowScratch = 5, kFirstHoisted = 6;
constexpr int kMaxResident = 20;
constexpr size_t kMaxHoistedMasks = 6;
constexpr uint64_t kAllBytes = ~uint64_t{0};

size_t code_bytes_for(const WindowPlan& plan) {
    size_t operations = 0;
    for (const auto& section : plan.sections) {
        operations += 40 + section.windows.size();
        for (const auto& output : section.outputs) operations += 2 + 4 * output.windows.size();
    }
    // An instruction has at most 11 bytes here; each operation may bring a constant of 64.
    return 4096 + operations * (2 * 11 + 64);
}

uint64_t low_bits(int count) { return count >= 64 ? kAllBytes : (uint64_t{1} << count) - 1; }

}  // namespace

WindowKernel::WindowKernel(const Key& key)
    : PermuteKernel(key.isa, "shuffle_window", code_bytes_for(*key.plan), key.plan->loop,
                    section_loops(*key.plan)),
      plan_(key.plan) {}

void WindowKernel::emit_hoisted(int section) {
    section_ = &plan_->sections[section];
    const size_t windows = section_->windows.size();
    resident_ = windows <= kMaxResident;
    const size_t room = registers() - kFirstHoisted - (resident_ ? windows : 0);
    hoisted_.clear();
    hoisted_masks_.clear();
    for (const Output& output : section_->outputs) {
        for (const Table& indices : tables_of(output)) {
            if (hoisted_.size() == room ||
                std::find(hoisted_.begin(), hoisted_.end(), indices) != hoisted_.end())
                continue;
            load_table(vec(kFirstHoisted + static_cast<int>(hoisted_.size())), indices);
            hoisted_.push_back(indices);
        }
        for (const uint64_t bits : masks_of(output)) {
            if (hoisted_masks_.size() == kMaxHoistedMasks ||
                std::find(hoisted_masks_.begin(), hoisted_masks_.end(), bits) !=
                    hoisted_masks_.end())
                continue;
            hoisted_masks_.push_back(bits);
            kmovq(Xbyak::Opmask(static_cast<int>(hoisted_masks_.size())), constant_u64(bits));
        }
    }
}

void WindowKernel::emit_step(int section) {
    section_ = &plan_->sections[section];
    if (resident_)
        for (size_t w = 0; w < section_->windows.size(); ++w)
            load_window(vec(registers() - 1 - static_cast<int>(w)), section_->windows[w]);
    for (const Output& output : section_->outputs) emit_output(output);
}

void WindowKernel::emit_output(const Output& output) {
    const Vec out = vec(turn_++ % kOutputs);
    if (is_copy(output)) return emit_store(output, window(output.windows[0], out));
    if (output.windows.empty()) {  // padding alone
        zero(out);
        return emit_store(output, out);
    }
    if (plan_->merging)
        emit_merging(output, out);
    else
        emit_two_source(output, out);
    emit_store(output, out);
}

void WindowKernel::emit_merging(const Output& output, const Vec& out) {
    const Vec indices = table(byte_indices(output), vec(kTableScratch));
    for (size_t term = 0; term < output.windows.size(); ++term) {
        const Vec source = window(output.windows[term], vec(kWindowScratch));
        const uint64_t bits = units_of_term(output, static_cast<int>(term));
        if (term > 0)
            vpermb(out | mask(bits), indices, source);
        else if (units_of_term(output, WindowPlan::kNoTerm) != 0)
            vpermb(out | mask(bits) | T_z, indices, source);
        else
            vpermb(out, indices, source);
    }
}

void WindowKernel::emit_two_source(const Output& output, const Vec& out) {
    const uint64_t zeros = units_of_term(output, WindowPlan::kNoTerm);
    const uint64_t taken = low_bits(static_cast<int>(output.units.size())) & ~zeros;
    const auto written = [&] { return zeros == 0 ? out : out | mask(taken) | T_z; };
    if (output.windows.size() == 1) {
        const Vec indices = table(unit_indices(output, 0), vec(kTableScratch));
        return permute(written(), indices, window(output.windows[0], out));
    }
    const Table first = unit_indices(output, 1);
    const Vec a = window(output.windows[0], vec(kWindowScratch));
    const Vec b = window(output.windows[1], vec(kTableScratch));
    copy(out, table(first, out));
    permute_two(written(), a, b);
    for (size_t term = 2; term < output.windows.size(); ++term) {
        const Vec source = window(output.windows[term], vec(kWindowScratch));
        permute_into(out, table(unit_indices(output, term), vec(kTableScratch)), source);
    }
}

void WindowKernel::emit_store(const Output& output, const Vec& v) {
    const Address to = ptr[d() + output.dst_offset];
    if (output.bytes == WindowPlan::kVectorBytes)
        vmovups(to, v);
    else
        vmovdqu8(to | mask(low_bits(output.bytes)), v);
}

// ---- tables and masks ----------------------------------------------------------------------------------------

std::vector<WindowKernel::Table> WindowKernel::tables_of(const Output& output) const {
    if (is_copy(output) || output.windows.empty()) return {};
    if (plan_->merging) return {byte_indices(output)};
    std::vector<Table> tables;
    const size_t terms = output.windows.size();
    for (size_t term = std::min<size_t>(1, terms - 1); term < terms; ++term)
        tables.push_back(unit_indices(output, term));
    return tables;
}

std::vector<uint64_t> WindowKernel::masks_of(const Output& output) const {
    std::vector<uint64_t> masks;
    if (output.bytes < WindowPlan::kVectorBytes) masks.push_back(low_bits(output.bytes));
    if (is_copy(output) || output.windows.empty()) return masks;
    const uint64_t zeros = units_of_term(output, WindowPlan::kNoTerm);
    if (plan_->merging) {
        for (size_t term = zeros != 0 ? 0 : 1; term < output.windows.size(); ++term)
            masks.push_back(units_of_term(output, static_cast<int>(term)));
    } else if (zeros != 0) {
        masks.push_back(low_bits(static_cast<int>(output.units.size())) & ~zeros);
    }
    return masks;
}

// A bit a byte where permutes merge under byte masks, otherwise a bit a unit.
uint64_t WindowKernel::units_of_term(const Output& output, int term) const {
    const int width = plan_->merging ? plan_->unit : 1;
    uint64_t bits = 0;
    for (size_t i = 0; i < output.units.size(); ++i)
        if (output.units[i].term == term) bits |= low_bits(width) << (i * width);
    return bits;
}

WindowKernel::Table WindowKernel::byte_indices(const Output& output) const {
    Table indices{};
    for (size_t i = 0; i < output.units.size(); ++i)
        for (int byte = 0; byte < plan_->unit; ++byte)
            indices[i * plan_->unit + byte] = static_cast<uint8_t>(output.units[i].local + byte);
    return indices;
}

// Of term 0 alone; of terms 0 and 1 as the two sources; or of a later term as the second source, the first
// being the output as it is so far.
WindowKernel::Table WindowKernel::unit_indices(const Output& output, size_t term) const {
    const int lanes = WindowPlan::kVectorBytes / plan_->unit;
    Table indices{};
    for (size_t i = 0; i < output.units.size(); ++i) {
        const WindowPlan::Unit& unit = output.units[i];
        const int local = unit.local / plan_->unit;
        uint64_t index = term >= 2 ? i : 0;
        if (unit.term == static_cast<int>(term)) index = local + (term > 0 ? lanes : 0);
        if (unit.term == 0 && term <= 1) index = local;
        std::memcpy(&indices[i * plan_->unit], &index, plan_->unit);
    }
    return indices;
}

bool WindowKernel::is_copy(const Output& output) const {
    if (output.windows.size() != 1) return false;
    for (size_t i = 0; i < output.units.size(); ++i)
        if (output.units[i].term != 0 || output.units[i].local != static_cast<int>(i) * plan_->unit)
            return false;
    return true;
}

// ---- operands ------------------------------------------------------------------------------------------------

WindowKernel::Vec WindowKernel::window(int index, const Vec& scratch) {
    if (resident_) return vec(registers() - 1 - index);
    load_window(scratch, section_->windows[index]);
    return scratch;
}

void WindowKernel::load_window(const Vec& v, const WindowPlan::Window& window) {
    const Address from = ptr[s() + window.offset];
    if (window.bytes == WindowPlan::kVectorBytes)
        vmovups(v, from);
    else
        vmovdqu8(v | mask(low_bits(window.bytes)) | T_z, from);
}

WindowKernel::Vec WindowKernel::table(const Table& indices, const Vec& scratch) {
    const auto found = std::find(hoisted_.begin(), hoisted_.end(), indices);
    if (found != hoisted_.end())
        return vec(kFirstHoisted + static_cast<int>(found - hoisted_.begin()));
    load_table(scratch, indices);
    return scratch;
}

void WindowKernel::load_table(const Vec& v, const Table& indices) {
    vmovups(v, vector_table(indices.data()));
}

Xbyak::Opmask WindowKernel::mask(uint64_t bits) {
    const auto found = std::find(hoisted_masks_.begin(), hoisted_masks_.end(), bits);
    if (found != hoisted_masks_.end())
        return Xbyak::Opmask(1 + static_cast<int>(found - hoisted_masks_.begin()));
    kmovq(k7, constant_u64(bits));
    return k7;
}

void WindowKernel::permute(const Vec& d, const Vec& indices, const Vec& a) {
    switch (plan_->unit) {
        case 2:
            return vpermw(d, indices, a);
        case 4:
            return vpermd(d, indices, a);
        default:
            return vpermq(d, indices, a);
    }
}

// d_indices holds the indices and becomes the result.
void WindowKernel::permute_two(const Vec& d_indices, const Vec& a, const Vec& b) {
    switch (plan_->unit) {
        case 2:
            return vpermi2w(d_indices, a, b);
        case 4:
            return vpermi2d(d_indices, a, b);
        default:
            return vpermi2q(d_indices, a, b);
    }
}

// d_first is the first source and becomes the result.
void WindowKernel::permute_into(const Vec& d_first, const Vec& indices, const Vec& b) {
    switch (plan_->unit) {
        case 2:
            return vpermt2w(d_first, indices, b);
        case 4:
            return vpermt2d(d_first, indices, b);
        default:
            return vpermt2q(d_first, indices, b);
    }
}

}  // namespace tombola::impl::cpu::x64
