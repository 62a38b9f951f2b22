// SPDX-License-Identifier: Apache-2.0
// The part of JitMultinomial that draws the samples of a row.
#include <algorithm>
#include <array>
#include <numeric>

#include "cpu/rng/scatter.hpp"
#include "cpu/weights/put_index.hpp"
#include "cpu/x64/multinomial/jit_multinomial.hpp"
#include "cpu/x64/rng/philox_fill.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr dim_t kChunkSamples = 1024;
constexpr dim_t kGroup = DrawKernel::kGroupSamples;
static_assert(kChunkSamples % kGroup == 0);

// Calls body(begin, end) for one chunk of classes after another.
template <class Body>
void for_chunks(Range range, const Body& body) {
    constexpr dim_t kChunkClasses = 2048;
    static_assert(kChunkClasses % kUnitClasses == 0);
    for (dim_t begin = range.begin; begin < range.end; begin += kChunkClasses)
        body(begin, std::min(begin + kChunkClasses, range.end));
}

}  // namespace

// Measured on Zen 5.
double JitMultinomial::nanoseconds_of_guide() const {
    constexpr double kNanosecondsPerClass = 2;
    return kNanosecondsPerClass * static_cast<double>(passes_.classes());
}

// Without a guide, a sample searches the sums and reads the weights of its block again: 106 to 143 on the machines that were measured. The first
// sample of a short row takes 55 to 90 with the row, each further one 15 to 25. Measured on Zen 4 alone.
double JitMultinomial::nanoseconds_of_draws() const {
    if (lanes_) return lanes_->nanoseconds_of_draws();
    constexpr double kNanosecondsPerSample = 100, kNanosecondsPerShortSample = 40;
    constexpr int kGuidedInstructions = 320;  // for a vector of samples of 32 bits
    return static_cast<double>(desc_.dst.dims[1]) *
           (way_ == Way::short_rows ? kNanosecondsPerShortSample
            : way_ == Way::guide
                ? machine().nanoseconds_per_lane(kGuidedInstructions, words_.vector_bytes)
                : kNanosecondsPerSample);
}

void JitMultinomial::draw_short_rows(const Call& call, const Part& part, Range rows,
                                     LowestRow& wrong) const {
    const dim_t samples = desc_.dst.dims[1], classes = passes_.classes();
    void* results = call.scratch + scratch_.results;
    alignas(64) uint64_t weights[RowPasses::kShortClasses];
    UniformReader uniforms(call.uniforms, rows.begin * samples);
    Row row;
    for (row.index = rows.begin; row.index < rows.end; ++row.index) {
        row.data = dense_row(call, part, row.index);
        if (!passes_.store_short(row, call.source, weights)) return wrong.report(row.index);
        const uint64_t sum = std::accumulate(weights, weights + classes, uint64_t{0});
        for (dim_t s = 0; s < samples; ++s)
            put_index(desc_.dst.data_type, results, row.index * samples + s,
                      class_reaching(weights, classes, draw_target(uniforms.next(), sum)));
    }
}

// Like load_sums(), it reads a row of weights once, and rows of logits twice in succession.
JitMultinomial::Draw JitMultinomial::draw_by_estimates(const Call& call, const Part& part,
                                                       dim_t index, const char* ahead, Found& found,
                                                       Row& row) const {
    if (desc_.log_probs && !load_logits(call, part, index, found, row)) return Draw::refused;
    if (!desc_.log_probs) {
        row.index = index;
        row.data = dense_row(call, part, index);
    }
    auto* sums = reinterpret_cast<double*>(part.sums);
    double greatest = 0;  // of this row for weights, of the row ahead for logits
    const bool is_allowed = estimate_blocks(row, ahead, sums, greatest);
    if (!desc_.log_probs) {
        if (!is_allowed || !passes_.is_distribution(greatest)) return Draw::refused;
        passes_.set_scale(row, greatest);
        if (row.is_scalar) {
            tries_.note(false);
            return Draw::undecided;
        }
    }
    const EstimatedRow estimates(passes_, call.source, row, sums);
    const dim_t samples = desc_.dst.dims[1], first = index * samples;
    const bool decided =
        estimates.draw_all(samples, UniformReader(call.uniforms, first), [&](dim_t s, dim_t k) {
            put_index(desc_.dst.data_type, call.scratch + scratch_.results, first + s, k);
        });
    tries_.note(decided);
    if (!decided) return Draw::undecided;
    if (desc_.log_probs) {
        found.is_allowed = is_allowed;
        found.greatest = greatest;
        found.is_known = src_.has_dense_rows();
    }
    return Draw::done;
}

