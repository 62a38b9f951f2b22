// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/random_bernoulli/probabilities.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/transform.hpp"
#include "cpu/x64/random_bernoulli/bernoulli_conversions.hpp"
#include "cpu/x64/random_bernoulli/bernoulli_kernel.hpp"
#include "cpu/x64/rng/chunk_source.hpp"
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"
#include "cpu/x64/rng/mt19937_stream.hpp"
#include "cpu/x64/rng/philox_fill.hpp"
#include "cpu/x64/rng/whole_steps.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kInstructions = 37;  // for as many elements as a vector has words

class JitBernoulli : public Executable {
  public:
    JitBernoulli(CpuIsa isa, const RandomBernoulliDesc& desc, ChunkSource source,
                 JitFunction<BernoulliKernel::Args> kernel)
        : desc_(desc),
          step_(shape_of(isa).bytes / 4),
          source_(std::move(source)),
          kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        return draw_of(desc_) == BernoulliDraw::u53 ? run<double>(context) : run<float>(context);
    }

  private:
    template <class Compute>
    Status run(const ExecContext& context) const {
        const auto p = TOMBOLA_TRY(Probabilities<Compute>::resolve(desc_, context));
        const int words = words_of(draw_of(desc_));
        const auto size = static_cast<int64_t>(size_of(desc_.dst.data_type));
        return source_.fill(context, desc_.dst, words, kInstructions, [&](const WordChunk& chunk) {
            alignas(64) Compute buffer[Probabilities<Compute>::kMaxRun];
            // With one P for all elements, a run may have any length.
            const int64_t run = p.step() == 0 ? chunk.count : p.kMaxRun;
            for (int64_t at = 0; at < chunk.count; at += run) {
                const int64_t count = std::min(run, chunk.count - at);
                convert(chunk.words + at * words, words, p.run(chunk.first + at, count, buffer),
                        p.step(), chunk.to + at * size, count, chunk.streaming);
            }
        });
    }

    template <class Compute>
    void convert(const uint32_t* from, int words, const Compute* p, int64_t p_step, char* to,
                 int64_t count, bool streaming) const {
        constexpr int64_t kMaxStep = 16;
        assert(step_ <= kMaxStep);
        alignas(64) Compute last_p[kMaxStep];
        const size_t size = size_of(desc_.dst.data_type);
        convert_by_steps(count, step_, size, to, [&](int64_t at, int64_t steps, void* place) {
            const bool is_partial = at + steps * step_ > count;
            if (is_partial) {
                std::fill_n(last_p, kMaxStep, Compute{});
                std::copy_n(p + at * p_step, p_step == 0 ? 1 : count - at, last_p);
            }
            BernoulliKernel::Args args{from + at * words, is_partial ? last_p : p, place, steps,
                                       streaming && !is_partial ? 1u : 0u};
            kernel_(args);
        });
    }

    RandomBernoulliDesc desc_;
    int64_t step_;
    ChunkSource source_;
    JitFunction<BernoulliKernel::Args> kernel_;
};

// One P for all elements: one kernel draws and compares.
class JitPhiloxBernoulli : public Executable {
  public:
    JitPhiloxBernoulli(const RandomBernoulliDesc& desc, PhiloxKernel kernel)
        : desc_(desc), kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        const auto p = TOMBOLA_TRY(Probabilities<float>::resolve(desc_, context));
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, desc_.dst.nelems()));
        fill_from_philox(desc_.dst, context.output(TOMBOLA_ARG_DST), call, kernel_,
                         PhiloxBernoulli::pack(*p.run(0, 1, nullptr)));
        report_philox_call(context, call);
        return {};
    }

  private:
    RandomBernoulliDesc desc_;
    PhiloxKernel kernel_;
};

