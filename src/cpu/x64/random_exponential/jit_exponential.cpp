// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/random_exponential/exponential_rule.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/x64/random_exponential/exponential_kernel.hpp"
#include "cpu/x64/rng/chunk_source.hpp"
#include "cpu/x64/rng/whole_steps.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kInstructions = 184;  // for as many elements as a vector has words

class JitExponential : public Executable {
  public:
    JitExponential(CpuIsa isa, const RandomExponentialDesc& desc, ChunkSource source,
                   JitFunction<ExponentialKernel::Args> kernel)
        : desc_(desc),
          step_(shape_of(isa).bytes / 4),
          source_(std::move(source)),
          kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        const double lambda = TOMBOLA_TRY(resolve_lambda(context));
        const double factor = desc_.alignment == Alignment::pytorch ? 1 / lambda : lambda;
        const int words = exponential_words(desc_.alignment, desc_.dst.data_type);
        return source_.fill(context, desc_.dst, words, kInstructions,
                            [&](const WordChunk& chunk) { convert(chunk, words, factor); });
    }

  private:
    void convert(const WordChunk& chunk, int words, double factor) const {
        const size_t size = size_of(desc_.dst.data_type);
        convert_by_steps(chunk.count, step_, size, chunk.to,
                         [&](int64_t at, int64_t steps, void* to) {
                             const bool streaming = chunk.streaming && to == chunk.to;
                             ExponentialKernel::Args args{chunk.words + at * words, to, steps,
                                                          factor, streaming ? 1u : 0u};
                             kernel_(args);
                         });
    }

    RandomExponentialDesc desc_;
    int64_t step_;
    ChunkSource source_;
    JitFunction<ExponentialKernel::Args> kernel_;
};

}  // namespace

Result<PlanPtr> plan_exponential(CpuIsa isa, const RandomExponentialDesc& desc) {
    return with_element_type<RandomExponentialDesc::kTypes>(desc.dst.data_type, [&](auto) {
        return make_plan(0, [isa, desc]() -> Result<std::unique_ptr<Executable>> {
            auto source = TOMBOLA_TRY(ChunkSource::create(isa, desc.alignment));
            auto kernel = TOMBOLA_TRY(
                cached_function<ExponentialKernel>({isa, desc.alignment, desc.dst.data_type}));
            return make_executable<JitExponential>(isa, desc, std::move(source), std::move(kernel));
        });
    });
}

}  // namespace tombola::impl::cpu::x64
