// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/token_sampler/wide_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"
#include "cpu/weights/weight_exp.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr dim_t kBlock = RowPasses::kBlockClasses;
constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;
// The sample has this many classes, and the band those between the ones that are kMargin places before and after the
// estimate. The standard deviation of that place is at most sqrt(kSampled) / 2 = 11 in a row of random order.
constexpr dim_t kSampled = 512, kMargin = 28;
constexpr dim_t kSlack = 16;  // elements after the last one that kernels may touch
constexpr size_t kLine = 64;

size_t aligned(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
size_t space(dim_t classes) { return static_cast<size_t>(std::max(classes, kSampled) + kSlack); }
size_t blocks_of(dim_t classes) { return static_cast<size_t>((classes + kBlock - 1) / kBlock); }

// The rank of the lowest number above -inf.
uint32_t lowest_rank() { return rank_of(-std::numeric_limits<float>::max()); }
uint32_t rank_of_bound(uint64_t bound) { return ~static_cast<uint32_t>(bound >> 32); }

}  // namespace

size_t WideSet::bytes(dim_t classes) {
    const size_t blocks = blocks_of(classes);
    return 2 * aligned(blocks * 8) + aligned(static_cast<size_t>(kBlock + kSlack) * 8) +
           2 * aligned(space(classes) * 4) + aligned(space(classes) * 8) + kDigits * 8;
}

WideSet::WideSet(const RowPasses& passes, const RowSource& source, const LogitList& list,
                 void* memory)
    : passes_(passes), source_(source), list_(list), classes_(passes.classes()) {
    auto* at = static_cast<char*>(memory);
    const auto take = [&](size_t size) {
        char* result = at;
        at += aligned(size);
        return result;
    };
    const size_t blocks = blocks_of(classes_);
    prefix_ = reinterpret_cast<uint64_t*>(take(blocks * 8));
    sums_ = reinterpret_cast<uint64_t*>(take(blocks * 8));
    block_ = reinterpret_cast<uint64_t*>(take(static_cast<size_t>(kBlock + kSlack) * 8));
    ids_ = reinterpret_cast<uint32_t*>(take(space(classes_) * 4));
    logits_ = reinterpret_cast<float*>(take(space(classes_) * 4));
    amounts_ = reinterpret_cast<uint64_t*>(take(space(classes_) * 8));
    histogram_ = reinterpret_cast<uint64_t*>(take(kDigits * 8));
}

void WideSet::read(dim_t row, const char* data, const char* ahead) {
    row_ = row;
    data_ = data;
    ahead_ = ahead;
    ratio_ = 0;
}

Row WideSet::row_of(float ratio, float flush) const {
    Row row;
    row.index = row_;
    row.data = data_;
    passes_.set_scale(row, static_cast<double>(list_.greatest()), ratio, flush);
    return row;
}

// -- sums ----------------------------------------------------------------------------------------

// Writes the sums of the classes whose scaled logit is at least `flush`. Returns the sum of all.
uint64_t WideSet::sum_blocks(float ratio, float flush) {
    const Row row = row_of(ratio, flush);
    const dim_t blocks = passes_.blocks();
    const auto size = static_cast<size_t>(classes_ * passes_.element_bytes());
    parallel_ranges(blocks, 1, size, [&](dim_t begin, dim_t end) {
        double unused = 0;
        passes_.sum(row, source_, begin, end, ahead_, sums_ + begin, unused);
    });
    ahead_ = data_;  // the next row has been fetched
    uint64_t mass = 0;
    for (dim_t b = 0; b < blocks; ++b) mass += sums_[b];
    return mass;
}

// Writes the sums of the classes from a rank on. Numbers just below may have the same scaled logit. They are included,
// and `lowest` becomes the lowest rank that is.
uint64_t WideSet::sum_above(uint32_t rank, float ratio, uint32_t& lowest) {
    const float greatest = list_.greatest();
    if (rank > rank_of(greatest)) {
        lowest = rank;
        std::fill(sums_, sums_ + passes_.blocks(), 0);
        return 0;
    }
    const float flush = std::max((float_of(rank) - greatest) * ratio, WeightExpF32::kFlush);
    lowest = rank_of_bound(bound_of_scaled(flush, greatest, ratio));
    return sum_blocks(ratio, flush);
}

