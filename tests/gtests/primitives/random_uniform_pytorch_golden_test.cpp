// SPDX-License-Identifier: Apache-2.0

// random_uniform under the pytorch alignment gives what a real PyTorch drew: tests/golden, made by
// scripts/make-torch-golden.py.

#include <gtest/gtest.h>

#include <sstream>

#include "gtests/common/golden.hpp"
#include "gtests/primitives/random_uniform_pytorch_fixture.hpp"

namespace tombola::test {
namespace {

TEST_F(PytorchUniform, GivesWhatPytorchDrew) {
    const std::vector<std::string> lines = golden_lines("torch_uniform.txt");
    EXPECT_GT(lines.size(), 200u);
    for (const std::string& line : lines) {
        std::istringstream in(line);
        std::string type;
        Request request;
        int64_t count = 0;
        uint64_t hash = 0;
        in >> type >> request.seed >> std::hex >> request.min >> request.max >> std::dec >> count >>
            std::hex >> hash >> std::dec;
        ASSERT_TRUE(in) << line;
        request.type = golden_type(type);
        request.int_draws = tombola_int_draws_torch1;
        const Answer answer = draw_large(request, count);
        ASSERT_EQ(answer.status, tombola_success) << last_error();
        const size_t size = tombola_data_type_size(request.type);
        size_t index = 0;
        char colon = 0;
        uint64_t expected = 0;
        while (in >> std::dec >> index >> colon >> std::hex >> expected)
            ASSERT_EQ(element(answer.values, size, index), expected)
                << line.substr(0, 60) << " at " << index;
        ASSERT_EQ(fnv1a(answer.values), hash) << line.substr(0, 60);
    }
}

// Tensor.random_() without bounds.
TEST_F(PytorchUniform, GivesTheFullRangeThatPytorchDrew) {
    const std::vector<std::string> lines = golden_lines("torch_random.txt");
    EXPECT_GT(lines.size(), 20u);
    for (const std::string& line : lines) {
        std::istringstream in(line);
        std::string type;
        Request request;
        int64_t count = 0;
        uint64_t hash = 0;
        in >> type >> request.seed >> count >> std::hex >> hash;
        ASSERT_TRUE(in) << line;
        request.type = golden_type(type);
        request.full_range = true;
        const MemoryDesc dst = row_major({count}, request.type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, request, dst);
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            ASSERT_EQ(fnv1a(answer.values), hash) << impl_name(desc) << ' ' << line;
        });
    }
}

}  // namespace
}  // namespace tombola::test
