// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/token_sampler/wide_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/parallel.hpp"
#include "cpu/token_sampler/sampler_call.hpp"
#include "cpu/weights/weight_exp.hpp"
#include "cpu/x64/token_sampler/prefix_end.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr dim_t kBlock = RowPasses::kBlockClasses;
constexpr dim_t kSampled = 1024;
// A prefix is long if the sample has at least this many classes of it. The sample tells little about the end of a shorter prefix.
constexpr dim_t kLong = 24;
constexpr dim_t kSlack = 16;  // elements after the last one that kernels may touch

size_t space(dim_t classes) { return static_cast<size_t>(std::max(classes, kSampled) + kSlack); }
size_t blocks_of(dim_t classes) { return static_cast<size_t>((classes + kBlock - 1) / kBlock); }

// The rank of the lowest number above -inf.
uint32_t lowest_rank() { return rank_of(-std::numeric_limits<float>::max()); }
uint32_t rank_of_bound(uint64_t bound) { return ~static_cast<uint32_t>(bound >> 32); }

}  // namespace

WideSet::Arrays::Arrays(Arena& arena, dim_t classes) {
    const size_t blocks = blocks_of(classes);
    prefix = arena.take<uint64_t>(blocks);
    sums = arena.take<uint64_t>(blocks);
    block = arena.take<uint64_t>(to_size(kBlock + kSlack));
    sample = arena.take<float>(space(kSampled));
    sample_amounts = arena.take<uint64_t>(space(kSampled));
    ids = arena.take<uint32_t>(space(classes));
    logits = arena.take<float>(space(classes));
    amounts = arena.take<uint64_t>(space(classes));
    ranges = arena.take<uint64_t>(kMaxRanges);
}

WideSet::WideSet(const RowPasses& passes, const RowSource& source, const LogitList& list,
                 Arena& arena)
    : passes_(passes),
      source_(source),
      list_(list),
      classes_(passes.classes()),
      arrays_(arena, classes_),
      shift_(quantum_shift(1.0, classes_)),
      sampled_(std::min(kSampled, classes_)) {}

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

// Writes the sums of the blocks, with the classes whose scaled logit is at least `flush`. Returns the sum of all blocks.
uint64_t WideSet::sum_blocks(float ratio, float flush) {
    const Row row = row_of(ratio, flush);
    const dim_t blocks = passes_.blocks();
    parallel_ranges(blocks, 1, {passes_.nanoseconds(classes_)}, [&](dim_t begin, dim_t end) {
        double unused = 0;
        passes_.sum(row, source_, begin, end, ahead_, arrays_.sums + begin, unused);
    });
    ahead_ = data_;  // the pass above has prefetched the next row
    uint64_t mass = 0;
    for (dim_t b = 0; b < blocks; ++b) mass += arrays_.sums[b];
    return mass;
}

// Writes the sums of the blocks, with the classes from a rank on. Classes just below may have the same scaled logit. They are included, and
// `rank` becomes the lowest rank of an included class.
uint64_t WideSet::sum_from(uint32_t& rank, float ratio) {
    const float greatest = list_.greatest();
    const float flush = std::max((float_of(rank) - greatest) * ratio, WeightExpF32::kFlush);
    rank =
        rank_of(logit_of(bound_of_scaled(flush, greatest, ratio)));  // that of -0 becomes that of 0
    return sum_blocks(ratio, flush);
}

// Adds `amount` modulo 2^64 to the sums for each of these classes, which are in class order.
void WideSet::add_equal(const uint32_t* ids, dim_t count, uint64_t amount) {
    const uint32_t* end = ids + count;
    while (ids < end) {
        const dim_t block = *ids / kBlock;
        const uint32_t* of_block =
            std::lower_bound(ids, ids + std::min(kBlock, end - ids), (block + 1) * kBlock);
        arrays_.sums[block] += static_cast<uint64_t>(of_block - ids) * amount;
        ids = of_block;
    }
}

