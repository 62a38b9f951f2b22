// SPDX-License-Identifier: Apache-2.0
#include "cpu/random_uniform/pytorch_execution.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

#include "cpu/rng/mt19937_state.hpp"
#include "cpu/rng/seeds.hpp"

namespace tombola::impl::cpu {
namespace {

// A part that does not begin the tensor starts with a jump, which takes as long as one to two million words.
// Shorter parts would save nothing.
constexpr int64_t kWordsAPart = int64_t{1} << 21;

void skip_values(Mt19937& state, uint64_t values, int words_per_value, const MtJumpLoops& loops) {
    if (values <= std::numeric_limits<uint64_t>::max() / 2)
        return state.skip(values * static_cast<uint64_t>(words_per_value), loops);
    for (int i = 0; i < words_per_value; ++i) state.skip(values, loops);
}

Result<Mt19937> start_of(const ExecContext& context, uint64_t global_seed) {
    const auto* argument = context.input<uint32_t>(TOMBOLA_ARG_SRC_STATE);
    if (argument == nullptr) return Mt19937::from_seed(static_cast<uint32_t>(global_seed));
    Mt19937 state;
    std::memcpy(&state, argument, sizeof state);
    TOMBOLA_TRY(check_state(state, "SRC_STATE"));
    return state;
}

}  // namespace

Status execute_pytorch(const ExecContext& context, const RandomUniformDesc& desc,
                       int words_per_value, const MtJumpLoops& loops,
                       FunctionRef<void(Mt19937& state, const FillPart& part)> generate) {
    const int64_t count = desc.dst.nelems();
    const bool has_state = context.input(TOMBOLA_ARG_SRC_STATE) != nullptr;
    auto seeds = resolve_seeds(context, has_state ? SeedUse::none : SeedUse::both);
    TOMBOLA_TRY(seeds.take_status());
    auto start = start_of(context, seeds.value().global);
    TOMBOLA_TRY(start.take_status());
    auto offset = resolve_offset(context, count);
    TOMBOLA_TRY(offset.take_status());
    skip_values(start.value(), offset.value(), words_per_value, loops);

    Mt19937 after = start.value();
    FillOptions options;
    options.multiple = 64;
    options.elements_a_part = kWordsAPart / words_per_value;
    fill(desc.dst, context.output(TOMBOLA_ARG_DST), options, [&](const FillPart& part) {
        Mt19937 state = start.value();
        skip_values(state, static_cast<uint64_t>(part.first()), words_per_value, loops);
        generate(state, part);
        if (part.first() + part.count() == count) after = state;
    });
    if (auto* argument = context.output<uint32_t>(TOMBOLA_ARG_DST_STATE))
        std::memcpy(argument, &after, sizeof after);
    report_seeds(context, seeds.value());
    return {};
}

}  // namespace tombola::impl::cpu
