// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/mt19937_words.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class Mt19937WordsConversion : public Mt19937Generator {
  public:
    static Mt19937Shape shape(const Key&) { return {"words", 1, sizeof(uint32_t), 0}; }
    explicit Mt19937WordsConversion(const Key& key)
        : Mt19937Generator(std::get<CpuIsa>(key), shape(key)) {}

  private:
    void load_parameters() override {}
    void emit_value() override {}
};

}  // namespace

Result<Mt19937Kernel> mt19937_words_kernel(CpuIsa isa) {
    return make_mt19937_kernel<Mt19937WordsConversion>({isa});
}

}  // namespace tombola::impl::cpu::x64
