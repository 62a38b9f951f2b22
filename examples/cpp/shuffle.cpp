// SPDX-License-Identifier: Apache-2.0

// A channel shuffle as in ShuffleNet, forward and back. Build: c++ -std=c++17 shuffle.cpp -ltombola

#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

int main() try {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);

    // An image of 2 x 2 pixels and 6 channels; each value is channel * 10 + pixel.
    const memory::desc desc({1, 6, 2, 2}, memory::data_type::f32, memory::format_tag::nchw);
    std::vector<float> image, shuffled(24), back(24);
    for (int channel = 0; channel < 6; ++channel)
        for (int pixel = 0; pixel < 4; ++pixel)
            image.push_back(static_cast<float>(channel * 10 + pixel));
    memory src(desc, eng, image.data()), dst(desc, eng, shuffled.data()),
        diff_src(desc, eng, back.data());

    // Axis 1 is seen as a matrix of 6 / group_size rows and group_size columns, and transposed.
    const int axis = 1, group_size = 3;
    const shuffle_forward::primitive_desc forward(
        shuffle_forward::desc(prop_kind::forward_training, desc, axis, group_size), eng);
    shuffle_forward(forward).execute(strm, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}});

    const shuffle_backward::primitive_desc backward(shuffle_backward::desc(desc, axis, group_size),
                                                    eng, forward);
    shuffle_backward(backward).execute(
        strm, {{TOMBOLA_ARG_DIFF_DST, dst}, {TOMBOLA_ARG_DIFF_SRC, diff_src}});
    strm.wait();

    // Rows {0,1,2} and {3,4,5}, read by columns.
    const int expected[6] = {0, 3, 1, 4, 2, 5};
    bool right = back == image;
    for (int channel = 0; channel < 6; ++channel) {
        std::printf("channel %d comes from %g\n", channel, shuffled[channel * 4] / 10);
        for (int pixel = 0; pixel < 4; ++pixel)
            right = right && shuffled[channel * 4 + pixel] ==
                                 static_cast<float>(expected[channel] * 10 + pixel);
    }
    return right ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
