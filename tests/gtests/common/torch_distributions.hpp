// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of tests/golden/torch_distributions.txt: what PyTorch drew.

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tombola/tombola.h"

namespace tombola::test {

struct TorchDraw {
    std::string line;
    tombola_data_type_t type;
    uint64_t seed = 0;
    std::string parameter;
    tombola_dim_t count = 0;
    uint64_t hash = 0;  // fnv1a() of the drawn elements
};

// The draws of a distribution, by the word that its lines begin with.
inline std::vector<TorchDraw> torch_draws(const std::string& distribution) {
    const std::map<std::string, tombola_data_type_t> types = {
        {"u8", tombola_u8},     {"s32", tombola_s32}, {"s64", tombola_s64}, {"f16", tombola_f16},
        {"bf16", tombola_bf16}, {"f32", tombola_f32}, {"f64", tombola_f64}};
    std::vector<TorchDraw> draws;
    std::ifstream file(TOMBOLA_GOLDEN_DIR "/torch_distributions.txt");
    for (std::string line; std::getline(file, line);) {
        std::istringstream in(line);
        std::string what, type;
        in >> what;
        if (what != distribution) continue;
        TorchDraw draw;
        in >> type >> draw.seed >> draw.parameter >> draw.count >> std::hex >> draw.hash;
        EXPECT_TRUE(in) << line;
        draw.line = line;
        draw.type = types.at(type);
        draws.push_back(draw);
    }
    EXPECT_GE(draws.size(), 20u) << distribution;
    return draws;
}

}  // namespace tombola::test
