// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/row_passes.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "common/parallel.hpp"
#include "cpu/float16.hpp"
#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Compares the quarters of the register with one another first, in registers, so that few comparisons wait for one another.
template <class Lane>
Lane greatest_lane(const char* lanes, size_t bytes) {
    using Quarter __attribute__((vector_size(16))) = Lane;
    constexpr size_t kLanes = sizeof(Quarter) / sizeof(Lane);
    Quarter quarters[4];
    std::memcpy(quarters, lanes, sizeof quarters);
    const auto greater = [](const Quarter& a, const Quarter& b) { return a < b ? b : a; };
    if (bytes == sizeof quarters) {
        quarters[0] = greater(quarters[0], quarters[2]);
        quarters[1] = greater(quarters[1], quarters[3]);
    }
    quarters[0] = greater(quarters[0], quarters[1]);
    Lane values[kLanes];
    std::memcpy(values, &quarters[0], sizeof values);
    for (size_t half = kLanes / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; ++i) values[i] = std::max(values[i], values[i + half]);
    return values[0];
}

// The bits of -inf, repeated to fill 64 bits.
uint64_t minus_infinities(FloatType type) {
    switch (type) {
        case FloatType::f16:
            return 0xFC00FC00FC00FC00;
        case FloatType::bf16:
            return 0xFF80FF80FF80FF80;
        case FloatType::f32:
            return 0xFF800000FF800000;
        case FloatType::f64:
            return 0xFFF0000000000000;
    }
    return 0;
}

// The number of units that kernels read in place. The remaining classes are copied. If there is only one whole unit, it is copied too, so
// that a short row takes one call.
dim_t units_in_place(dim_t classes) {
    const dim_t units = classes / kUnitClasses;
    return units == 1 && classes % kUnitClasses != 0 ? 0 : units;
}

}  // namespace

// As long as the target lies beyond the next few weights, adds them up at once, so that few additions wait for one another. Among those few,
// it counts the prefix sums below the target: a loop that ended at the target would end where no processor predicts.
ClassReached reach_class(const uint64_t* weights, dim_t count, uint64_t target) {
    constexpr dim_t kTogether = 16;
    dim_t k = 0;
    for (; k + kTogether <= count; k += kTogether) {
        const uint64_t sum = std::accumulate(weights + k, weights + k + kTogether, uint64_t{0});
        if (sum >= target) break;
        target -= sum;
    }
    uint64_t reached = 0, excess = UINT64_MAX;
    const dim_t end = std::min(count, k + kTogether);
    dim_t below = 0;
    for (dim_t i = k; i < end; ++i) {
        reached += weights[i];
        below += reached < target ? 1 : 0;
        excess =
            std::min(excess, reached - target);  // a great number if the sum is below the target
    }
    return {k + below, excess};
}

Result<RowPasses> RowPasses::create(CpuIsa isa, const MemoryDesc& src, bool log_probs,
                                    Weights weights, bool scaled) {
    const FloatType type = float_type_of(src.data_type);
    const std::tuple<CpuIsa, FloatType, bool, bool> key{isa, type, log_probs, scaled};
    RowPasses passes;
    passes.type_ = type;
    passes.isa_ = isa;
    passes.log_probs_ = log_probs;
    passes.scaled_ = scaled;
    passes.classes_ = src.dims[1];
    passes.element_bytes_ = static_cast<dim_t>(size_of(src.data_type));
    passes.max_ = TOMBOLA_TRY(cached_function<RowMaxKernel>({isa, type, log_probs}));
    passes.store_ = TOMBOLA_TRY(cached_function<WeightStoreKernel>(key));
    const int log_classes = ceil_log2(passes.classes_);
    passes.log_classes_ = log_classes;
    if (weights == Weights::stored) return passes;
    const bool is_narrow = type != FloatType::f64;
    if (weights == Weights::estimated && is_narrow && log_classes <= kMaxEstimatedLog) {
        passes.estimate_error_ = x64::estimate_error(isa, log_probs, log_classes);
        if (log_probs)
            passes.estimate_logits_ =
                TOMBOLA_TRY(cached_function<LogitEstimateKernel>({isa, type, scaled}));
        else
            passes.estimate_weights_ =
                TOMBOLA_TRY(cached_function<WeightEstimateKernel>({isa, type}));
    }
    if (log_probs && is_narrow && log_classes >= LogitSumKernel::kMinLog &&
        log_classes <= LogitSumKernel::kMaxLog) {
        using Logits = LogitSumKernel::Logits;
        const auto kernel = [&](Logits logits) {
            return cached_function<LogitSumKernel>({isa, type, scaled, logits});
        };
        passes.logits_shape_ = LogitSumKernel::shape(log_classes, isa);
        passes.near_logits_ = TOMBOLA_TRY(kernel(Logits::near));
        passes.all_logits_ = TOMBOLA_TRY(kernel(Logits::all));
    } else if (!log_probs && is_narrow && log_classes >= PositiveSumKernel::kMinLog) {
        using Elements = PositiveSumKernel::Elements;
        const auto kernel = [&](Elements elements) {
            return cached_function<PositiveSumKernel>(
                {isa, type, elements, PositiveSumKernel::span(log_classes, isa)});
        };
        passes.large_weights_ = TOMBOLA_TRY(kernel(Elements::large));
        passes.large_or_zero_weights_ = TOMBOLA_TRY(kernel(Elements::large_or_zero));
        passes.all_weights_ = TOMBOLA_TRY(kernel(Elements::all));
    } else {
        passes.sum_ = TOMBOLA_TRY(cached_function<WeightSumKernel>(key));
    }
    return passes;
}

