// SPDX-License-Identifier: Apache-2.0

// Exponentially distributed numbers as PyTorch draws them, whole and in two parts.
// Build: c++ -std=c++17 random_exponential.cpp -ltombola

#include <cstdint>
#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

// `count` numbers of the rate 2 from element `offset` of the stream on.
std::vector<float> draw(const engine& eng, uint64_t seed, int64_t count, uint64_t offset = 0) {
    const memory::desc desc({count}, memory::data_type::f32, memory::format_tag::a);
    const random_exponential::primitive_desc pd(eng, alignment::pytorch, desc, seed, 1);
    std::vector<float> values(static_cast<size_t>(count));
    double rate = 2;
    memory dst(desc, eng, values.data());
    memory lambda(pd.lambda_desc(), eng, &rate), start(pd.offset_desc(), eng, &offset);
    stream strm(eng);
    random_exponential(pd).execute(
        strm, {{TOMBOLA_ARG_LAMBDA, lambda}, {TOMBOLA_ARG_OFFSET, start}, {TOMBOLA_ARG_DST, dst}});
    return values;
}

}  // namespace

int main() try {
    const engine eng(engine::kind::cpu, 0);
    // torch.manual_seed(150); torch.empty(6).exponential_(2.0): the literals name their floats exactly.
    const std::vector<float> expected = {0.756823719f, 0.197207421f, 0.28789252f,
                                         0.256491452f, 0.540453732f, 0.139271513f};
    const std::vector<float> values = draw(eng, 150, 6);
    for (const float value : values) std::printf("%.9g\n", static_cast<double>(value));
    // A tensor may be cut anywhere: elements 4 and 5 alone.
    const std::vector<float> rest = draw(eng, 150, 2, 4);
    const bool right = values == expected && rest[0] == values[4] && rest[1] == values[5];
    if (!right) std::printf("WRONG\n");
    return right ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
