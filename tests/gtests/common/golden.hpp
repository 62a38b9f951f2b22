// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files of tests/golden: what PyTorch drew, a case a line. scripts/make-torch-golden.py wrote them.

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tombola/tombola.h"

namespace tombola::test {

// The lines of a file, without comments.
inline std::vector<std::string> golden_lines(const std::string& name) {
    std::ifstream file(TOMBOLA_GOLDEN_DIR "/" + name);
    EXPECT_TRUE(file.is_open()) << name;
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#') lines.push_back(line);
    return lines;
}

inline tombola_data_type_t golden_type(const std::string& name) {
    static const std::map<std::string, tombola_data_type_t> types = {
        {"u8", tombola_u8},     {"s32", tombola_s32}, {"s64", tombola_s64}, {"f16", tombola_f16},
        {"bf16", tombola_bf16}, {"f32", tombola_f32}, {"f64", tombola_f64}};
    return types.at(name);
}

// The 64-bit FNV-1a hash of the bytes of the values, which the files have for what was drawn.
template <class T>
uint64_t fnv1a(const std::vector<T>& values) {
    uint64_t hash = 0xCBF29CE484222325;
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    for (size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3;
    return hash;
}

// The words of a generator of PyTorch: u64 in hex, *k for k zeros.
inline std::vector<uint64_t> golden_words(std::istream& in) {
    std::vector<uint64_t> words;
    for (std::string token; in >> token;) {
        if (token[0] == '*')
            words.insert(words.end(), std::stoul(token.substr(1)), 0);
        else
            words.push_back(std::stoull(token, nullptr, 16));
    }
    return words;
}

// ---- torch_distributions.txt -------------------------------------------------------------------------------------

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
    std::vector<TorchDraw> draws;
    for (const std::string& line : golden_lines("torch_distributions.txt")) {
        std::istringstream in(line);
        std::string what, type;
        in >> what;
        if (what != distribution) continue;
        TorchDraw draw;
        in >> type >> draw.seed >> draw.parameter >> draw.count >> std::hex >> draw.hash;
        EXPECT_TRUE(in) << line;
        draw.line = line;
        draw.type = golden_type(type);
        draws.push_back(draw);
    }
    EXPECT_GE(draws.size(), 20u) << distribution;
    return draws;
}

}  // namespace tombola::test
