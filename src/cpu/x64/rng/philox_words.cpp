// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/philox_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class PhiloxWordsConversion : public PhiloxGenerator {
  public:
    static constexpr PhiloxShape kShape{"words", 4, 1};
    explicit PhiloxWordsConversion(const Key& key) : PhiloxGenerator(std::get<0>(key), kShape) {}

  private:
    void emit_convert(Stream&, int) override {}
};

}  // namespace

Result<PhiloxKernel> philox_words_kernel(CpuIsa isa) {
    return make_philox_kernel<PhiloxWordsConversion>(isa);
}

}  // namespace tombola::impl::cpu::x64
