// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cases that nobody thought of: types, shapes, layouts and values at random, for each primitive and every
// implementation that its list holds, against the references. The sequence is fixed; to look further,
// TOMBOLA_RANDOM_CASES says how many cases a primitive has, and TOMBOLA_RANDOM_SEED where the sequence starts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>

#include "gtests/common/tensor.hpp"

namespace tombola::test {

using Bytes = std::vector<uint8_t>;
using Args = std::vector<tombola_exec_arg_t>;

inline uint64_t setting(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
}

inline int64_t elements(const DimVector& dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

template <class T>
Bytes bytes_of(const T& value) {
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

class RandomCases : public testing::Test {
  protected:
    // A number in [low, high].
    int64_t pick(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
    }
    bool chance(int percent) { return pick(0, 99) < percent; }
    template <class T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[pick(0, static_cast<int64_t>(values.size()) - 1)];
    }
    // All magnitudes alike.
    uint64_t word() { return random_() >> pick(0, 63); }

    DimVector shape(int64_t most_elements) {
        DimVector dims(static_cast<size_t>(pick(1, 6)));
        for (auto& size : dims) size = 1;
        while (chance(90)) {
            auto& size = dims[static_cast<size_t>(pick(0, static_cast<int64_t>(dims.size()) - 1))];
            const int64_t others = elements(dims) / size;
            if (others > most_elements / 2) break;
            size =
                pick(1, std::min(most_elements / others, chance(70) ? int64_t{40} : most_elements));
        }
        return dims;
    }

    // Row-major, permuted, with gaps, in blocks, or behind an offset.
    MemoryDesc layout(const DimVector& dims, tombola_data_type_t type) {
        if (chance(25)) return row_major(dims, type);
        const int ndims = static_cast<int>(dims.size());
        const int block_dim = static_cast<int>(pick(0, ndims - 1));
        const tombola_dim_t block = chance(40) ? one_of<tombola_dim_t>({2, 4, 8, 16, 32}) : 1;
        std::vector<size_t> order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        if (chance(60)) std::shuffle(order.begin(), order.end(), random_);
        DimVector strides(dims.size());
        tombola_dim_t stride = block;
        for (size_t i = dims.size(); i-- > 0;) {
            const size_t d = order[i];
            if (chance(15)) stride += pick(1, 20);
            strides[d] = stride;
            stride *= static_cast<int>(d) == block_dim ? (dims[d] + block - 1) / block : dims[d];
        }
        MemoryDesc desc;
        EXPECT_EQ(tombola_memory_desc_create_with_block(desc.out(), ndims, dims.data(), type,
                                                        strides.data(), block_dim, block,
                                                        chance(20) ? pick(1, 40) : 0),
                  tombola_success)
            << last_error();
        return desc;
    }

    struct Input {
        int arg;
        const_tombola_memory_desc_t desc;
        Bytes values;
    };
    // Runs every implementation; each must give `expected` in logical order, or refuse and leave the output as it
    // was where there is no expectation.
    void check(const_tombola_primitive_desc_t first, const std::vector<Input>& inputs, int out_arg,
               const_tombola_memory_desc_t out_desc, const Bytes* expected) {
        for_each_implementation(first, [&](const_tombola_primitive_desc_t desc) {
            SCOPED_TRACE(impl_name(desc));
            const Guard guard = chance(50) ? Guard::behind : Guard::before;
            std::vector<std::unique_ptr<Tensor>> tensors;
            Args args;
            for (const Input& input : inputs) {
                tensors.push_back(std::make_unique<Tensor>(input.desc, engine_, guard));
                tensors.back()->write(input.values);
                args.push_back({input.arg, tensors.back()->memory()});
            }
            Tensor out(out_desc, engine_, guard);
            args.push_back({out_arg, out.memory()});
            std::shuffle(args.begin(), args.end(), random_);
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success)
                << last_error();
            const tombola_status_t status = tombola_primitive_execute(
                primitive, stream_, static_cast<int>(args.size()), args.data());
            if (expected == nullptr) {
                EXPECT_EQ(status, tombola_invalid_arguments);
                EXPECT_TRUE(out.buffer().is_poison());
                return;
            }
            ASSERT_EQ(status, tombola_success) << last_error();
            ASSERT_EQ(out.read(), *expected);
            EXPECT_TRUE(out.padding_is_zero());
            EXPECT_TRUE(out.outside_is_intact());
        });
    }

    // case_of() for each case, until one fails.
    template <class Case>
    void repeat(const Case& case_of) {
        const uint64_t seed = setting("TOMBOLA_RANDOM_SEED", 1);
        const uint64_t cases = setting("TOMBOLA_RANDOM_CASES", 150);
        ASSERT_GT(cases, 0u) << "TOMBOLA_RANDOM_CASES; expected a positive number";
        for (uint64_t i = 0; i < cases; ++i) {
            SCOPED_TRACE("TOMBOLA_RANDOM_SEED=" + std::to_string(seed + i));
            random_.seed(seed + i);
            case_of();
            if (HasFailure()) return;
        }
    }

    std::mt19937_64 random_;
    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

}  // namespace tombola::test
