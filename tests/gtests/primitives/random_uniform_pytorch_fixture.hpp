// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of random_uniform under the pytorch alignment share.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "gtests/common/stream_call.hpp"

namespace tombola::test {

using State = std::vector<uint32_t>;
constexpr size_t kStateWords = 625;

struct Request {
    tombola_data_type_t type = tombola_f32;
    uint64_t min = 0, max = 0;  // bit patterns
    uint64_t seed = 1;
    tombola_int_draws_t int_draws = tombola_int_draws_spec;
    tombola_float_draws_t float_draws = tombola_float_draws_torch1;
    bool full_range = false;
    uint64_t offset = 0;
    State state;              // empty: from the seed
    bool wants_state = true;  // DST_STATE is given
};

struct Answer {
    tombola_status_t status = tombola_runtime_error;
    Bytes values;
    State state;
};

inline Bytes first_bytes(uint64_t bits, size_t size) {
    Bytes bytes(size);
    std::memcpy(bytes.data(), &bits, size);
    return bytes;
}

class PytorchUniform : public testing::Test {
  protected:
    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);

    PrimitiveDesc describe(const Request& request, const MemoryDesc& dst) {
        PrimitiveDesc desc;
        tombola_random_uniform_primitive_desc_create_with_rules(
            desc.out(), engine_, tombola_alignment_pytorch, dst, request.seed, 0, request.int_draws,
            request.float_draws, request.full_range ? 1 : 0, nullptr);
        EXPECT_NE(desc.get(), nullptr) << last_error();
        return desc;
    }

    // With the implementation that `desc` stands at, into a tensor between guard pages.
    Answer draw(const_tombola_primitive_desc_t desc, const Request& request, const MemoryDesc& dst,
                Guard guard = Guard::behind) {
        const MemoryDesc scalar = row_major({1}, request.type);
        const size_t size = tombola_data_type_size(request.type);
        StreamCall call;
        if (!request.full_range)
            call.parameters = {{TOMBOLA_ARG_MIN, scalar, first_bytes(request.min, size)},
                               {TOMBOLA_ARG_MAX, scalar, first_bytes(request.max, size)}};
        call.offset = request.offset;
        call.state = bytes_of(request.state);
        call.guard = guard;
        call.wants_state = request.wants_state;
        StreamAnswer drawn = run_stream(engine_, stream_, desc, dst, call);
        Answer answer{drawn.status, std::move(drawn.values), {}};
        answer.state.resize(drawn.state.size() / sizeof(uint32_t));
        if (!answer.state.empty())
            std::memcpy(answer.state.data(), drawn.state.data(), drawn.state.size());
        return answer;
    }
    // With the best implementation.
    Answer draw(const Request& request, const MemoryDesc& dst, Guard guard = Guard::behind) {
        return draw(describe(request, dst), request, dst, guard);
    }
    Answer draw(const Request& request, int64_t count, Guard guard = Guard::behind) {
        return draw(request, row_major({count}, request.type), guard);
    }
    // With a large row-major tensor, without the bookkeeping of guards byte by byte. The tensor begins `shift` bytes after an address that is
    // aligned to 16.
    Answer draw_large(const Request& request, int64_t count, size_t shift = 0);
};

inline Answer PytorchUniform::draw_large(const Request& request, int64_t count, size_t shift) {
    const MemoryDesc dst = row_major({count}, request.type);
    const PrimitiveDesc desc = describe(request, dst);
    Primitive primitive;
    EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
    uint64_t min = request.min, max = request.max, offset = request.offset;
    Answer answer;
    answer.state.resize(kStateWords);
    answer.values.resize(shift + static_cast<size_t>(count) * tombola_data_type_size(request.type));
    const MemoryDesc scalar = row_major({1}, request.type);
    const MemoryDesc one = row_major({1}, tombola_u64);
    const MemoryDesc words = row_major({kStateWords}, tombola_u32);
    const Memory dst_memory = memory_over(dst, engine_, answer.values.data() + shift);
    const Memory min_memory = memory_over(scalar, engine_, &min);
    const Memory max_memory = memory_over(scalar, engine_, &max);
    const Memory offset_memory = memory_over(one, engine_, &offset);
    const Memory after_memory = memory_over(words, engine_, answer.state.data());
    const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_DST, dst_memory},
                                       {TOMBOLA_ARG_OFFSET, offset_memory},
                                       {TOMBOLA_ARG_DST_STATE, after_memory},
                                       {TOMBOLA_ARG_MIN, min_memory},
                                       {TOMBOLA_ARG_MAX, max_memory}};
    const int count_of_args = request.full_range ? 3 : 5;  // the full range has no bounds
    answer.status = tombola_primitive_execute(primitive, stream_, count_of_args, args);
    answer.values.erase(answer.values.begin(),
                        answer.values.begin() + static_cast<ptrdiff_t>(shift));
    return answer;
}