double RowPasses::nanoseconds(dim_t classes, Sums sums) const {
    // Per vector of f32. On Zen 5 estimates take about 0.7 of the time of exact sums.
    const bool exact = sums == Sums::exact;
    const int instructions = log_probs_ ? (exact ? 33 : 23) : (exact ? 8 : 5);
    const auto count = static_cast<double>(classes);
    return std::max(count * machine().nanoseconds_per_lane(instructions, shape_of(isa_).bytes),
                    moving(static_cast<size_t>(classes * element_bytes_)).nanoseconds);
}

RowPasses::Rest RowPasses::padded(const char* row, dim_t begin, dim_t end) const {
    assert(end - begin < 2 * kUnitClasses);
    Rest rest;
    rest.units = (end - begin + kUnitClasses - 1) / kUnitClasses;
    const dim_t words = rest.units * kUnitClasses * element_bytes_ / 8;
    std::fill_n(rest.words, words, log_probs_ ? minus_infinities(type_) : 0);
    std::memcpy(rest.words, row + begin * element_bytes_,
                static_cast<size_t>((end - begin) * element_bytes_));
    return rest;
}

bool RowPasses::accept(const RowFindings& found, double& greatest) const {
    const auto bytes = static_cast<size_t>(shape_of(isa_).bytes);
    const double maximum = type_ == FloatType::f64
                               ? greatest_lane<double>(found.maxima, bytes)
                               : static_cast<double>(greatest_lane<float>(found.maxima, bytes));
    greatest = std::max(greatest, maximum);
    return found.refused == 0 && maximum < kInf;
}

bool RowPasses::greatest(const char* row, dim_t begin, dim_t end, double& result) const {
    result = log_probs_ ? -kInf : 0;
    const auto pass = [&](const char* data, dim_t units) {
        RowMaxKernel::Args args{data, units, {}};
        max_(args);
        return accept(args.found, result);
    };
    const dim_t units = units_in_place(end - begin);
    const dim_t whole = begin + units * kUnitClasses;
    if (units > 0 && !pass(row + begin * element_bytes_, units)) return false;
    if (whole == end) return true;
    const Rest rest = padded(row, whole, end);
    return pass(rest.data(), rest.units);
}

bool RowPasses::is_distribution(double greatest) const {
    return log_probs_ ? greatest > -kInf : greatest > 0;
}

void RowPasses::set_scale(Row& row, double greatest, float ratio, float flush) const {
    const double weight = log_probs_ ? 1.0 : greatest;  // the greatest weight
    row.scale = {greatest, quantum_shift_of_log(weight, log_classes_)};
    uint64_t field;
    if (type_ == FloatType::f64) {
        row.args.greatest = bit_cast<uint64_t>(greatest);
        row.args.ratio = bit_cast<uint64_t>(static_cast<double>(ratio));
        row.args.flush = bit_cast<uint64_t>(static_cast<double>(flush));
        field = bit_cast<uint64_t>(weight) >> 52;
    } else {
        row.args.greatest = bit_cast<uint32_t>(static_cast<float>(greatest));
        row.args.ratio = bit_cast<uint32_t>(ratio);
        row.args.flush = bit_cast<uint32_t>(flush);
        field = bit_cast<uint32_t>(static_cast<float>(weight)) >> 23;
    }
    row.args.top = top_of(log_classes_, static_cast<int>(field));
    row.is_scalar = field < kMinField;
    row.field = static_cast<int>(field);
}

void RowPasses::pass_over(BlockArgs& blocks, dim_t count) const {
    const dim_t step = count * blocks.units * kUnitClasses * element_bytes_;
    blocks.src += step;
    blocks.ahead += step;
    blocks.sums = static_cast<uint64_t*>(blocks.sums) + count;
    blocks.count -= count;
}

