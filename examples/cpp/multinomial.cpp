// SPDX-License-Identifier: Apache-2.0

// Class indices drawn by weight, with and without replacement, from seeds and from uniforms of one's own.
// Build: c++ -std=c++17 multinomial.cpp -ltombola

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

// Draws from one row of weights or logits, with the given uniform numbers; if there are none, with the seeds 234 and 148.
std::vector<int32_t> draw(const engine& eng, std::vector<double> weights, bool log_probs,
                          bool with_replacement, int64_t samples,
                          std::vector<double> uniforms = {}) {
    const memory::desc probs_desc({1, static_cast<int64_t>(weights.size())}, memory::data_type::f64,
                                  memory::format_tag::ab);
    const memory::desc dst_desc({1, samples}, memory::data_type::s32, memory::format_tag::ab);
    const multinomial::primitive_desc pd(eng, probs_desc, dst_desc, with_replacement, log_probs,
                                         234, 148);
    std::vector<int32_t> classes(static_cast<size_t>(samples));
    std::unordered_map<int, memory> args = {
        {TOMBOLA_ARG_SRC, memory(probs_desc, eng, weights.data())},
        {TOMBOLA_ARG_DST, memory(dst_desc, eng, classes.data())}};
    if (!uniforms.empty())
        args[TOMBOLA_ARG_UNIFORMS] = memory(pd.uniforms_desc(), eng, uniforms.data());
    stream strm(eng);
    multinomial(pd).execute(strm, args);
    return classes;
}

bool matches(const char* name, const std::vector<int32_t>& classes,
             const std::vector<int32_t>& expected) {
    std::printf("%s:", name);
    for (const int32_t index : classes) std::printf(" %d", index);
    std::printf("%s\n", classes == expected ? "" : "   WRONG");
    return classes == expected;
}

}  // namespace

int main() try {
    const engine eng(engine::kind::cpu, 0);

    // The examples of OpenVINO's Multinomial-13. The last uniform number of the third one is 0.2, and class 0 has one fifth
    // of the sum. The f64 number 0.2 is slightly greater than one fifth, so 0.19 is used here.
    bool right = matches("with replacement",
                         draw(eng, {0.1, 0.5, 0.4}, false, true, 5, {0.2, 0.4, 0.6, 0.8, 1}),
                         {1, 1, 1, 2, 2});
    right &= matches("logits",
                     draw(eng, {-1, 1, 2}, true, true, 10, {.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}),
                     {1, 1, 2, 2, 2, 2, 2, 2, 2, 2});
    right &= matches("without replacement",
                     draw(eng, {0.1, 0.5, 0.4}, false, false, 2, {0.3, 0.19}), {1, 0});

    // A class of weight 0 is never drawn; without replacement every other class comes once.
    const std::vector<int32_t> all = draw(eng, {3, 0, 1, 2}, false, false, 3);
    std::array<int, 4> times = {};
    for (const int32_t index : all) ++times.at(static_cast<size_t>(index));
    right &= times[0] == 1 && times[1] == 0 && times[2] == 1 && times[3] == 1;
    std::printf("a permutation of 0 2 3: %d %d %d\n", all[0], all[1], all[2]);
    return right ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