// What a class with this rank adds to the amount of a prefix.
uint64_t WideSet::amount_of(uint32_t rank, Ratio ratio) const {
    if (ratio == 0) return 1;
    return weight_of(scaled_logit(float_of(rank), list_.greatest(), ratio), shift_);
}

// -- the end of a prefix -------------------------------------------------------------------------

// Samples the row, and estimates the prefix whose amount reaches `target`, where `all` is the amount of the row. Returns how many classes
// of the sample are in the prefix. The estimate makes the amount after the prefix agree with the sample: no class after the prefix weighs
// more than the last one in it, so a few great weights cannot mislead the estimate.
dim_t WideSet::guess(uint64_t target, uint64_t all, Ratio ratio) {
    const auto step = (static_cast<uint64_t>(classes_) << 32) / static_cast<uint64_t>(sampled_);
    for (dim_t i = 0; i < sampled_; ++i)
        arrays_.ids[i] = static_cast<uint32_t>((static_cast<uint64_t>(i) * step + step / 2) >> 32);
    list_.gather(arrays_.ids, sampled_, arrays_.sample);
    if (ratio == 0)
        std::fill(arrays_.sample_amounts, arrays_.sample_amounts + sampled_, 1);
    else
        list_.weigh(arrays_.sample, sampled_, ratio, arrays_.sample_amounts);
    lowest_ = ratio == 0 ? lowest_rank() : std::max(rank_of_bound(bound_), lowest_rank());
    const float last = ratio == 0 ? -kInf : float_of(lowest_);
    sample_sum_ = 0;
    for (dim_t i = 0; i < sampled_; ++i) {
        if (arrays_.sample[i] < last) arrays_.sample_amounts[i] = 0;
        sample_sum_ += arrays_.sample_amounts[i];
    }
    const double after = static_cast<double>(all - target) * sampled_part();
    sample_target_ = static_cast<double>(sample_sum_) > after + 1
                         ? sample_sum_ - static_cast<uint64_t>(after)
                         : 1;
    first_ = sampled_end(sample_target_);
    const float first = float_of(first_);
    return std::count_if(arrays_.sample, arrays_.sample + sampled_,
                         [=](float x) { return x >= first; });
}

// Whether many classes of the sample have this rank. Then many classes of the row have it too.
bool WideSet::has_many(uint32_t rank) const {
    return std::count(arrays_.sample, arrays_.sample + sampled_, float_of(rank)) > sampled_ / 32;
}

// Whether no class of the row has a rank from `lower` to below `upper`. Reads the row twice.
bool WideSet::has_none_between(uint32_t lower, uint32_t upper) const {
    return list_.count_row(float_of(lower)) == list_.count_row(float_of(upper));
}

// The rank at which the prefix of the sample with this amount ends, but no lower than the lowest rank of the set. If the sample has less,
// that rank.
uint32_t WideSet::sampled_end(uint64_t target) {
    if (target > sample_sum_) return lowest_;
    std::iota(arrays_.ids, arrays_.ids + sampled_, 0);
    std::copy(arrays_.sample, arrays_.sample + sampled_, arrays_.logits);
    std::copy(arrays_.sample_amounts, arrays_.sample_amounts + sampled_, arrays_.amounts);
    Candidates sample{arrays_.ids, arrays_.logits, arrays_.amounts, sampled_};
    find_prefix_end(sample, target, rank_of(-kInf), rank_of(list_.greatest()), arrays_.ranges,
                    [](uint32_t, uint64_t, uint64_t) {});
    return std::max(rank_of(sample.logits[0]), lowest_);
}

