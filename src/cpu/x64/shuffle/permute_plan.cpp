// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_plan.hpp"

#include <algorithm>

#include "common/parallel.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Unrolling gains nothing for runs with fewer or more steps than these, nor for loops whose unrolled body would have fewer steps than the
// last constant. Measured on Zen 5 alone.
constexpr int64_t kMinUnrolledRun = 7, kMaxUnrolledRun = 64, kMinUnrolledSteps = 4;
constexpr int64_t kMaxPasses = 4;
// Loads and stores are slow in the second-level cache of Zen 5 if they advance by this many bytes from pass to pass.
constexpr int64_t kMinSlowStride = 1408, kMaxSlowStride = 3584;

// The number of steps in a run. A run is a tile, or a pixel whose channels lie side by side.
int64_t steps_of_run(const PermutePlan& plan) {
    const StepLoop& loop = plan.operations->loop;
    if (loop.single_step) return 1;
    if (plan.step_pixels == 0) return (plan.dst_last + loop.dst_step - 1) / loop.dst_step + 1;
    const int64_t pixels = plan.pixels_of_tile();
    return (pixels + plan.step_pixels - 1) / plan.step_pixels;
}

}  // namespace

Result<PermutePlan> begin_plan(const ShuffleDesc& desc) {
    PermutePlan plan;
    plan.layout = TOMBOLA_TRY(make_unblocked_layout(desc));
    plan.bytes = 2 * static_cast<int64_t>(desc.dst.size());
    plan.threads = max_threads();
    return plan;
}

std::vector<CpuIsa> code_for(CpuIsa isa) {
    if (isa == CpuIsa::avx2) return {isa};
    return {isa, CpuIsa::avx2};
}

// In the second-level cache, a loop over a short run takes longer than the same steps unrolled. So does the loop around such runs, if its
// addresses advance far. The likely reason is a prefetcher that follows the addresses of one instruction and goes on where the run ends; this
// was not observed. Tensors beyond half of the second-level cache gain less, and with AVX2 lose. Tensors in the first-level cache show no
// difference.
Unrolled unrolled(const PermutePlan& plan) {
    if (fits_l1(plan.bytes) || plan.bytes > machine().caches.l2 / 2) return {};
    if (plan.joins_tiles && plan.step_pixels > 0) return {};  // all pixels are one run
    const int64_t budget = machine().row.unrolled_operations, steps = steps_of_run(plan);
    const auto operations = static_cast<int64_t>(plan.operations->size());
    const int64_t most = budget / operations;
    if (steps > 1 &&
        (steps < kMinUnrolledRun || steps > kMaxUnrolledRun || most < kMinUnrolledSteps))
        return {};
    Unrolled result;
    result.steps = static_cast<int>(std::clamp<int64_t>(most, 1, steps));
    // The loop around the steps goes over sections or over pixels. If its body has several passes, the code may be longer than the budget.
    const bool over_sections = plan.operations->sections[0].loop.repeats > 1;
    if (result.steps < steps || !(over_sections || plan.joins_tiles)) return result;
    int64_t passes = std::clamp<int64_t>(3 * budget / (2 * operations * steps), 1, kMaxPasses);
    const int64_t advance = over_sections ? 0 : plan.pixels.src.stride;
    while (passes > 1 && passes * advance >= kMinSlowStride && passes * advance < kMaxSlowStride)
        --passes;
    result.passes = static_cast<int>(passes);
    return result;
}

double step_cycles(const PermutePlan& plan) {
    const VectorRates& rates = machine().rates(shape_of(plan.code).bytes);
    return unrolled(plan).steps > 1 ? rates.unrolled_step_cycles : rates.step_cycles;
}

}  // namespace tombola::impl::cpu::x64
