// SPDX-License-Identifier: Apache-2.0

// Dropout forward, and backward without a stored mask. Build: c++ -std=c++17 dropout.cpp -ltombola

#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

int main() try {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);

    constexpr memory::dim kElements = 1000;
    const memory::desc desc({kElements}, memory::data_type::f32, memory::format_tag::a);
    std::vector<float> activations(kElements, 1.0f), gradients(kElements, 2.0f);
    memory data(desc, eng, activations.data()), diff(desc, eng, gradients.data());
    float probability = 0.25f;

    // In place: the source is the destination.
    const dropout_forward::primitive_desc forward(
        dropout_forward::desc(prop_kind::forward_training, desc, desc, 16, dropout_mask::none,
                              /*aglobal_seed=*/1, /*aop_seed=*/2),
        eng);
    memory p(forward.p_desc(), eng, &probability);
    dropout_forward(forward).execute(
        strm, {{TOMBOLA_ARG_SRC, data}, {TOMBOLA_ARG_P, p}, {TOMBOLA_ARG_DST, data}});

    // The same seeds draw the same mask again.
    const dropout_backward::primitive_desc backward(
        dropout_backward::desc(desc, desc, 16, dropout_mask::none, 1, 2), eng, forward);
    dropout_backward(backward).execute(
        strm, {{TOMBOLA_ARG_DIFF_DST, diff}, {TOMBOLA_ARG_P, p}, {TOMBOLA_ARG_DIFF_SRC, diff}});
    strm.wait();

    // Dropped, or multiplied by 1 / (1 - 0.25), in both directions alike.
    int kept = 0;
    bool right = true;
    for (size_t i = 0; i < activations.size(); ++i) {
        kept += activations[i] != 0 ? 1 : 0;
        right = right && (activations[i] == 0 || activations[i] == 1.0f / 0.75f) &&
                gradients[i] == 2 * activations[i];
    }
    std::printf("%d of %d elements are kept\n", kept, static_cast<int>(kElements));
    return right && kept > 700 && kept < 800 ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
