// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of random_permutation share. The fixture runs every implementation of the list, and compares it with the
// reference that follows doc/random_permutation.md.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/handles.hpp"
#include "gtests/common/tensor.hpp"
#include "reference/random_permutation_reference.hpp"

namespace tombola::test {

using Bytes = std::vector<uint8_t>;
using Elements = std::vector<int64_t>;
using Request = reference::PermutationRequest;

inline constexpr auto kPytorch = tombola_permutation_pytorch;
inline constexpr auto kPhilox = tombola_permutation_philox;
inline constexpr uint8_t kPoison = 0xA5;

struct Answer {
    tombola_status_t status = tombola_runtime_error;
    Elements elements;
    Bytes state;
};

class RandomPermutation : public testing::Test {
  protected:
    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);

    PrimitiveDesc describe(const Request& request, const_tombola_memory_desc_t dst) {
        PrimitiveDesc desc;
        tombola_random_permutation_primitive_desc_create(desc.out(), engine_, request.alignment,
                                                         dst, request.range, request.global_seed,
                                                         request.op_seed, nullptr);
        EXPECT_NE(desc.get(), nullptr) << last_error();
        return desc;
    }

    // With the implementation that `desc` stands at, into a tensor between guard pages.
    Answer draw(const_tombola_primitive_desc_t desc, const Request& request,
                const_tombola_memory_desc_t dst, Guard guard = Guard::behind) {
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
        uint64_t offset = request.offset;
        Bytes before = request.state;
        Answer answer;
        answer.state.assign(reference::permutation_state_bytes(request.alignment), kPoison);
        const bool philox = request.alignment == kPhilox;
        const MemoryDesc one = row_major({1}, tombola_u64);
        const MemoryDesc words =
            philox ? row_major({2}, tombola_u64) : row_major({625}, tombola_u32);
        const Memory offset_memory = memory_over(one, engine_, &offset);
        const Memory after_memory = memory_over(words, engine_, answer.state.data());
        Memory before_memory;
        Tensor tensor(dst, engine_, guard);
        std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_DST, tensor.memory()},
                                                {TOMBOLA_ARG_OFFSET, offset_memory},
                                                {TOMBOLA_ARG_DST_STATE, after_memory}};
        if (!before.empty()) {
            before_memory = memory_over(words, engine_, before.data());
            args.push_back({TOMBOLA_ARG_SRC_STATE, before_memory});
        }
        answer.status = tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                                  args.data());
        EXPECT_TRUE(tensor.outside_is_intact());
        if (answer.status != tombola_success) {
            EXPECT_TRUE(tensor.buffer().is_poison());
            EXPECT_EQ(answer.state, Bytes(answer.state.size(), kPoison));
        } else if (tensor.layout().element_size == sizeof(int32_t)) {
            for (const int32_t element : tensor.read_as<int32_t>())
                answer.elements.push_back(element);
        } else {
            answer.elements = tensor.read_as<int64_t>();
        }
        return answer;
    }
    // With the best implementation, into a dense s64 tensor.
    Answer draw(const Request& request, int64_t count) {
        const MemoryDesc dst = row_major({count}, tombola_s64);
        return draw(describe(request, dst), request, dst);
    }

    // All implementations give what the reference gives.
    void compare(const Request& request, const_tombola_memory_desc_t dst, int64_t count,
                 Guard guard = Guard::behind) {
        Bytes state;
        const Elements expected = reference::random_permutation_reference(request, count, &state);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, request, dst, guard);
            const std::string what = impl_name(desc) + ", range " + std::to_string(request.range) +
                                     ", " + std::to_string(count) + " from " +
                                     std::to_string(request.offset);
            ASSERT_EQ(answer.status, tombola_success) << what << ": " << last_error();
            ASSERT_EQ(answer.elements, expected) << what;
            ASSERT_EQ(answer.state, state) << what;
        });
    }
};

inline Request request_of(tombola_permutation_alignment_t alignment, int64_t range,
                          uint64_t seed = 1, uint64_t offset = 0) {
    Request request;
    request.alignment = alignment;
    request.range = range;
    request.global_seed = seed;
    request.op_seed = 2;
    request.offset = offset;
    return request;
}

}  // namespace tombola::test
