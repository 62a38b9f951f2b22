// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/multinomial/lane_draws.hpp"

#include <algorithm>

#include "common/scratchpad.hpp"
#include "cpu/multinomial/multinomial_call.hpp"
#include "cpu/rng/unit.hpp"
#include "cpu/weights/put_index.hpp"
#include "cpu/weights/weight_quantum.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/rng/philox_fill.hpp"
#include "cpu/x64/rng/philox_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kMaxRows = LaneWeightsKernel::kMaxRows;
// Measured on Zen 4 and Zen 5, with both ISAs. With more classes a row by itself takes as long. With more samples a guide table is faster:
// with AVX2 on Zen 5, 32 samples of f64 took up to 1.55 times as long as with a table.
constexpr dim_t kMaxLaneClasses = 256, kMaxLaneClassesF64 = 128;
constexpr dim_t kMaxLaneSamples = 32, kMaxLaneSamplesF64 = 24;
// The words of this many samples are generated at once, or those of one group if it has more.
constexpr dim_t kWordSamples = 1024;

// What a part needs for its groups. Offsets in bytes.
struct LaneScratch {
    explicit LaneScratch(const MultinomialDesc& desc) {
        const auto classes = static_cast<size_t>(desc.src.dims[1]);
        const auto samples = static_cast<size_t>(desc.dst.dims[1]);
        weights = aligned_size(classes * kMaxRows * sizeof(float));  // f64 has half as many rows
        words = weights + aligned_size(classes * kMaxRows * sizeof(uint64_t));
        size = words + aligned_size(std::max(size_t{kWordSamples}, samples * kMaxRows) * 8);
    }
    size_t weights, words, size;
};

// A group of fewer rows than this takes longer than its rows one by one. Measured on Zen 4 and Zen 5.
dim_t min_rows(int lanes, dim_t classes) { return (lanes + classes * lanes / 128) / 4; }

MemoryDesc transposed(const MemoryDesc& desc) {
    const int axes[] = {1, 0};
    return desc.permute_axes(axes).value();
}

}  // namespace

bool LaneDraws::serves(const MultinomialDesc& desc) {
    const dim_t rows = desc.src.dims[0], classes = desc.src.dims[1];
    const bool is_f64 = desc.src.data_type == DataType::f64;
    return classes <= (is_f64 ? kMaxLaneClassesF64 : kMaxLaneClasses) &&
           rows >= min_rows(kMaxRows, classes) &&
           (takes_classes_out(desc) ||
            desc.dst.dims[1] <= (is_f64 ? kMaxLaneSamplesF64 : kMaxLaneSamples));
}

size_t LaneDraws::scratch_bytes(const MultinomialDesc& desc) { return LaneScratch(desc).size; }

LaneDraws::LaneDraws(CpuIsa isa, const MultinomialDesc& desc)
    : desc_(desc),
      type_(float_type_of(desc.src.data_type)),
      lanes_(LaneWeightsKernel::rows(isa, type_)),
      transposed_(transposed(desc.src)),
      nanoseconds_per_search_(
          static_cast<double>(desc.src.dims[1]) *
          machine().nanoseconds_per_lane(LaneSearchKernel::kInstructions, shape_of(isa).bytes)) {}

Result<LaneDraws> LaneDraws::create(CpuIsa isa, const MultinomialDesc& desc) {
    LaneDraws draws(isa, desc);
    const int vectors = draws.type_ == FloatType::f64 ? 1 : 2;
    draws.weights_ =
        TOMBOLA_TRY(cached_function<LaneWeightsKernel>({isa, draws.type_, desc.log_probs}));
    draws.search_ = TOMBOLA_TRY(cached_function<LaneSearchKernel>({isa, vectors}));
    draws.words_ = TOMBOLA_TRY(philox_words_kernel(isa));
    return draws;
}

// The time to compute a target and to store the sample, and the search. Measured on Zen 4 alone.
double LaneDraws::nanoseconds_of_draws() const {
    constexpr double kNanosecondsPerSample = 5;
    return static_cast<double>(desc_.dst.dims[1]) *
           (kNanosecondsPerSample + nanoseconds_per_search_);
}

