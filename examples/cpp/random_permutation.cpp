// SPDX-License-Identifier: Apache-2.0

// The order of an epoch: torch.randperm's, and one of which each worker computes its own part.
// Build: c++ -std=c++17 random_permutation.cpp -ltombola

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

// `count` elements of the permutation of 0 ... range - 1 from element `offset` on.
std::vector<int64_t> draw(const engine& eng, permutation_alignment whose, int64_t count,
                          int64_t range, uint64_t offset, uint64_t seed) {
    const memory::desc dst_desc({count}, memory::data_type::s64, memory::format_tag::a);
    const random_permutation::primitive_desc pd(eng, whose, dst_desc, range, seed, /*op_seed=*/1);
    std::vector<int64_t> elements(static_cast<size_t>(count));
    stream strm(eng);
    random_permutation(pd).execute(strm,
                                   {{TOMBOLA_ARG_DST, memory(dst_desc, eng, elements.data())},
                                    {TOMBOLA_ARG_OFFSET, memory(pd.offset_desc(), eng, &offset)}});
    return elements;
}

}  // namespace

int main() try {
    const engine eng(engine::kind::cpu, 0);

    // torch.manual_seed(5); torch.randperm(10)
    const std::vector<int64_t> torch = {1, 4, 9, 6, 3, 5, 0, 2, 8, 7};
    const auto ten = draw(eng, permutation_alignment::pytorch, 10, 10, 0, 5);
    std::printf("torch.randperm(10):");
    for (const int64_t element : ten) std::printf(" %d", static_cast<int>(element));
    std::printf("%s\n", ten == torch ? "" : "   WRONG");

    // Four workers that share 1,000 samples. None of them holds the whole order.
    std::vector<int64_t> all;
    for (uint64_t worker = 0; worker < 4; ++worker) {
        const auto part = draw(eng, permutation_alignment::philox, 250, 1000, 250 * worker, 7);
        all.insert(all.end(), part.begin(), part.end());
    }
    const bool together = all == draw(eng, permutation_alignment::philox, 1000, 1000, 0, 7);
    std::sort(all.begin(), all.end());
    bool each_once = true;
    for (size_t i = 0; i < all.size(); ++i) each_once &= all[i] == static_cast<int64_t>(i);
    std::printf("four parts: %s, %s\n", together ? "the whole" : "WRONG",
                each_once ? "each sample once" : "WRONG");

    // Ten of a billion without replacement.
    const auto few = draw(eng, permutation_alignment::philox, 10, 1000000000, 0, 7);
    std::printf("ten of a billion:");
    for (const int64_t element : few) std::printf(" %lld", static_cast<long long>(element));
    std::printf("\n");
    return ten == torch && together && each_once ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
