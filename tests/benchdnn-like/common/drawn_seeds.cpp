// SPDX-License-Identifier: Apache-2.0
#include "common/drawn_seeds.hpp"

#include "common/errors.hpp"

namespace tombola::bench {

namespace {

Seeds seeds_of(const Bytes& bytes) {
    Seeds seeds{};
    if (bytes.size() != 2 * sizeof(uint64_t)) return seeds;
    std::memcpy(&seeds.global, bytes.data(), 8);
    std::memcpy(&seeds.op, bytes.data() + 8, 8);
    return seeds;
}

}  // namespace

std::optional<Seeds> expect_seeds(Arguments& args, const Seeds& own, bool are_used) {
    Argument* reported = args.find(TOMBOLA_ARG_DST_SEEDS);
    if (!are_used || !own.are_drawn()) {
        const uint64_t words[2] = {own.global, own.op};
        if (reported) reported->expected = bytes_of(words, 2);
        return own;
    }
    if (!reported) return std::nullopt;
    reported->expected = reported->values;
    const Seeds drawn = seeds_of(reported->values);
    if (drawn.are_drawn()) throw CaseError("DST_SEEDS is 0, 0, expected the seeds drawn");
    return drawn;
}

void pin_seeds(const Arguments& args, Seeds& seeds) {
    const Argument* reported = args.find(TOMBOLA_ARG_DST_SEEDS);
    if (seeds.are_drawn() && reported) seeds = seeds_of(reported->values);
}

}  // namespace tombola::bench
