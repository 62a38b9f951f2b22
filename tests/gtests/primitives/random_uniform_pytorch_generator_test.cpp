// SPDX-License-Identifier: Apache-2.0

// A live generator of PyTorch: its state taken over by random_uniform, and handed back. The states are from a real PyTorch
// (scripts/make-torch-golden.py).

#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "gtests/common/golden.hpp"
#include "gtests/primitives/random_uniform_pytorch_fixture.hpp"

namespace tombola::test {
namespace {

using TorchState = std::array<uint8_t, TOMBOLA_TORCH_RNG_STATE_BYTES>;

TorchState parse_torch_state(std::istream& in) {
    const std::vector<uint64_t> words = golden_words(in);
    TorchState state{};
    EXPECT_EQ(words.size() * sizeof(uint64_t), state.size());
    std::memcpy(state.data(), words.data(), std::min(state.size(), words.size() * 8));
    return state;
}

State from_torch(const TorchState& torch) {
    State state(kStateWords);
    EXPECT_EQ(tombola_mt19937_state_from_torch(torch.data(), torch.size(), state.data()),
              tombola_success)
        << last_error();
    return state;
}

struct GoldenState {
    TorchState before, after;
    Request request;
    int64_t count;
    uint64_t hash;
    std::vector<uint64_t> next;
};

std::vector<GoldenState> golden_states() {
    std::vector<GoldenState> cases;
    for (const std::string& line : golden_lines("torch_state.txt")) {
        std::istringstream in(line);
        std::string what, type;
        in >> what;
        if (what == "before") {
            cases.emplace_back();
            cases.back().before = parse_torch_state(in);
        } else if (what == "draw") {
            GoldenState& c = cases.back();
            in >> type >> std::hex >> c.request.min >> c.request.max >> std::dec >> c.count >>
                std::hex >> c.hash;
            c.request.type = golden_type(type);
            c.request.int_draws = tombola_int_draws_torch1;
        } else if (what == "after") {
            cases.back().after = parse_torch_state(in);
        } else if (what == "next") {
            for (uint64_t value = 0; in >> std::hex >> value;) cases.back().next.push_back(value);
        }
    }
    EXPECT_EQ(cases.size(), 5u);
    return cases;
}

// The bytes that hold no MT19937 state: the seed, and behind the words the normal numbers.
void expect_same_surroundings(const TorchState& a, const TorchState& b) {
    EXPECT_EQ(std::memcmp(a.data(), b.data(), 8), 0);
    EXPECT_EQ(std::memcmp(a.data() + 5016, b.data() + 5016, a.size() - 5016), 0);
}

TEST_F(PytorchUniform, AGeneratorTakenOverGoesOnAsPytorchDoes) {
    for (GoldenState& c : golden_states()) {
        c.request.state = from_torch(c.before);
        const Answer drawn = draw(c.request, c.count);
        ASSERT_EQ(drawn.status, tombola_success) << last_error();
        EXPECT_EQ(fnv1a(drawn.values), c.hash);
        const size_t size = tombola_data_type_size(c.request.type);
        // From the state that tombola leaves, and from the one that PyTorch leaves.
        for (const State& state : {drawn.state, from_torch(c.after)}) {
            c.request.state = state;
            const Answer next = draw(c.request, static_cast<int64_t>(c.next.size()));
            for (size_t i = 0; i < c.next.size(); ++i)
                EXPECT_EQ(element(next.values, size, i), c.next[i]);
        }
    }
}

TEST_F(PytorchUniform, AGeneratorHandedBackIsWherePytorchWouldBe) {
    for (GoldenState& c : golden_states()) {
        c.request.state = from_torch(c.before);
        const Answer drawn = draw(c.request, c.count);
        TorchState handed_back = c.before;
        ASSERT_EQ(tombola_mt19937_state_to_torch(drawn.state.data(), handed_back.data(),
                                                 handed_back.size()),
                  tombola_success)
            << last_error();
        expect_same_surroundings(handed_back, c.before);
        // Both have drawn, so the windows are the same, and here even the bytes.
        EXPECT_EQ(handed_back, c.after);
    }
}

TEST_F(PytorchUniform, AWindowOfWhichNoWordIsUsedIsHandedBackAsTheOneBefore) {
    const GoldenState c = golden_states()[3];
    Request request = c.request;
    request.state = from_torch(c.before);
    request.state[kStateWords - 1] = 0;
    const Answer expected = draw(request, 1000);
    TorchState torch = c.before;
    ASSERT_EQ(tombola_mt19937_state_to_torch(request.state.data(), torch.data(), torch.size()),
              tombola_success)
        << last_error();
    int32_t left = 0;
    std::memcpy(&left, torch.data() + 8, sizeof left);
    EXPECT_EQ(left, 1);  // PyTorch accepts 1 to 624
    request.state = from_torch(torch);
    const Answer answer = draw(request, 1000);
    EXPECT_EQ(answer.values, expected.values);
    EXPECT_EQ(answer.state, expected.state);
}

// PyTorch has no place for a window of which nothing has been drawn; the window before it serves, where there is one.
TEST_F(PytorchUniform, WordsThatNoWindowPrecedesAreRefusedAtPosition0) {
    const TorchState good = golden_states()[0].before;
    State state = from_torch(good);
    state[kStateWords - 1] = 0;
    state[0] ^= 1;  // a bit of the first number, and of nothing behind it
    TorchState torch = good;
    EXPECT_EQ(tombola_mt19937_state_to_torch(state.data(), torch.data(), torch.size()),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("state[624], the position, is 0"), std::string::npos)
        << last_error();
    EXPECT_EQ(torch, good);
    state[kStateWords - 1] = 1;
    EXPECT_EQ(tombola_mt19937_state_to_torch(state.data(), torch.data(), torch.size()),
              tombola_success)
        << last_error();
}

TEST_F(PytorchUniform, BytesThatAreNoGeneratorAreRefused) {
    const TorchState good = golden_states()[0].before;
    const State poison(kStateWords, 0xA5A5A5A5);
    const auto refuse = [&](const void* bytes, size_t size, const char* message) {
        State state = poison;
        EXPECT_EQ(tombola_mt19937_state_from_torch(bytes, size, state.data()),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
        EXPECT_EQ(state, poison);
    };
    const auto with = [&](size_t byte, uint8_t value) {
        TorchState bad = good;
        bad[byte] = value;
        return bad;
    };
    refuse(nullptr, good.size(), "torch_state is null");
    refuse(good.data(), good.size() - 1, "torch_state_bytes is 5055; expected 5056");
    refuse(with(9, 0x7F).data(), good.size(), "byte 8 (left)");
    refuse(with(12, 0).data(), good.size(), "seeded");
    refuse(with(17, 0x7F).data(), good.size(), "byte 16 (next)");
    refuse(with(16, 17).data(), good.size(), "left 621 and next 17; expected a sum of 625");
    refuse(with(24 + 4, 1).data(), good.size(), "word 0; expected 32 bits");
    EXPECT_EQ(tombola_mt19937_state_from_torch(good.data(), good.size(), nullptr),
              tombola_invalid_arguments);

    TorchState torch = good;
    State state = from_torch(good);
    state[kStateWords - 1] = 625;
    EXPECT_EQ(tombola_mt19937_state_to_torch(state.data(), torch.data(), torch.size()),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("state[624], the position, is 625"), std::string::npos);
    EXPECT_EQ(torch, good);
    EXPECT_EQ(tombola_mt19937_state_to_torch(nullptr, torch.data(), torch.size()),
              tombola_invalid_arguments);
}

TEST_F(PytorchUniform, ATorchStateOfZerosIsRefusedInBothDirections) {
    TorchState torch = golden_states()[0].before;
    const TorchState good = torch;
    std::memset(torch.data() + 24, 0, 624 * 8);
    torch[24] = 1;  // a low bit of word 0
    const State poison(kStateWords, 0xA5A5A5A5);
    State state = poison;
    EXPECT_EQ(tombola_mt19937_state_from_torch(torch.data(), torch.size(), state.data()),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("torch_state is 0 in every bit that MT19937 uses"),
              std::string::npos)
        << last_error();
    EXPECT_EQ(state, poison);
    state.assign(kStateWords, 0);
    torch = good;
    EXPECT_EQ(tombola_mt19937_state_to_torch(state.data(), torch.data(), torch.size()),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("state is 0 in every bit that MT19937 uses"), std::string::npos)
        << last_error();
    EXPECT_EQ(torch, good);
}

}  // namespace
}  // namespace tombola::test
