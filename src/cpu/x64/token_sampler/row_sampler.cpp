// SPDX-License-Identifier: Apache-2.0
// The part of RowSampler that reads a row, draws from it and writes the outputs.
#include "cpu/x64/token_sampler/row_sampler.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tombola::impl::cpu::x64 {

RowSampler::Arrays::Arrays(Arena& arena, const TokenSamplerDesc& desc)
    : row(arena.take<char>(to_size(desc.classes()) * size_of(desc.src.data_type))),
      rest(arena.take<char>(kGroupClasses * sizeof(float))) {}

size_t RowSampler::scratchpad_bytes(const TokenSamplerDesc& desc) {
    Arena arena;
    Arrays(arena, desc);
    LogitList::Arrays(arena, desc.classes());
    WideSet::Arrays(arena, desc.classes());
    return arena.bytes();
}

RowSampler::RowSampler(const TokenSamplerDesc& desc, const SamplerKernels& kernels,
                       const SamplerCall& call, const RowSource& source, const MatrixLayout& layout,
                       const char* src, Arena arena, SamplerTries& tries)
    : desc_(desc),
      kernels_(kernels),
      call_(call),
      layout_(layout),
      src_(src),
      arrays_(arena, desc),
      list_(kernels.list, arena, desc.classes()),
      wide_(kernels.passes, source, list_, arena),
      type_(float_type_of(desc.src.data_type)),
      element_(kernels.passes.element_bytes()),
      shift_(quantum_shift(1.0, desc.classes())),
      tries_(tries) {
    pad_rest();
}

// -- the row -------------------------------------------------------------------------------------

bool RowSampler::sample(dim_t row, dim_t next) {
    row_ = row;
    const bool in_place = layout_.has_dense_rows() && call_.mask(row) == nullptr;
    data_ = in_place ? src_ + layout_.offset(row, 0) * element_ : copy_row();
    copy_rest();
    if (!list_.read(grouped(), in_place && !wide_.has_prefetched())) return false;
    wide_.read(row, data_, in_place ? src_ + layout_.offset(next, 0) * element_ : data_);
    parameters_ = call_.parameters(row);
    const bool raw = wants_logprobs() && desc_.logprobs == Logprobs::raw;
    const bool processed = wants_logprobs() && !raw;
    logprob_ratio_ = raw ? 1 : parameters_.draw_ratio();
    if (raw) log_mass_ = log_of_mass(wide_.set(kNoBound, 1), shift_);
    Set set;
    if (!parameters_.is_greedy() || processed) set = find_set();
    const bool is_drawn = !parameters_.is_greedy() && !processed && draw_by_estimates(set);
    if (!is_drawn && (!parameters_.is_greedy() || processed)) set_mass(set);
    if (processed) log_mass_ = log_of_mass(set.mass, shift_);
    if (parameters_.is_greedy())
        draw_greedy();
    else if (!is_drawn)
        set.is_listed ? draw_listed(set) : draw_wide(set);
    if (call_.wants_top()) put_top();
    return true;
}

// Copies the last group of the row. Its padding is written only once, because it is the same for all rows.
void RowSampler::copy_rest() {
    const dim_t first = grouped().whole_groups() * kGroupClasses;
    std::memcpy(arrays_.rest, data_ + first * element_,
                to_size((desc_.classes() - first) * element_));
}

void RowSampler::pad_rest() {
    char* rest = arrays_.rest;
    const uint32_t lowest = minus_infinity(type_);
    if (type_ == FloatType::f32)
        std::fill_n(reinterpret_cast<uint32_t*>(rest), kGroupClasses, lowest);
    else
        std::fill_n(reinterpret_cast<uint16_t*>(rest), kGroupClasses,
                    static_cast<uint16_t>(lowest));
}

// The row with contiguous classes, with -inf for classes that are not allowed.
const char* RowSampler::copy_row() {
    char* to = arrays_.row;
    const char* from = to;
    if (layout_.has_dense_rows())
        from = src_ + layout_.offset(row_, 0) * element_;
    else
        layout_.copy_row(src_, row_, to);
    if (call_.mask(row_) != nullptr) copy_allowed(from, to);
    return to;
}

