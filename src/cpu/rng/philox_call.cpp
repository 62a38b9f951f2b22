// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/philox_call.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr int kReservedBlocks = 256;  // per element; kReservedSamplesPerOutput of TensorFlow

}  // namespace

Result<PhiloxCall> resolve_philox_call(const ExecContext& context, int64_t elements) {
    const auto* state = context.input<uint64_t>(TOMBOLA_ARG_SRC_STATE);
    const Seeds seeds =
        TOMBOLA_TRY(resolve_seeds(context, state != nullptr ? SeedUse::global : SeedUse::both));
    const uint64_t offset = TOMBOLA_TRY(resolve_offset(context, elements));
    const PhiloxCounter start =
        state != nullptr ? PhiloxCounter{state[0], state[1]} : PhiloxCounter{0, seeds.op};
    return PhiloxCall{seeds, start, offset, elements};
}

void report_philox_blocks(const ExecContext& context, const PhiloxCall& call, Uint128 blocks) {
    report_seeds(context, call.seeds);
    auto* state = context.output<uint64_t>(TOMBOLA_ARG_DST_STATE);
    if (state == nullptr) return;
    const PhiloxCounter next = call.start.plus(blocks);
    state[0] = next.lo;
    state[1] = next.hi;
}

void report_philox_call(const ExecContext& context, const PhiloxCall& call) {
    report_philox_blocks(context, call, call.number_of(call.elements) * kReservedBlocks);
}

}  // namespace tombola::impl::cpu