// Requires the sums of the blocks in part.sums.
void JitMultinomial::draw_from_blocks(const Call& call, const Part& part, const Row& row) const {
    const dim_t samples = desc_.dst.dims[1], blocks = passes_.blocks();
    constexpr dim_t kBlock = RowPasses::kBlockClasses;
    uint64_t* prefix = part.sums;
    uint64_t sum = 0;  // GCC 14 would keep it in memory, if it were prefix[b - 1]
    for (dim_t b = 0; b < blocks; ++b) prefix[b] = sum += prefix[b];
    void* results = call.scratch + scratch_.results;
    parallel_ranges(samples, 1, {nanoseconds_of_draws()}, [&](dim_t begin, dim_t last) {
        uint64_t weights[kBlock + kUnitClasses];
        UniformReader uniforms(call.uniforms, row.index * samples + begin);
        for (dim_t s = begin; s < last; ++s) {
            uint64_t target = draw_target(uniforms.next(), sum);
            const dim_t block = std::lower_bound(prefix, prefix + blocks - 1, target) - prefix;
            if (block > 0) target -= prefix[block - 1];
            const dim_t first = block * kBlock;
            const dim_t end = std::min(first + kBlock, passes_.classes());
            passes_.store(row, call.source, first, end, weights);
            put_index(desc_.dst.data_type, results, row.index * samples + s,
                      first + class_reaching(weights, end - first, target));
        }
    });
}

// Returns false if the row is refused, or if it has fewer classes of positive weight than samples.
bool JitMultinomial::draw_from_tree(const Call& call, const Part& part, dim_t index,
                                    Row& row) const {
    const dim_t classes = passes_.classes();
    if (classes <= RowPasses::kShortClasses) {
        row.index = index;
        row.data = dense_row(call, part, index);
        if (!passes_.store_short(row, call.source, part.weights)) return false;
    } else {
        if (!load_row(call, part, index, row)) return false;
        const Work work{passes_.nanoseconds(classes) + moving(to_size(classes) * 8).nanoseconds};
        parallel_ranges(classes, kUnitClasses, work, [&](dim_t begin, dim_t end) {
            passes_.store(row, call.source, begin, end, part.weights + begin);
        });
    }
    WeightTree tree(part.weights, classes);
    return draw_by_taking(call, row, tree, [&](uint64_t target) { return tree.take(target); });
}

// The same, from a sparse tree. Requires the sums of the blocks in part.sums.
bool JitMultinomial::draw_from_sparse_tree(const Call& call, const Part& part,
                                           const Row& row) const {
    const dim_t classes = passes_.classes();
    const auto compute = [&](dim_t first, uint64_t* weights) {
        const dim_t count = std::min(WeightTree::kBlock, classes - first);
        passes_.store(row, call.source, first, first + count, weights);
        std::fill(weights + count, weights + WeightTree::kBlock, uint64_t{0});
    };
    WeightTree tree(part.weights, classes, WeightTree::Sparse{});
    return draw_by_taking(call, row, tree,
                          [&](uint64_t target) { return tree.take(target, compute); });
}

template <class Take>
bool JitMultinomial::draw_by_taking(const Call& call, const Row& row, WeightTree& tree,
                                    const Take& take) const {
    const dim_t samples = desc_.dst.dims[1];
    UniformReader uniforms(call.uniforms, row.index * samples);
    for (dim_t s = 0; s < samples; ++s) {
        if (tree.sum() == 0) return false;
        put_index(desc_.dst.data_type, call.scratch + scratch_.results, row.index * samples + s,
                  take(draw_target(uniforms.next(), tree.sum())));
    }
    return true;
}

