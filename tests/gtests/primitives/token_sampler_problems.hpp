// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of logits and whole problems for the tests of token_sampler.

#include <algorithm>
#include <cmath>

#include "gtests/common/noise.hpp"
#include "gtests/primitives/token_sampler_fixture.hpp"

namespace tombola::test {

// A row of a kind: what real rows look like, and what a selection finds hard.
inline std::vector<float> row_of_kind(int64_t kind, int64_t classes, Noise& noise) {
    std::vector<float> row(static_cast<size_t>(classes));
    const double level = 20 * noise.next() - 10;
    for (size_t k = 0; k < row.size(); ++k) {
        const double u = noise.next();
        const auto at = static_cast<double>(k) / static_cast<double>(classes);
        double x = 0;
        switch (kind) {
            case 0:  // peaked
                x = -3 * std::log(u + 1e-9);
                break;
            case 1:  // flat
                x = level + 0.01 * u;
                break;
            case 2:  // few values: ties everywhere
                x = std::floor(4 * u);
                break;
            case 3:
                x = level;
                break;
            case 4:  // ascending
                x = 30 * at;
                break;
            case 5:  // descending, in steps
                x = -std::floor(100 * at);
                break;
            case 6:  // all -inf but one
                x = -HUGE_VAL;
                break;
            case 7:  // weights that are flushed to zero, and -inf
                x = u < 0.2 ? -HUGE_VAL : 300 * u;
                break;
            case 8:  // +0 and -0 are equal
                x = u < 0.5 ? -0.0 : u < 0.9 ? 0.0 : -1.0;
                break;
            default:  // the whole range of the type
                x = std::ldexp(u < 0.5 ? u - 1 : u, static_cast<int>(15 * noise.next()));
        }
        row[k] = static_cast<float>(x);
    }
    if (kind == 6 || kind == 7) row[static_cast<size_t>(noise.pick(0, classes - 1))] = 2;
    return row;
}
constexpr int64_t kKinds = 10;

// A problem whose every choice is random. The classes are at most `max_classes`.
inline Problem random_problem(Noise& noise, int64_t max_classes) {
    const int64_t shape = noise.pick(0, 3);
    const int64_t classes = shape == 0   ? noise.pick(1, 5)
                            : shape == 1 ? noise.pick(1, 70)
                                         : noise.pick(1, max_classes);
    const int64_t batch = noise.pick(1, classes > 500 ? 2 : 4);
    std::vector<float> logits;
    for (int64_t row = 0; row < batch; ++row) {
        const std::vector<float> values = row_of_kind(noise.pick(0, kKinds - 1), classes, noise);
        logits.insert(logits.end(), values.begin(), values.end());
    }
    Problem p =
        problem(kTypes[noise.pick(0, 2)], batch, noise.chance(80) ? 1 : noise.pick(0, 5), logits);
    TokenSamplerRequest& r = p.request;
    p.index_type = noise.chance(50) ? tombola_s32 : tombola_s64;
    r.filter_order = kOrders[noise.pick(0, 3)];
    r.logprobs = static_cast<tombola_logprobs_t>(noise.pick(0, 2));
    r.top_n = noise.chance(60) ? 0 : std::min(classes, noise.pick(1, 30));
    // For all rows, for each row, or absent.
    const auto fill = [&](auto& values, auto&& make, int percent) {
        if (!noise.chance(percent)) return;
        const int64_t count = noise.chance(50) ? 1 : batch;
        for (int64_t i = 0; i < count; ++i) values.push_back(make());
    };
    fill(
        r.temperature,
        [&] {
            switch (noise.pick(0, 5)) {
                case 0:
                    return 0.0f;
                case 1:
                    return static_cast<float>(
                        std::ldexp(1.0, static_cast<int>(noise.pick(-64, 64))));
                case 2:
                    return 1.0f;
                default:
                    return static_cast<float>(0.1 + 2 * noise.next());
            }
        },
        70);
    fill(
        r.top_k,
        [&] {
            switch (noise.pick(0, 4)) {
                case 0:
                    return 0;
                case 1:
                    return 1;
                case 2:
                    return static_cast<int32_t>(noise.pick(0, classes + 2));
                case 3:
                    return static_cast<int32_t>(noise.pick(0, std::min<int64_t>(classes, 60)));
                default:
                    return noise.chance(50) ? static_cast<int32_t>(classes) : INT32_MAX;
            }
        },
        70);
    const auto probability = [&] {
        switch (noise.pick(0, 5)) {
            case 0:
                return 0.0f;
            case 1:
                return 1.0f;
            case 2:  // a boundary, if the classes are equal and few
                return static_cast<float>(noise.pick(0, 8)) / 8.0f;
            case 3:
                return static_cast<float>(std::exp(-100 * noise.next()));
            case 4:
                return static_cast<float>(1 - std::exp(-17 * noise.next()));
            default:
                return static_cast<float>(noise.next());
        }
    };
    fill(r.top_p, probability, 60);
    fill(r.min_p, probability, 40);
    fill(
        r.offset,
        [&] {
            return noise.chance(80) ? static_cast<uint64_t>(noise.pick(0, 1000000))
                                    : UINT64_MAX - static_cast<uint64_t>(noise.pick(20, 100));
        },
        50);
    if (noise.chance(30)) {
        r.seeds.clear();
        r.row_seeds = batch > 1;
        for (int64_t i = 0; i < 2 * batch; ++i)
            r.seeds.push_back(static_cast<uint64_t>(noise.pick(1, 1000000)) * 0x9E3779B97F4A7C15u);
    }
    if (noise.chance(30))
        for (int64_t i = 0; i < batch * r.samples; ++i)
            r.uniforms.push_back(noise.chance(20) ? static_cast<double>(noise.pick(0, 1))
                                                  : noise.next());
    if (noise.chance(30)) {
        const int64_t words = (classes + 31) / 32;
        const int64_t density = noise.pick(0, 3);
        for (int64_t i = 0; i < batch * words; ++i) {
            const auto bits = static_cast<uint32_t>(noise.next() * 0x1p32);
            const auto more = static_cast<uint32_t>(noise.next() * 0x1p32);
            r.mask.push_back(density == 0               ? 0
                             : density == 1             ? bits
                             : density == 2 || more % 2 ? bits | more
                                                        : UINT32_MAX);  // a whole word of classes
        }
        for (int64_t row = 0; row < batch; ++row) {  // mostly, a class is left that can be drawn
            const int64_t k = noise.pick(0, classes - 1);
            if (noise.chance(97))
                r.mask[static_cast<size_t>(row * words + k / 32)] |= 1u << (k % 32);
        }
    }
    return p;
}

}  // namespace tombola::test