// The bound of the shortest prefix of the order whose amount is at least the target. Call guess() before. Afterwards the sums are those of
// the prefix.
uint64_t WideSet::bound_of(uint64_t target, Ratio ratio) {
    uint32_t lower = first_;
    // The amount of the classes from `lower` on. If `adds` is false, the prefix is a part of these classes.
    uint64_t above = ratio == 0 ? static_cast<uint64_t>(list_.count_row(float_of(lower)))
                                : sum_from(lower, ratio);
    // If many classes have the rank first_, they can be a band of one rank. This needs `lower` to be first_, which is allowed only if no
    // class of the row has a rank just below with the same weight.
    if (lower < first_ && has_many(first_) && has_none_between(lower, first_)) lower = first_;
    uint32_t upper = lower;
    const bool adds = above < target;
    const uint64_t missing = adds ? target - above : above - target;
    // The number of classes of the sample that are expected between there and the target is `places`. Its standard deviation is the square
    // root.
    const auto amount = static_cast<double>(std::max<uint64_t>(amount_of(lower, ratio), 1));
    const double places = static_cast<double>(missing) * sampled_part() / amount;
    double distance = (places + 3 * std::sqrt(places) + 4) * amount;
    for (;; distance *= 8) {
        const auto steps = static_cast<uint64_t>(std::min(distance, 0x1p62));
        if (adds) {
            upper = lower;
            lower = std::min(lower, sampled_end(sample_target_ + steps));
        } else {
            lower = upper;
            upper = steps < std::min(sample_target_, uint64_t{1} << 62)
                        ? std::max(lower, sampled_end(sample_target_ - steps) + 1)
                        : rank_of(list_.greatest()) + 1;
        }
        // If many logits are equal, they become a band of their own, which is cheaper. The next band has the other classes.
        const uint32_t ranks = upper - lower;
        if (ranks > 1 && has_many(lower))
            adds ? lower += 1 : upper = lower + 1;
        else if (ranks > 1 && !adds && has_many(upper - 1))
            upper -= 1;
        if (upper - lower < ranks) distance /= 8;
        const uint64_t inside = collect(lower, upper, ratio);
        if (adds && above + inside >= target)
            return search_band(target - above, lower, upper, true);
        if (!adds && above - inside < target)
            return search_band(target - (above - inside), lower, upper, false);
        // The target is more than the number of classes above -inf.
        if (adds && lower <= lowest_) return kNoBound;
        // Another thread changes the row.
        if (!adds && upper > rank_of(list_.greatest())) return kNoBound;
        if (upper - lower == 1)
            add_equal(arrays_.ids, size_, adds ? arrays_.amounts[0] : 0 - arrays_.amounts[0]);
        else
            for (dim_t i = 0; i < size_; ++i)
                arrays_.sums[arrays_.ids[i] / kBlock] +=
                    adds ? arrays_.amounts[i] : 0 - arrays_.amounts[i];
        above += adds ? inside : 0 - inside;
    }
}

// Makes the classes with lower <= rank < upper the band. Returns the sum of their amounts. If upper - lower is 1, all their logits are
// equal; then only the first amount is written, and no logits.
uint64_t WideSet::collect(uint32_t lower, uint32_t upper, Ratio ratio) {
    size_ = 0;
    if (lower == upper) return 0;
    // No logit has the rank just below that of 0: float_of() gives -0 for it, which equals 0.
    const float highest = float_of(upper - (upper == rank_of(0.0f) ? 2 : 1));
    size_ = list_.collect_between(float_of(lower), highest, arrays_.ids);
    if (upper - lower == 1) {
        arrays_.amounts[0] = amount_of(lower, ratio);
        return static_cast<uint64_t>(size_) * arrays_.amounts[0];
    }
    list_.gather(arrays_.ids, size_, arrays_.logits);
    if (ratio == 0)
        std::fill(arrays_.amounts, arrays_.amounts + size_, 1);
    else
        list_.weigh(arrays_.logits, size_, ratio, arrays_.amounts);
    uint64_t sum = 0;
    for (dim_t i = 0; i < size_; ++i) sum += arrays_.amounts[i];
    return sum;
}

