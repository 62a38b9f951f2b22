// SPDX-License-Identifier: Apache-2.0

// Normal numbers as PyTorch draws them, call after call, and as TensorFlow's formulas give them.
// Build: c++ -std=c++17 random_normal.cpp -ltombola

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

// Whether the values are the expected ones.
bool matches(const char* name, const std::vector<float>& values,
             const std::vector<double>& expected, double tolerance) {
    bool right = values.size() == expected.size();
    std::printf("%s:", name);
    for (size_t i = 0; i < values.size(); ++i) {
        std::printf(" %.9g", static_cast<double>(values[i]));
        right = right && std::fabs(static_cast<double>(values[i]) - expected[i]) <= tolerance;
    }
    std::printf("%s\n", right ? "" : "   WRONG");
    return right;
}

// A generator that continues, as PyTorch's does. Its state holds the normal number that a call of an odd number of elements
// keeps for the next one.
class Generator {
  public:
    Generator(const engine& eng, uint64_t seed) : engine_(eng), stream_(eng) {
        // A tensor without elements draws nothing, and tells the state of the seed.
        draw_into(nullptr, 0, 0.0f, 1.0f, seed);
    }
    std::vector<float> normal(memory::dim count, float mean = 0, float std = 1) {
        std::vector<float> values(static_cast<size_t>(count));
        draw_into(values.data(), count, mean, std, 1);
        return values;
    }

  private:
    void draw_into(float* to, memory::dim count, float mean, float std, uint64_t seed) {
        const memory::desc desc({count}, memory::data_type::f32, memory::format_tag::a);
        const random_normal::primitive_desc pd(engine_, alignment::pytorch, desc, seed, 1);
        const random_normal::moments moments(pd, mean, std);
        const memory state(pd.dst_state_desc(), engine_, state_.data());
        std::unordered_map<int, memory> args = {{TOMBOLA_ARG_MEAN, moments.mean()},
                                                {TOMBOLA_ARG_STD, moments.std()},
                                                {TOMBOLA_ARG_DST, memory(desc, engine_, to)},
                                                {TOMBOLA_ARG_DST_STATE, state}};
        if (seeded_) args[TOMBOLA_ARG_SRC_STATE] = state;
        random_normal(pd).execute(stream_, args);
        seeded_ = true;
    }

    engine engine_;
    stream stream_;
    mt19937_normal_state state_{};
    bool seeded_ = false;
};

}  // namespace

int main() try {
    const engine eng(engine::kind::cpu, 0);

    // torch.manual_seed(150); torch.randn(3); torch.randn(2): printed with 9 digits by PyTorch.
    Generator generator(eng, 150);
    bool right = matches("pytorch, 3", generator.normal(3),
                         {0.165845409, -0.872539401, -0.936372817}, 5e-10);
    right &= matches("then 2", generator.normal(2), {0.386227638, -0.39710623}, 5e-10);
    // torch.manual_seed(150); torch.empty(20).normal_(5, 0.5)
    right &=
        matches("pytorch, 20", Generator(eng, 150).normal(20, 5, 0.5f),
                {4.82236958, 4.3948946,  4.8805275,  4.88261175, 5.07515764, 5.05832148, 4.86339474,
                 6.32826424, 4.55309439, 5.62929821, 4.76680422, 4.86644125, 4.78527117, 4.50567007,
                 4.89516211, 4.95628214, 4.73155069, 5.21896982, 4.56720591, 5.40087652},
                5e-9);

    // alignment tensorflow: sin a * R and cos a * R of the stream's first two uniform numbers, which OpenVINO's documentation of
    // RandomUniform-8 prints.
    const double u = 0.7011236, angle = 2 * 3.14159265358979 * 0.30539632;
    const double radius = std::sqrt(-2 * std::log(u));
    const memory::desc desc({2}, memory::data_type::f32, memory::format_tag::a);
    std::vector<float> pair(2);
    const random_normal::primitive_desc pd(eng, alignment::tensorflow, desc, 150, 10);
    stream strm(eng);
    random_normal(pd).execute(strm, {{TOMBOLA_ARG_DST, memory(desc, eng, pair.data())}});
    right &=
        matches("tensorflow", pair, {radius * std::sin(angle), radius * std::cos(angle)}, 1e-6);
    return right ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
