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
dim_t class_reaching(const uint64_t* weights, dim_t count, uint64_t target) {
    constexpr dim_t kTogether = 16;
    dim_t k = 0;
    for (; k + kTogether <= count; k += kTogether) {
        const uint64_t sum = std::accumulate(weights + k, weights + k + kTogether, uint64_t{0});
        if (sum >= target) break;
        target -= sum;
    }
    uint64_t reached = 0;
    const dim_t end = std::min(count, k + kTogether);
    dim_t below = 0;
    for (dim_t i = k; i < end; ++i) {
        reached += weights[i];
        below += reached < target ? 1 : 0;
    }
    return k + below;
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
    passes.splits_ = type != FloatType::f64 && log_classes >= SplitSumKernel::kMinLog &&
                     log_classes <= SplitSumKernel::kMaxLog;
    if (weights == Weights::stored) return passes;
    if (passes.splits_)
        passes.split_sum_ = TOMBOLA_TRY(cached_function<SplitSumKernel>(key));
    else
        passes.sum_ = TOMBOLA_TRY(cached_function<WeightSumKernel>(key));
    const bool sums_near = log_probs && type != FloatType::f64 &&
                           log_classes >= NearSumKernel::kMinLog &&
                           log_classes <= NearSumKernel::kMaxLog;
    if (sums_near) {
        using Logits = NearSumKernel::Logits;
        passes.near_shape_ = NearSumKernel::shape(log_classes, isa);
        passes.near_sum_ = TOMBOLA_TRY(
            cached_function<NearSumKernel>({isa, type, scaled ? Logits::scaled : Logits::plain}));
        if (scaled)
            passes.near_limited_sum_ =
                TOMBOLA_TRY(cached_function<NearSumKernel>({isa, type, Logits::limited}));
    }
    const bool sums_positive =
        !log_probs && type != FloatType::f64 && log_classes >= PositiveSumKernel::kMinLog;
    if (sums_positive) {
        const auto span = PositiveSumKernel::span(log_classes, isa);
        for (int i = 0; i < kPositiveKernels; ++i)
            passes.positive_sums_[i] = TOMBOLA_TRY(
                cached_function<PositiveSumKernel>({isa, type, kPositiveZeros[i], span}));
    }
    return passes;
}

double RowPasses::nanoseconds(dim_t classes) const {
    constexpr int kWeightInstructions = 8, kLogitInstructions = 33;  // per vector of f32
    const int instructions = log_probs_ ? kLogitInstructions : kWeightInstructions;
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
    if (!splits_ || row.is_scalar) return;
    const int of_weight = log_probs_ ? SplitSumKernel::kFieldOfLogits : row.field;
    row.split_scale = SplitSumKernel::scale(row.args, of_weight, log_classes_, isa_);
}

void RowPasses::pass_over(Blocks& blocks, dim_t count) const {
    const dim_t step = count * blocks.units * kUnitClasses * element_bytes_;
    blocks.data += step;
    blocks.ahead += step;
    blocks.sums += count;
    blocks.count -= count;
}

bool RowPasses::accept_bits(const RowFindings& found, double& greatest) const {
    const auto bytes = static_cast<size_t>(shape_of(isa_).bytes);
    const auto maximum = greatest_lane<uint32_t>(found.maxima, bytes);
    if (maximum > SplitSumKernel::kGreatestFinite) return false;
    greatest = std::max(greatest, static_cast<double>(bit_cast<float>(maximum)));
    return true;
}

bool RowPasses::accept_stored(const RowFindings& found, double& greatest) const {
    if (type_ == FloatType::f32) return accept_bits(found, greatest);
    const auto bits =
        greatest_lane<uint16_t>(found.maxima, static_cast<size_t>(shape_of(isa_).bytes));
    const float maximum = type_ == FloatType::f16 ? to_f32(Float16{bits}) : to_f32(BFloat16{bits});
    if (bits >> 15 != 0 || !(maximum < static_cast<float>(kInf))) return false;
    greatest = std::max(greatest, static_cast<double>(maximum));
    return true;
}

bool RowPasses::sum_best(const Row& row, const Blocks& blocks, double& greatest) const {
    if (near_sum_) return sum_near(row, blocks, greatest);
    if (positive_sums_[0]) return sum_positive(row, blocks, greatest);
    return sum_blocks(row, blocks, greatest);
}

bool RowPasses::sum_blocks(const Row& row, const Blocks& blocks, double& greatest) const {
    if (splits_) return sum_split(row, blocks, greatest);
    WeightSumKernel::Args args{
        blocks.data, blocks.ahead, blocks.count, blocks.units, blocks.sums, row.args, {}};
    sum_(args);
    return scaled_ || accept(args.found, greatest);
}