// Makes the classes with lower <= rank < upper the band. Returns the sum of their amounts.
uint64_t WideSet::collect(uint32_t lower, uint32_t upper, Ratio ratio) {
    size_ = lower < upper
                ? list_.collect_between(float_of(lower), float_of(upper - 1), ids_, logits_)
                : 0;
    if (ratio == 0)
        std::fill(amounts_, amounts_ + size_, 1);
    else
        list_.weigh(logits_, size_, ratio, amounts_);
    uint64_t sum = 0;
    for (dim_t i = 0; i < size_; ++i) sum += amounts_[i];
    return sum;
}

// Adds the classes of the band that are within the bound to the sums.
void WideSet::add_band(uint64_t bound) {
    for (dim_t i = 0; i < size_; ++i)
        sums_[ids_[i] / kBlock] += key_of(logits_[i], ids_[i]) <= bound ? amounts_[i] : 0;
}

// -- the end of a prefix -------------------------------------------------------------------------

// Estimates the band in which the prefix with this amount ends.
void WideSet::guess(uint64_t target, uint64_t all, Ratio ratio, uint32_t& lower, uint32_t& upper) {
    const dim_t count = std::min(kSampled, classes_);
    for (dim_t i = 0; i < count; ++i)
        ids_[i] = static_cast<uint32_t>((2 * i + 1) * classes_ / (2 * count));
    list_.gather(ids_, count, logits_);
    std::sort(logits_, logits_ + count, [](float a, float b) { return a > b; });
    if (ratio == 0)
        std::fill(amounts_, amounts_ + count, 1);
    else
        list_.weigh(logits_, count, ratio, amounts_);
    double left = 0;
    for (dim_t i = 0; i < count; ++i) left += static_cast<double>(amounts_[i]);
    left *= static_cast<double>(target) / static_cast<double>(all);
    dim_t end = 0;
    for (; end < count - 1 && left > 0; ++end) left -= static_cast<double>(amounts_[end]);
    upper = end < kMargin ? rank_of(list_.greatest()) + 1 : rank_of(logits_[end - kMargin]) + 1;
    lower = end + kMargin < count ? std::max(rank_of(logits_[end + kMargin]), lowest_rank())
                                  : lowest_rank();
}

// The bound of the shortest prefix of the order whose amount is at least the target. `all` is about the amount of the
// row.
uint64_t WideSet::bound_of(uint64_t target, uint64_t all, Ratio ratio) {
    const uint32_t end = rank_of(list_.greatest()) + 1;
    uint32_t lower, upper;
    guess(target, all, ratio, lower, upper);
    ratio_ = 0;
    uint64_t above;  // the amount above the band
    if (ratio == 0) {
        above = upper < end ? static_cast<uint64_t>(list_.count_row(float_of(upper))) : 0;
        std::fill(sums_, sums_ + passes_.blocks(), 0);
    } else {
        above = sum_above(upper, ratio, upper);
    }
    if (above >= target) {
        std::fill(sums_, sums_ + passes_.blocks(), 0);
        above = 0;
        lower = upper;
        upper = end;
    }
    uint64_t inside = collect(lower, upper, ratio);
    if (above + inside < target) {
        add_band(kNoBound);
        above += inside;
        upper = std::min(lower, upper);
        lower = lowest_rank();
        inside = collect(lower, upper, ratio);
    }
    if (above + inside < target) return kNoBound;  // a count beyond all classes above -inf
    return search_band(target - above);
}

// The same within the band, whose amount is at least the target. Adds the classes within the bound to the sums, and
// empties the band. Each round takes the highest bits in which the ranks of the band differ as a digit. A histogram of
// the amounts over the digit shows in which digit the prefix ends, and only the classes with that digit remain.
uint64_t WideSet::search_band(uint64_t target) {
    for (;;) {
        const uint32_t first = rank_of(logits_[0]);
        uint32_t differ = 0;
        for (dim_t i = 1; i < size_; ++i) differ |= rank_of(logits_[i]) ^ first;
        if (differ == 0) break;
        int shift = 0;
        while (differ >> shift >= kDigits) ++shift;
        const auto digit_of = [&](dim_t i) { return rank_of(logits_[i]) >> shift & (kDigits - 1); };
        std::fill(histogram_, histogram_ + kDigits, 0);
        for (dim_t i = 0; i < size_; ++i) histogram_[digit_of(i)] += amounts_[i];
        size_t last = kDigits - 1;  // the digit in which the prefix ends
        for (; last > 0 && histogram_[last] < target; --last) target -= histogram_[last];
        dim_t left = 0;
        for (dim_t i = 0; i < size_; ++i) {
            const size_t digit = digit_of(i);
            const uint32_t id = ids_[i];
            const uint64_t amount = amounts_[i];
            sums_[id / kBlock] += digit > last ? amount : 0;
            ids_[left] = id;
            logits_[left] = logits_[i];
            amounts_[left] = amount;
            left += digit == last ? 1 : 0;
        }
        size_ = left;
    }
    // The classes that are left have equal logits, so equal amounts. They are in class order.
    const auto i = static_cast<dim_t>((target - 1) / amounts_[0]);
    const uint64_t bound = key_of(logits_[i], ids_[i]);
    add_band(bound);
    size_ = 0;
    return bound;
}

