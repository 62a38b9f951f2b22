// SPDX-License-Identifier: Apache-2.0
// The part of RowSampler that reads a row, draws from it and writes the outputs.
#include "cpu/x64/token_sampler/row_sampler.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr size_t kLine = 64;

size_t aligned(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
size_t size(dim_t n) { return static_cast<size_t>(n); }

}  // namespace

RowSampler::Places::Places(const TokenSamplerDesc& desc) {
    const size_t classes = size(desc.classes());
    const size_t blocks = classes / size(RowPasses::kBlockClasses) + 1;
    row = 0;
    rest = row + aligned(classes * size_of(desc.src.data_type));
    list = rest + aligned(kGroupClasses * sizeof(float));
    sums = list + LogitList::bytes(desc.classes());
    ranked = sums + aligned((blocks + size(RowPasses::kBlockClasses) + kUnitClasses) * 8);
    bytes = aligned(ranked + RankedRow::bytes(desc.classes()));
}

RowSampler::RowSampler(const TokenSamplerDesc& desc, const SamplerKernels& kernels,
                       const SamplerCall& call, const RowSource& source, const MatrixLayout& layout,
                       const char* src, char* memory)
    : desc_(desc),
      kernels_(kernels),
      call_(call),
      source_(source),
      layout_(layout),
      src_(src),
      memory_(memory),
      places_(desc),
      list_(kernels.list, memory + places_.list, desc.classes()),
      ranked_(kernels.rank, memory + places_.ranked, desc.classes()),
      type_(float_type_of(desc.src.data_type)),
      element_(kernels.passes.element_bytes()),
      shift_(quantum_shift(1.0, desc.classes())) {}

// -- the row -------------------------------------------------------------------------------------

bool RowSampler::sample(dim_t row, dim_t next) {
    row_ = row;
    is_ranked_ = false;
    weighed_ratio_ = 0;
    const bool in_place = layout_.has_dense_rows() && call_.mask(row) == nullptr;
    data_ = in_place ? src_ + layout_.offset(row, 0) * element_ : copy_row();
    ahead_ = in_place ? src_ + layout_.offset(next, 0) * element_ : data_;
    copy_rest();
    if (!list_.read(grouped())) return false;
    parameters_ = call_.parameters(row);
    const bool raw = wants_logprobs() && desc_.logprobs == Logprobs::raw;
    Set set;
    if (!parameters_.is_greedy() || (wants_logprobs() && !raw)) {
        set = find_set();
        set_mass(set);
    }
    logprob_ratio_ = parameters_.draw_ratio();
    if (wants_logprobs() && !raw) log_mass_ = log_of_mass(set.mass, shift_);
    if (raw) {
        // This overwrites sums(). If the set is the whole row, draw_from_row() needs the sums with the ratio of the
        // draw, so they are computed again.
        logprob_ratio_ = 1;
        log_mass_ = log_of_mass(row_mass(1), shift_);
        if (!parameters_.is_greedy() && set.kind == Kind::row) row_mass(parameters_.draw_ratio());
    }
    if (parameters_.is_greedy())
        draw_greedy();
    else if (set.kind == Kind::listed)
        draw_listed(set);
    else if (set.kind == Kind::ranked)
        draw_ranked(set);
    else
        draw_from_row(set);
    if (call_.wants_top()) put_top();
    return true;
}

// The last group, padded.
void RowSampler::copy_rest() {
    const dim_t first = grouped().whole_groups() * kGroupClasses;
    char* rest = memory_ + places_.rest;
    std::memcpy(rest, data_ + first * element_, size((desc_.classes() - first) * element_));
    for (dim_t i = desc_.classes() - first; i < kGroupClasses; ++i) put_minus_infinity(rest, i);
}

void RowSampler::put_minus_infinity(char* to, dim_t k) const {
    const uint32_t bits = type_ == FloatType::f32    ? 0xFF800000
                          : type_ == FloatType::bf16 ? 0xFF80
                                                     : 0xFC00;
    std::memcpy(to + k * element_, &bits, size(element_));  // little-endian: the low bytes
}

// The row with contiguous classes, -inf where a class is not allowed.
const char* RowSampler::copy_row() {
    char* to = memory_ + places_.row;
    const uint32_t* mask = call_.mask(row_);
    const bool dense = layout_.has_dense_rows();
    const char* from = src_ + layout_.offset(row_, 0) * element_;
    for (dim_t begin = 0; begin < desc_.classes(); begin += 32) {
        const dim_t end = std::min(begin + 32, desc_.classes());
        const uint32_t word = mask == nullptr ? UINT32_MAX : mask[begin / 32];
        if (dense && word == UINT32_MAX) {
            std::memcpy(to + begin * element_, from + begin * element_,
                        size((end - begin) * element_));
            continue;
        }
        for (dim_t k = begin; k < end; ++k) {
            if ((word >> (k - begin) & 1) == 0)
                put_minus_infinity(to, k);
            else
                std::memcpy(to + k * element_, src_ + layout_.offset(row_, k) * element_,
                            size(element_));
        }
    }
    return to;
}

