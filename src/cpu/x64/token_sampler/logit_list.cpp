// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/token_sampler/logit_list.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <limits>

#include "common/parallel.hpp"
#include "cpu/float16.hpp"
#include "cpu/weights/weight_exp.hpp"
#include "cpu/weights/weight_quantum.hpp"
#include "cpu/x64/token_sampler/prefix_end.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr dim_t kVectorSlack = 16;  // elements after the last one that kernels may touch
// When the list reaches this size, it is cut back to k.
constexpr dim_t capacity(dim_t k) { return 4 * k + kGroupClasses; }
constexpr dim_t kListSpace = capacity(LogitList::kMaxListed) + kGroupClasses + kVectorSlack;
// Bytes per nanosecond. Most rows were written shortly before and are still in a cache, so this is the rate of a cache, not that of memory.
// Measured on Sapphire Rapids alone: with two threads and the rate of its memory, rows of 96,000 to 256,000 f32 took up to 1.3 times as
// long.
constexpr double kReadFromCache = 120;
constexpr dim_t kSorted = 64;  // up to this many classes a sort is faster than find_prefix_end()

size_t maxima_of(dim_t classes) {
    return static_cast<size_t>((classes + kGroupClasses - 1) / kGroupClasses * kGroupLanes);
}

// The lowest of `count` numbers, a multiple of kGroupLanes. Compilers vectorise the loop.
float lowest_of(const float* values, size_t count) {
    float min[kGroupLanes];
    std::copy(values, values + kGroupLanes, min);
    for (size_t i = kGroupLanes; i < count; i += kGroupLanes)
        for (size_t lane = 0; lane < kGroupLanes; ++lane)
            min[lane] = min[lane] < values[i + lane] ? min[lane] : values[i + lane];
    return *std::min_element(min, min + kGroupLanes);
}

// The classes after the last one have -inf, and no threshold may reach it. If another thread changes the row, a threshold may even be NaN.
float above_padding(float threshold) {
    constexpr float kLowest = -std::numeric_limits<float>::max();
    return threshold >= kLowest ? threshold : kLowest;
}

}  // namespace

uint64_t bound_of_scaled(float lowest, float greatest, float ratio) {
    uint32_t low = rank_of(-kInf), high = rank_of(greatest);  // high always meets the condition
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if ((float_of(middle) - greatest) * ratio >= lowest)
            high = middle;
        else
            low = middle + 1;
    }
    return uint64_t{~high} << 32 | UINT32_MAX;
}

namespace {

// The element at an address.
float element(FloatType type, const char* at) {
    if (type == FloatType::f32) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return type == FloatType::f16 ? to_f32(Float16{bits}) : to_f32(BFloat16{bits});
}

}  // namespace

float GroupedRow::logit(dim_t k) const {
    const dim_t whole = whole_groups() * kGroupClasses;
    const char* at = k < whole ? data + k * element_bytes() : rest + (k - whole) * element_bytes();
    return element(type, at);
}

void GroupedRow::gather(const uint32_t* from, dim_t count, float* logits) const {
    // A copy, so that the compiler knows that the stores below do not change it.
    const GroupedRow row = *this;
    if (type == FloatType::f32) {
        const dim_t whole = row.whole_groups() * kGroupClasses;
        for (dim_t i = 0; i < count; ++i) {
            const dim_t k = from[i];
            logits[i] =
                element(FloatType::f32, k < whole ? row.data + k * 4 : row.rest + (k - whole) * 4);
        }
        return;
    }
    for (dim_t i = 0; i < count; ++i) logits[i] = row.logit(from[i]);
}

LogitList::Arrays::Arrays(Arena& arena, dim_t classes) {
    constexpr auto kSpace = static_cast<size_t>(kListSpace);
    maxima = arena.take<float>(maxima_of(classes));
    ids = arena.take<uint32_t>(kSpace);
    copied_ids = arena.take<uint32_t>(kSpace);
    logits = arena.take<float>(kSpace);
    copied_logits = arena.take<float>(kSpace);
    sorted = arena.take<uint64_t>(kSpace);
    weights = arena.take<uint64_t>(kSpace);
    ranges = arena.take<uint64_t>(kMaxRanges);
}