inline uint64_t element(const Bytes& values, size_t size, size_t index) {
    uint64_t bits = 0;
    std::memcpy(&bits, &values[index * size], size);
    return bits;
}

template <class T>
uint64_t bits_of(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

// A request of every type and kind of bounds.
inline std::vector<Request> requests() {
    const auto make = [](tombola_data_type_t type, uint64_t min, uint64_t max,
                         tombola_int_draws_t draws = tombola_int_draws_spec) {
        Request r;
        r.type = type;
        r.min = min;
        r.max = max;
        r.int_draws = draws;
        r.seed = 0xC0FFEE;
        return r;
    };
    const auto s32 = [](int64_t value) { return uint64_t{static_cast<uint32_t>(value)}; };
    const auto s64 = [](int64_t value) { return static_cast<uint64_t>(value); };
    const auto f32 = [](float value) { return bits_of(value); };
    const auto f64 = [](double value) { return bits_of(value); };
    constexpr auto kTorch1 = tombola_int_draws_torch1;
    constexpr auto kTorch2 = tombola_int_draws_torch2;
    const auto later = [&](tombola_data_type_t type, uint64_t min, uint64_t max) {
        Request r = make(type, min, max);
        r.float_draws = tombola_float_draws_torch2;
        return r;
    };
    const auto full = [&](tombola_data_type_t type) {
        Request r = make(type, 0, 0);
        r.full_range = true;
        return r;
    };
    return {
        make(tombola_f16, 0x0000, 0x3C00),   // [0, 1)
        make(tombola_f16, 0xC500, 0x4880),   // [-5, 9)
        make(tombola_bf16, 0x0000, 0x3F80),  // [0, 1)
        make(tombola_bf16, 0xC0A0, 0x4110),  // [-5, 9)
        make(tombola_bf16, 0x0000, 0x0003),  // subnormal
        make(tombola_f32, f32(0), f32(1)),
        make(tombola_f32, f32(-3.25f), f32(1e-3f)),
        make(tombola_f32, f32(0), f32(1e-40f)),
        make(tombola_f32, f32(-1e38f), f32(2e38f)),
        make(tombola_f64, f64(0), f64(1)),
        make(tombola_f64, f64(-7.1), f64(1e10)),
        make(tombola_f64, f64(0), f64(1e-310)),
        make(tombola_s32, s32(0), s32(1)),
        make(tombola_s32, s32(-5), s32(8)),
        make(tombola_s32, s32(0), s32(1 << 28)),
        make(tombola_s32, s32(INT32_MIN), s32(INT32_MAX)),
        make(tombola_s32, s32(-1), s32(INT32_MAX)),
        make(tombola_s32, s32(0), s32((1 << 28) - 1), kTorch2),
        make(tombola_s32, s32(0), s32(1 << 28), kTorch2),
        make(tombola_s32, s32(INT32_MIN), s32(INT32_MAX), kTorch2),
        make(tombola_s64, s64(-5), s64(1000003)),
        make(tombola_s64, s64(0), s64(0xFFFFFFFF)),
        make(tombola_s64, s64(1), s64(0x100000000)),
        make(tombola_s64, s64(INT64_MIN), s64(0)),
        make(tombola_s64, s64(INT64_MIN), s64(INT64_MAX)),
        make(tombola_s64, s64(0x100000000), s64(0x100000007)),
        make(tombola_s64, s64(0), s64(INT64_MAX)),
        make(tombola_s64, s64(-5), s64(INT64_MAX)),
        make(tombola_s64, s64(1), s64(0x100000000), kTorch1),
        make(tombola_s64, s64(0), s64(0x100000000), kTorch1),
        make(tombola_s64, s64(-5), s64(1000003), kTorch1),
        make(tombola_s64, s64(0), s64((1 << 28) - 1), kTorch2),
        make(tombola_s64, s64(0), s64(1 << 28), kTorch2),
        make(tombola_s64, s64(INT64_MIN), s64(INT64_MAX), kTorch2),
        full(tombola_s32),
        full(tombola_s64),
        later(tombola_f16, 0x0000, 0x3C00),   // [0, 1)
        later(tombola_f16, 0xC500, 0x8000),   // [-5, -0)
        later(tombola_bf16, 0x0000, 0x3F80),  // [0, 1)
        later(tombola_bf16, 0x3F80, 0x3F81),  // two neighbours
        later(tombola_bf16, 0x0000, 0x0003),  // subnormal
        later(tombola_f32, f32(-3.25f), f32(1e-3f)),
        later(tombola_f32, f32(16777215), f32(16777216)),  // half of the values are MAX
        later(tombola_f32, f32(0), f32(1e-40f)),
        later(tombola_f64, f64(0), f64(1)),
        later(tombola_f64, f64(1), f64(1.0000000000000002)),
    };
}

}  // namespace tombola::test
