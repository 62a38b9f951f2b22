// SPDX-License-Identifier: Apache-2.0

// Uniform numbers as TensorFlow and as PyTorch draw them, whole and in two parts.
// Build: c++ -std=c++17 random_uniform.cpp -ltombola

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

// `count` numbers of the stream from element `offset` on.
template <class T>
std::vector<T> draw(const engine& eng, alignment whose, memory::data_type type,
                    uint64_t global_seed, uint64_t op_seed, T low, T high, int64_t count,
                    uint64_t offset = 0) {
    const memory::desc desc({count}, type, memory::format_tag::a);
    const random_uniform::primitive_desc pd(eng, whose, desc, global_seed, op_seed);
    std::vector<T> values(static_cast<size_t>(count));
    memory dst(desc, eng, values.data());
    memory min(pd.bound_desc(), eng, &low), max(pd.bound_desc(), eng, &high);
    memory start(pd.offset_desc(), eng, &offset);
    stream strm(eng);
    random_uniform(pd).execute(strm, {{TOMBOLA_ARG_MIN, min},
                                      {TOMBOLA_ARG_MAX, max},
                                      {TOMBOLA_ARG_OFFSET, start},
                                      {TOMBOLA_ARG_DST, dst}});
    return values;
}

// Prints the values. Returns whether each differs from the expected one by at most the tolerance.
template <class T>
bool matches(const char* name, const std::vector<T>& values, const std::vector<double>& expected,
             double tolerance) {
    bool right = values.size() == expected.size();
    std::printf("%s:", name);
    for (size_t i = 0; i < values.size(); ++i) {
        std::printf(" %.9g", static_cast<double>(values[i]));
        right = right && std::fabs(static_cast<double>(values[i]) - expected[i]) <= tolerance;
    }
    std::printf("%s\n", right ? "" : "   WRONG");
    return right;
}

}  // namespace

int main() try {
    const engine eng(engine::kind::cpu, 0);
    const auto f32 = memory::data_type::f32, f64 = memory::data_type::f64,
               s32 = memory::data_type::s32;
    const auto tensorflow = alignment::tensorflow, pytorch = alignment::pytorch;

    // The examples of OpenVINO's RandomUniform-8, in the decimals that it prints.
    bool right = matches("tensorflow f32", draw<float>(eng, tensorflow, f32, 150, 10, 0, 1, 9),
                         {0.7011236, 0.30539632, 0.93931055, 0.9456035, 0.11694777, 0.50770056,
                          0.5197197, 0.22727466, 0.991374},
                         5e-8);
    right &= matches("tensorflow f64", draw<double>(eng, tensorflow, f64, 80, 100, 2, 10, 4),
                     {5.65927959, 4.23122376, 2.67008206, 2.36423758}, 5e-9);
    right &= matches("tensorflow s32", draw<int32_t>(eng, tensorflow, s32, 80, 100, 50, 100, 6),
                     {65, 70, 56, 59, 82, 92}, 0);

    // What PyTorch draws after torch.manual_seed(150) and (80); see doc/errata.md.
    right &= matches("pytorch f32", draw<float>(eng, pytorch, f32, 150, 0, 0, 1, 9),
                     {.59748673, .54458201, .04074067, .58105618, .67971706, .39076531, .1751616,
                      .36466956, .70758903},
                     5e-8);
    right &= matches("pytorch f64", draw<double>(eng, pytorch, f64, 80, 0, 2, 10, 4),
                     {9.0670764014, 5.0738774469, 7.5332418637, 4.7109519880}, 5e-10);
    right &= matches("pytorch s32", draw<int32_t>(eng, pytorch, s32, 80, 0, 50, 100, 6),
                     {77, 58, 62, 69, 60, 94}, 0);

    // A tensor may be cut anywhere: elements 6 to 8 alone.
    right &=
        matches("tensorflow f32 from 6", draw<float>(eng, tensorflow, f32, 150, 10, 0, 1, 3, 6),
                {0.5197197, 0.22727466, 0.991374}, 5e-8);
    right &= matches("pytorch f32 from 6", draw<float>(eng, pytorch, f32, 150, 0, 0, 1, 3, 6),
                     {.1751616, .36466956, .70758903}, 5e-8);
    return right ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
