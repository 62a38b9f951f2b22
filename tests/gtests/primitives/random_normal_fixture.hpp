// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of random_normal share. The fixture runs every implementation of the list, and compares it with the
// independent reference, bit for bit.

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtests/common/stream_call.hpp"
#include "reference/random_normal_reference.hpp"

namespace tombola::test {

using State = std::vector<uint8_t>;

inline constexpr tombola_alignment_t kTensorflow = tombola_alignment_tensorflow,
                                     kPytorch = tombola_alignment_pytorch;
inline constexpr tombola_data_type_t kTypes[] = {tombola_f16, tombola_bf16, tombola_f32,
                                                 tombola_f64};

struct Call {
    tombola_alignment_t alignment = kPytorch;
    tombola_data_type_t type = tombola_f32;
    std::optional<double> mean, std;  // numbers of the type
    uint64_t seed = 150;
    uint64_t offset = 0;
    State state;  // empty: from the seed
};

struct Answer {
    tombola_status_t status = tombola_runtime_error;
    Bytes values;
    State state;
};

// The bits of a number that the type has.
inline uint64_t bits_of(tombola_data_type_t type, double value) {
    return reference::value_of<uint64_t>(reference::nearest(type, value));
}

inline uint64_t element(const Bytes& values, size_t size, size_t index) {
    uint64_t bits = 0;
    std::memcpy(&bits, &values[index * size], size);
    return bits;
}

inline double value_of(tombola_data_type_t type, uint64_t bits) {
    return reference::double_of(type, reference::scalar_of(bits));
}

class RandomNormal : public testing::Test {
  protected:
    PrimitiveDesc describe(const Call& call, const MemoryDesc& dst) const {
        PrimitiveDesc desc;
        tombola_random_normal_primitive_desc_create(desc.out(), engine_, call.alignment, dst,
                                                    call.seed, 10, nullptr);
        EXPECT_NE(desc.get(), nullptr) << last_error();
        return desc;
    }

    // With the implementation that `desc` stands at, into a tensor between guard pages.
    Answer draw(const_tombola_primitive_desc_t desc, const Call& call, const MemoryDesc& dst,
                Guard guard = Guard::behind) const {
        const MemoryDesc scalar = row_major({1}, call.type);
        StreamCall stream_call;
        for (const auto& [arg, value] :
             {std::pair{TOMBOLA_ARG_MEAN, call.mean}, {TOMBOLA_ARG_STD, call.std}}) {
            if (!value) continue;
            const reference::Scalar bits = reference::nearest(call.type, *value);
            stream_call.parameters.push_back(
                {arg, scalar,
                 Bytes(bits.begin(), bits.begin() + tombola_data_type_size(call.type))});
        }
        if (call.offset != 0) stream_call.offset = call.offset;
        stream_call.state = call.state;
        stream_call.guard = guard;
        StreamAnswer drawn = run_stream(engine_, stream_, desc, dst, stream_call);
        return {drawn.status, std::move(drawn.values), std::move(drawn.state)};
    }
    // With the best implementation.
    Answer draw(const Call& call, const MemoryDesc& dst) const {
        return draw(describe(call, dst), call, dst);
    }
    Answer draw(const Call& call, int64_t count) const {
        return draw(call, row_major({count}, call.type));
    }

    static Answer expected(const Call& call, uint64_t count) {
        reference::NormalRequest request;
        request.alignment = call.alignment;
        request.type = call.type;
        request.mean = call.mean.value_or(0);
        request.std = call.std.value_or(1);
        request.global_seed = call.seed;
        request.op_seed = 10;
        request.offset = call.offset;
        request.state = call.state;
        Answer answer;
        answer.status = tombola_success;
        answer.values.resize(count * tombola_data_type_size(call.type));
        reference::random_normal_reference(request, count, answer.values.data(), &answer.state);
        return answer;
    }

    // Every implementation gives the reference's bits.
    void check(const Call& call, const MemoryDesc& dst, Guard guard = Guard::behind) const {
        uint64_t count = 1;
        for (const tombola_dim_t size : Layout(dst).dims) count *= static_cast<uint64_t>(size);
        const Answer right = expected(call, count);
        for_each_implementation(describe(call, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, call, dst, guard);
            const std::string what = impl_name(desc) + " alignment " +
                                     std::to_string(call.alignment) + " type " +
                                     std::to_string(call.type) + " count " + std::to_string(count) +
                                     " offset " + std::to_string(call.offset);
            ASSERT_EQ(answer.status, tombola_success) << what << last_error();
            ASSERT_TRUE(answer.values == right.values) << what;
            ASSERT_TRUE(answer.state == right.state) << what;
        });
    }

    // Refused by every implementation, with nothing written.
    void refuse(const Call& call, int64_t count, const char* message) const {
        const MemoryDesc dst = row_major({count}, call.type);
        for_each_implementation(describe(call, dst), [&](const_tombola_primitive_desc_t desc) {
            EXPECT_EQ(draw(desc, call, dst).status, tombola_invalid_arguments) << message;
            EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
        });
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

// A state in the middle of a window, with a kept normal number.
inline State some_state(uint32_t position, bool kept) {
    Call call;
    State state(reference::normal_state_bytes(kPytorch));
    reference::NormalRequest request;
    request.alignment = kPytorch;
    request.global_seed = 7;
    uint32_t unused[15];
    reference::random_normal_reference(request, kept ? 15 : 14, unused, &state);
    std::memcpy(state.data() + 624 * 4, &position, 4);
    return state;
}

}  // namespace tombola::test
