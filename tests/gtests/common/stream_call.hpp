// SPDX-License-Identifier: Apache-2.0
#pragma once

// One execution of a primitive that draws a tensor from a stream: parameters, SEEDS, OFFSET and SRC_STATE in, the tensor,
// DST_STATE and DST_SEEDS out, each in guarded memory.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "gtests/common/tensor.hpp"

namespace tombola::test {

using Bytes = std::vector<uint8_t>;
using SeedPair = std::array<uint64_t, 2>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

struct StreamParameter {
    int arg;
    const_tombola_memory_desc_t desc;
    Bytes values;
    uint8_t padding = 0;  // its bytes
};

struct StreamCall {
    tombola_alignment_t alignment = tombola_alignment_tensorflow;
    std::vector<StreamParameter> parameters;
    std::optional<SeedPair> seeds;  // the argument SEEDS
    std::optional<uint64_t> offset;
    Bytes state;  // SRC_STATE; none if empty
    Guard guard = Guard::behind;
    bool wants_state = true;  // DST_STATE is given
};

inline constexpr tombola_alignment_t kAlignments[] = {tombola_alignment_tensorflow,
                                                      tombola_alignment_pytorch};

// Calls check(type, elements, call) for tensors of every type, of both alignments, from one element on.
template <class Types, class Check>
void for_each_size(const Types& types, const Check& check) {
    std::vector<tombola_dim_t> sizes;
    for (tombola_dim_t size = 1; size <= 70; ++size) sizes.push_back(size);
    for (const tombola_dim_t size : {127,  128,  129,  311,  312,  313,  623,  624,  625,  1023,
                                     1024, 1025, 1249, 2495, 2496, 2497, 4991, 4992, 4993, 10007})
        sizes.push_back(size);
    for (const auto alignment : kAlignments)
        for (const auto type : types)
            for (const tombola_dim_t size : sizes) {
                StreamCall call;
                call.alignment = alignment;
                call.guard = size % 2 == 0 ? Guard::behind : Guard::before;
                check(type, size, call);
            }
}

// The same for tensors that are large enough for stores past the caches, at the start of a page and at addresses that are
// aligned to the element alone.
template <class Types, class Check>
void for_each_large_tensor(const Types& types, const Check& check) {
    for (const auto alignment : kAlignments)
        for (const auto type : types)
            for (const auto guard : {Guard::before, Guard::behind}) {
                const size_t elements = (size_t{4} << 20) / tombola_data_type_size(type) + 1031;
                StreamCall call;
                call.alignment = alignment;
                call.guard = guard;
                call.offset = guard == Guard::before ? 0 : 3;
                check(type, static_cast<tombola_dim_t>(elements), call);
            }
}

struct StreamAnswer {
    tombola_status_t status;
    Bytes values, state;
    SeedPair seeds{};
};

// A refused execution is checked to have written nothing.
inline StreamAnswer run_stream(tombola_engine_t engine, tombola_stream_t stream,
                               const_tombola_primitive_desc_t desc, const_tombola_memory_desc_t dst,
                               const StreamCall& call) {
    Primitive primitive;
    EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
    const const_tombola_memory_desc_t state_desc =
        tombola_primitive_desc_query_md(desc, tombola_query_exec_arg_md, TOMBOLA_ARG_DST_STATE);
    const MemoryDesc pair = row_major({2}, tombola_u64), one = row_major({1}, tombola_u64);
    std::list<Tensor> parameters;
    Tensor out(dst, engine, call.guard), dst_state(state_desc, engine, call.guard);
    Tensor dst_seeds(pair, engine, call.guard), seeds(pair, engine, call.guard);
    Tensor offset(one, engine, call.guard), src_state(state_desc, engine, call.guard);
    std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_DST, out.memory()},
                                            {TOMBOLA_ARG_DST_SEEDS, dst_seeds.memory()}};
    if (call.wants_state) args.push_back({TOMBOLA_ARG_DST_STATE, dst_state.memory()});
    for (const StreamParameter& parameter : call.parameters) {
        parameters.emplace_back(parameter.desc, engine, call.guard);
        parameters.back().write(parameter.values, parameter.padding);
        args.push_back({parameter.arg, parameters.back().memory()});
    }
    if (call.seeds) {
        seeds.write(bytes_of(std::vector<uint64_t>(call.seeds->begin(), call.seeds->end())));
        args.push_back({TOMBOLA_ARG_SEEDS, seeds.memory()});
    }
    if (call.offset) {
        offset.write(bytes_of(std::vector<uint64_t>{*call.offset}));
        args.push_back({TOMBOLA_ARG_OFFSET, offset.memory()});
    }
    if (!call.state.empty()) {
        src_state.write(call.state);
        args.push_back({TOMBOLA_ARG_SRC_STATE, src_state.memory()});
    }
    StreamAnswer answer;
    answer.status =
        tombola_primitive_execute(primitive, stream, static_cast<int>(args.size()), args.data());
    EXPECT_TRUE(out.outside_is_intact());
    if (answer.status != tombola_success) {
        EXPECT_TRUE(out.buffer().is_poison());
        EXPECT_TRUE(dst_state.buffer().is_poison());
        EXPECT_TRUE(dst_seeds.buffer().is_poison());
        return answer;
    }
    EXPECT_TRUE(out.padding_is_zero());
    answer.values = out.read();
    answer.state = dst_state.read();
    std::memcpy(answer.seeds.data(), dst_seeds.buffer().data(), sizeof answer.seeds);
    return answer;
}

// The seeds of the descriptors that check_stream() takes.
inline constexpr SeedPair kDescriptorSeeds = {150, 10};

// Checks that every implementation gives the reference's bits. `request` has the type and the parameters; what the call
// says is added. reference() is a function of tests/reference, and run(row) executes an implementation.
template <class Request, class Reference, class Run>
void check_stream(const_tombola_primitive_desc_t desc, const_tombola_memory_desc_t dst,
                  Request request, const StreamCall& call, const Reference& reference,
                  const Run& run) {
    const SeedPair seeds = call.seeds.value_or(kDescriptorSeeds);
    request.alignment = call.alignment;
    request.global_seed = seeds[0];
    request.op_seed = seeds[1];
    request.offset = call.offset.value_or(0);
    request.state = call.state;
    uint64_t count = 1;
    for (const tombola_dim_t size : Layout(dst).dims) count *= static_cast<uint64_t>(size);
    Bytes values(count * tombola_data_type_size(request.type)), state;
    reference(request, count, values.data(), &state);
    for_each_implementation(desc, [&](const_tombola_primitive_desc_t row) {
        SCOPED_TRACE(impl_name(row) + " " + std::to_string(count) + " elements of type " +
                     std::to_string(request.type));
        const StreamAnswer answer = run(row);
        ASSERT_EQ(answer.status, tombola_success) << last_error();
        EXPECT_TRUE(answer.values == values);
        EXPECT_TRUE(answer.state == state);
        EXPECT_EQ(answer.seeds, seeds);
    });
}

}  // namespace tombola::test
