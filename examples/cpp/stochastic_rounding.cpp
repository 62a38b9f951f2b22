// SPDX-License-Identifier: Apache-2.0

// A weight in bf16 that receives small updates: rounding to nearest would lose them all.
// Build: c++ -std=c++17 stochastic_rounding.cpp -ltombola

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

int main() try {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);

    // 4096 weights of 1. The neighbours of 1 in bf16 are 1 - 2^-8 and 1 + 2^-7. Each of 100 steps adds 2^-10.
    constexpr memory::dim kWeights = 4096;
    constexpr uint64_t kSteps = 100;
    std::vector<float> sums(kWeights);
    std::vector<uint16_t> weights(kWeights, 0x3F80);
    const memory::desc wide({kWeights}, memory::data_type::f32, memory::format_tag::a);
    const memory::desc narrow({kWeights}, memory::data_type::bf16, memory::format_tag::a);
    const stochastic_rounding::primitive_desc desc(
        stochastic_rounding::desc(wide, narrow, /*aglobal_seed=*/1, /*aop_seed=*/2), eng);
    const stochastic_rounding round(desc);
    memory src(wide, eng, sums.data()), dst(narrow, eng, weights.data());

    const auto value = [&](size_t i) {
        const uint32_t bits = static_cast<uint32_t>(weights[i]) << 16;
        float number;
        std::memcpy(&number, &bits, sizeof number);
        return number;
    };
    for (uint64_t step = 0; step < kSteps; ++step) {
        for (size_t i = 0; i < sums.size(); ++i) sums[i] = value(i) + 0x1p-10f;
        uint64_t first = step * kWeights;  // numbers of its own for each step
        memory offset(desc.offset_desc(), eng, &first);
        round.execute(
            strm, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}, {TOMBOLA_ARG_OFFSET, offset}});
    }
    strm.wait();

    double mean = 0;
    for (size_t i = 0; i < weights.size(); ++i) mean += value(i) / static_cast<double>(kWeights);
    std::printf("the mean weight is %.5f; exactly it would be %.5f\n", mean, 1 + kSteps * 0x1p-10);
    return std::fabs(mean - (1 + kSteps * 0x1p-10)) < 0.002 ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