// -- the draw ------------------------------------------------------------------------------------

// The mass of the set, with the weights of the draw.
void RowSampler::set_mass(Set& set) {
    const float ratio = parameters_.draw_ratio();
    switch (set.kind) {
        case Kind::row:
            set.mass = row_mass(ratio);
            return;
        case Kind::listed: {
            const uint64_t* weights = list_.weights(ratio);
            for (dim_t i = 0; i < list_.size(); ++i) set.mass += weights[i];
            return;
        }
        case Kind::ranked:
            weigh_ranked(ratio);
            set.mass = ranked_.keep(set.bound);
            return;
    }
}

void RowSampler::draw_greedy() {
    const SamplerOutputs& out = call_.outputs();
    out.kept(row_) = 1;
    const dim_t k = list_.first_greatest();
    for (dim_t s = 0; s < desc_.samples(); ++s) {
        out.put_id(row_, s, k);
        if (desc_.logprobs != Logprobs::none) out.logprob(row_, s) = logprob(k);
    }
}

// draw(target) returns the class that is drawn.
template <class Draw>
void RowSampler::put_samples(const Set& set, const Draw& draw) {
    const SamplerOutputs& out = call_.outputs();
    UniformReader uniforms = call_.uniforms(row_);
    for (dim_t s = 0; s < desc_.samples(); ++s) {
        const dim_t k = draw(draw_target(uniforms.next(), set.mass));
        out.put_id(row_, s, k);
        if (desc_.logprobs != Logprobs::none) out.logprob(row_, s) = logprob(k);
    }
}

void RowSampler::draw_listed(const Set& set) {
    const uint64_t* weights = list_.weights(parameters_.draw_ratio());
    const auto drawable = list_.size() - std::count(weights, weights + list_.size(), uint64_t{0});
    call_.outputs().kept(row_) = static_cast<int32_t>(drawable);
    put_samples(set, [&](uint64_t target) {
        dim_t i = 0;
        for (uint64_t reached = weights[0]; reached < target; reached += weights[i]) ++i;
        return dim_t{list_.at(i)};
    });
}

void RowSampler::draw_ranked(const Set& set) {
    if (call_.wants_kept()) call_.outputs().kept(row_) = static_cast<int32_t>(ranked_.count());
    put_samples(set, [&](uint64_t target) { return ranked_.draw(target); });
}

// Requires the sums of the row's blocks in sums().
void RowSampler::draw_from_row(const Set& set) {
    const float ratio = parameters_.draw_ratio();
    const dim_t blocks = kernels_.passes.blocks();
    constexpr dim_t kBlock = RowPasses::kBlockClasses;
    uint64_t* prefix = sums();
    uint64_t* weights = prefix + blocks;
    for (dim_t b = 1; b < blocks; ++b) prefix[b] += prefix[b - 1];
    const Row row = scaled_row(ratio);
    if (call_.wants_kept()) {
        const uint64_t bound = bound_of_scaled(WeightExpF32::kFlush, list_.greatest(), ratio);
        const float lowest = std::max(logit_of(bound), -std::numeric_limits<float>::max());
        call_.outputs().kept(row_) = static_cast<int32_t>(list_.count_row(lowest));
    }
    put_samples(set, [&](uint64_t target) {
        const dim_t block = std::lower_bound(prefix, prefix + blocks, target) - prefix;
        if (block > 0) target -= prefix[block - 1];
        const dim_t first = block * kBlock;
        kernels_.passes.store(row, source_, first, std::min(first + kBlock, desc_.classes()),
                              weights);
        dim_t k = 0;
        for (uint64_t reached = weights[0]; reached < target; reached += weights[k]) ++k;
        return first + k;
    });
}

// The first classes of the order: those above -inf, then the allowed ones that are -inf.
void RowSampler::put_top() {
    const SamplerOutputs& out = call_.outputs();
    const uint64_t* keys;
    dim_t count;
    if (desc_.top_n <= LogitList::kMaxListed) {
        list_.select(desc_.top_n);
        keys = list_.sorted_keys();
        count = list_.size();
    } else {
        rank_row();
        keys = ranked_.sorted_keys(ranked_.bound_of_count(desc_.top_n), count);
    }
    const bool writes = desc_.logprobs != Logprobs::none;
    for (dim_t i = 0; i < count; ++i) {
        const auto k = static_cast<uint32_t>(keys[i]);
        out.put_top_id(row_, i, k);
        if (writes) out.top_logprob(row_, i) = logprob(k);
    }
    dim_t k = 0;
    const auto is_next = [&](dim_t c) {
        return is_allowed(call_.mask(row_), c) &&
               grouped().logit(c) == -std::numeric_limits<float>::infinity();
    };
    for (dim_t i = count; i < desc_.top_n; ++i, ++k) {
        while (k < desc_.classes() && !is_next(k)) ++k;
        out.put_top_id(row_, i, k < desc_.classes() ? k : -1);
        if (writes) out.top_logprob(row_, i) = -std::numeric_limits<float>::infinity();
    }
}

}  // namespace tombola::impl::cpu::x64
