// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/token_sampler/logit_list.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "common/parallel.hpp"
#include "cpu/float16.hpp"
#include "cpu/weights/weight_quantum.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr dim_t kVectorSlack = 16;  // elements behind the last one that kernels may touch
// When the list reaches this size, it is cut back to k.
constexpr dim_t kCapacity = 4 * LogitList::kMaxListed;
constexpr dim_t kListSpace = kCapacity + kGroupClasses + kVectorSlack;
constexpr size_t kLine = 64;

size_t aligned(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
size_t maxima_of(dim_t classes) {
    return static_cast<size_t>((classes + kGroupClasses - 1) / kGroupClasses * kGroupLanes);
}

template <class T>
T* take(char*& memory, size_t count) {
    auto* result = reinterpret_cast<T*>(memory);
    memory += aligned(count * sizeof(T));
    return result;
}

// The greatest of `count` numbers, a multiple of kGroupLanes, in a way that compilers vectorise.
float greatest_of(const float* values, size_t count) {
    float most[kGroupLanes];
    std::copy(values, values + kGroupLanes, most);
    for (size_t i = kGroupLanes; i < count; i += kGroupLanes)
        for (size_t lane = 0; lane < kGroupLanes; ++lane)
            most[lane] = most[lane] > values[i + lane] ? most[lane] : values[i + lane];
    return *std::max_element(most, most + kGroupLanes);
}
float least_of(const float* values, size_t count) {
    float least[kGroupLanes];
    std::copy(values, values + kGroupLanes, least);
    for (size_t i = kGroupLanes; i < count; i += kGroupLanes)
        for (size_t lane = 0; lane < kGroupLanes; ++lane)
            least[lane] = least[lane] < values[i + lane] ? least[lane] : values[i + lane];
    return *std::min_element(least, least + kGroupLanes);
}
dim_t count_from(float threshold, const float* values, size_t count) {
    int32_t reached[kGroupLanes] = {};
    for (size_t i = 0; i < count; i += kGroupLanes)
        for (size_t lane = 0; lane < kGroupLanes; ++lane)
            reached[lane] += values[i + lane] >= threshold ? 1 : 0;
    dim_t sum = 0;
    for (const int32_t lane : reached) sum += lane;
    return sum;
}

}  // namespace

uint32_t rank_of(float x) {
    const auto bits = bit_cast<uint32_t>(x + 0.0f);  // -0 becomes +0
    return (bits & 0x80000000) != 0 ? ~bits : bits | 0x80000000;
}
float float_of(uint32_t rank) {
    return bit_cast<float>((rank & 0x80000000) != 0 ? rank & 0x7FFFFFFF : ~rank);
}

uint64_t bound_of_scaled(float least, float greatest, float ratio) {
    uint32_t low = rank_of(-kInf), high = rank_of(greatest);  // high is kept
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if ((float_of(middle) - greatest) * ratio >= least)
            high = middle;
        else
            low = middle + 1;
    }
    return uint64_t{~high} << 32 | UINT32_MAX;
}

float GroupedRow::logit(dim_t k) const {
    const char* at = group(k / kGroupClasses) + k % kGroupClasses * element_bytes();
    if (type == FloatType::f32) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return type == FloatType::f16 ? to_f32(Float16{bits}) : to_f32(BFloat16{bits});
}

size_t LogitList::bytes(dim_t classes) {
    constexpr auto kSpace = static_cast<size_t>(kListSpace);
    return aligned(maxima_of(classes) * sizeof(float)) + aligned(kSpace * sizeof(uint32_t)) +
           3 * aligned(kSpace * sizeof(uint64_t)) + aligned(kSpace * sizeof(float));
}

LogitList::LogitList(const ListKernels& kernels, void* memory, dim_t classes)
    : kernels_(kernels), classes_(classes) {
    constexpr auto kSpace = static_cast<size_t>(kListSpace);
    auto* at = static_cast<char*>(memory);
    maxima_ = take<float>(at, maxima_of(classes));
    ids_ = take<uint32_t>(at, kSpace);
    keys_ = take<uint64_t>(at, kSpace);
    sorted_ = take<uint64_t>(at, kSpace);
    weights_ = take<uint64_t>(at, kSpace);
    logits_ = take<float>(at, kSpace);
}

