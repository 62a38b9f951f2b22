// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/random_uniform/pytorch_convert.hpp"
#include "cpu/random_uniform/uniform_plan.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/mt19937_call.hpp"
#include "cpu/x64/random_uniform/pytorch_conversions.hpp"
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"
#include "cpu/x64/rng/mt19937_stream.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

template <class T>
class JitPytorch : public Executable {
  public:
    // The kernels for values of one word and of two words. For a type that has only one kernel, both are that kernel.
    JitPytorch(const RandomUniformDesc& desc, Mt19937Kernel one_word, Mt19937Kernel two_words,
               JitMtJumpLoops loops)
        : dst_(desc.dst),
          int_draws_(desc.int_draws),
          one_word_(std::move(one_word)),
          two_words_(std::move(two_words)),
          loops_(std::move(loops)) {}

    Status execute(const ExecContext& context) const override {
        using Conversion = PytorchConversion<T>;
        const Bounds<T> bounds = TOMBOLA_TRY(resolve_bounds<T>(context));
        const PytorchConvert<T> convert(bounds, int_draws_);
        Mt19937Call call(convert.words(), loops_);
        TOMBOLA_TRY(call.resolve(context, dst_.nelems()));
        void* data = context.output(TOMBOLA_ARG_DST);
        if (Conversion::serves(convert)) {
            if (convert.words() == 2)
                fill_from_mt19937(dst_, data, call, two_words_,
                                  Conversion::TwoWords::pack(convert));
            else
                fill_from_mt19937(dst_, data, call, one_word_, Conversion::OneWord::pack(convert));
        } else {
            call.fill(dst_, data, [&](Mt19937& state, const FillPart& part) {
                generate_from_mt19937(convert, state, part);
            });
        }
        call.report(context);
        return {};
    }

  private:
    MemoryDesc dst_;
    IntDraws int_draws_;
    Mt19937Kernel one_word_, two_words_;
    JitMtJumpLoops loops_;
};

}  // namespace

Result<PlanPtr> plan_pytorch_uniform(CpuIsa isa, const RandomUniformDesc& desc) {
    return plan_uniform(desc, [&](auto type) {
        using T = decltype(type);
        return make_plan(0, [isa, desc]() -> Result<std::unique_ptr<Executable>> {
            using Conversion = PytorchConversion<T>;
            Mt19937Kernel one_word =
                TOMBOLA_TRY(make_mt19937_kernel<typename Conversion::OneWord>(isa));
            Mt19937Kernel two_words =
                TOMBOLA_TRY(make_mt19937_kernel<typename Conversion::TwoWords>(isa));
            JitMtJumpLoops loops = TOMBOLA_TRY(JitMtJumpLoops::create(isa));
            return make_executable<JitPytorch<T>>(desc, std::move(one_word), std::move(two_words),
                                                  std::move(loops));
        });
    });
}

}  // namespace tombola::impl::cpu::x64
