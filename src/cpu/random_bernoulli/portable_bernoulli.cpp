// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"
#include "cpu/random_bernoulli/bernoulli_rule.hpp"
#include "cpu/random_bernoulli/probabilities.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/word_chunks.hpp"

namespace tombola::impl::cpu {
namespace {

// Bits has the size of DST's elements.
template <class Bits>
class PortableBernoulli : public Executable {
  public:
    explicit PortableBernoulli(const RandomBernoulliDesc& desc)
        : desc_(desc), one_(static_cast<Bits>(one_bits(desc.dst.data_type))) {}

    Status execute(const ExecContext& context) const override {
        switch (draw_of(desc_)) {
            case BernoulliDraw::u23:
                return run<float, 1>(context, [](const uint32_t* words) { return u23(words[0]); });
            case BernoulliDraw::u24:
                return run<float, 1>(context, [](const uint32_t* words) { return u24(words[0]); });
            case BernoulliDraw::u53:
                return run<double, 2>(
                    context, [](const uint32_t* words) { return u53(words[0], words[1]); });
        }
        return {};
    }

  private:
    template <class Compute, int words, class Uniform>
    Status run(const ExecContext& context, const Uniform& uniform) const {
        const auto p = TOMBOLA_TRY(Probabilities<Compute>::resolve(desc_, context));
        const auto convert = [&](const WordChunk& chunk) {
            Compute buffer[Probabilities<Compute>::kMaxRun];
            const uint32_t* from = chunk.words;
            auto* to = reinterpret_cast<Bits*>(chunk.to);
            for (int64_t at = 0; at < chunk.count; at += p.kMaxRun) {
                const int64_t count = std::min(p.kMaxRun, chunk.count - at);
                const Compute* values = p.run(chunk.first + at, count, buffer);
                for (int64_t i = 0; i < count; ++i, from += words)
                    to[at + i] = uniform(from) < values[i * p.step()] ? one_ : Bits{0};
            }
        };
        return fill_by_chunks(context, desc_.alignment, desc_.dst, words, convert);
    }

    RandomBernoulliDesc desc_;
    Bits one_;
};

}  // namespace

Result<PlanPtr> plan_portable_bernoulli(CpuIsa, const RandomBernoulliDesc& desc) {
    return with_element_type<RandomBernoulliDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(0, [desc]() -> Result<std::unique_ptr<Executable>> {
            switch (sizeof type) {
                case 1:
                    return make_executable<PortableBernoulli<uint8_t>>(desc);
                case 2:
                    return make_executable<PortableBernoulli<uint16_t>>(desc);
                case 4:
                    return make_executable<PortableBernoulli<uint32_t>>(desc);
                default:
                    return make_executable<PortableBernoulli<uint64_t>>(desc);
            }
        });
    });
}

}  // namespace tombola::impl::cpu