void LaneDraws::draw(const Call& call, Range rows, char* scratch,
                     FunctionRef<void(Range)> draw_others) const {
    const dim_t samples = desc_.dst.dims[1];
    const PhiloxCall& stream = call.uniforms.stream;
    const PhiloxFill fill(words_, stream.start, stream.key(), {});
    auto* words = reinterpret_cast<uint32_t*>(scratch + LaneScratch(desc_).words);
    const dim_t together = std::max<dim_t>(kWordSamples / samples / lanes_, 1) * lanes_;
    for (dim_t at = rows.begin; at < rows.end; at += together) {
        const dim_t end = std::min(at + together, rows.end);
        if (call.uniforms.given == nullptr)
            fill.generate(stream.number_of(at * samples) * 2, 2 * (end - at) * samples, words,
                          false);
        for (dim_t first = at; first < end; first += lanes_) {
            const Range group{first, std::min(first + lanes_, end)};
            const bool too_few = end - first < min_rows(lanes_, desc_.src.dims[1]);
            if (too_few || !draw_group(call, group, scratch, words + 2 * (first - at) * samples))
                draw_others(group);
        }
    }
}

// Transposes the rows into the tile [classes][count]. The kernel reads whole vectors, also if count is below the number of lanes. Then lane
// count + i reads what belongs to row i in the next class. After the last class the tile repeats its first elements. So every extra lane has
// all classes of one of the rows, in rotated order, and is exceptional only if that row is.
void LaneDraws::load_group(const char* src, Range rows, char* tile) const {
    const dim_t batch = desc_.src.dims[0], classes = desc_.src.dims[1];
    const dim_t count = rows.end - rows.begin;
    const size_t element = size_of(desc_.src.data_type);
    transposed_.gather(src, Tile{rows.begin, classes, count, batch, std::min(rows.end, batch - 1)},
                       tile);
    char* end = tile + static_cast<size_t>(classes * count) * element;
    for (size_t i = 0; i < static_cast<size_t>(lanes_ - count) * element; ++i) end[i] = tile[i];
}

// Returns false if there is a row that these kernels cannot handle, or one with too few classes of positive weight.
bool LaneDraws::draw_group(const Call& call, Range rows, char* scratch,
                           const uint32_t* words) const {
    const LaneScratch layout(desc_);
    const dim_t classes = desc_.src.dims[1], samples = desc_.dst.dims[1];
    const int count = static_cast<int>(rows.end - rows.begin);
    auto* weights = reinterpret_cast<uint64_t*>(scratch + layout.weights);
    alignas(64) uint64_t sums[kMaxRows], targets[kMaxRows] = {}, drawn[kMaxRows];
    load_group(call.src, rows, scratch);
    const auto step = count * static_cast<dim_t>(size_of(desc_.src.data_type));
    const uint64_t top = top_of(ceil_log2(classes), desc_.log_probs ? field_of_one(type_) : 0);
    LaneWeightsKernel::Args args{scratch, step, classes, top, weights, sums, 0};
    weights_(args);
    if (args.exceptional != 0) return false;

    const double* given = call.uniforms.given;
    const auto target_of = [&](dim_t number, uint64_t sum) {
        if (given != nullptr)
            return draw_target(UniformSource::number(given + rows.begin * samples + number), sum);
        const uint32_t* pair = words + 2 * number;
        return draw_target_of_52_bits(u52_numerator(pair[0], pair[1]), sum);
    };
    const bool takes_out = takes_classes_out(desc_);
    for (dim_t s = 0; s < samples; ++s) {
        for (int row = 0; row < count; ++row) {
            const uint64_t sum = sums[slot(row)];
            if (takes_out && sum == 0) return false;
            targets[slot(row)] = target_of(row * samples + s, sum);
        }
        LaneSearchKernel::Args search{weights, classes, targets, drawn};
        search_(search);
        for (int row = 0; row < count; ++row) {
            const auto k = static_cast<dim_t>(drawn[slot(row)]);
            put_index(desc_.dst.data_type, call.results, (rows.begin + row) * samples + s, k);
            if (!takes_out) continue;
            uint64_t& weight = weights[k * lanes_ + slot(row)];
            sums[slot(row)] -= weight;
            weight = 0;
        }
    }
    return true;
}

}  // namespace tombola::impl::cpu::x64
