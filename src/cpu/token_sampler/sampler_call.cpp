// SPDX-License-Identifier: Apache-2.0
#include "cpu/token_sampler/sampler_call.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cpu/loop_nest.hpp"
#include "cpu/maths/ln.hpp"
#include "cpu/rng/scatter.hpp"
#include "cpu/rng/seeds.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr float kMinTemperature = 0x1p-64f;

// Part of a message, after the name of the argument: ": row 3:" if it has an element per row, otherwise " is".
std::string place(bool in_rows, dim_t row) {
    return in_rows ? format(": row %lld:", row) : std::string(" is");
}

}  // namespace

float RowParameters::min_d() const {
    if (min_p == 0) return -std::numeric_limits<float>::infinity();
    return static_cast<float>(ln(static_cast<double>(min_p)));
}

double log_of_mass(uint64_t sum, int shift) {
    return ln(std::ldexp(static_cast<double>(sum), -shift));
}

// -- outputs -------------------------------------------------------------------------------------

SamplerOutputs::SamplerOutputs(const TokenSamplerDesc& desc, Arena& arena) : desc_(&desc) {
    const size_t index = size_of(desc.dst.data_type), batch = to_size(desc.batch());
    const size_t samples = batch * to_size(desc.samples()), top = batch * to_size(desc.top_n);
    const bool logprobs = desc.logprobs != Logprobs::none;
    ids_ = arena.take<char>(samples * index);
    logprobs_ = arena.take<float>(logprobs ? samples : 0);
    kept_ = arena.take<int32_t>(batch);
    top_ids_ = arena.take<char>(top * index);
    top_logprobs_ = arena.take<float>(logprobs ? top : 0);
}

void SamplerOutputs::commit(const ExecContext& context) const {
    const size_t index = size_of(desc_->dst.data_type), batch = to_size(desc_->batch());
    const size_t samples = batch * to_size(desc_->samples()), top = batch * to_size(desc_->top_n);
    const auto copy = [&](int arg, const void* from, size_t bytes) {
        void* to = context.output(arg);
        if (to != nullptr && bytes > 0) std::memcpy(to, from, bytes);
    };
    void* dst = context.output(TOMBOLA_ARG_DST);
    if (samples > 0) scatter(desc_->dst, dst, 0, desc_->dst.nelems(), ids_);
    zero_padding(desc_->dst, dst);
    copy(TOMBOLA_ARG_DST_LOGPROBS, logprobs_, samples * sizeof(float));
    copy(TOMBOLA_ARG_DST_KEPT, kept_, batch * sizeof(int32_t));
    copy(TOMBOLA_ARG_DST_TOP_IDS, top_ids_, top * index);
    copy(TOMBOLA_ARG_DST_TOP_LOGPROBS, top_logprobs_, top * sizeof(float));
}

// -- arguments -----------------------------------------------------------------------------------

namespace {

// The most pairs of seeds that an execution has.
size_t pairs_of(const TokenSamplerDesc& desc) { return to_size(std::max<dim_t>(desc.batch(), 1)); }

}  // namespace

size_t SamplerCall::scratchpad_bytes(const TokenSamplerDesc& desc) {
    Arena arena;
    arena.take<Seeds>(pairs_of(desc));
    SamplerOutputs(desc, arena);
    return arena.bytes();
}

template <class T>
SamplerCall::PerRow<T> SamplerCall::per_row(const ExecContext& context, int arg) const {
    return {context.input<T>(arg), context.count(arg) > 1};
}

SamplerCall::SamplerCall(const TokenSamplerDesc& desc, const ExecContext& context, Arena arena)
    : desc_(&desc),
      temperature_(per_row<float>(context, TOMBOLA_ARG_TEMPERATURE)),
      top_p_(per_row<float>(context, TOMBOLA_ARG_TOP_P)),
      min_p_(per_row<float>(context, TOMBOLA_ARG_MIN_P)),
      top_k_(per_row<int32_t>(context, TOMBOLA_ARG_TOP_K)),
      offset_(per_row<uint64_t>(context, TOMBOLA_ARG_OFFSET)),
      mask_(context.input<uint32_t>(TOMBOLA_ARG_MASK)),
      has_uniforms_(context.has(TOMBOLA_ARG_UNIFORMS)),
      uniforms_(context.input<double>(TOMBOLA_ARG_UNIFORMS)),
      seed_pairs_(context.input<uint64_t>(TOMBOLA_ARG_SEEDS)),
      row_seeds_(context.count(TOMBOLA_ARG_SEEDS) > 2),
      seeds_(arena.take<Seeds>(pairs_of(desc))),
      wants_logprobs_(context.output(TOMBOLA_ARG_DST_LOGPROBS) != nullptr),
      wants_top_(context.output(TOMBOLA_ARG_DST_TOP_IDS) != nullptr ||
                 context.output(TOMBOLA_ARG_DST_TOP_LOGPROBS) != nullptr),
      wants_kept_(context.output(TOMBOLA_ARG_DST_KEPT) != nullptr),
      outputs_(desc, arena) {}

Result<SamplerCall> SamplerCall::resolve(const TokenSamplerDesc& desc, const ExecContext& context,
                                         void* scratchpad) {
    SamplerCall call(desc, context, Arena(scratchpad));
    TOMBOLA_TRY(call.check_parameters());
    if (!call.has_uniforms_) {
        TOMBOLA_TRY(call.check_offsets());
    } else {
        TOMBOLA_TRY(check_uniforms(call.uniforms_, desc.batch(), desc.samples()));
    }
    TOMBOLA_TRY(call.resolve_seeds(context));
    return call;
}