// Computes the prefix sums in part.weights, their sum, and the guide table. If threads share the row, each computes the
// prefix sums of its classes, from 0 on; then each adds the sum of the classes before them. Chunks stay in the first-level cache.
GuideTable JitMultinomial::make_guide(const Call& call, const Part& part, const Row& row,
                                      uint64_t& sum) const {
    const dim_t classes = passes_.classes();
    uint64_t* prefix = part.weights;
    std::array<uint64_t, kMaxRanges> sums;
    const int parts = std::min(parts_for({nanoseconds_of_guide()}), kMaxRanges);
    parallel(parts, [&](int index, int all) {
        const Range range = split(classes, index, all, kUnitClasses);
        uint64_t reached = 0;
        for_chunks(range, [&](dim_t begin, dim_t end) {
            passes_.store(row, call.source, begin, end, prefix + begin);
            // A row that another thread changes may give any numbers. The sums must be in order even then.
            for (dim_t k = begin; k < end; ++k)
                prefix[k] = reached += std::min(prefix[k], passes_.max_weight());
        });
        sums[to_size(index)] = reached;
    });
    sum = std::accumulate(sums.begin(), sums.begin() + parts, uint64_t{0});
    if (sum == 0) prefix[classes - 1] = sums[to_size(parts - 1)] = sum = 1;
    GuideTable guide(part.guide, prefix, classes, desc_.dst.dims[1], sum);
    parallel(parts, [&](int index, int all) {
        const Range range = split(classes, index, all, kUnitClasses);
        const uint64_t before = std::accumulate(sums.begin(), sums.begin() + index, uint64_t{0});
        uint64_t reached = before;
        for_chunks(range, [&](dim_t begin, dim_t end) {
            if (before > 0)
                for (dim_t k = begin; k < end; ++k) prefix[k] += before;
            guide.fill(begin, end, reached);
            reached = prefix[end - 1];
        });
    });
    return guide;
}

void JitMultinomial::draw_by_guide(const Call& call, const Part& part, const Row& row) const {
    const dim_t samples = desc_.dst.dims[1], classes = passes_.classes();
    const uint64_t* prefix = part.weights;
    uint64_t sum = 0;
    const GuideTable guide = make_guide(call, part, row, sum);
    const PhiloxCall& drawn = call.uniforms.stream;
    const PhiloxFill stream(words_, drawn.start, drawn.key(), {});
    const size_t index_bytes = size_of(desc_.dst.data_type);
    auto* dst = call.context.output<char>(TOMBOLA_ARG_DST);
    const Work work{nanoseconds_of_draws()};
    parallel_ranges(samples, kChunkSamples, work, [&](dim_t begin, dim_t end) {
        // On the stack, because more threads may share a row than the scratchpad has parts.
        alignas(64) uint32_t words[2 * kChunkSamples];
        alignas(64) char indices[kChunkSamples * sizeof(int64_t)];
        for (dim_t s = begin; s < end; s += kChunkSamples) {
            const dim_t count = std::min(kChunkSamples, end - s);
            const dim_t first = row.index * samples + s;
            if (call.uniforms.given != nullptr) {
                for (dim_t i = 0; i < count; ++i)
                    put_index(desc_.dst.data_type, indices, i,
                              guide.find(draw_target(
                                  UniformSource::number(call.uniforms.given + first + i), sum)));
                scatter(desc_.dst, dst, first, count, indices);
                continue;
            }
            const dim_t groups = (count + kGroup - 1) / kGroup;
            std::fill(words + 2 * count, words + 2 * groups * kGroup, 0);
            stream.generate(drawn.number_of(first) * 2, 2 * count, words, false);
            const bool in_place = dst_.has_dense_rows() && count % kGroup == 0;
            char* to = in_place ? dst + to_size(dst_.offset(row.index, s)) * index_bytes : indices;
            DrawKernel::Args args{words,
                                  to,
                                  groups,
                                  guide.guide(),
                                  prefix,
                                  sum,
                                  static_cast<uint64_t>(guide.shift()),
                                  static_cast<uint64_t>(classes)};
            draw_(args);
            if (!in_place) scatter(desc_.dst, dst, first, count, indices);
        }
    });
}

}  // namespace tombola::impl::cpu::x64
