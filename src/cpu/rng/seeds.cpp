// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/seeds.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace tombola::impl::cpu {
namespace {

// getrandom() gives up to 256 bytes completely or not at all. It waits only while the system is still starting.
Result<Seeds> draw_from_system(size_t bytes) {
    Seeds seeds{0, 0};
    while (seeds.global == 0 && seeds.op == 0) {
        const ssize_t size = getrandom(&seeds, bytes, 0);
        if (size == static_cast<ssize_t>(bytes)) continue;
        if (size < 0 && errno != EINTR)
            return Status(StatusCode::runtime_error,
                          format("the operating system gives no entropy for seeds (0, 0): %s",
                                 std::strerror(errno)));
        seeds = {0, 0};
    }
    return seeds;
}

}  // namespace

Result<Seeds> resolve_seeds(const ExecContext& context, SeedUse use) {
    Seeds seeds = context.default_seeds();
    if (const auto* argument = context.input<uint64_t>(TOMBOLA_ARG_SEEDS))
        seeds = {argument[0], argument[1]};
    if (seeds.global != 0 || seeds.op != 0 || use == SeedUse::none) return seeds;
    return draw_from_system(use == SeedUse::both ? sizeof seeds : sizeof seeds.global);
}

Result<Seeds> seeds_or_entropy(Seeds given) {
    if (given.global != 0 || given.op != 0) return given;
    return draw_from_system(sizeof given);
}

void report_seeds(const ExecContext& context, Seeds used) {
    auto* argument = context.output<uint64_t>(TOMBOLA_ARG_DST_SEEDS);
    if (argument == nullptr) return;
    argument[0] = used.global;
    argument[1] = used.op;
}

Result<uint64_t> resolve_offset(const ExecContext& context, dim_t elements) {
    const auto* argument = context.input<uint64_t>(TOMBOLA_ARG_OFFSET);
    if (argument == nullptr) return uint64_t{0};
    const uint64_t highest = uint64_t{0} - static_cast<uint64_t>(elements);  // 2^64 - elements
    if (elements > 0 && *argument > highest)
        return invalid(
            "OFFSET is %llu for %lld element%s; expected at most %llu, so that OFFSET + elements "
            "is at most 2^64",
            *argument, elements, plural(elements), highest);
    return *argument;
}

}  // namespace tombola::impl::cpu
