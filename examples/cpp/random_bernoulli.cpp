// SPDX-License-Identifier: Apache-2.0

// Bernoulli numbers as PyTorch draws them: with one probability, and with one for each element.
// Build: c++ -std=c++17 random_bernoulli.cpp -ltombola

#include <cstdint>
#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

constexpr int64_t kCount = 16;

std::vector<uint8_t> draw(const engine& eng, const memory& p) {
    const memory::desc desc({kCount}, memory::data_type::u8, memory::format_tag::a);
    const random_bernoulli::primitive_desc pd(eng, alignment::pytorch, desc, p.get_desc(),
                                              /*global_seed=*/150, /*op_seed=*/1);
    std::vector<uint8_t> values(kCount);
    memory dst(desc, eng, values.data());
    stream strm(eng);
    random_bernoulli(pd).execute(strm, {{TOMBOLA_ARG_P, p}, {TOMBOLA_ARG_DST, dst}});
    for (const uint8_t value : values) std::printf(" %d", value);
    std::printf("\n");
    return values;
}

}  // namespace

int main() try {
    const engine eng(engine::kind::cpu, 0);
    double probability = 0.3;
    const memory one({{1}, memory::data_type::f64, memory::format_tag::a}, eng, &probability);
    std::vector<float> rising;  // 0, 1/16, 2/16, ...
    for (int i = 0; i < kCount; ++i) rising.push_back(static_cast<float>(i) / kCount);
    const memory each({{kCount}, memory::data_type::f32, memory::format_tag::a}, eng,
                      rising.data());
    // torch.manual_seed(150); torch.empty(16, dtype=torch.uint8).bernoulli_(0.3)
    const bool number =
        draw(eng, one) == std::vector<uint8_t>{0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0};
    // torch.manual_seed(150); torch.bernoulli(torch.arange(16) / 16.)
    const bool tensor =
        draw(eng, each) == std::vector<uint8_t>{0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1};
    if (!number || !tensor) std::printf("WRONG\n");
    return number && tensor ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