// The bound of the shortest prefix of the band whose amount is at least the target. If `adds`, adds the classes of the prefix to the sums.
// Otherwise subtracts the classes after the prefix.
uint64_t WideSet::search_band(uint64_t target, uint32_t lower, uint32_t upper, bool adds) {
    Candidates band{arrays_.ids, arrays_.logits, arrays_.amounts, size_};
    const auto [last, excess] = find_prefix_end(band, target, lower, upper - 1, arrays_.ranges,
                                                [&](uint32_t id, uint64_t before, uint64_t after) {
                                                    arrays_.sums[id / kBlock] +=
                                                        adds ? before : 0 - after;
                                                });
    const float logit = upper - lower == 1 ? float_of(lower) : band.logits[last];
    const uint64_t bound = key_of(logit, band.ids[last]);
    const dim_t within = last + 1;
    if (adds)
        add_equal(band.ids, within, band.amounts[0]);
    else
        add_equal(band.ids + within, band.size - within, 0 - band.amounts[0]);
    return bound;
}

uint64_t WideSet::bound_of_count(dim_t k) {
    ratio_ = 0;
    guess(static_cast<uint64_t>(k), static_cast<uint64_t>(classes_), 0);
    return bound_of(static_cast<uint64_t>(k), 0);
}

uint64_t WideSet::shrink(uint64_t mass, bool only_if_long) {
    if (guess(mass, mass_, ratio_) < kLong && only_if_long) return kNoBound;
    const uint64_t bound = bound_of(mass, ratio_);
    finish_set(bound, ratio_);
    return bound;
}

const uint64_t* WideSet::sorted_keys(uint64_t bound, dim_t& count) {
    size_ = list_.collect_between(float_of(std::max(rank_of_bound(bound), lowest_rank())),
                                  list_.greatest(), arrays_.ids);
    list_.gather(arrays_.ids, size_, arrays_.logits);
    count = 0;
    for (dim_t i = 0; i < size_; ++i) {
        const uint64_t key = key_of(arrays_.logits[i], arrays_.ids[i]);
        if (key <= bound) arrays_.amounts[count++] = key;
    }
    std::sort(arrays_.amounts, arrays_.amounts + count);
    return arrays_.amounts;
}

// -- the set -------------------------------------------------------------------------------------

// Completes a set whose blocks have their sums: sets the bound, the ratio, the prefix sums and the mass. Returns the mass.
uint64_t WideSet::finish_set(uint64_t bound, float ratio) {
    bound_ = bound;
    ratio_ = ratio;
    mass_ = 0;
    for (dim_t b = 0; b < passes_.blocks(); ++b) arrays_.prefix[b] = mass_ += arrays_.sums[b];
    return mass_;
}

uint64_t WideSet::set(uint64_t bound, float ratio) {
    if (is_set(bound, ratio)) return mass_;
    uint32_t rank = rank_of_bound(bound);
    const float scaled = bound == kNoBound ? WeightExpF32::kFlush - 1
                                           : scaled_logit(float_of(rank), list_.greatest(), ratio);
    if (scaled < WeightExpF32::kFlush) {  // the bound leaves out no class of positive weight
        sum_blocks(ratio, WeightExpF32::kFlush);
    } else {
        sum_from(rank, ratio);
        subtract_after(bound, rank, weight_of(scaled, shift_));
    }
    return finish_set(bound, ratio);
}

EstimatedRow WideSet::estimate(float ratio) {
    ratio_ = 0;
    const Row row = row_of(ratio, WeightExpF32::kFlush);
    auto* sums = reinterpret_cast<double*>(arrays_.sums);
    parallel_ranges(passes_.blocks(), 1,
                    {passes_.nanoseconds(classes_, RowPasses::Sums::estimated)},
                    [&](dim_t begin, dim_t end) {
                        double unused = 0;
                        passes_.estimate(row, begin, end, ahead_, sums + begin, unused);
                    });
    ahead_ = data_;  // the pass above has prefetched the next row
    return {passes_, source_, row, sums};
}

