// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of random_uniform's alignment tensorflow share. The fixture runs every implementation that the list holds, and
// compares it with the independent reference, bit for bit.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "gtests/common/stream_call.hpp"
#include "reference/random_uniform_reference.hpp"

namespace tombola::test {

using Seeds = SeedPair;
using State = std::array<uint64_t, 2>;

inline constexpr tombola_data_type_t kTypes[] = {tombola_f16, tombola_bf16, tombola_f32,
                                                 tombola_f64, tombola_s32,  tombola_s64};

template <class T>
Bytes bytes_of(T value) {
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

// A bound as the type has it. The 16-bit types take bits: nothing here rounds.
struct Bound {
    double value;
    uint16_t f16, bf16;
};
inline constexpr Bound kZero{0, 0x0000, 0x0000}, kOne{1, 0x3C00, 0x3F80},
    kMinusThree{-3, 0xC200, 0xC040}, kFive{5, 0x4500, 0x40A0}, kSeven{7, 0x4700, 0x40E0},
    kMinusTwo{-2, 0xC000, 0xC000}, kSixteen{16, 0x4C00, 0x4180}, kThousand{1000, 0x63D0, 0x447A};
// 3 * 2^-6 in f16, and 3 * 2^-103 in bf16: below 2^-4 and 2^-100, and no powers of two.
inline constexpr Bound kSmall{0x3p-6, 0x2A00, 0x0CC0};

inline Bytes bound(tombola_data_type_t type, const Bound& b) {
    switch (type) {
        case tombola_f16:
            return bytes_of(b.f16);
        case tombola_bf16:
            return bytes_of(b.bf16);
        case tombola_f32:
            return bytes_of(static_cast<float>(b.value));
        case tombola_f64:
            return bytes_of(b.value);
        case tombola_s32:
            return bytes_of(static_cast<int32_t>(b.value));
        default:
            return bytes_of(static_cast<int64_t>(b.value));
    }
}

struct Call {
    Bytes min, max;
    Seeds seeds{150, 10};
    std::optional<uint64_t> offset;
    std::optional<State> state;
};

struct Answer {
    tombola_status_t status;
    Bytes values;
    State next_state{};
    Seeds used_seeds{};
};

class RandomUniform : public testing::Test {
  protected:
    PrimitiveDesc descriptor(const_tombola_memory_desc_t dst, Seeds seeds) const {
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_random_uniform_primitive_desc_create(
                      desc.out(), engine_, tombola_alignment_tensorflow, dst, seeds[0], seeds[1],
                      tombola_int_draws_spec, nullptr),
                  tombola_success)
            << last_error();
        return desc;
    }

    // The call's seeds come by the argument SEEDS if `seeds_argument`, else they are the descriptor's.
    Answer run(const_tombola_primitive_desc_t desc, const_tombola_memory_desc_t dst,
               const Call& call, Guard guard = Guard::behind, bool seeds_argument = false) const {
        tombola_data_type_t type = tombola_data_type_undef;
        tombola_memory_desc_query(dst, tombola_query_data_type, &type);
        const MemoryDesc scalar = row_major({1}, type);
        StreamCall stream_call;
        stream_call.parameters = {{TOMBOLA_ARG_MIN, scalar, call.min},
                                  {TOMBOLA_ARG_MAX, scalar, call.max}};
        if (seeds_argument) stream_call.seeds = call.seeds;
        stream_call.offset = call.offset;
        if (call.state) stream_call.state = bytes_of(*call.state);
        stream_call.guard = guard;
        const StreamAnswer streamed = run_stream(engine_, stream_, desc, dst, stream_call);
        Answer answer{streamed.status, streamed.values, {}, streamed.seeds};
        if (!streamed.state.empty())
            std::memcpy(answer.next_state.data(), streamed.state.data(), sizeof(State));
        return answer;
    }

    Answer expected(tombola_data_type_t type, const Call& call, uint64_t count) const {
        reference::UniformRequest request;
        request.type = type;
        std::memcpy(&request.min, call.min.data(), call.min.size());
        std::memcpy(&request.max, call.max.data(), call.max.size());
        request.global_seed = call.seeds[0];
        request.op_seed = call.seeds[1];
        request.offset = call.offset.value_or(0);
        if (call.state) request.state = bytes_of(*call.state);
        Answer answer;
        answer.status = tombola_success;
        answer.values.resize(count * tombola_data_type_size(type));
        Bytes state;
        reference::random_uniform_reference(request, count, answer.values.data(), &state);
        std::memcpy(answer.next_state.data(), state.data(), sizeof(State));
        answer.used_seeds = call.seeds;
        return answer;
    }

    // Every implementation gives the reference's bits.
    void check(const_tombola_memory_desc_t dst, tombola_data_type_t type, const Call& call,
               Guard guard = Guard::behind, bool seeds_argument = false) const {
        uint64_t count = 1;
        for (const tombola_dim_t size : Layout(dst).dims) count *= static_cast<uint64_t>(size);
        const Answer right = expected(type, call, count);
        const PrimitiveDesc desc = descriptor(dst, call.seeds);
        for_each_implementation(desc, [&](const_tombola_primitive_desc_t row) {
            SCOPED_TRACE(impl_name(row) + " " + std::to_string(count) + " elements of type " +
                         std::to_string(type));
            const Answer answer = run(row, dst, call, guard, seeds_argument);
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            EXPECT_TRUE(answer.values == right.values);
            EXPECT_EQ(answer.next_state, right.next_state);
            EXPECT_EQ(answer.used_seeds, right.used_seeds);
        });
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

}  // namespace tombola::test
