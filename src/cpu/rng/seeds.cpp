// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/seeds.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace tombola::impl::cpu {
namespace {

// Up to 256 bytes come whole or not at all, and only a system that is still starting makes the call wait.
Result<Seeds> draw_from_system() {
    Seeds seeds{0, 0};
    while (seeds.global == 0 && seeds.op == 0) {
        const ssize_t size = getrandom(&seeds, sizeof seeds, 0);
        if (size == static_cast<ssize_t>(sizeof seeds)) continue;
        if (size < 0 && errno != EINTR)
            return Status(StatusCode::runtime_error,
                          format("the operating system gives no entropy for seeds (0, 0): %s",
                                 std::strerror(errno)));
        seeds = {0, 0};
    }
    return seeds;
}

}  // namespace

Result<Seeds> resolve_seeds(const ExecContext& context, Seeds of_descriptor) {
    Seeds seeds = of_descriptor;
    if (const auto* argument = context.input<uint64_t>(TOMBOLA_ARG_SEEDS))
        seeds = {argument[0], argument[1]};
    if (seeds.global == 0 && seeds.op == 0) return draw_from_system();
    return seeds;
}

void report_seeds(const ExecContext& context, Seeds used) {
    auto* argument = context.output<uint64_t>(TOMBOLA_ARG_DST_SEEDS);
    if (argument == nullptr) return;
    argument[0] = used.global;
    argument[1] = used.op;
}

uint64_t resolve_offset(const ExecContext& context) {
    const auto* argument = context.input<uint64_t>(TOMBOLA_ARG_OFFSET);
    return argument == nullptr ? 0 : *argument;
}

}  // namespace tombola::impl::cpu
