// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/estimate_kernels.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "common/bit_cast.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kSums = 4;

// The maximum number of weights that a sum of a lane gets from a block. The last vectors of a block that is no whole number of steps go to
// the first sums.
int max_addends(CpuIsa isa) {
    return kMaxBlockUnits * kUnitClasses / (shape_of(isa).bytes / 4) / kSums + 4;
}

}  // namespace

double estimate_error(CpuIsa isa, bool log_probs, int log_classes) {
    const double roundings = (max_addends(isa) + 2) * 0x1p-24;
    const double integers = std::ldexp(1.0, 2 * log_classes - 61);
    const double logits =
        WeightEstimate::kError + WeightEstimate::kErrorPerUnit * std::log(2.0) * log_classes;
    // More by a hundredth for products of errors and the roundings of f64.
    return 1.01 * (roundings + integers + (log_probs ? logits : 0));
}

// -- weights -------------------------------------------------------------------------------------
// Registers: vec 0-3 elements; 8-11 sums; 7 maxima; from 12 on a constant.
void WeightEstimateKernel::generate() {
    begin(7);
    const Reg args = gpr(0), src = gpr(1), ahead = gpr(2), blocks = gpr(3), units = gpr(4),
              sums = gpr(5), left = gpr(6);
    load_blocks({src, ahead, blocks, units, sums}, args + offsetof(Args, blocks));
    set_held_range(12);
    hold_unordered_load();
    zero(maxima_found());
    Label block;
    L(block);
    mov(left, units);
    for (int i = 0; i < kSums; ++i) zero(sum(i));
    int last = 0;
    for (const int vectors : {kSums, 2, 1}) {
        const int together = vectors / vectors_per_unit();
        if (together == 0 || together == last) continue;
        last = together;
        Label again, done;
        align(32);
        L(again);
        cmp(left, together);
        jl(done, T_NEAR);
        emit_vectors(src, vectors);
        emit_ahead(ahead, 0, vectors, {vec(0), vec(1), vec(0), vec(1), vec(0)});
        add(src, vectors * vector_step());
        add(ahead, vectors * vector_step());
        sub(left, together);
        jmp(again, T_NEAR);
        L(done);
    }
    store_sums_f32(ptr[sums], {sum(0), sum(1), sum(2), sum(3)}, 0);
    add(sums, 8);
    dec(blocks);
    jnz(block, T_NEAR);
    store(ptr[args + offsetof(Args, found) + offsetof(RowFindings, maxima)], maxima_found());
    end();
}

// Elements of 16 bits are compared as they are stored, two vectors in one. Elements are compared with each other first, so that few
// comparisons wait for one another.
void WeightEstimateKernel::emit_vectors(const Reg& src, int vectors) {
    for (int i = 0; i < vectors; ++i) {
        load_unordered(element(i), src, i);
        vaddps(sum(i), sum(i), element(i));
    }
    const bool halves = element_bytes() == 2;
    if (halves && vectors == 1) load_half_twice(element(0), ptr[src]);
    if (halves && vectors > 1)
        for (int i = 0; i < vectors; i += 2) load(element(i / 2), ptr[src + i * vector_step()]);
    int left = halves ? (vectors + 1) / 2 : vectors;
    for (; left > 1; left /= 2)
        for (int i = 0; i < left / 2; ++i) {
            const Vec a = element(i), b = element(i + left / 2);
            halves ? vpmaxuw(a, a, b) : vpmaxud(a, a, b);
        }
    halves ? vpmaxuw(maxima_found(), maxima_found(), element(0))
           : vpmaxud(maxima_found(), maxima_found(), element(0));
}

// -- logits --------------------------------------------------------------------------------------

WeightEstimate WeightEstimate::of(CpuIsa isa) {
    if (shape_of(isa).bytes == 64) return {5, 2, {1.0f, -0x1.62e584p-6f, 0x1.ebfbdep-13f, 0}};
    return {3, 3, {1.0f, -0x1.62e432p-4f, 0x1.ec0c22p-9f, -0x1.c690ccp-14f}};
}