// Subtracts the classes after the bound from the sums. The sums have all classes from rank `lowest` on, which is the lowest rank with the
// same scaled logit as the bound, and so the same weight.
void WideSet::subtract_after(uint64_t bound, uint32_t lowest, uint64_t weight) {
    const uint32_t rank = rank_of_bound(bound), id = static_cast<uint32_t>(bound);
    if (lowest >= rank && id == UINT32_MAX) return;
    size_ = list_.collect_between(float_of(lowest), float_of(rank), arrays_.ids);
    const uint32_t* end = arrays_.ids + size_;
    // If there are many classes, most often their logits are equal. Then no logit has to be read again.
    if (lowest >= rank || (size_ > kSampled && has_none_between(lowest, rank))) {
        const uint32_t* after = std::upper_bound(arrays_.ids, arrays_.ids + size_, id);
        return add_equal(after, end - after, 0 - weight);
    }
    for (const uint32_t* at = arrays_.ids; at < end; ++at)
        if (key_of(list_.logit(*at), *at) > bound) arrays_.sums[*at / kBlock] -= weight;
}

// Writes the weights of a block, with 0 for classes after the bound. The kernel gives 0 to classes whose scaled logit is below that of the
// bound's class. Keys are compared only where the weight equals the weight of the bound's class.
void WideSet::store_block(dim_t first, dim_t end) {
    const float scaled = bound_ == kNoBound ? -kInf
                                            : scaled_logit(float_of(rank_of_bound(bound_)),
                                                           list_.greatest(), ratio_);
    passes_.store(row_of(ratio_, std::max(scaled, WeightExpF32::kFlush)), source_, first, end,
                  arrays_.block);
    if (scaled < WeightExpF32::kFlush) return;
    const uint64_t last = weight_of(scaled, shift_);
    dim_t count = 0;
    dim_t k =
        first + (std::find(arrays_.block, arrays_.block + (end - first), last) - arrays_.block);
    for (; k < end; ++k) {
        arrays_.ids[count] = static_cast<uint32_t>(k);
        count += arrays_.block[k - first] == last ? 1 : 0;
    }
    list_.gather(arrays_.ids, count, arrays_.logits);
    for (dim_t i = 0; i < count; ++i)
        if (key_of(arrays_.logits[i], arrays_.ids[i]) > bound_)
            arrays_.block[arrays_.ids[i] - first] = 0;
}

dim_t WideSet::draw(uint64_t target) {
    const dim_t blocks = passes_.blocks();
    const dim_t block =
        std::lower_bound(arrays_.prefix, arrays_.prefix + blocks - 1, target) - arrays_.prefix;
    if (block > 0) target -= arrays_.prefix[block - 1];
    const dim_t first = block * kBlock, end = std::min(first + kBlock, classes_);
    store_block(first, end);
    return first + class_reaching(arrays_.block, end - first, target);
}

dim_t WideSet::count(uint64_t bound, float ratio) const {
    bound = std::min(bound, bound_of_scaled(WeightExpF32::kFlush, list_.greatest(), ratio));
    const uint32_t rank = std::max(rank_of_bound(bound), lowest_rank());
    const float lowest = float_of(rank);
    dim_t count = list_.count_row(lowest);
    if (static_cast<uint32_t>(bound) == UINT32_MAX) return count;
    // Classes after the bound that have the logit of its class.
    const uint32_t* end = arrays_.ids + list_.collect_between(lowest, lowest, arrays_.ids);
    return count - (end - std::upper_bound(arrays_.ids, arrays_.ids + (end - arrays_.ids),
                                           static_cast<uint32_t>(bound)));
}

}  // namespace tombola::impl::cpu::x64
