// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/random_uniform/pytorch_convert.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/rng/mt19937_call.hpp"
#include "cpu/x64/random_uniform/pytorch_conversions.hpp"
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"
#include "cpu/x64/rng/mt19937_stream.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

template <class T, FloatDraws rule>
class JitPytorch : public Executable {
  public:
    // The kernels for values of one word and of two words. For a type that has only one kernel, both are that kernel.
    JitPytorch(const RandomUniformDesc& desc, Mt19937Kernel one_word, Mt19937Kernel two_words,
               JitMtJumpLoops loops)
        : desc_(desc),
          one_word_(std::move(one_word)),
          two_words_(std::move(two_words)),
          loops_(std::move(loops)) {}

    Status execute(const ExecContext& context) const override {
        const auto convert = TOMBOLA_TRY(PytorchConvert<T>::resolve(context, desc_));
        Mt19937Call call(convert.words(), loops_);
        TOMBOLA_TRY(call.resolve(context, desc_.dst.nelems(), Mt19937Call::Draws::elements));
        void* data = context.output(TOMBOLA_ARG_DST);
        if (PytorchParameters<T, rule>::serves(convert)) {
            fill_from_mt19937(desc_.dst, data, call, convert.words() == 2 ? two_words_ : one_word_,
                              PytorchParameters<T, rule>::pack(convert));
        } else {
            fill_from_mt19937(desc_.dst, data, call, convert);
        }
        call.report(context);
        return {};
    }

  private:
    RandomUniformDesc desc_;
    Mt19937Kernel one_word_, two_words_;
    JitMtJumpLoops loops_;
};

template <class T, FloatDraws rule>
Result<std::unique_ptr<Executable>> build(CpuIsa isa, const RandomUniformDesc& desc) {
    const DataType type = desc.dst.data_type;
    Mt19937Kernel one_word = TOMBOLA_TRY(make_pytorch_kernel(isa, type, rule, 1));
    Mt19937Kernel two_words = TOMBOLA_TRY(make_pytorch_kernel(isa, type, rule, 2));
    JitMtJumpLoops loops = TOMBOLA_TRY(JitMtJumpLoops::create(isa));
    return make_executable<JitPytorch<T, rule>>(desc, std::move(one_word), std::move(two_words),
                                                std::move(loops));
}

}  // namespace

Result<PlanPtr> plan_pytorch_uniform(CpuIsa isa, const RandomUniformDesc& desc) {
    return with_element_type<RandomUniformDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        using T = decltype(type);
        return make_plan(0, [isa, desc] {
            // float_draws does not concern integers.
            if constexpr (!std::is_integral_v<T>)
                if (desc.float_draws == FloatDraws::torch2)
                    return build<T, FloatDraws::torch2>(isa, desc);
            return build<T, FloatDraws::torch1>(isa, desc);
        });
    });
}

}  // namespace tombola::impl::cpu::x64
