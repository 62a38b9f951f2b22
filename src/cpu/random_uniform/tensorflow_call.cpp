// SPDX-License-Identifier: Apache-2.0
#include "cpu/random_uniform/tensorflow_call.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr int kReservedBlocks = 256;  // for each element: TensorFlow's kReservedSamplesPerOutput

}  // namespace

Result<TensorflowCall> resolve_tensorflow_call(const RandomUniformDesc& desc,
                                               const ExecContext& context) {
    const auto* state = context.input<uint64_t>(TOMBOLA_ARG_SRC_STATE);
    Result<Seeds> resolved =
        resolve_seeds(context, state != nullptr ? SeedUse::global : SeedUse::both);
    TOMBOLA_TRY(resolved.take_status());
    Result<uint64_t> offset = resolve_offset(context, desc.dst.nelems());
    TOMBOLA_TRY(offset.take_status());
    const Seeds seeds = resolved.take();
    PhiloxCounter start{0, seeds.op};
    if (state != nullptr) start = {state[0], state[1]};
    return TensorflowCall{seeds, PhiloxKey::from(seeds.global), start, offset.value()};
}

void report_tensorflow_call(const RandomUniformDesc& desc, const ExecContext& context,
                            const TensorflowCall& call) {
    report_seeds(context, call.seeds);
    auto* state = context.output<uint64_t>(TOMBOLA_ARG_DST_STATE);
    if (state == nullptr) return;
    const Uint128 elements = Uint128{call.offset} + static_cast<uint64_t>(desc.dst.nelems());
    const PhiloxCounter next = call.start.plus(elements * kReservedBlocks);
    state[0] = next.lo;
    state[1] = next.hi;
}

}  // namespace tombola::impl::cpu