bool LogitList::read(const GroupedRow& row, bool unread) {
    row_ = row;
    size_ = 0;
    std::atomic<bool> has_nan{false};
    std::atomic<float> greatest{-kInf};
    const auto pass = [&](dim_t first, dim_t groups) {
        GroupMaxKernel::Args args{
            row.group(first), groups, arrays_.maxima + first * kGroupLanes, {}};
        float lanes[kGroupLanes];  // AVX2 writes only the first ones
        std::fill(lanes, lanes + kGroupLanes, -kInf);
        static_assert(sizeof lanes == sizeof args.found.maxima);
        std::memcpy(args.found.maxima, lanes, sizeof lanes);
        (unread ? kernels_.max_unread : kernels_.max)(args);
        std::memcpy(lanes, args.found.maxima, sizeof lanes);
        if (args.found.refused != 0) has_nan.store(true, std::memory_order_relaxed);
        const float found = *std::max_element(lanes, lanes + kGroupLanes);
        float seen = greatest.load(std::memory_order_relaxed);
        while (seen < found && !greatest.compare_exchange_weak(seen, found)) {
        }
    };
    const auto size = static_cast<double>(classes_ * row.element_bytes());
    if (row.whole_groups() > 0)
        parallel_ranges(row.whole_groups(), 1, {size / kReadFromCache},
                        [&](dim_t begin, dim_t end) { pass(begin, end - begin); });
    if (row.groups() > row.whole_groups()) pass(row.whole_groups(), 1);
    if (has_nan.load(std::memory_order_relaxed)) return false;
    greatest_ = greatest.load(std::memory_order_relaxed);
    if (!(greatest_ < kInf && greatest_ > -kInf)) return false;
    if (greatest_ == 0)
        greatest_ = row.logit(first_greatest());  // +0 or -0, as in the first class of the order
    return true;
}

dim_t LogitList::first_greatest() {
    const dim_t whole = row_.whole_groups();
    size_ = 0;
    arrays_.ids[0] = 0;  // if another thread changes the row, there may be no such class
    if (whole > 0) append(kernels_.collect, row_.data, 0, whole, 1, greatest_);
    if (size_ == 0) append(kernels_.collect, row_.rest, whole, 1, 1, greatest_);
    size_ = 0;
    return arrays_.ids[0];
}

dim_t LogitList::count_from(float threshold, const float* values, dim_t count) const {
    CountKernel::Args args{values, count / kUnitClasses, bit_cast<uint32_t>(threshold), 0};
    kernels_.count(args);
    return static_cast<dim_t>(args.reached);
}

dim_t LogitList::count_row(float threshold) const {
    dim_t sum = 0;
    const auto pass = [&](const char* data, dim_t groups) {
        CountKernel::Args args{data, groups * kGroupClasses / kUnitClasses,
                               bit_cast<uint32_t>(threshold), 0};
        kernels_.count_row(args);
        sum += static_cast<dim_t>(args.reached);
    };
    if (row_.whole_groups() > 0) pass(row_.data, row_.whole_groups());
    if (row_.groups() > row_.whole_groups()) pass(row_.rest, 1);
    return sum;
}

dim_t LogitList::collect_between(float lowest, float highest, uint32_t* ids) const {
    lowest = above_padding(lowest);
    uint32_t* to = ids;
    const auto pass = [&](const char* data, dim_t first, dim_t groups) {
        CollectKernel::Args args{data,
                                 arrays_.maxima + first * kGroupLanes,
                                 groups,
                                 static_cast<uint64_t>(first * kGroupClasses),
                                 to,
                                 ids + classes_ + 1,
                                 bit_cast<uint32_t>(lowest),
                                 bit_cast<uint32_t>(highest)};
        kernels_.collect_between(args);
        to = args.to;
    };
    if (row_.whole_groups() > 0) pass(row_.data, 0, row_.whole_groups());
    if (row_.groups() > row_.whole_groups()) pass(row_.rest, row_.whole_groups(), 1);
    return to - ids;
}