bool RowPasses::sum_split(const Row& row, const Blocks& blocks, double& greatest) const {
    const dim_t vectors = blocks.units * kUnitClasses * 4 / shape_of(isa_).bytes;
    const auto start = uint32_t{0} - row.split_scale.low.bias * static_cast<uint32_t>(vectors);
    SplitSumKernel::Args args{blocks.data, blocks.ahead,    blocks.count, blocks.units,
                              blocks.sums, row.split_scale, start,        {}};
    split_sum_(args);
    if (scaled_) return true;
    if (log_probs_) return accept(args.found, greatest);
    if (accept_bits(args.found, greatest)) return true;
    // The row has -0 or an element that is not allowed. The sums are right if it is -0.
    RowMaxKernel::Args again{blocks.data, blocks.count * blocks.units, {}};
    max_(again);
    return accept(again.found, greatest);
}

// `sum` calls a kernel that may stop at a block, and returns how many blocks are left. Where the first kernel stops, the second one goes
// on, and so on up to the last one. Where the last one stops, sum_blocks() sums the block. Each time, sum_blocks() gets twice as many
// blocks as before, so that few blocks are read twice.
template <class Sum>
bool RowPasses::sum_between_stops(const Row& row, Blocks blocks, int kernels, double& greatest,
                                  const Sum& sum) const {
    bool good = true;
    int kernel = 0;
    dim_t others = 1;
    for (;;) {
        const dim_t left = sum(blocks, kernel, good);
        if (left == 0) return good;
        pass_over(blocks, blocks.count - left);
        if (kernel + 1 < kernels) {
            ++kernel;
            continue;
        }
        Blocks slow = blocks;
        slow.count = std::min(others, blocks.count);
        good = sum_blocks(row, slow, greatest) && good;
        pass_over(blocks, slow.count);
        if (blocks.count == 0) return good;
        others *= 2;
    }
}

bool RowPasses::sum_near(const Row& row, const Blocks& blocks, double& greatest) const {
    const auto flush = bit_cast<float>(static_cast<uint32_t>(row.args.flush));
    const bool limited = flush > WeightExpF32::kFlush;
    const auto sum = [&](const Blocks& b, int kernel, bool& good) {
        NearSumKernel::Args args{b.data,
                                 b.ahead,
                                 b.count,
                                 b.units,
                                 b.sums,
                                 static_cast<uint32_t>(row.args.greatest),
                                 static_cast<uint32_t>(row.args.ratio),
                                 -flush,
                                 near_shape_,
                                 {}};
        limited || kernel > 0 ? near_limited_sum_(args) : near_sum_(args);
        if (!scaled_) good = accept(args.found, greatest) && good;
        return args.blocks;
    };
    return sum_between_stops(row, blocks, scaled_ && !limited ? 2 : 1, greatest, sum);
}

bool RowPasses::sum_positive(const Row& row, const Blocks& blocks, double& greatest) const {
    const auto sum = [&](const Blocks& b, int kernel, bool& good) {
        const auto zeros = kPositiveZeros[kernel];
        PositiveSumKernel::Args args{
            b.data,  b.ahead, b.count,
            b.units, b.sums,  PositiveSumKernel::scale(type_, row.field, log_classes_, zeros),
            {}};
        positive_sums_[kernel](args);
        const bool as_f32 = zeros == PositiveSumKernel::Zeros::any;
        good = (as_f32 ? accept_bits(args.found, greatest) : accept_stored(args.found, greatest)) &&
               good;
        return args.blocks;
    };
    return sum_between_stops(row, blocks, kPositiveKernels, greatest, sum);
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
    if (begin == end) return true;
    if (!log_probs_ && machine().row.read_ahead > 0) ahead = row.data + machine().row.read_ahead;
    bool good = true;
    const auto pass = [&](const char* data, const char* next, dim_t blocks, dim_t units,
                          uint64_t* to) {
        good = sum_best(row, {data, next, blocks, units, to}, greatest) && good;
    };
    const dim_t whole = std::min(end, classes_ / block_classes);
    const dim_t at = begin * block_classes * element_bytes_;
    if (begin < whole) {
        pass(row.data + at, ahead + at, whole - begin, block_units, sums);
        sums += whole - begin;
    }
    if (whole == end) return good;
    // The last block of the row, which is shorter than the others.
    const dim_t first = whole * block_classes;
    const dim_t units = units_in_place(classes_ - first);
    const dim_t in_place = first + units * kUnitClasses;
    uint64_t parts[2] = {0, 0};
    if (units > 0) {
        const dim_t offset = first * element_bytes_;
        pass(row.data + offset, ahead + offset, 1, units, &parts[0]);
    }
    if (in_place < classes_) {
        const Rest rest = padded(row.data, in_place, classes_);
        const bool reads_ahead = log_probs_ && !scaled_;
        const Rest next = reads_ahead ? padded(ahead, in_place, classes_) : Rest();
        const char* to_read = reads_ahead ? next.data() : ahead + in_place * element_bytes_;
        // The padding of this block is far below the greatest logit.
        good = sum_blocks(row, {rest.data(), to_read, 1, rest.units, &parts[1]}, greatest) && good;
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
