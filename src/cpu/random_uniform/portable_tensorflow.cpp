// SPDX-License-Identifier: Apache-2.0
#include "cpu/random_uniform/portable_tensorflow.hpp"

#include "cpu/random_uniform/bounds.hpp"
#include "cpu/random_uniform/element_type.hpp"
#include "cpu/random_uniform/tensorflow_call.hpp"
#include "cpu/random_uniform/tensorflow_convert.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/philox.hpp"

namespace tombola::impl::cpu {
namespace {

class PortableTensorflowExecutable : public Executable {
  public:
    explicit PortableTensorflowExecutable(const RandomUniformDesc& desc) : desc_(desc) {}

    Status execute(const ExecContext& context) const override {
        return with_uniform_type(desc_.dst.data_type,
                                 [&](auto type) { return execute_as<decltype(type)>(context); });
    }

  private:
    template <class T>
    Status execute_as(const ExecContext& context) const {
        Result<Bounds<T>> bounds = resolve_bounds<T>(context);
        TOMBOLA_TRY(bounds.take_status());
        Result<TensorflowCall> call = resolve_tensorflow_call(desc_, context);
        TOMBOLA_TRY(call.take_status());
        report_tensorflow_call(desc_, context, call.value());
        generate(TensorflowConvert<T>(bounds.value()), call.value(),
                 context.output<T>(TOMBOLA_ARG_DST));
        return {};
    }

    template <class T>
    void generate(const TensorflowConvert<T>& convert, const TensorflowCall& call, T* dst) const {
        constexpr int kWords = TensorflowConvert<T>::kWords;
        fill(desc_.dst, dst, {}, [&](const FillPart& part) {
            PhiloxWords source(call.start, call.key, call.first_word(part.first(), kWords));
            part.for_each_run([&](const Run& run) {
                T* to = static_cast<T*>(run.to);
                for (int64_t i = 0; i < run.count; ++i) {
                    uint32_t words[kWords];
                    for (uint32_t& word : words) word = source.next();
                    to[i] = convert(words);
                }
            });
        });
    }

    RandomUniformDesc desc_;
};

}  // namespace

Result<Plan> PortableTensorflowUniform::plan(const Desc& desc) {
    if (desc.alignment != Alignment::tensorflow)
        return unimplemented("alignment is %s; this one serves tensorflow",
                             name_of(desc.alignment));
    if (!is_uniform_type(desc.dst.data_type))
        return unimplemented("no conversion to %s", name_of(desc.dst.data_type));
    return Plan{};
}

Result<std::unique_ptr<Executable>> PortableTensorflowUniform::create(const Desc& desc,
                                                                      const Plan&) {
    return std::unique_ptr<Executable>(std::make_unique<PortableTensorflowExecutable>(desc));
}

}  // namespace tombola::impl::cpu