bool LogitList::read(const GroupedRow& row) {
    row_ = row;
    std::atomic<bool> has_nan{false};
    const auto pass = [&](dim_t first, dim_t groups) {
        GroupMaxKernel::Args args{row.group(first), groups, maxima_ + first * kGroupLanes, 0};
        kernels_.max(args);
        if (args.has_nan != 0) has_nan.store(true, std::memory_order_relaxed);
    };
    const auto size = static_cast<size_t>(classes_ * row.element_bytes());
    if (row.whole_groups() > 0)
        parallel_ranges(row.whole_groups(), 1, size,
                        [&](dim_t begin, dim_t end) { pass(begin, end - begin); });
    if (row.groups() > row.whole_groups()) pass(row.whole_groups(), 1);
    if (has_nan.load(std::memory_order_relaxed)) return false;
    greatest_ = greatest_of(maxima_, maxima_of(classes_));
    if (!(greatest_ < kInf && greatest_ > -kInf)) return false;
    if (greatest_ == 0)
        greatest_ = row.logit(first_greatest());  // its sign is that of the first of the order
    return true;
}

dim_t LogitList::first_greatest() {
    dim_t g = 0;
    const auto has = [&](dim_t group) {
        const float* lanes = maxima_ + group * kGroupLanes;
        return std::find(lanes, lanes + kGroupLanes, greatest_) != lanes + kGroupLanes;
    };
    while (!has(g)) ++g;
    size_ = 0;
    append(g, greatest_);
    return ids_[0];
}

// A number that at least k of the maxima reach, but not many more; the lowest finite one if fewer than k are finite.
float LogitList::threshold_for(dim_t k) const {
    const size_t count = maxima_of(classes_);
    const float least = least_of(maxima_, count);
    const bool all_reach = least > -kInf && k <= static_cast<dim_t>(count);
    uint32_t low = rank_of(all_reach ? least : -std::numeric_limits<float>::max());
    uint32_t high = rank_of(greatest_) + 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const dim_t reached = count_from(float_of(middle), maxima_, count);
        if (reached < k) {
            high = middle;
            continue;
        }
        low = middle;
        if (reached <= k + k / 4) break;
    }
    return float_of(low);
}

// Appends the classes of a group from the threshold on. (The padding of a last group is -inf and no class.)
void LogitList::append(dim_t group, float threshold) {
    CollectKernel::Args args{row_.group(group), 1, static_cast<uint64_t>(group * kGroupClasses),
                             ids_ + size_, bit_cast<uint32_t>(threshold)};
    kernels_.collect(args);
    const dim_t size = args.to - ids_;
    for (; size_ < size; ++size_) keys_[size_] = key_of(row_.logit(ids_[size_]), ids_[size_]);
}

uint64_t LogitList::kth_key(dim_t k) {
    std::copy(keys_, keys_ + size_, sorted_);
    std::nth_element(sorted_, sorted_ + (k - 1), sorted_ + size_);
    return sorted_[k - 1];
}

void LogitList::select(dim_t k) {
    size_ = 0;
    bound_ = kNoBound;
    float threshold = threshold_for(k);
    for (dim_t g = 0; g < row_.groups(); ++g) {
        if (count_from(threshold, maxima_ + g * kGroupLanes, kGroupLanes) == 0) continue;
        append(g, threshold);
        if (size_ < kCapacity) continue;
        // The classes that follow come later in the order than equal ones that are listed.
        keep(kth_key(k));
        threshold = float_of(rank_of(logit_of(bound_)) + 1);
        if (!(threshold <= greatest_)) break;
    }
    if (size_ > k) keep(kth_key(k));
    if (size_ == k && bound_ == kNoBound) bound_ = *std::max_element(keys_, keys_ + size_);
}

void LogitList::keep(uint64_t bound) {
    dim_t kept = 0;
    for (dim_t i = 0; i < size_; ++i) {
        if (keys_[i] > bound) continue;
        ids_[kept] = ids_[i];
        keys_[kept++] = keys_[i];
    }
    size_ = kept;
    bound_ = std::min(bound_, bound);
}

const uint64_t* LogitList::sorted_keys() {
    std::copy(keys_, keys_ + size_, sorted_);
    std::sort(sorted_, sorted_ + size_);
    return sorted_;
}

const uint64_t* LogitList::weights(float ratio) {
    for (dim_t i = 0; i < size_; ++i) logits_[i] = logit_of(keys_[i]);
    return weigh(logits_, ratio);
}

const uint64_t* LogitList::sorted_weights(float ratio) {
    for (dim_t i = 0; i < size_; ++i) logits_[i] = logit_of(sorted_[i]);
    return weigh(logits_, ratio);
}

const uint64_t* LogitList::weigh(const float* logits, float ratio) {
    const dim_t units = (size_ + kUnitClasses - 1) / kUnitClasses;
    std::fill(logits_ + size_, logits_ + units * kUnitClasses, -kInf);
    const auto top =
        static_cast<uint64_t>(1 + ceil_log2(classes_) + 127);  // 127: the field of 1.0f
    WeightStoreKernel::Args args{
        logits, units, weights_, {bit_cast<uint32_t>(greatest_), top, bit_cast<uint32_t>(ratio)}};
    if (units > 0) kernels_.weigh(args);
    return weights_;
}

}  // namespace tombola::impl::cpu::x64
