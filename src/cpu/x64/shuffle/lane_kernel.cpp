// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/lane_kernel.hpp"

#include <algorithm>

// Maths: lane l of an output, 16 bytes, = or over the terms t of vpshufb(16 source bytes at offsets[t][l],
// control[t][l]), where a control byte of 0x80 gives zero and any other picks one of the 16. For example
// G = 2, f32, two lanes (each digit a channel):
//
//   term 0   load  0  1  2  3 |  8  9 10 11    shuffle  0  2  .  . |  8 10  .  .
//   term 1   load  4  5  6  7 | 12 13 14 15    shuffle  .  .  4  6 |  .  . 12 14
//   or                                                  0  2  4  6 |  8 10 12 14
//
// register    role
// vec 0-5     outputs and terms under way, in turn
// vec 6       a piece shorter than a lane
// vec 7-      controls that stay
// gpr         see permute_kernel.cpp

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kInTurn = 6, kPiece = 6, kFirstHoisted = 7;

size_t code_bytes_for(const LanePlan& plan) {
    size_t operations = 0;
    for (const auto& section : plan.sections) {
        operations += 40;
        for (const auto& output : section.outputs) operations += 2 + 6 * output.terms.size();
    }
    return 4096 + operations * (11 + 16);
}

}  // namespace

LaneKernel::LaneKernel(const Key& key)
    : PermuteKernel(key.isa, "shuffle_lane", code_bytes_for(*key.plan), key.plan->loop,
                    section_loops(*key.plan)),
      plan_(key.plan) {}

void LaneKernel::emit_hoisted(int section) {
    hoisted_.clear();
    const size_t room = static_cast<size_t>(registers() - kFirstHoisted);
    for (const Output& output : plan_->sections[section].outputs)
        for (const Term& term : output.terms)
            if (hoisted_.size() < room &&
                std::find(hoisted_.begin(), hoisted_.end(), term.control) == hoisted_.end()) {
                load(vec(kFirstHoisted + static_cast<int>(hoisted_.size())),
                     vector_table(term.control.data()));
                hoisted_.push_back(term.control);
            }
}

void LaneKernel::emit_step(int section) {
    for (const Output& output : plan_->sections[section].outputs) emit_output(output);
}

void LaneKernel::emit_output(const Output& output) {
    const Vec out = part(turn_++ % kInTurn, output);
    emit_load(out, output.terms[0], output);
    if (!is_copy(output)) emit_shuffle(out, output.terms[0], output);
    for (size_t t = 1; t < output.terms.size(); ++t) {
        if (turn_ % kInTurn == out.getIdx()) ++turn_;
        const Vec term = part(turn_++ % kInTurn, output);
        emit_load(term, output.terms[t], output);
        emit_shuffle(term, output.terms[t], output);
        or_bits(out, out, term);
    }
    emit_store(output, out);
}

void LaneKernel::emit_load(const Vec& v, const Term& term, const Output& output) {
    if (is_contiguous(term, output.lanes())) return vmovups(v, ptr[s() + term.offsets[0]]);
    emit_piece(quarter(v.getIdx()), term, 0);
    for (int lane = 1; lane < output.lanes(); ++lane) {
        const Address at = ptr[s() + term.offsets[lane]];
        const auto position = static_cast<uint8_t>(lane);
        const Xbyak::Xmm piece = quarter(kPiece);
        const bool in_memory = term.load_bytes[lane] == LanePlan::kLaneBytes;
        if (!in_memory) emit_piece(piece, term, lane);
        const Xbyak::Operand& source = in_memory ? static_cast<const Xbyak::Operand&>(at) : piece;
        if (is_avx512())
            vinserti32x4(v, v, source, position);
        else
            vinserti128(v, v, source, position);
    }
}

void LaneKernel::emit_piece(const Xbyak::Xmm& v, const Term& term, int lane) {
    const Address at = ptr[s() + term.offsets[lane]];
    switch (term.load_bytes[lane]) {
        case 4:
            return vmovd(v, at);
        case 8:
            return vmovq(v, at);
        default:
            return vmovups(v, at);
    }
}

void LaneKernel::emit_shuffle(const Vec& v, const Term& term, const Output& output) {
    const auto found = std::find(hoisted_.begin(), hoisted_.end(), term.control);
    if (found != hoisted_.end())
        vpshufb(v, v, part(kFirstHoisted + static_cast<int>(found - hoisted_.begin()), output));
    else
        vpshufb(v, v, constant(term.control.data(), term.control.size(), 64));
}

void LaneKernel::emit_store(const Output& output, const Vec& v) {
    const Address to = ptr[d() + output.dst_offset];
    const Xbyak::Xmm low = quarter(v.getIdx());
    switch (output.bytes) {
        case 4:
            return vmovd(to, low);
        case 8:
            return vmovq(to, low);
        case 16:
            return vmovups(to, low);
        default:
            return vmovups(to, v);
    }
}

// Register `index` in the width of the output.
LaneKernel::Vec LaneKernel::part(int index, const Output& output) const {
    switch (output.lanes()) {
        case 1:
            return Vec(index, Xbyak::Operand::XMM, 128);
        case 2:
            return Vec(index, Xbyak::Operand::YMM, 256);
        default:
            return Vec(index, Xbyak::Operand::ZMM, 512);
    }
}

bool LaneKernel::is_copy(const Output& output) const {
    if (output.terms.size() != 1) return false;
    for (int byte = 0; byte < output.bytes; ++byte)
        if (output.terms[0].control[byte] != byte % LanePlan::kLaneBytes) return false;
    return true;
}

}  // namespace tombola::impl::cpu::x64