uint32_t WeightEstimate::entry(int i) const {
    const double power = std::exp2(std::ldexp(static_cast<double>(i), -size_log));
    return bit_cast<uint32_t>(static_cast<float>(power)) -
           (static_cast<uint32_t>(i) << (23 - size_log));
}

// Registers: vec 0-5 three sets; 6, 9 and 11 sums; 7 maxima; 8 scratch or, with AVX2, lanes of the mask of findings; 10 scratch; from 12 on
// further sets, a sum, and constants or, with AVX2, scratch. k1 scratch; k2 the mask of accepted lanes.
void LogitEstimateKernel::generate() {
    begin(9, frame_bytes());
    const Reg args = gpr(0);
    load_constants();
    list_steps();
    load_blocks({src(), ahead(), blocks(), units(), sums()}, args + offsetof(Args, row.blocks));
    emit_begin_findings();
    Label in_turns, done;
    jump_unless_passes(in_turns);
    emit_begin_passes();
    emit_blocks(true);
    jmp(done, T_NEAR);
    L(in_turns);
    emit_blocks(false);
    L(done);
    emit_end_findings(args + offsetof(Args, found), left());
    end();
}

LogitEstimateKernel::Vec LogitEstimateKernel::sum(int i) const {
    const int registers[kSums] = {6, 9, 11, registers_of_sets()};
    return vec(registers[i]);
}

void LogitEstimateKernel::load_constants() {
    using Weight = WeightEstimate;
    set_held_range(registers_of_sets() + (registers() == 32 ? 1 : 2));
    hold_ratio();
    log2e_ = hold(vector_f32(std::ldexp(Weight::kLog2e, weight_.size_log)));
    round_ = hold(vector_f32(Weight::kRound));
    uint32_t entries[32];
    const int in_register = lanes(4);
    for (int first = 0; first < 1 << weight_.size_log; first += in_register) {
        for (int i = 0; i < in_register; ++i) entries[i] = weight_.entry(first + i);
        table_[first / in_register] = hold(vector_table(entries));
    }
    for (int i = weight_.degree; i >= 0; --i) c_[i] = hold(vector_f32(weight_.c[i]));
    farthest_ = hold(vector_f32(Weight::kFarthest));
    hold_unordered_load();
}

void LogitEstimateKernel::emit_blocks(bool in_passes) {
    Label block;
    L(block);
    mov(left(), units());
    for (int i = 0; i < kSums; ++i) zero(sum(i));
    emit_classes(left(), in_passes);
    store_sums_f32(ptr[sums()], {sum(0), sum(1), sum(2), sum(3)}, 10);
    add(sums(), 8);
    dec(blocks());
    jnz(block, T_NEAR);
}

void LogitEstimateKernel::list_steps() {
    using R = const Set&;
    using V = const Vec&;
    add_load_steps();
    add_steps_with(farthest_, [=](V e, V, V farthest) { vminps(e, e, farthest); });
    add_steps_with(log2e_, [=](V e, V z, V log2e) {
        vmovaps(z, round_);
        vfmsub231ps(z, e, log2e);
    });
    add_steps([=](R r, V, V z) {
        const Vec entry = scratch(), exponent = second_scratch();
        lookup_f32(entry, z, table_);
        vpslld(exponent, z, static_cast<uint8_t>(23 - weight_.size_log));
        vpaddd(entry, entry, exponent);
        store(r.z, entry);
    });
    add_steps_with(round_, [=](V, V n, V round) { vaddps(n, n, round); });         // -n
    add_steps_with(log2e_, [=](V e, V n, V log2e) { vfmsub132ps(e, n, log2e); });  // t
    std::vector<const Held*> coefficients;
    for (int i = weight_.degree; i >= 0; --i) coefficients.push_back(&c_[i]);
    add_polynomial_steps(coefficients, false);
    add_steps([=](R r, V, V p) { vfmadd231ps(sum(r.vector % kSums), p, r.z); });
}

}  // namespace tombola::impl::cpu::x64