bool RowPasses::accept_stored(const RowFindings& found, double& greatest) const {
    const auto bytes = static_cast<size_t>(shape_of(isa_).bytes);
    float maximum;
    if (type_ == FloatType::f32) {
        maximum = bit_cast<float>(greatest_lane<uint32_t>(found.maxima, bytes));
    } else {
        const auto bits = greatest_lane<uint16_t>(found.maxima, bytes);
        maximum = type_ == FloatType::f16 ? to_f32(Float16{bits}) : to_f32(BFloat16{bits});
    }
    if (std::signbit(maximum) || !(maximum < static_cast<float>(kInf))) return false;
    greatest = std::max(greatest, static_cast<double>(maximum));
    return true;
}

bool RowPasses::sum_blocks(const Row& row, const BlockArgs& blocks, bool is_padded,
                           double& greatest) const {
    if (near_logits_) return sum_logits(row, blocks, is_padded, greatest);
    if (large_weights_) return sum_weights(row, blocks, is_padded, greatest);
    WeightSumKernel::Args args{blocks, row.args, {}};
    sum_(args);
    return scaled_ || accept(args.found, greatest);
}

bool RowPasses::sum_logits(const Row& row, BlockArgs blocks, bool is_padded,
                           double& greatest) const {
    const auto flush = bit_cast<float>(static_cast<uint32_t>(row.args.flush));
    const auto run = [&](const JitFunction<LogitSumKernel::Args>& kernel) {
        LogitSumKernel::Args args{{blocks, static_cast<uint32_t>(row.args.greatest),
                                   static_cast<uint32_t>(row.args.ratio)},
                                  -flush,
                                  logits_shape_,
                                  {}};
        kernel(args);
        pass_over(blocks, blocks.count - args.row.blocks.count);
        return scaled_ || accept(args.found, greatest);
    };
    bool good = true;
    if (flush == WeightExpF32::kFlush && !is_padded) good = run(near_logits_);
    if (blocks.count > 0) good = run(all_logits_) && good;
    return good;
}

bool RowPasses::sum_weights(const Row& row, BlockArgs blocks, bool is_padded,
                            double& greatest) const {
    using Elements = PositiveSumKernel::Elements;
    const auto run = [&](const JitFunction<PositiveSumKernel::Args>& kernel, Elements elements) {
        PositiveSumKernel::Args args{
            blocks, PositiveSumKernel::scale(type_, row.field, log_classes_, elements), {}};
        kernel(args);
        const dim_t count = blocks.count - args.blocks.count;
        const char* data = blocks.src;
        pass_over(blocks, count);
        return count == 0 || accept_weights(args.found, data, count * blocks.units, greatest);
    };
    bool good = true;
    if (!is_padded) good = run(large_weights_, Elements::large);
    if (blocks.count > 0) good = run(large_or_zero_weights_, Elements::large_or_zero) && good;
    if (blocks.count > 0) good = run(all_weights_, Elements::all) && good;
    return good;
}

// If there is -0 or an element that is not allowed, the sums are right if it is -0.
bool RowPasses::accept_weights(const RowFindings& found, const char* data, dim_t units,
                               double& greatest) const {
    if (accept_stored(found, greatest)) return true;
    RowMaxKernel::Args again{data, units, {}};
    max_(again);
    return accept(again.found, greatest);
}

bool RowPasses::sum(const Row& row, const RowSource& source, dim_t begin, dim_t end,
                    const char* ahead, uint64_t* sums, double& greatest, dim_t block_units) const {
    const dim_t block_classes = block_units * kUnitClasses;
    greatest = log_probs_ ? -kInf : 0;
    if (row.is_scalar) {
        for (dim_t block = begin; block < end; ++block) {
            uint64_t total = 0;
            const dim_t last = std::min(classes_, (block + 1) * block_classes);
            for (dim_t k = block * block_classes; k < last; ++k)
                total += source.weight(row.index, k, row.scale);
            *sums++ = total;
        }
        return true;
    }
    return sum_row(row, begin, end, ahead, sums, block_units,
                   [&](const BlockArgs& blocks, bool is_padded) {
                       return sum_blocks(row, blocks, is_padded, greatest);
                   });
}

bool RowPasses::estimate(const Row& row, dim_t begin, dim_t end, const char* ahead, double* sums,
                         double& greatest) const {
    greatest = log_probs_ ? -kInf : 0;
    return sum_row(row, begin, end, ahead, sums, kBlockUnits, [&](const BlockArgs& blocks, bool) {
        return estimate_blocks(row, blocks, greatest);
    });
}