// A threshold that at least k of the maxima reach, but not many more. If fewer than k maxima are finite, it is the
// lowest finite float.
float LogitList::threshold_for(dim_t k) const {
    const size_t count = maxima_of(classes_);
    if (k > static_cast<dim_t>(count)) return -std::numeric_limits<float>::max();
    const float lowest = lowest_of(arrays_.maxima, count);
    const bool all_reach = lowest > -kInf;
    uint32_t low = rank_of(all_reach ? lowest : -std::numeric_limits<float>::max());
    uint32_t high = rank_of(greatest_) + 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const dim_t reached =
            count_from(float_of(middle), arrays_.maxima, static_cast<dim_t>(count));
        if (reached < k) {
            high = middle;
            continue;
        }
        low = middle;
        if (reached <= k + k / 8) break;
    }
    return float_of(low);
}

// Appends the classes of the groups whose logit is at least the threshold, up to the group with which the list reaches
// the limit. Returns how many groups are left. The padding of the last group is -inf, so it is never appended.
dim_t LogitList::append(const Collect& kernel, const char* data, dim_t first, dim_t groups,
                        dim_t limit, float threshold) {
    CollectKernel::Args args{data,
                             arrays_.maxima + first * kGroupLanes,
                             groups,
                             static_cast<uint64_t>(first * kGroupClasses),
                             arrays_.ids + size_,
                             arrays_.ids + limit,
                             bit_cast<uint32_t>(above_padding(threshold)),
                             bit_cast<uint32_t>(greatest_)};
    kernel(args);
    const dim_t size = args.to - arrays_.ids;
    row_.gather(arrays_.ids + size_, size - size_, arrays_.logits + size_);
    size_ = size;
    return args.groups;
}

// The same for all groups. When the list is full, it is cut to k classes and the threshold rises.
void LogitList::collect(const char* data, dim_t first, dim_t groups, dim_t k, float& threshold) {
    while (groups > 0 && threshold <= greatest_) {
        const dim_t left = append(kernels_.collect, data, first, groups, capacity(k), threshold);
        first += groups - left;
        data += (groups - left) * kGroupClasses * row_.element_bytes();
        groups = left;
        if (size_ < capacity(k)) continue;
        // Classes that follow come after listed classes with equal logits in the order, so they are not needed.
        keep_first(k);
        threshold = float_of(rank_of(logit_of(bound_)) + 1);
    }
}

bool LogitList::select_within(uint64_t bound, dim_t max_size) {
    size_ = 0;
    bound_ = bound;
    const float threshold = logit_of(bound);
    const dim_t whole = row_.whole_groups();
    const Collect& kernel = kernels_.collect_between;
    if (whole > 0) append(kernel, row_.data, 0, whole, max_size + 1, threshold);
    if (size_ <= max_size && row_.groups() > whole)
        append(kernel, row_.rest, whole, 1, max_size + 1, threshold);
    if (size_ > max_size) size_ = 0;
    if (size_ > 0) keep(bound);
    return size_ > 0;
}

// A list of more than half as many classes as there are maxima takes longer than a large set. Measured on Sapphire Rapids alone.
bool LogitList::is_slow(dim_t k) const {
    return classes_ > capacity(kMaxListed) && 2 * k > static_cast<dim_t>(maxima_of(classes_));
}

void LogitList::select(dim_t k) {
    size_ = 0;
    bound_ = kNoBound;
    float threshold = threshold_for(k);
    if (row_.whole_groups() > 0) collect(row_.data, 0, row_.whole_groups(), k, threshold);
    if (row_.groups() > row_.whole_groups())
        collect(row_.rest, row_.whole_groups(), 1, k, threshold);
    keep_first(k);
}

