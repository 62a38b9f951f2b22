// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/implementations.hpp"
#include "cpu/random_permutation/fisher_yates.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/x64/random_permutation/target_kernel.hpp"
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"
#include "cpu/x64/rng/mt19937_stream.hpp"
#include "cpu/x64/rng/mt19937_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

static_assert(TargetKernel::kMaxStep <= FisherYates::kSlack);

class JitTargets {
  public:
    JitTargets(const Mt19937Kernel& words, const JitFunction<TargetKernel::Args>& targets,
               const Mt19937& state, int64_t range)
        : stream_(words, {}, state), targets_(targets), range_(range) {}

    void operator()(int64_t first, int64_t count, uint32_t* to) {
        stream_.generate(count, words_, false);
        TargetKernel::Args args{words_, to, count, static_cast<double>(first),
                                static_cast<double>(range_ - first)};
        targets_(args);
    }
    Mt19937 state() { return stream_.state(); }

  private:
    Mt19937Stream stream_;
    const JitFunction<TargetKernel::Args>& targets_;
    int64_t range_;
    alignas(64) uint32_t words_[FisherYates::kChunk + TargetKernel::kMaxStep];
};

template <class T>
class JitPytorchPermutation : public Executable {
  public:
    JitPytorchPermutation(const RandomPermutationDesc& desc, Mt19937Kernel words,
                          JitFunction<TargetKernel::Args> targets, JitMtJumpLoops loops)
        : desc_(desc),
          words_(std::move(words)),
          targets_(std::move(targets)),
          loops_(std::move(loops)) {}

    Status execute(const ExecContext& context) const override {
        return FisherYates::execute<T>(context, desc_, loops_,
                                       [this](const Mt19937& state, int64_t range) {
                                           return JitTargets(words_, targets_, state, range);
                                       });
    }

  private:
    RandomPermutationDesc desc_;
    Mt19937Kernel words_;
    JitFunction<TargetKernel::Args> targets_;
    JitMtJumpLoops loops_;
};

}  // namespace

Result<PlanPtr> plan_pytorch_permutation(CpuIsa isa, const RandomPermutationDesc& desc) {
    return with_element_type<RandomPermutationDesc::kTypes>(desc.dst.data_type, [&](auto type) {
        return make_plan(FisherYates::scratchpad_bytes(desc),
                         [isa, desc]() -> Result<std::unique_ptr<Executable>> {
                             auto words = TOMBOLA_TRY(mt19937_words_kernel(isa));
                             auto targets = TOMBOLA_TRY(cached_function<TargetKernel>({isa}));
                             auto loops = TOMBOLA_TRY(JitMtJumpLoops::create(isa));
                             return make_executable<JitPytorchPermutation<decltype(type)>>(
                                 desc, std::move(words), std::move(targets), std::move(loops));
                         });
    });
}

}  // namespace tombola::impl::cpu::x64