bool RowPasses::estimate_blocks(const Row& row, const BlockArgs& blocks, double& greatest) const {
    if (estimate_logits_) {
        LogitEstimateKernel::Args args{{blocks, static_cast<uint32_t>(row.args.greatest),
                                        static_cast<uint32_t>(row.args.ratio)},
                                       {}};
        estimate_logits_(args);
        return scaled_ || accept(args.found, greatest);
    }
    WeightEstimateKernel::Args args{blocks, {}};
    estimate_weights_(args);
    return accept_weights(args.found, blocks.src, blocks.count * blocks.units, greatest);
}

template <class Sum, class SumBlocks>
bool RowPasses::sum_row(const Row& row, dim_t begin, dim_t end, const char* ahead, Sum* sums,
                        dim_t block_units, const SumBlocks& sum_blocks) const {
    if (begin == end) return true;
    const dim_t block_classes = block_units * kUnitClasses;
    if (!log_probs_ && machine().row.read_ahead > 0) ahead = row.data + machine().row.read_ahead;
    bool good = true;
    const dim_t whole = std::min(end, classes_ / block_classes);
    const dim_t at = begin * block_classes * element_bytes_;
    if (begin < whole) {
        good = sum_blocks({row.data + at, ahead + at, whole - begin, block_units, sums}, false);
        sums += whole - begin;
    }
    if (whole == end) return good;
    // The last block of the row, which is shorter than the others.
    const dim_t first = whole * block_classes;
    const dim_t units = units_in_place(classes_ - first);
    const dim_t in_place = first + units * kUnitClasses;
    Sum parts[2] = {0, 0};
    if (units > 0) {
        const dim_t offset = first * element_bytes_;
        good = sum_blocks({row.data + offset, ahead + offset, 1, units, &parts[0]}, false) && good;
    }
    if (in_place < classes_) {
        const Rest rest = padded(row.data, in_place, classes_);
        const bool reads_ahead = log_probs_ && !scaled_;
        const Rest next = reads_ahead ? padded(ahead, in_place, classes_) : Rest();
        const char* to_read = reads_ahead ? next.data() : ahead + in_place * element_bytes_;
        good = sum_blocks({rest.data(), to_read, 1, rest.units, &parts[1]}, true) && good;
    }
    *sums = parts[0] + parts[1];
    return good;
}

void RowPasses::store(const Row& row, const RowSource& source, dim_t begin, dim_t end,
                      uint64_t* weights) const {
    if (row.is_scalar) {
        for (dim_t k = begin; k < end; ++k) *weights++ = source.weight(row.index, k, row.scale);
        return;
    }
    const dim_t units = units_in_place(end - begin);
    const dim_t whole = begin + units * kUnitClasses;
    if (units > 0) {
        WeightStoreKernel::Args args{row.data + begin * element_bytes_, units, weights, row.args};
        store_(args);
    }
    if (whole < end) {
        const Rest rest = padded(row.data, whole, end);
        WeightStoreKernel::Args args{rest.data(), rest.units, weights + (whole - begin), row.args};
        store_(args);
    }
}

bool RowPasses::store_short(Row& row, const RowSource& source, uint64_t* weights) const {
    assert(classes_ <= kShortClasses);
    const dim_t units = (classes_ + kUnitClasses - 1) / kUnitClasses;
    alignas(64) uint64_t copy[kShortClasses * sizeof(double) / sizeof(uint64_t)];
    const char* data = row.data;
    if (classes_ % kUnitClasses != 0) {
        const dim_t unit = kUnitClasses * element_bytes_ / 8;
        std::fill_n(copy + (units - 1) * unit, unit, log_probs_ ? minus_infinities(type_) : 0);
        std::memcpy(copy, row.data, static_cast<size_t>(classes_ * element_bytes_));
        data = reinterpret_cast<const char*>(copy);
    }
    double found = log_probs_ ? -kInf : 0;
    if (machine().row.read_ahead > 0) {
        // The kernel prefetches far behind what it reads, where a copy has nothing.
        if (!greatest(row.data, 0, classes_, found)) return false;
    } else {
        RowMaxKernel::Args args;
        args.src = data;
        args.units = units;
        max_(args);
        if (!accept(args.found, found)) return false;
    }
    if (!is_distribution(found)) return false;
    set_scale(row, found);
    if (row.is_scalar) {
        store(row, source, 0, classes_, weights);
        return true;
    }
    WeightStoreKernel::Args store_args{data, units, weights, row.args};
    store_(store_args);
    return true;
}

}  // namespace tombola::impl::cpu::x64
