// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/philox_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class PhiloxWordsConversion : public PhiloxGenerator {
  public:
    static PhiloxShape shape(const Key&) { return {"words", 4, 1}; }
    explicit PhiloxWordsConversion(const Key& key) : PhiloxGenerator(key, shape(key)) {}

  private:
    void emit_convert(Stream&, int) override {}
};

}  // namespace

Result<PhiloxKernel> philox_words_kernel(CpuIsa isa, int64_t rows) {
    return make_philox_kernel<PhiloxWordsConversion>({isa, PhiloxLanes::run}, rows);
}

}  // namespace tombola::impl::cpu::x64