// Copies the classes at `from`, which may be `to`.
void RowSampler::copy_allowed(const char* from, char* to) {
    const uint32_t* mask = call_.mask(row_);
    const dim_t words = desc_.classes() / MaskKernel::kWordClasses;
    MaskKernel::Args args{from, to, mask, words};
    if (words > 0) kernels_.mask(args);
    const uint32_t lowest = minus_infinity(type_);
    for (dim_t k = words * MaskKernel::kWordClasses; k < desc_.classes(); ++k) {
        const void* element = is_allowed(mask, k) ? static_cast<const void*>(from + k * element_)
                                                  : &lowest;  // little-endian: the low bytes
        std::memmove(to + k * element_, element, to_size(element_));
    }
}

// -- the draw ------------------------------------------------------------------------------------

// Sets the mass of the set, with the weights of the draw.
void RowSampler::set_mass(Set& set) {
    const float ratio = parameters_.draw_ratio();
    if (!set.is_listed) {
        set.mass = wide_.set(set.bound, ratio);
        return;
    }
    const uint64_t* weights = list_.weights(ratio);
    for (dim_t i = 0; i < list_.size(); ++i) set.mass += weights[i];
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
        return dim_t{list_.at(class_reaching(weights, list_.size(), target))};
    });
}

void RowSampler::put_wide_kept(uint64_t bound) {
    if (!call_.wants_kept()) return;
    const dim_t count = wide_.count(bound, parameters_.draw_ratio());
    call_.outputs().kept(row_) = static_cast<int32_t>(count);
}

void RowSampler::draw_wide(const Set& set) {
    put_wide_kept(set.bound);
    put_samples(set, [&](uint64_t target) { return wide_.draw(target); });
}

// Whether the row is tried by estimates. If its exact sums are there, they are as good.
bool RowSampler::tries_estimates(float ratio, EstimateTries& tries) const {
    return kernels_.passes.has_estimates() && !wide_.is_set(kNoBound, ratio) && tries.try_next();
}

// Draws all samples from a whole row by estimates of its mass. Returns false if this row is not tried, or if a sample is not decided.
bool RowSampler::draw_by_estimates(const Set& set) {
    const float ratio = parameters_.draw_ratio();
    const bool is_whole = !set.is_listed && set.bound == kNoBound;
    if (!is_whole || desc_.samples() > EstimatedRow::kMaxSamples ||
        !tries_estimates(ratio, tries_.draws))
        return false;
    const EstimatedRow estimates = wide_.estimate(ratio);
    const SamplerOutputs& out = call_.outputs();
    const bool decided =
        estimates.draw_all(desc_.samples(), call_.uniforms(row_), [&](dim_t s, dim_t k) {
            out.put_id(row_, s, k);
            if (desc_.logprobs != Logprobs::none) out.logprob(row_, s) = logprob(k);
        });
    tries_.draws.note(decided);
    if (decided) put_wide_kept(kNoBound);
    return decided;
}

// Writes the first classes of the order: first those above -inf, then the allowed ones that are -inf.
void RowSampler::put_top() {
    const SamplerOutputs& out = call_.outputs();
    const uint64_t* keys;
    dim_t count;
    if (desc_.top_n <= LogitList::kMaxListed) {
        list_.select(desc_.top_n);
        keys = list_.sorted_keys();
        count = list_.size();
    } else {
        keys = wide_.sorted_keys(wide_.bound_of_count(desc_.top_n), count);
        count = std::min<dim_t>(count, desc_.top_n);  // more only if another thread changes the row
    }
    const bool writes = desc_.logprobs != Logprobs::none;
    for (dim_t i = 0; i < count; ++i) {
        const auto k = static_cast<uint32_t>(keys[i]);
        out.put_top_id(row_, i, k);
        if (writes) out.top_logprob(row_, i) = logprob(k);
    }
    const dim_t classes = desc_.classes();
    // The first allowed class from k on that is -inf, or `classes`.
    const auto next = [&](dim_t k) {
        k = next_allowed(call_.mask(row_), k, classes);
        while (k < classes && grouped().logit(k) != -std::numeric_limits<float>::infinity())
            k = next_allowed(call_.mask(row_), k + 1, classes);
        return k;
    };
    for (dim_t i = count, k = -1; i < desc_.top_n; ++i) {
        if (k < classes) k = next(k + 1);
        out.put_top_id(row_, i, k < classes ? k : -1);
        if (writes) out.top_logprob(row_, i) = -std::numeric_limits<float>::infinity();
    }
}

}  // namespace tombola::impl::cpu::x64
