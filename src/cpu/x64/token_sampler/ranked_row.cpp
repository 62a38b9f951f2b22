// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/token_sampler/ranked_row.hpp"

#include <algorithm>
#include <limits>

#include "common/parallel.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// The digits of a rank, from the highest.
constexpr struct { int shift, bits; } kDigits[] = {{21, 11}, {10, 11}, {0, 10}};
constexpr size_t kMaxDigits = size_t{1} << 11;
constexpr dim_t kBlock = RowPasses::kBlockClasses;
constexpr size_t kLine = 64;

size_t aligned(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
// The number of classes, rounded up to whole groups.
size_t space(dim_t classes) {
    return static_cast<size_t>((classes + kGroupClasses - 1) / kGroupClasses * kGroupClasses);
}

}  // namespace

size_t RankedRow::bytes(dim_t classes) {
    const size_t count = space(classes);
    return aligned(count * 8) + aligned((count / kBlock + 1) * 8) + kMaxDigits * 8 +
           2 * aligned(count * 4);
}

RankedRow::RankedRow(const JitFunction<RankKernel::Args>& rank, void* memory, dim_t classes)
    : rank_(rank), classes_(classes) {
    const size_t count = space(classes);
    auto* at = static_cast<char*>(memory);
    const auto take = [&](size_t size) {
        char* result = at;
        at += aligned(size);
        return result;
    };
    weights_ = reinterpret_cast<uint64_t*>(take(count * 8));
    prefix_ = reinterpret_cast<uint64_t*>(take((count / kBlock + 1) * 8));
    histogram_ = reinterpret_cast<uint64_t*>(take(kMaxDigits * 8));
    ranks_ = reinterpret_cast<uint32_t*>(take(count * 4));
    found_ = reinterpret_cast<uint32_t*>(take(count * 4));
}

dim_t RankedRow::blocks() const { return (classes_ + kBlock - 1) / kBlock; }

void RankedRow::read(const GroupedRow& row) {
    const auto pass = [&](dim_t first, dim_t groups) {
        RankKernel::Args args{row.group(first), groups, ranks_ + first * kGroupClasses};
        rank_(args);
    };
    const auto size = static_cast<size_t>(classes_) * sizeof(uint32_t);
    if (row.whole_groups() > 0)
        parallel_ranges(row.whole_groups(), 1, size,
                        [&](dim_t begin, dim_t end) { pass(begin, end - begin); });
    if (row.groups() > row.whole_groups()) pass(row.whole_groups(), 1);
}

void RankedRow::weigh(const RowPasses& passes, const Row& row, const RowSource& source) {
    const auto size = static_cast<size_t>(classes_) * sizeof(uint64_t);
    parallel_ranges(classes_, kBlock, size, [&](dim_t begin, dim_t end) {
        passes.store(row, source, begin, end, weights_ + begin);
    });
}

// The bound of the shortest prefix of the order in which the sum of amount(k) is at least the target.
template <class Amount>
uint64_t RankedRow::bound_of(uint64_t target, const Amount& amount) {
    dim_t count = classes_;
    bool is_row = true;  // the search has all classes of the row left
    for (const auto& digit : kDigits) {
        const uint32_t mask = (uint32_t{1} << digit.bits) - 1;
        const auto digit_of = [&](dim_t k) { return ranks_[k] >> digit.shift & mask; };
        std::fill(histogram_, histogram_ + mask + 1, 0);
        if (is_row)
            for (dim_t k = 0; k < count; ++k) histogram_[digit_of(k)] += amount(k);
        else
            for (dim_t i = 0; i < count; ++i) histogram_[digit_of(found_[i])] += amount(found_[i]);
        uint32_t last = mask;  // the digit in which the prefix ends
        for (; last > 0 && histogram_[last] < target; --last) target -= histogram_[last];
        dim_t left = 0;
        for (dim_t i = 0; i < count; ++i) {
            const uint32_t k = is_row ? static_cast<uint32_t>(i) : found_[i];
            found_[left] = k;
            left += digit_of(k) == last ? 1 : 0;
        }
        count = left;
        is_row = false;
    }
    // The classes that are left have equal logits. They are in class order.
    dim_t i = 0;
    for (uint64_t reached = amount(found_[0]); reached < target; reached += amount(found_[i])) ++i;
    return uint64_t{~ranks_[found_[i]]} << 32 | found_[i];
}

uint64_t RankedRow::bound_of_count(dim_t k) {
    return bound_of(static_cast<uint64_t>(k), [](dim_t) { return uint64_t{1}; });
}

uint64_t RankedRow::bound_of_mass(uint64_t mass) {
    return bound_of(mass, [this](dim_t k) { return weights_[k]; });
}

const uint64_t* RankedRow::sorted_keys(uint64_t bound, dim_t& count) {
    const uint32_t lowest = rank_of(-std::numeric_limits<float>::infinity());
    count = 0;
    for (dim_t k = 0; k < classes_; ++k) {
        const uint64_t key = uint64_t{~ranks_[k]} << 32 | static_cast<uint64_t>(k);
        if (key <= bound && ranks_[k] > lowest) weights_[count++] = key;
    }
    std::sort(weights_, weights_ + count);
    return weights_;
}

uint64_t RankedRow::keep(uint64_t bound) {
    const uint32_t lowest = ~static_cast<uint32_t>(bound >> 32);
    const auto last = static_cast<dim_t>(bound & UINT32_MAX);  // of the classes with this rank
    uint64_t mass = 0;
    for (dim_t block = 0; block < blocks(); ++block) {
        const dim_t begin = block * kBlock, end = std::min(begin + kBlock, classes_);
        for (dim_t k = begin; k < end; ++k) {
            const bool kept = ranks_[k] > lowest || (ranks_[k] == lowest && k <= last);
            weights_[k] = kept ? weights_[k] : 0;
            mass += weights_[k];
        }
        prefix_[block] = mass;
    }
    return mass;
}

dim_t RankedRow::draw(uint64_t target) const {
    const dim_t block = std::lower_bound(prefix_, prefix_ + blocks(), target) - prefix_;
    if (block > 0) target -= prefix_[block - 1];
    dim_t k = block * kBlock;
    for (uint64_t reached = weights_[k]; reached < target; reached += weights_[k]) ++k;
    return k;
}

dim_t RankedRow::count() const {
    return classes_ - std::count(weights_, weights_ + classes_, uint64_t{0});
}

}  // namespace tombola::impl::cpu::x64