Status SamplerCall::check_parameters() const {
    for (dim_t row = 0; row < desc_->batch(); ++row) {
        const float t = temperature_.of(row, 1);
        const bool finite = t <= std::numeric_limits<float>::max();
        if (t != 0 && !(t >= kMinTemperature && finite))
            return invalid("TEMPERATURE%s %s; expected 0, or a finite number from 2^-64 on",
                           place(temperature_.in_rows, row).c_str(), digits(t).c_str());
        const int32_t k = top_k_.of(row, 0);
        if (k < 0)
            return invalid("TOP_K%s %d; expected at least 0", place(top_k_.in_rows, row).c_str(),
                           k);
        const float p = top_p_.of(row, 1);
        if (!(p >= 0 && p <= 1))
            return invalid("TOP_P%s %s; expected a number in [0, 1]",
                           place(top_p_.in_rows, row).c_str(), digits(p).c_str());
        const float min_p = min_p_.of(row, 0);
        if (!(min_p >= 0 && min_p <= 1))
            return invalid("MIN_P%s %s; expected a number in [0, 1]",
                           place(min_p_.in_rows, row).c_str(), digits(min_p).c_str());
    }
    return {};
}

// Row b begins at number OFFSET + b * samples of a stream for all rows, or at number OFFSET of a stream of its own.
Status SamplerCall::check_offsets() const {
    // With one OFFSET for all rows, the last row has the lowest limit.
    for (dim_t row = offset_.in_rows ? 0 : std::max<dim_t>(desc_->batch() - 1, 0);
         row < desc_->batch(); ++row) {
        const uint64_t offset = offset_.of(row, 0);
        const auto before = static_cast<uint64_t>(row_seeds_ ? 0 : row * desc_->samples());
        const uint64_t needed = before + static_cast<uint64_t>(desc_->samples());
        const uint64_t highest = uint64_t{0} - needed;  // 2^64 - needed
        if (needed > 0 && offset > highest)
            return invalid(
                "OFFSET%s %llu; expected at most %llu"
                ", so that row %lld ends at number 2^64 or before",
                place(offset_.in_rows, row).c_str(), offset, highest, row);
    }
    return {};
}

Status SamplerCall::resolve_seeds(const ExecContext& context) {
    const dim_t pairs = row_seeds_ ? desc_->batch() : 1;
    if (context.output(TOMBOLA_ARG_DST_SEEDS) != nullptr && desc_->batch() > 0 &&
        context.count(TOMBOLA_ARG_DST_SEEDS) != 2 * pairs)
        return invalid("DST_SEEDS has %lld element%s; expected %lld, as many as SEEDS",
                       context.count(TOMBOLA_ARG_DST_SEEDS),
                       plural(context.count(TOMBOLA_ARG_DST_SEEDS)), 2 * pairs);
    // A batch of no rows may have no pairs.
    const bool has_seeds = seed_pairs_ != nullptr && context.count(TOMBOLA_ARG_SEEDS) > 0;
    for (dim_t i = 0; i < pairs; ++i) {
        seeds_[i] = context.default_seeds();
        if (has_seeds) seeds_[i] = {seed_pairs_[2 * i], seed_pairs_[2 * i + 1]};
        if (!has_uniforms_) seeds_[i] = TOMBOLA_TRY(seeds_or_entropy(seeds_[i]));
    }
    return {};
}

RowParameters SamplerCall::parameters(dim_t row) const {
    // They have been checked. Another thread may have changed them since then, and no value may do harm.
    const float t = temperature_.of(row, 1), p = top_p_.of(row, 1), min_p = min_p_.of(row, 0);
    const dim_t k = top_k_.of(row, 0), classes = desc_->classes();
    return {t >= kMinTemperature ? std::min(t, std::numeric_limits<float>::max()) : 0,
            k <= 0 ? classes : std::min(k, classes), p >= 0 ? std::min(p, 1.0f) : 0,
            min_p >= 0 ? std::min(min_p, 1.0f) : 0};
}

UniformReader SamplerCall::uniforms(dim_t row) const {
    const dim_t first = row * desc_->samples();
    UniformSource source;
    if (has_uniforms_) source.given = uniforms_ + first;
    source.stream.seeds = seeds_[row_seeds_ ? row : 0];
    source.stream.start = {0, source.stream.seeds.op};
    source.stream.offset = offset_.of(row, 0) + static_cast<uint64_t>(row_seeds_ ? 0 : first);
    return {source, 0};
}

Status SamplerCall::check_row(const RowSource& source, dim_t row) const {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const uint32_t* allowed = mask(row);
    dim_t count = 0;
    bool can_be_drawn = false;
    for (dim_t k = 0; k < desc_->classes(); ++k) {
        if (!is_allowed(allowed, k)) continue;
        ++count;
        const double x = source.value(row, k);
        if (!(x < kInf))
            return invalid("SRC: row %lld, class %lld: the logit is %g; expected a number or -inf",
                           row, k, x);
        can_be_drawn = can_be_drawn || x > -kInf;
    }
    if (count == 0)
        return invalid("MASK: row %lld: none of %lld classes is allowed; expected at least one",
                       row, desc_->classes());
    if (!can_be_drawn)
        return invalid(
            "SRC: row %lld: all %lld logits%s are -inf; expected a class that can be drawn", row,
            count, allowed == nullptr ? "" : " of allowed classes");
    return {};
}

void SamplerCall::finish(const ExecContext& context) const {
    outputs_.commit(context);
    auto* used = context.output<uint64_t>(TOMBOLA_ARG_DST_SEEDS);
    if (used == nullptr) return;
    const dim_t pairs = context.count(TOMBOLA_ARG_DST_SEEDS) / 2;
    for (dim_t i = 0; i < pairs; ++i) {
        used[2 * i] = seeds_[i].global;
        used[2 * i + 1] = seeds_[i].op;
    }
}

}  // namespace tombola::impl::cpu
