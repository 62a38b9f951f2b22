// SPDX-License-Identifier: Apache-2.0

// random_normal, alignment pytorch: what a real PyTorch drew (tests/golden, made by scripts/make-torch-golden.py), and states
// with the normal number that PyTorch keeps.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "gtests/common/golden.hpp"
#include "gtests/primitives/random_normal_fixture.hpp"

namespace tombola::test {
namespace {

std::vector<std::string> pieces(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string piece; std::getline(in, piece, ',');) result.push_back(piece);
    return result;
}

// f64 is PyTorch's up to the rounding of its C library's log, sin and cos: each errs by an ulp at most, and here too. An error of
// the angle's functions is one of the last place of 1, so near zeros of sine and cosine it is compared with 1.
void expect_near_f64(uint64_t bits, uint64_t pytorch, const std::string& what) {
    const double a = value_of(tombola_f64, bits), b = value_of(tombola_f64, pytorch);
    int exponent = 0;
    std::frexp(std::max(1.0, std::abs(b)), &exponent);
    EXPECT_LE(std::abs(a - b), std::ldexp(3.0, exponent - 53))
        << what;  // 3 units in the last place
}

class RandomNormalGolden : public RandomNormal, public testing::WithParamInterface<const char*> {};

TEST_P(RandomNormalGolden, GivesWhatPytorchDrew) {
    int cases = 0;
    for (const std::string& line : golden_lines(GetParam())) {
        std::istringstream in(line);
        std::string type, sizes, hashes, kept;
        uint64_t mean = 0, std = 0;
        uint32_t position = 0;
        Call call;
        in >> type >> call.seed >> std::hex >> mean >> std >> sizes >> hashes >> std::dec >>
            position >> kept;
        ASSERT_TRUE(in) << line;
        call.type = golden_type(type);
        call.mean = value_of(call.type, mean);
        call.std = value_of(call.type, std);
        const bool exact = call.type != tombola_f64;
        Answer answer;
        for (size_t i = 0; i < pieces(sizes).size(); ++i) {
            answer = draw(call, std::stoll(pieces(sizes)[i]));
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            if (exact) {
                EXPECT_EQ(fnv1a(answer.values), std::stoull(pieces(hashes)[i], nullptr, 16))
                    << line.substr(0, 90) << " call " << i;
            }
            call.state = answer.state;
        }
        std::array<uint32_t, TOMBOLA_MT19937_NORMAL_STATE_WORDS> state;
        ASSERT_EQ(answer.state.size(), sizeof state);
        std::memcpy(state.data(), answer.state.data(), sizeof state);
        EXPECT_EQ(state[624], position) << line.substr(0, 90);
        EXPECT_EQ(state[625], kept == "-" ? 0 : 1) << line.substr(0, 90);
        if (state[625] == 1)
            expect_near_f64(uint64_t{state[627]} << 32 | state[626], std::stoull(kept, nullptr, 16),
                            line.substr(0, 90));
        size_t index = 0;
        char colon = 0;
        uint64_t value = 0;
        while (in >> std::dec >> index >> colon >> std::hex >> value) {
            const uint64_t drawn = element(answer.values, tombola_data_type_size(call.type), index);
            if (exact)
                ASSERT_EQ(drawn, value) << line.substr(0, 90) << " at " << index;
            else
                expect_near_f64(drawn, value, line.substr(0, 90));
        }
        ++cases;
    }
    EXPECT_GE(cases, 25);
}

INSTANTIATE_TEST_SUITE_P(Files, RandomNormalGolden,
                         testing::Values("torch_normal.txt", "torch_normal_f16.txt"),
                         [](const auto& info) {
                             return std::string(info.index == 0 ? "normal" : "f16");
                         });

TEST_F(RandomNormal, StatesGoOn) {
    for (const tombola_data_type_t type : kTypes) {
        Call call, reference_call;
        call.type = reference_call.type = type;
        for (const int64_t count : {3, 20, 5, 1, 40, 2, 16, 15, 7}) {
            const Answer answer = draw(call, count);
            const Answer right = expected(reference_call, static_cast<uint64_t>(count));
            ASSERT_TRUE(answer.values == right.values) << type << " " << count;
            call.state = answer.state;
            reference_call.state = right.state;
        }
    }
}

// A kept number is nobody's but the next small call's: a call of 16 or more elements leaves it.
TEST_F(RandomNormal, LargeCallsLeaveTheKeptNumber) {
    Call call;
    call.state = some_state(100, true);
    const Answer large = draw(call, 33);
    EXPECT_EQ(std::memcmp(large.state.data() + 625 * 4, call.state.data() + 625 * 4, 12), 0);
    Call next = call;
    next.state = large.state;
    next.type = tombola_f64;
    const Answer small = draw(next, 1);
    EXPECT_EQ(std::memcmp(small.values.data(), call.state.data() + 626 * 4, 8), 0);
    EXPECT_EQ(std::memcmp(small.state.data(), large.state.data(), 625 * 4), 0);  // no word is drawn
    EXPECT_EQ(Bytes(small.state.begin() + 625 * 4, small.state.end()), Bytes(12, 0));
}

TEST_F(RandomNormal, AKeptNumberGoesToPytorchAndBack) {
    // The first state of the file was taken after one normal number: PyTorch has kept the second.
    std::istringstream in(golden_lines("torch_state.txt").at(0));
    std::string what;
    in >> what;
    ASSERT_EQ(what, "before");
    std::vector<uint64_t> words = golden_words(in);
    ASSERT_EQ(words.size() * 8, size_t{TOMBOLA_TORCH_RNG_STATE_BYTES});
    constexpr size_t kY = 628,
                     kValid = 630;  // CPUGeneratorImplStateLegacy: normal_y, normal_is_valid
    ASSERT_EQ(static_cast<uint32_t>(words[kValid]), 1u);

    using NormalState = std::array<uint32_t, TOMBOLA_MT19937_NORMAL_STATE_WORDS>;
    NormalState state{};
    const size_t size = words.size() * 8;
    ASSERT_EQ(tombola_mt19937_normal_state_from_torch(words.data(), size, state.data()),
              tombola_success)
        << last_error();
    EXPECT_EQ(state[625], 1u);
    EXPECT_EQ(uint64_t{state[627]} << 32 | state[626], words[kY]);
    std::array<uint32_t, TOMBOLA_MT19937_STATE_WORDS> short_state;
    ASSERT_EQ(tombola_mt19937_state_from_torch(words.data(), size, short_state.data()),
              tombola_success);
    EXPECT_TRUE(std::equal(short_state.begin(), short_state.end(), state.begin()));

    std::vector<uint64_t> back = words;
    back[kY] = 0;
    back[kValid] = 0;
    ASSERT_EQ(tombola_mt19937_normal_state_to_torch(state.data(), back.data(), size),
              tombola_success)
        << last_error();
    EXPECT_EQ(back, words);
    state[625] = 0;
    ASSERT_EQ(tombola_mt19937_normal_state_to_torch(state.data(), back.data(), size),
              tombola_success);
    EXPECT_EQ(static_cast<uint32_t>(back[kValid]), 0u);

    const auto refuse_to = [&](uint32_t flag, uint32_t high, const char* message) {
        NormalState bad = state;
        bad[625] = flag;
        bad[627] = high;
        const std::vector<uint64_t> kept = back;
        EXPECT_EQ(tombola_mt19937_normal_state_to_torch(bad.data(), back.data(), size),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
        EXPECT_EQ(back, kept);
    };
    refuse_to(2, 0, "state[625], whether a normal number is kept, is 2; expected 0 or 1");
    refuse_to(1, 0x7FF00000, "the kept normal number");
    words[kY] = 0x7FF8000000000000;
    const NormalState before = state;
    EXPECT_EQ(tombola_mt19937_normal_state_from_torch(words.data(), size, state.data()),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("torch_state has nan at byte 5024"), std::string::npos)
        << last_error();
    EXPECT_EQ(state, before);
}

}  // namespace
}  // namespace tombola::test
