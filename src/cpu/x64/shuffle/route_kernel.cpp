// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/route_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

// Transposes of K registers: route_plan.hpp has the maths and a diagram. Blends of a stage work in place: the
// registers i, i + 2^s, i + 2 * 2^s ... are a ring, and the first of a ring is written to the register that is free, so
// that the last still finds what it was.
//
// register    role (of 32; of 16 where there are 16)
// vec 0-16    T[0] ... T[K - 1], and the free one     (0-8)
// vec 17      indices from memory                     (9)
// vec 18-31   indices that stay                       (10-15)
// k1-k4       which sections a stage blends: the same four patterns whatever K
// gpr         see permute_kernel.cpp

namespace tombola::impl::cpu::x64 {
namespace {

size_t code_bytes_for(const RoutePlan& plan) {
    size_t operations = 0;
    for (const auto& section : plan.sections) {
        operations += 40;
        for (const Route& route : section.routes)
            operations += static_cast<size_t>(route.K() * (route.stages() + 2 * 6));
    }
    // An instruction has at most 11 bytes here; a permute may bring a table.
    return 4096 + operations * (11 + 16);
}

}  // namespace

RouteKernel::RouteKernel(const Key& key)
    : PermuteKernel(key.isa, "shuffle_route", code_bytes_for(*key.plan), key.plan->loop,
                    section_loops(*key.plan)),
      plan_(key.plan) {}

void RouteKernel::emit_hoisted(int section) {
    hoisted_.clear();
    masks_.clear();
    const auto room = static_cast<size_t>(registers() - index_scratch() - 1);
    for (const Route& route : plan_->sections[static_cast<size_t>(section)].routes) {
        for (const auto* side : {&route.sources, &route.outputs})
            for (const Register& r : *side) {
                const Table indices = table_of(r);
                if (hoisted_.size() == room || is_identity(r) ||
                    std::find(hoisted_.begin(), hoisted_.end(), indices) != hoisted_.end())
                    continue;
                hoisted_.push_back(indices);
                load(vec(index_scratch() + static_cast<int>(hoisted_.size())),
                     vector_table(indices.data()));
            }
        for (int stage = 0; is_avx512() && stage < route.stages(); ++stage) {
            const uint16_t mask = blended(route.K(), stage);
            if (std::find(masks_.begin(), masks_.end(), mask) != masks_.end()) continue;
            masks_.push_back(mask);
            mov(scratch().cvt32(), mask);
            kmovw(Xbyak::Opmask(static_cast<int>(masks_.size())), scratch().cvt32());
        }
    }
}

void RouteKernel::emit_step(int section) {
    const auto& routes = plan_->sections[static_cast<size_t>(section)].routes;
    const int room = registers() / 2;
    for (size_t first = 0, end; first < routes.size(); first = end) {
        int used = 0;
        for (end = first; end < routes.size() && used + routes[end].K() <= room; ++end)
            used += routes[end].K();
        emit_together(&routes[first], &routes[0] + end, used);
    }
}

// Routes that fit into the registers together. Their stores go through memory, as far as they lie side by side: two
// vectors that share a cache line are best stored one after the other.
void RouteKernel::emit_together(const Route* first, const Route* end, int used) {
    std::vector<std::pair<const Register*, int>> outputs;
    int base = 0;
    free_ = used;
    for (const Route* route = first; route != end; ++route) {
        at_.resize(static_cast<size_t>(route->K()));
        std::iota(at_.begin(), at_.end(), base);
        base += route->K();
        for (size_t w = 0; w < at_.size(); ++w) emit_source(route->sources[w], vec(at_[w]));
        emit_blends(*route);
        for (size_t o = 0; o < at_.size(); ++o) outputs.emplace_back(&route->outputs[o], at_[o]);
    }
    std::stable_sort(outputs.begin(), outputs.end(), [](const auto& a, const auto& b) {
        return a.first->pieces[0].offset < b.first->pieces[0].offset;
    });
    for (const auto& [output, index] : outputs) emit_output(*output, vec(index));
}

void RouteKernel::emit_source(const Register& source, const Vec& v) {
    load_pieces(v, source.pieces);
    if (!is_identity(source)) permute(v, table(source), v);
}

// T[i] = T[i], or T[i + 2^s mod K] in the sections whose number has bit s.
void RouteKernel::emit_blends(const Route& route) {
    const int K = route.K();
    for (int stage = 0; stage < route.stages(); ++stage)
        for (int first = 0; first < 1 << stage; ++first) {
            const int first_was = at_[static_cast<size_t>(first)];
            for (int i = first; i < K; i += 1 << stage) {
                const int next = i + (1 << stage);
                int& here = at_[static_cast<size_t>(i)];
                const int there = next < K ? at_[static_cast<size_t>(next)] : first_was;
                const int to = i == first ? free_ : here;
                blend(vec(to), vec(here), vec(there), K, stage);
                here = to;
            }
            free_ = first_was;
        }
}

void RouteKernel::emit_output(const Register& output, const Vec& v) {
    if (!is_identity(output)) permute(v, table(output), v);
    store_pieces(output.pieces, v);
}

// ---- memory --------------------------------------------------------------------------------------------------

void RouteKernel::load_pieces(const Vec& v, const std::vector<Piece>& pieces) {
    vmovups(part(v.getIdx(), pieces[0].bytes), ptr[s() + pieces[0].offset]);
    for (size_t i = 1; i < pieces.size(); ++i) {
        const Address from = ptr[s() + pieces[i].offset];
        const auto position = static_cast<uint8_t>(i);
        if (!is_avx512())
            vinserti128(v, v, from, position);
        else if (pieces[i].bytes == 32)
            vinserti64x4(Xbyak::Zmm(v.getIdx()), Xbyak::Zmm(v.getIdx()), from, position);
        else
            vinserti32x4(v, v, from, position);
    }
}

void RouteKernel::store_pieces(const std::vector<Piece>& pieces, const Vec& v) {
    vmovups(ptr[d() + pieces[0].offset], part(v.getIdx(), pieces[0].bytes));
    for (size_t i = 1; i < pieces.size(); ++i) {
        const Address to = ptr[d() + pieces[i].offset];
        const auto position = static_cast<uint8_t>(i);
        if (!is_avx512())
            vextracti128(to, v, position);
        else if (pieces[i].bytes == 32)
            vextracti64x4(to, Xbyak::Zmm(v.getIdx()), position);
        else
            vextracti32x4(to, v, position);
    }
}

// ---- tables, masks and the operations that differ -------------------------------------------------------------

// d = a, or b in the sections whose number has bit `stage`.
void RouteKernel::blend(const Vec& d, const Vec& a, const Vec& b, int K, int stage) {
    const uint16_t mask = blended(K, stage);
    if (!is_avx512() && plan_->lane_bytes / K < 4)
        return vpblendw(d, a, b, static_cast<uint8_t>(mask));
    if (!is_avx512()) return vpblendd(d, a, b, static_cast<uint8_t>(mask));
    const auto found = std::find(masks_.begin(), masks_.end(), mask);
    vpblendmd(d | Xbyak::Opmask(1 + static_cast<int>(found - masks_.begin())), a, b);
}

void RouteKernel::permute(const Vec& d, const Vec& indices, const Vec& a) {
    if (plan_->lane_bytes < bytes()) return vpshufb(d, a, indices);
    switch (permuted_unit()) {
        case 1:
            return vpermb(d, indices, a);
        case 2:
            return vpermw(d, indices, a);
        default:
            return vpermd(d, indices, a);
    }
}

// The sections of a stage, a bit for each 4 bytes of the register, or, where they are narrower, for each 2 of a lane.
uint16_t RouteKernel::blended(int K, int stage) const {
    const int section_bytes = plan_->lane_bytes / K;
    const int width = std::min(section_bytes, 4);
    const int bits = width < 4 ? plan_->lane_bytes / width : bytes() / width;
    int mask = 0;
    for (int bit = 0; bit < bits; ++bit)
        if ((bit * width % plan_->lane_bytes / section_bytes >> stage & 1) != 0) mask |= 1 << bit;
    return static_cast<uint16_t>(mask);
}

bool RouteKernel::is_identity(const Register& r) const {
    for (int i = 0; i < bytes() / plan_->unit; ++i)
        if (r.order[static_cast<size_t>(i)] != i) return false;
    return true;
}

// Indices of bytes, words, or double words: two of these for a unit of 8. Within a lane they count from its start.
RouteKernel::Table RouteKernel::table_of(const Register& r) const {
    Table indices{};
    const int width = permuted_unit(), a_unit = plan_->unit / width;
    for (int i = 0; i < bytes() / width; ++i) {
        const int from = r.order[static_cast<size_t>(i / a_unit)] * a_unit + i % a_unit;
        indices[static_cast<size_t>(i * width)] =
            static_cast<uint8_t>(from % (plan_->lane_bytes / width));
    }
    return indices;
}

RouteKernel::Vec RouteKernel::table(const Register& r) {
    const Table indices = table_of(r);
    const auto found = std::find(hoisted_.begin(), hoisted_.end(), indices);
    if (found != hoisted_.end())
        return vec(index_scratch() + 1 + static_cast<int>(found - hoisted_.begin()));
    load(vec(index_scratch()), vector_table(indices.data()));
    return vec(index_scratch());
}

// Register `index` in the width of a piece.
RouteKernel::Vec RouteKernel::part(int index, int bytes) const {
    switch (bytes) {
        case 16:
            return Vec(index, Xbyak::Operand::XMM, 128);
        case 32:
            return Vec(index, Xbyak::Operand::YMM, 256);
        default:
            return Vec(index, Xbyak::Operand::ZMM, 512);
    }
}

}  // namespace tombola::impl::cpu::x64