uint64_t WideSet::bound_of_count(dim_t k) {
    return bound_of(static_cast<uint64_t>(k), static_cast<uint64_t>(classes_), 0);
}

uint64_t WideSet::bound_of_mass(uint64_t mass, float ratio) {
    const uint64_t all = set(kNoBound, ratio);
    const uint64_t bound = bound_of(mass, all, ratio);
    finish_set(bound, ratio);
    return bound;
}

const uint64_t* WideSet::sorted_keys(uint64_t bound, dim_t& count) {
    size_ = list_.collect_between(float_of(std::max(rank_of_bound(bound), lowest_rank())),
                                  list_.greatest(), ids_, logits_);
    count = 0;
    for (dim_t i = 0; i < size_; ++i) {
        const uint64_t key = key_of(logits_[i], ids_[i]);
        if (key <= bound) amounts_[count++] = key;
    }
    std::sort(amounts_, amounts_ + count);
    return amounts_;
}

// -- the set -------------------------------------------------------------------------------------

// The sums are those of the set.
uint64_t WideSet::finish_set(uint64_t bound, float ratio) {
    bound_ = bound;
    ratio_ = ratio;
    mass_ = 0;
    for (dim_t b = 0; b < passes_.blocks(); ++b) prefix_[b] = mass_ += sums_[b];
    return mass_;
}

uint64_t WideSet::set(uint64_t bound, float ratio) {
    if (ratio_ == ratio && bound_ == bound) return mass_;
    const float greatest = list_.greatest();
    const uint32_t rank = rank_of_bound(bound);
    const float scaled =
        bound == kNoBound ? WeightExpF32::kFlush - 1 : (float_of(rank) - greatest) * ratio;
    if (scaled < WeightExpF32::kFlush) {  // the bound leaves out no class of positive weight
        sum_blocks(ratio, WeightExpF32::kFlush);
    } else {
        uint32_t upper = rank_of(greatest) + 1;
        const float next = std::nextafter(scaled, 1.0f);
        if (next <= 0) upper = rank_of_bound(bound_of_scaled(next, greatest, ratio));
        sum_above(upper, ratio, upper);
        collect(rank, upper, ratio);
        add_band(bound);
    }
    return finish_set(bound, ratio);
}

dim_t WideSet::draw(uint64_t target) {
    const dim_t blocks = passes_.blocks();
    const dim_t block = std::lower_bound(prefix_, prefix_ + blocks, target) - prefix_;
    if (block > 0) target -= prefix_[block - 1];
    const dim_t first = block * kBlock, end = std::min(first + kBlock, classes_);
    passes_.store(row_of(ratio_, WeightExpF32::kFlush), source_, first, end, block_);
    if (bound_ != kNoBound)
        for (dim_t k = first; k < end; ++k)
            if (key_of(list_.logit(k), static_cast<uint32_t>(k)) > bound_) block_[k - first] = 0;
    dim_t k = 0;
    for (uint64_t reached = block_[0]; reached < target; reached += block_[k]) ++k;
    return first + k;
}

dim_t WideSet::count() const {
    const uint64_t flush = bound_of_scaled(WeightExpF32::kFlush, list_.greatest(), ratio_);
    const uint64_t bound = std::min(bound_, flush);
    const uint32_t rank = std::max(rank_of_bound(bound), lowest_rank());
    const float lowest = float_of(rank);
    dim_t count = list_.count_row(lowest);
    if (static_cast<uint32_t>(bound) == UINT32_MAX) return count;
    // Classes after the bound that have the logit of its class.
    for (auto k = static_cast<dim_t>(static_cast<uint32_t>(bound)) + 1; k < classes_; ++k)
        count -= list_.logit(k) == lowest ? 1 : 0;
    return count;
}

}  // namespace tombola::impl::cpu::x64
