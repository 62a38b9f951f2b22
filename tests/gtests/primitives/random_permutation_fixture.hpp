// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of random_permutation share. The fixture runs every implementation of the list, and compares it with the
// reference that follows doc/random_permutation.md.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gtests/common/stream_call.hpp"
#include "reference/random_permutation_reference.hpp"

namespace tombola::test {

using Elements = std::vector<int64_t>;
using Request = reference::PermutationRequest;

inline constexpr auto kPytorch = tombola_permutation_pytorch;
inline constexpr auto kPhilox = tombola_permutation_philox;

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
        StreamCall call;
        call.offset = request.offset;
        call.state = request.state;
        call.guard = guard;
        StreamAnswer drawn = run_stream(engine_, stream_, desc, dst, call);
        Answer answer{drawn.status, {}, std::move(drawn.state)};
        const size_t size = Layout(dst).element_size;
        for (size_t at = 0; at < drawn.values.size(); at += size) {
            int64_t element = 0;  // never negative
            std::memcpy(&element, &drawn.values[at], size);
            answer.elements.push_back(element);
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