// Cuts the list to its first k classes, if it has at least k: all classes above the k-th logit, and the first ones that equal it.
void LogitList::keep_first(dim_t k) {
    if (size_ < k) return;
    const dim_t padded = (size_ + kGroupLanes - 1) / kGroupLanes * kGroupLanes;
    std::fill(arrays_.logits + size_, arrays_.logits + padded, -kInf);
    uint32_t low = rank_of(-std::numeric_limits<float>::max());  // at least k logits reach it
    uint32_t high = rank_of(greatest_) + 1;                      // fewer than k logits reach it
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const dim_t reached = count_from(float_of(middle), arrays_.logits, padded);
        (reached < k ? high : low) = middle;
        if (reached == k) break;
    }
    const float lowest = float_of(low);
    dim_t equal = k;  // how many logits equal to `lowest` are kept
    for (dim_t i = 0; i < size_; ++i) equal -= arrays_.logits[i] > lowest ? 1 : 0;
    dim_t kept = 0;
    for (dim_t i = 0; i < size_; ++i) {
        const float x = arrays_.logits[i];
        const bool is_kept = x > lowest || (x == lowest && equal-- > 0);
        arrays_.ids[kept] = arrays_.ids[i];
        arrays_.logits[kept] = x;
        kept += is_kept ? 1 : 0;
    }
    size_ = k;
    bound_ = 0;
    for (dim_t i = 0; i < k; ++i)
        bound_ = std::max(bound_, key_of(arrays_.logits[i], arrays_.ids[i]));
}

void LogitList::keep(uint64_t bound) {
    dim_t kept = 0;
    for (dim_t i = 0; i < size_; ++i) {
        const bool is_kept = key_of(arrays_.logits[i], arrays_.ids[i]) <= bound;
        arrays_.ids[kept] = arrays_.ids[i];
        arrays_.logits[kept] = arrays_.logits[i];
        kept += is_kept ? 1 : 0;
    }
    size_ = kept;
    bound_ = std::min(bound_, bound);
}

const uint64_t* LogitList::sorted_keys() {
    for (dim_t i = 0; i < size_; ++i) arrays_.sorted[i] = key_of(arrays_.logits[i], arrays_.ids[i]);
    std::sort(arrays_.sorted, arrays_.sorted + size_);
    return arrays_.sorted;
}

uint64_t LogitList::mass(float ratio) {
    const uint64_t* weights = this->weights(ratio);
    uint64_t sum = 0;
    for (dim_t i = 0; i < size_; ++i) sum += weights[i];
    return sum;
}

uint64_t LogitList::bound_of_mass(uint64_t mass, float ratio) {
    return bound_of_mass(mass, mass, ratio);
}

uint64_t LogitList::bound_of_mass(uint64_t lower, uint64_t upper, float ratio) {
    if (size_ <= kSorted) {
        const uint64_t* keys = sorted_keys();
        for (dim_t i = 0; i < size_; ++i) arrays_.copied_logits[i] = logit_of(keys[i]);
        weigh(arrays_.copied_logits, size_, ratio, arrays_.weights);
        dim_t i = 0;
        uint64_t reached = arrays_.weights[0];
        while (reached < lower && i + 1 < size_) reached += arrays_.weights[++i];
        return reached < upper ? kNoBound : keys[i];
    }
    weights(ratio);
    std::copy(arrays_.ids, arrays_.ids + size_, arrays_.copied_ids);
    std::copy(arrays_.logits, arrays_.logits + size_, arrays_.copied_logits);
    Candidates list{arrays_.copied_ids, arrays_.copied_logits, arrays_.weights, size_};
    const uint32_t lowest = rank_of(*std::min_element(arrays_.logits, arrays_.logits + size_));
    const auto [last, excess] =
        find_prefix_end(list, lower, lowest, rank_of(greatest_), arrays_.ranges,
                        [](uint32_t, uint64_t, uint64_t) {});
    return excess < upper - lower ? kNoBound : key_of(list.logits[last], list.ids[last]);
}

void LogitList::weigh(float* logits, dim_t count, float ratio, uint64_t* weights) const {
    const dim_t units = (count + kUnitClasses - 1) / kUnitClasses;
    std::fill(logits + count, logits + units * kUnitClasses, -kInf);
    const uint64_t top = top_of(ceil_log2(classes_), field_of_one(FloatType::f32));
    WeightStoreKernel::Args args{logits,
                                 units,
                                 weights,
                                 {bit_cast<uint32_t>(greatest_), top, bit_cast<uint32_t>(ratio),
                                  bit_cast<uint32_t>(WeightExpF32::kFlush)}};
    if (units > 0) kernels_.weigh(args);
}

}  // namespace tombola::impl::cpu::x64