// A tensor P of f32: one kernel draws, reads P and compares.
class JitPhiloxBernoulliTensor : public Executable {
  public:
    JitPhiloxBernoulliTensor(const RandomBernoulliDesc& desc, PhiloxTransformKernel kernel)
        : desc_(desc), kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        TOMBOLA_TRY(Probabilities<float>::resolve(desc_, context));
        const PhiloxCall call = TOMBOLA_TRY(resolve_philox_call(context, desc_.dst.nelems()));
        const PhiloxTransform draws(kernel_, call.start, call.key(),
                                    PackedParameters(PhiloxBernoulliTensor::Parameters{}));
        transform(
            {desc_.p, context.input(TOMBOLA_ARG_P)}, {desc_.dst, context.output(TOMBOLA_ARG_DST)},
            {}, kernel_.nanoseconds_per_element(),
            [&](const TransformRun& run) { draws.transform(call.number_of(run.first), run); },
            kernel_.rows_at_once(call),
            [&](const TransformRows& run) {
                draws.transform_rows(call.number_of(run.first), run);
            });
        report_philox_call(context, call);
        return {};
    }

  private:
    RandomBernoulliDesc desc_;
    PhiloxTransformKernel kernel_;
};

class JitMt19937Bernoulli : public Executable {
  public:
    JitMt19937Bernoulli(const RandomBernoulliDesc& desc, Mt19937Kernel kernel, JitMtJumpLoops loops)
        : desc_(desc), kernel_(std::move(kernel)), loops_(std::move(loops)) {}

    Status execute(const ExecContext& context) const override {
        const auto p = TOMBOLA_TRY(Probabilities<double>::resolve(desc_, context));
        Mt19937Call call(Mt19937Bernoulli::kWords, loops_);
        TOMBOLA_TRY(call.resolve(context, desc_.dst.nelems(), Mt19937Call::Draws::elements));
        fill_from_mt19937(desc_.dst, context.output(TOMBOLA_ARG_DST), call, kernel_,
                          Mt19937Bernoulli::pack(*p.run(0, 1, nullptr)));
        call.report(context);
        return {};
    }

  private:
    RandomBernoulliDesc desc_;
    Mt19937Kernel kernel_;
    JitMtJumpLoops loops_;
};

Result<std::unique_ptr<Executable>> build(CpuIsa isa, const RandomBernoulliDesc& desc) {
    const DataType type = desc.dst.data_type;
    const bool tensorflow = desc.alignment == Alignment::tensorflow;
    if (desc.has_one_p() && tensorflow) {
        auto kernel = TOMBOLA_TRY(make_philox_kernel<PhiloxBernoulli>({isa, PhiloxLanes::run, type},
                                                                      rows_of_tiles(desc.dst)));
        return make_executable<JitPhiloxBernoulli>(desc, std::move(kernel));
    }
    if (tensorflow && desc.p.data_type == DataType::f32) {
        auto kernel = TOMBOLA_TRY(make_transform_kernel<PhiloxBernoulliTensor>(
            {isa, PhiloxLanes::run, type}, rows_of_tiles(desc.dst)));
        return make_executable<JitPhiloxBernoulliTensor>(desc, std::move(kernel));
    }
    if (desc.has_one_p() && !tensorflow && Mt19937Bernoulli::serves(type)) {
        auto kernel = TOMBOLA_TRY(make_mt19937_kernel<Mt19937Bernoulli>({isa, type}));
        auto loops = TOMBOLA_TRY(JitMtJumpLoops::create(isa));
        return make_executable<JitMt19937Bernoulli>(desc, std::move(kernel), std::move(loops));
    }
    auto source = TOMBOLA_TRY(ChunkSource::create(isa, desc.alignment));
    auto kernel =
        TOMBOLA_TRY(cached_function<BernoulliKernel>({isa, draw_of(desc), type, desc.has_one_p()}));
    return make_executable<JitBernoulli>(isa, desc, std::move(source), std::move(kernel));
}

}  // namespace

Result<PlanPtr> plan_bernoulli(CpuIsa isa, const RandomBernoulliDesc& desc) {
    TOMBOLA_TRY(with_element_type<RandomBernoulliDesc::kTypes>(desc.dst.data_type,
                                                               [](auto) { return Status(); }));
    return make_plan(0, [isa, desc] { return build(isa, desc); });
}

}  // namespace tombola::impl::cpu::x64
