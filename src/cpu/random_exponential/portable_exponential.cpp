// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/random_exponential/exponential_rule.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/word_chunks.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
class PortableExponential : public Executable {
  public:
    explicit PortableExponential(const RandomExponentialDesc& desc) : desc_(desc) {}

    Status execute(const ExecContext& context) const override {
        const double lambda = TOMBOLA_TRY(resolve_lambda(context));
        const bool pytorch = desc_.alignment == Alignment::pytorch;
        const int words = exponential_words(desc_.alignment, desc_.dst.data_type);
        return fill_by_chunks(context, desc_.alignment, desc_.dst, words,
                              [&](const WordChunk& chunk) {
                                  auto* to = reinterpret_cast<T*>(chunk.to);
                                  const uint32_t* from = chunk.words;
                                  for (int64_t i = 0; i < chunk.count; ++i, from += words)
                                      to[i] = pytorch ? pytorch_exponential<T>(from, lambda)
                                                      : tensorflow_exponential<T>(from, lambda);
                              });
    }

  private:
    RandomExponentialDesc desc_;
};

}  // namespace

Result<PlanPtr> plan_portable_exponential(CpuIsa, const RandomExponentialDesc& desc) {
    return with_element_type<RandomExponentialDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(
            0, [desc] { return make_executable<PortableExponential<decltype(type)>>(desc); });
    });
}

}  // namespace tombola::impl::cpu
