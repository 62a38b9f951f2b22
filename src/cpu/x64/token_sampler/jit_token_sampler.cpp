// SPDX-License-Identifier: Apache-2.0
// token_sampler by generated kernels, without a sort of the row. There are these ways to draw from a row:
//
//   greedy   the greatest logit alone
//   list     the set is listed: top_k, min_p, and top_p by growing lists until their mass suffices
//   row      the set is the whole row, or all of it from a logit on: sums of blocks, as in multinomial
//   sort     everything else: by the definition
//
// A set is {key <= bound}, see logit_list.hpp.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "common/parallel.hpp"
#include "cpu/implementations.hpp"
#include "cpu/token_sampler/sorted_row.hpp"
#include "cpu/weights/lowest_row.hpp"
#include "cpu/x64/token_sampler/logit_list.hpp"
#include "cpu/x64/weights/row_passes.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// The lengths of the lists that are tried for top_p and min_p.
constexpr dim_t kTriedLengths[] = {128, 2048};
constexpr size_t kLine = 64;

size_t aligned(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
size_t size(dim_t n) { return static_cast<size_t>(n); }

template <class T>
void store_minus_infinity(FloatType type, T* to) {
    *to = static_cast<T>(type == FloatType::f32    ? 0xFF800000
                         : type == FloatType::bf16 ? 0xFF80
                                                   : 0xFC00);
}

struct Kernels {
    ListKernels list;
    RowPasses passes;
};

// The scratchpad of a part: one row.
struct PartLayout {
    explicit PartLayout(const TokenSamplerDesc& desc) {
        const size_t element = size_of(desc.src.data_type), classes = size(desc.classes());
        const size_t blocks = classes / size(RowPasses::kBlockClasses) + 1;
        row = 0;
        filtered = row + aligned(classes * element);
        rest = filtered + aligned(classes * element);
        list = rest + aligned(kGroupClasses * sizeof(float));
        sums = list + LogitList::bytes(desc.classes());
        sorted = sums + aligned((blocks + size(RowPasses::kBlockClasses) + kUnitClasses) * 8);
        bytes = aligned(sorted + SortedRow::bytes(desc.classes()));
    }
    size_t row, filtered, rest, list, sums, sorted, bytes;
};

// One row of an execution.
class RowSampler {
  public:
    RowSampler(const TokenSamplerDesc& desc, const Kernels& kernels, const SamplerCall& call,
               const RowSource& source, const MatrixLayout& layout, const char* src, char* memory)
        : desc_(desc),
          kernels_(kernels),
          call_(call),
          source_(source),
          layout_(layout),
          src_(src),
          memory_(memory),
          places_(desc),
          list_(kernels.list, memory + places_.list, desc.classes()),
          type_(float_type_of(desc.src.data_type)),
          element_(kernels.passes.element_bytes()),
          shift_(quantum_shift(1.0, desc.classes())) {}

    // Computes the outputs of a row. `next` is the row that will be read next. Returns false if the row is refused.
    bool sample(dim_t row, dim_t next) {
        row_ = row;
        const bool in_place = layout_.has_dense_rows() && call_.mask(row) == nullptr;
        data_ = in_place ? src_ + layout_.offset(row, 0) * element_ : copy_row();
        ahead_ = in_place ? src_ + layout_.offset(next, 0) * element_ : data_;
        if (!list_.read(grouped())) return false;
        parameters_ = call_.parameters(row);
        if (!sample_by_selection()) {
            SortedRow sorted(memory_ + places_.sorted, desc_.classes());
            sample_sorted_row(desc_, call_, source_, sorted, row);
        }
        return true;
    }

  private:
    // The set that is drawn from, and its mass.
    struct Set {
        bool listed = false;
        const char* data = nullptr;  // not listed: the row, with -inf outside the set
        uint64_t bound = kNoBound;
        uint64_t mass = 0;
    };

    GroupedRow grouped() {
        const GroupedRow row{data_, memory_ + places_.rest, desc_.classes(), type_};
        const dim_t first = row.whole_groups() * kGroupClasses;
        std::memcpy(memory_ + places_.rest, data_ + first * element_,
                    size((desc_.classes() - first) * element_));
        for (dim_t i = desc_.classes() - first; i < kGroupClasses; ++i)
            put_minus_infinity(memory_ + places_.rest, i);
        return row;
    }
    void put_minus_infinity(char* to, dim_t k) const {
        if (element_ == 4)
            store_minus_infinity(type_, reinterpret_cast<uint32_t*>(to) + k);
        else
            store_minus_infinity(type_, reinterpret_cast<uint16_t*>(to) + k);
    }
    const char* copy_row();
    const char* copy_set(uint64_t bound);

    bool sample_by_selection();
    bool find_set(Set& set);
    bool top_p_bound(uint64_t before, float ratio, uint64_t& bound);
    uint64_t mass_bound(uint64_t mass, float ratio);
    bool list_set(uint64_t bound);
    uint64_t row_mass(const char* data, float ratio);
    int32_t count_row(const char* data, float ratio) const;
    template <class Draw>
    void put_samples(const Set& set, const Draw& draw);
    void draw_listed(const Set& set);
    void draw_from_row(const Set& set);

    uint64_t* sums() const { return reinterpret_cast<uint64_t*>(memory_ + places_.sums); }
    Row scaled_row(const char* data, float ratio) const {
        Row row;
        row.index = row_;
        row.data = data;
        kernels_.passes.set_scale(row, static_cast<double>(list_.greatest()), ratio);
        return row;
    }
    float logprob(dim_t k) const {
        const float x = GroupedRow{data_, memory_ + places_.rest, desc_.classes(), type_}.logit(k);
        return log_probability(scaled_logit(x, list_.greatest(), logprob_ratio_), log_mass_);
    }

    const TokenSamplerDesc& desc_;
    const Kernels& kernels_;
    const SamplerCall& call_;
    const RowSource& source_;
    const MatrixLayout& layout_;
    const char* src_;
    char* memory_;
    PartLayout places_;
    LogitList list_;
    FloatType type_;
    dim_t element_;
    int shift_;

    dim_t row_ = 0;
    const char *data_ = nullptr, *ahead_ = nullptr;
    RowParameters parameters_;
    float logprob_ratio_ = 1;
    double log_mass_ = 0;
};

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

// The row with -inf outside a set.
const char* RowSampler::copy_set(uint64_t bound) {
    char* to = memory_ + places_.filtered;
    const GroupedRow row{data_, memory_ + places_.rest, desc_.classes(), type_};
    std::memcpy(to, data_, size(desc_.classes() * element_));
    for (dim_t k = 0; k < desc_.classes(); ++k)
        if (key_of(row.logit(k), static_cast<uint32_t>(k)) > bound) put_minus_infinity(to, k);
    return to;
}

// The sums of the row's blocks, in sums(). Returns their sum.
uint64_t RowSampler::row_mass(const char* data, float ratio) {
    const Row row = scaled_row(data, ratio);
    const dim_t blocks = kernels_.passes.blocks();
    const char* ahead = data == data_ ? ahead_ : data;
    parallel_ranges(blocks, 1, size(desc_.classes() * element_), [&](dim_t begin, dim_t end) {
        double unused = 0;
        kernels_.passes.sum(row, source_, begin, end, ahead, sums() + begin, unused);
    });
    uint64_t mass = 0;
    for (dim_t b = 0; b < blocks; ++b) mass += sums()[b];
    return mass;
}

// Lists the classes up to a bound. Returns false if they are too many.
bool RowSampler::list_set(uint64_t bound) {
    for (const dim_t length : kTriedLengths) {
        list_.select(length);
        if (list_.bound() < bound) continue;
        list_.keep(bound);
        return true;
    }
    return false;
}

// The bound of the shortest prefix of the list that has a mass; kNoBound if all of it has less.
uint64_t RowSampler::mass_bound(uint64_t mass, float ratio) {
    const uint64_t* keys = list_.sorted_keys();
    const uint64_t* weights = list_.sorted_weights(ratio);
    uint64_t reached = 0;
    for (dim_t i = 0; i < list_.size(); ++i) {
        reached += weights[i];
        if (reached >= mass) return keys[i];
    }
    return kNoBound;
}

// The bound of top_p within the set up to `before`, which is listed if it is a bound.
bool RowSampler::top_p_bound(uint64_t before, float ratio, uint64_t& bound) {
    if (parameters_.top_p == 1) return true;
    if (before != kNoBound) {
        const uint64_t* weights = list_.weights(ratio);
        uint64_t mass = 0;
        for (dim_t i = 0; i < list_.size(); ++i) mass += weights[i];
        bound = std::min(bound, mass_bound(kept_mass(parameters_.top_p, mass), ratio));
        return true;
    }
    const uint64_t mass = kept_mass(parameters_.top_p, row_mass(data_, ratio));
    for (const dim_t length : kTriedLengths) {
        list_.select(length);
        const uint64_t found = mass_bound(mass, ratio);
        if (found == kNoBound) continue;
        bound = std::min(bound, found);
        return true;
    }
    return false;
}

// Returns false if the set has to be found by a sort.
bool RowSampler::find_set(Set& set) {
    const RowParameters& p = parameters_;
    const float ratio = p.filter_ratio(desc_.filter_order);
    const float greatest = list_.greatest();
    // A class whose weight is 0 is in no set: top_p = 1 ends before it.
    uint64_t bound = bound_of_scaled(WeightExpF32::kFlush, greatest, ratio);
    const bool has_min_p = p.min_p > 0, has_top_k = p.top_k < desc_.classes();
    uint64_t min_p_bound = kNoBound;
    if (has_min_p) min_p_bound = bound_of_scaled(p.min_d(), greatest, ratio);
    if (has_top_k && p.top_k > LogitList::kMaxListed) return false;

    const bool vllm = desc_.filter_order == FilterOrder::vllm;
    const bool joint = desc_.filter_order == FilterOrder::joint;
    uint64_t top_k_bound = kNoBound;
    if (joint && p.top_p < 1) {
        if (!top_p_bound(kNoBound, ratio, bound)) return false;
    }
    if (has_top_k) {
        list_.select(p.top_k);
        top_k_bound = list_.bound();
        bound = std::min(bound, top_k_bound);
    }
    set.listed = has_top_k;
    if (!joint && p.top_p < 1) {
        uint64_t before = has_top_k ? 0 : kNoBound;  // 0: the list is the set
        if (vllm && has_min_p) {
            if (has_top_k)
                list_.keep(min_p_bound);
            else if (!list_set(min_p_bound))
                return false;
            before = 0;
        }
        if (!top_p_bound(before, ratio, bound)) return false;
        set.listed = true;
    }
    bound = std::min(bound, min_p_bound);
    if (!set.listed && (has_min_p || (joint && p.top_p < 1))) set.listed = list_set(bound);
    if (set.listed) list_.keep(bound);
    set.bound = bound;
    return true;
}

bool RowSampler::sample_by_selection() {
    const SamplerOutputs& out = call_.outputs();
    const RowParameters& p = parameters_;
    const bool logprobs =
        desc_.logprobs != Logprobs::none && (call_.wants_logprobs() || call_.wants_top());
    const bool processed = logprobs && desc_.logprobs == Logprobs::processed;
    if (call_.wants_top() && desc_.top_n > LogitList::kMaxListed) return false;

    Set set;
    if (!p.is_greedy() || processed) {
        if (!find_set(set)) return false;
        if (set.listed) {
            const uint64_t* weights = list_.weights(p.draw_ratio());
            for (dim_t i = 0; i < list_.size(); ++i) set.mass += weights[i];
        } else {
            // Weights that are 0 to the filters, but not to the draw, or a set that is not the row.
            const bool whole =
                p.min_p == 0 &&
                (p.draw_ratio() >= 1 || desc_.filter_order != FilterOrder::temperature_last);
            set.data = whole ? data_ : copy_set(set.bound);
            set.mass = row_mass(set.data, p.draw_ratio());
        }
        logprob_ratio_ = p.draw_ratio();
        log_mass_ = logprobs ? log_of_mass(set.mass, shift_) : 0;
    }
    if (logprobs && !processed) {
        // The sums of the draw are needed afterwards, if the set is the row.
        logprob_ratio_ = 1;
        log_mass_ = log_of_mass(row_mass(data_, 1), shift_);
        if (!p.is_greedy() && !set.listed) row_mass(set.data, p.draw_ratio());
    }
    if (p.is_greedy()) {
        out.kept(row_) = 1;
        const dim_t k = list_.first_greatest();
        for (dim_t s = 0; s < desc_.samples(); ++s) {
            out.put_id(row_, s, k);
            if (desc_.logprobs != Logprobs::none) out.logprob(row_, s) = logprob(k);
        }
    } else if (set.listed) {
        draw_listed(set);
    } else {
        draw_from_row(set);
    }
    if (!call_.wants_top()) return true;
    list_.select(desc_.top_n);
    if (list_.size() < desc_.top_n) return false;  // the first classes of the order end with -inf
    const uint64_t* keys = list_.sorted_keys();
    for (dim_t i = 0; i < desc_.top_n; ++i) {
        out.put_top_id(row_, i, static_cast<uint32_t>(keys[i]));
        if (desc_.logprobs != Logprobs::none)
            out.top_logprob(row_, i) = logprob(static_cast<uint32_t>(keys[i]));
    }
    return true;
}

// draw(target) gives the class and its logit.
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

// The number of classes of a row whose weight is not 0.
int32_t RowSampler::count_row(const char* data, float ratio) const {
    const uint64_t bound = bound_of_scaled(WeightExpF32::kFlush, list_.greatest(), ratio);
    const float least = logit_of(bound);
    const GroupedRow row{data, data + desc_.classes() / kGroupClasses * kGroupClasses * element_,
                         desc_.classes(), type_};
    int32_t count = 0;
    for (dim_t k = 0; k < desc_.classes(); ++k) count += row.logit(k) >= least ? 1 : 0;
    return count;
}

// Requires the sums of the set's blocks in sums().
void RowSampler::draw_from_row(const Set& set) {
    const dim_t blocks = kernels_.passes.blocks();
    constexpr dim_t kBlock = RowPasses::kBlockClasses;
    uint64_t* prefix = sums();
    uint64_t* weights = prefix + blocks;
    for (dim_t b = 1; b < blocks; ++b) prefix[b] += prefix[b - 1];
    const Row row = scaled_row(set.data, parameters_.draw_ratio());
    if (call_.wants_kept())
        call_.outputs().kept(row_) = count_row(set.data, parameters_.draw_ratio());
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

class JitTokenSampler : public Executable {
  public:
    JitTokenSampler(const TokenSamplerDesc& desc, Kernels kernels, int max_parts)
        : desc_(desc), kernels_(std::move(kernels)), src_(desc.src), max_parts_(max_parts) {}

    Status execute(const ExecContext& context) const override;

  private:
    TokenSamplerDesc desc_;
    Kernels kernels_;
    MatrixLayout src_;
    int max_parts_;
};

// If there are at least as many rows as threads, each thread takes some rows. Otherwise the threads share each row.
Status JitTokenSampler::execute(const ExecContext& context) const {
    auto* scratchpad = context.scratchpad<char>();
    const SamplerCall call = TOMBOLA_TRY(SamplerCall::resolve(desc_, context, scratchpad));
    const auto* src = context.input<char>(TOMBOLA_ARG_SRC);
    const RowSource source(src_, src, true);
    const PartLayout places(desc_);
    char* parts = scratchpad + aligned(SamplerCall::scratchpad_bytes(desc_));
    LowestRow wrong;
    const auto sample_rows = [&](int part, Range rows) {
        RowSampler sampler(desc_, kernels_, call, source, src_, src,
                           parts + size(part) * places.bytes);
        for (dim_t row = rows.begin; row < rows.end; ++row)
            if (!sampler.sample(row, std::min(row + 1, rows.end - 1))) return wrong.report(row);
    };
    const dim_t batch = desc_.batch();
    const auto work = size(desc_.src.nelems()) * size_of(desc_.src.data_type);
    const int shares = batch < max_threads() ? 1 : std::min(parts_for(work), max_parts_);
    if (shares == 1)
        sample_rows(0, Range{0, batch});
    else
        parallel(shares, [&](int part, int all) { sample_rows(part, split(batch, part, all)); });
    if (wrong.any()) return call.check_row(source, wrong.row());
    call.finish(context);
    return {};
}

Result<Kernels> make_kernels(CpuIsa isa, const TokenSamplerDesc& desc) {
    const FloatType type = float_type_of(desc.src.data_type);
    ListKernels list;
    list.max = TOMBOLA_TRY(cached_function<GroupMaxKernel>({isa, type}));
    list.collect = TOMBOLA_TRY(cached_function<CollectKernel>({isa, type}));
    list.weigh = TOMBOLA_TRY(cached_function<WeightStoreKernel>({isa, FloatType::f32, true, true}));
    RowPasses passes =
        TOMBOLA_TRY(RowPasses::create(isa, desc.src, true, RowPasses::Weights::both, true));
    return Kernels{std::move(list), std::move(passes)};
}

}  // namespace

Result<PlanPtr> plan_token_sampler(CpuIsa isa, const TokenSamplerDesc& desc) {
    if (desc.dst.has_zero_dim()) return unimplemented("nothing to draw");
    const int parts = max_parts(desc.batch());
    const size_t bytes =
        aligned(SamplerCall::scratchpad_bytes(desc)) + size(parts) * PartLayout(desc).bytes;
    return make_plan(bytes, [=]() -> Result<std::unique_ptr<Executable>> {
        Kernels kernels = TOMBOLA_TRY(make_kernels(isa, desc));
        return make_executable<JitTokenSampler>(desc, std::move(kernels), parts);
    });
}

}  // namespace tombola::impl::cpu::x64
