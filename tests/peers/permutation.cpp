// SPDX-License-Identifier: Apache-2.0

// tombola's permutations by both alignments, and std::shuffle.

#include <algorithm>
#include <numeric>
#include <random>

#include "tombola_memory.hpp"

namespace tombola::peers {

namespace {

Work draw(const Permutation& c, permutation_alignment whose, int64_t range) {
    const memory::desc dst_desc({c.count}, memory::data_type::s64, memory::format_tag::a);
    const random_permutation::primitive_desc pd(cpu(), whose, dst_desc, range, 1, 2);
    return executing(random_permutation(pd),
                     {{TOMBOLA_ARG_DST, memory(dst_desc, cpu(), destination(c.bytes()))}},
                     c.bytes(), pd.impl_info_str());
}

Work shuffle(const Permutation& c) {
    auto* to = reinterpret_cast<int64_t*>(destination(c.bytes()));
    return {[to, count = c.count, engine = std::mt19937(1)]() mutable {
                std::iota(to, to + count, int64_t{0});
                std::shuffle(to, to + count, engine);
                keep(to);
            },
            c.bytes()};
}

}  // namespace

void add_permutation() {
    for (const Permutation& c : kPermutations) {
        const std::string name = std::string("permutation/") + c.name;
        add_tombola(name, [c] { return draw(c, permutation_alignment::pytorch, c.count); });
        add(name, "std::shuffle", [c] { return shuffle(c); });
        add_tombola(name + ", philox",
                    [c] { return draw(c, permutation_alignment::philox, c.count); });
        if (c.count < kPermutations.back().count) {
            add_tombola_threads(std::string("random_permutation pytorch, ") + c.name,
                                [c] { return draw(c, permutation_alignment::pytorch, c.count); });
            add_tombola_threads(std::string("random_permutation philox, ") + c.name,
                                [c] { return draw(c, permutation_alignment::philox, c.count); });
        }
    }
    // A shard: of a power of two, and of a range of which every element takes two passes on average.
    constexpr Permutation kShard = {"", int64_t{1} << 20};
    constexpr int64_t kLarge = int64_t{1} << 30;
    for (const auto& [name, range] :
         {std::pair{"1048576 of 2^30", kLarge}, std::pair{"1048576 of 2^30 + 1", kLarge + 1}}) {
        const auto shard = [kShard, range = range] {
            return draw(kShard, permutation_alignment::philox, range);
        };
        add_tombola(std::string("permutation/") + name + ", philox", shard);
        add_tombola_threads(std::string("random_permutation philox, ") + name, shard);
    }
}

}  // namespace tombola::peers
