// SPDX-License-Identifier: Apache-2.0

// random_uniform under the pytorch alignment. Oracles: what a real PyTorch drew (tests/golden, made by
// scripts/make-torch-golden.py), and std::mt19937 with the formulas of doc/random_uniform.md.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "gtests/common/fnv1a.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/handles.hpp"
#include "gtests/common/tensor.hpp"

namespace tombola::test {
namespace {

using Bytes = std::vector<uint8_t>;
using State = std::vector<uint32_t>;
constexpr size_t kStateWords = 625;

const std::map<std::string, tombola_data_type_t> kTypes = {
    {"f16", tombola_f16}, {"bf16", tombola_bf16}, {"f32", tombola_f32},
    {"f64", tombola_f64}, {"s32", tombola_s32},   {"s64", tombola_s64}};

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
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
        uint64_t min = request.min, max = request.max, offset = request.offset;
        Answer answer;
        State before = request.state;
        answer.state.assign(kStateWords, 0xA5A5A5A5);
        const MemoryDesc scalar = row_major({1}, request.type);
        const MemoryDesc one = row_major({1}, tombola_u64);
        const MemoryDesc words = row_major({kStateWords}, tombola_u32);
        const Memory min_memory = memory_over(scalar, engine_, &min);
        const Memory max_memory = memory_over(scalar, engine_, &max);
        const Memory offset_memory = memory_over(one, engine_, &offset);
        const Memory after_memory = memory_over(words, engine_, answer.state.data());
        Memory before_memory;
        Tensor tensor(dst, engine_, guard);
        std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_DST, tensor.memory()},
                                                {TOMBOLA_ARG_OFFSET, offset_memory}};
        if (request.wants_state) args.push_back({TOMBOLA_ARG_DST_STATE, after_memory});
        if (!request.full_range) {
            args.push_back({TOMBOLA_ARG_MIN, min_memory});
            args.push_back({TOMBOLA_ARG_MAX, max_memory});
        }
        if (!before.empty()) {
            before_memory = memory_over(words, engine_, before.data());
            args.push_back({TOMBOLA_ARG_SRC_STATE, before_memory});
        }
        answer.status = tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                                  args.data());
        EXPECT_TRUE(tensor.outside_is_intact());
        if (answer.status == tombola_success) {
            EXPECT_TRUE(tensor.padding_is_zero());
            answer.values = tensor.read();
        } else {
            EXPECT_TRUE(tensor.buffer().is_poison());
            EXPECT_EQ(answer.state, State(kStateWords, 0xA5A5A5A5));
        }
        return answer;
    }
    // With the best implementation.
    Answer draw(const Request& request, const MemoryDesc& dst, Guard guard = Guard::behind) {
        return draw(describe(request, dst), request, dst, guard);
    }
    Answer draw(const Request& request, int64_t count, Guard guard = Guard::behind) {
        return draw(request, row_major({count}, request.type), guard);
    }
    // With a large row-major tensor, without the bookkeeping of guards byte by byte.
    Answer draw_large(const Request& request, int64_t count);
};

Answer PytorchUniform::draw_large(const Request& request, int64_t count) {
    const MemoryDesc dst = row_major({count}, request.type);
    const PrimitiveDesc desc = describe(request, dst);
    Primitive primitive;
    EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
    uint64_t min = request.min, max = request.max, offset = request.offset;
    Answer answer;
    answer.state.resize(kStateWords);
    answer.values.resize(static_cast<size_t>(count) * tombola_data_type_size(request.type));
    const MemoryDesc scalar = row_major({1}, request.type);
    const MemoryDesc one = row_major({1}, tombola_u64);
    const MemoryDesc words = row_major({kStateWords}, tombola_u32);
    const Memory dst_memory = memory_over(dst, engine_, answer.values.data());
    const Memory min_memory = memory_over(scalar, engine_, &min);
    const Memory max_memory = memory_over(scalar, engine_, &max);
    const Memory offset_memory = memory_over(one, engine_, &offset);
    const Memory after_memory = memory_over(words, engine_, answer.state.data());
    const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_DST, dst_memory},
                                       {TOMBOLA_ARG_MIN, min_memory},
                                       {TOMBOLA_ARG_MAX, max_memory},
                                       {TOMBOLA_ARG_OFFSET, offset_memory},
                                       {TOMBOLA_ARG_DST_STATE, after_memory}};
    answer.status = tombola_primitive_execute(primitive, stream_, 5, args);
    return answer;
}

// ---- what PyTorch drew ------------------------------------------------------------------------------------

uint64_t element(const Bytes& values, size_t size, size_t index) {
    uint64_t bits = 0;
    std::memcpy(&bits, &values[index * size], size);
    return bits;
}

std::ifstream golden(const char* name) {
    std::ifstream file(std::string(TOMBOLA_GOLDEN_DIR) + "/" + name);
    EXPECT_TRUE(file.is_open()) << name;
    return file;
}

class Words {
  public:
    explicit Words(uint32_t seed) : engine_(seed) {}
    uint64_t next(int words) {
        const uint64_t first = engine_();
        return words == 2 ? first << 32 | engine_() : first;
    }
    void discard(uint64_t count) { engine_.discard(count); }

  private:
    std::mt19937 engine_;
};

TEST_F(PytorchUniform, gives_what_pytorch_drew) {
    std::ifstream file = golden("torch_uniform.txt");
    int cases = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream in(line);
        std::string type;
        Request request;
        int64_t count = 0;
        uint64_t hash = 0;
        in >> type >> request.seed >> std::hex >> request.min >> request.max >> std::dec >> count >>
            std::hex >> hash >> std::dec;
        ASSERT_TRUE(in) << line;
        request.type = kTypes.at(type);
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
        ++cases;
    }
    EXPECT_GT(cases, 200);
}

// Tensor.random_() without bounds.
TEST_F(PytorchUniform, GivesTheFullRangeThatPytorchDrew) {
    std::ifstream file = golden("torch_random.txt");
    int cases = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream in(line);
        std::string type;
        Request request;
        int64_t count = 0;
        uint64_t hash = 0;
        in >> type >> request.seed >> count >> std::hex >> hash;
        ASSERT_TRUE(in) << line;
        request.type = kTypes.at(type);
        request.full_range = true;
        const MemoryDesc dst = row_major({count}, request.type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, request, dst);
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            ASSERT_EQ(fnv1a(answer.values), hash) << impl_name(desc) << ' ' << line;
        });
        ++cases;
    }
    EXPECT_GT(cases, 20);
}

// By the rule torch2 no number is MAX, also where rounding to the type would give it. A number of 24 bits is rounded to 1 in
// bf16 with the probability 2^-9, and in f16 with 2^-12. The expected values come from the definition.
TEST_F(PytorchUniform, TheLaterRuleExcludesMax) {
    constexpr int64_t kCount = 100000;
    for (const auto type : {tombola_bf16, tombola_f16}) {
        Request request;
        request.type = type;
        request.max = type == tombola_bf16 ? 0x3F80 : 0x3C00;
        request.float_draws = tombola_float_draws_torch2;
        const uint32_t first_one =
            type == tombola_bf16 ? 0xFF8000 : 0xFFF000;  // and above: rounded to 1
        const MemoryDesc dst = row_major({kCount}, type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, request, dst);
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            Words words(static_cast<uint32_t>(request.seed));
            int ones = 0;
            for (int64_t i = 0; i < kCount; ++i) {
                const bool one = (words.next(1) & 0xFFFFFF) >= first_one;
                const uint64_t value = element(answer.values, 2, static_cast<size_t>(i));
                ASSERT_LT(value, request.max);
                ASSERT_TRUE(!one || value == 0) << impl_name(desc) << " at " << i;
                ones += one ? 1 : 0;
            }
            EXPECT_GT(ones, 10);
        });
    }
}

// ---- against std::mt19937, element by element, at every implementation -------------------------------------

template <class T>
uint64_t bits_of(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

int words_of(const Request& r) {
    if (r.type == tombola_f64) return 2;
    if (r.full_range) return r.type == tombola_s64 ? 2 : 1;
    if (r.type != tombola_s32 && r.type != tombola_s64) return 1;
    const bool is64 = r.type == tombola_s64;
    const auto min = static_cast<int64_t>(r.min), max = static_cast<int64_t>(r.max);
    const uint64_t range = is64 ? r.max - r.min : static_cast<uint32_t>(r.max - r.min);
    if (r.int_draws == tombola_int_draws_torch2) return range >= (1u << 28) ? 2 : 1;
    if (!is64) return 1;
    if (r.int_draws == tombola_int_draws_torch1) return range >= (uint64_t{1} << 32) ? 2 : 1;
    return min <= 0xFFFFFFFF && max <= 0xFFFFFFFF ? 1 : 2;
}

// The types that C++ has; the 16-bit ones are held to PyTorch's own numbers above.
uint64_t expected_value(const Request& r, uint64_t bits) {
    const bool torch2 = r.float_draws == tombola_float_draws_torch2;
    switch (r.type) {
        case tombola_f32: {
            float min, max;
            std::memcpy(&min, &r.min, sizeof min);
            std::memcpy(&max, &r.max, sizeof max);
            const float value =
                std::fma(static_cast<float>(bits % (1u << 24)) * 0x1p-24f, max - min, min);
            return bits_of(torch2 && value == max ? min : value);
        }
        case tombola_f64: {
            double min, max;
            std::memcpy(&min, &r.min, sizeof min);
            std::memcpy(&max, &r.max, sizeof max);
            const auto low = static_cast<double>(bits % (uint64_t{1} << 53));
            const double value = std::fma(low * 0x1p-53, max - min, min);
            return bits_of(torch2 && value == max ? min : value);
        }
        case tombola_s32:
            if (r.full_range) return bits & 0x7FFFFFFF;
            return static_cast<uint32_t>(bits % static_cast<uint32_t>(r.max - r.min) + r.min);
        default:
            if (r.full_range) return bits & 0x7FFFFFFF'FFFFFFFF;
            return bits % (r.max - r.min) + r.min;
    }
}

std::vector<Request> requests() {
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

TEST_F(PytorchUniform, every_implementation_gives_the_numbers_of_the_standard_library) {
    for (const Request& request : requests()) {
        if (request.type == tombola_f16 || request.type == tombola_bf16) continue;
        constexpr size_t kCount = 2600;
        const MemoryDesc dst = row_major({kCount}, request.type);
        const size_t size = tombola_data_type_size(request.type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const Answer answer = draw(desc, request, dst);
            ASSERT_EQ(answer.status, tombola_success) << last_error();
            Words words(static_cast<uint32_t>(request.seed));
            const int per_value = words_of(request);
            for (size_t i = 0; i < kCount; ++i)
                ASSERT_EQ(element(answer.values, size, i),
                          expected_value(request, words.next(per_value)))
                    << impl_name(desc) << " type " << request.type << " min " << std::hex
                    << request.min << " max " << request.max << std::dec << " at " << i;
        });
    }
}

// Without DST_STATE, up to 226 words of a seed are drawn from a part of its state.
TEST_F(PytorchUniform, FewNumbersOfASeedAreTheFirstOfMany) {
    for (Request request : requests()) {
        if (request.type == tombola_f16 || request.type == tombola_bf16) continue;
        request.wants_state = false;
        const int per_value = words_of(request);
        const size_t size = tombola_data_type_size(request.type);
        for (const size_t count : {1, 2, 63, 112, 113, 114, 225, 226, 227, 228, 397, 623, 625})
            for (const uint64_t offset : {0, 1, 113, 226, 625}) {
                request.offset = offset;
                const MemoryDesc dst = row_major({static_cast<int64_t>(count)}, request.type);
                for_each_implementation(
                    describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
                        const Answer answer = draw(desc, request, dst);
                        ASSERT_EQ(answer.status, tombola_success) << last_error();
                        Words words(static_cast<uint32_t>(request.seed));
                        for (uint64_t i = 0; i < offset; ++i) words.next(per_value);
                        for (size_t i = 0; i < count; ++i)
                            ASSERT_EQ(element(answer.values, size, i),
                                      expected_value(request, words.next(per_value)))
                                << impl_name(desc) << " type " << request.type << " count " << count
                                << " offset " << offset << " at " << i;
                    });
            }
    }
}

TEST_F(PytorchUniform, every_implementation_gives_the_portable_bits) {
    const State from = draw(requests()[5], 1000).state;  // some words, and a position to replace
    for (Request request : requests()) {
        for (const int64_t count : {1, 2, 7, 8, 15, 16, 17, 33, 311, 312, 313, 623, 624, 625, 1247,
                                    1248, 1249, 1889, 5003}) {
            // Each size with a few of the positions and offsets, all of them in turn.
            const uint32_t positions[] = {0, 1, 2, 17, 311, 608, 622, 623, 624};
            const uint64_t offsets[] = {0, 1, 5, 311, 312, 624, 1249, 30000};
            for (int turn = 0; turn < 3; ++turn) {
                const auto at = static_cast<size_t>(count + 5 * turn);
                request.state = from;
                request.state[kStateWords - 1] = positions[at % 9];
                request.offset = offsets[(at / 3) % 8];
                const Guard guard = turn == 1 ? Guard::before : Guard::behind;
                const MemoryDesc dst = row_major({count}, request.type);
                Answer portable;
                const PrimitiveDesc first = describe(request, dst);
                for_each_implementation(first, [&](const_tombola_primitive_desc_t desc) {
                    if (impl_name(desc) == "portable") portable = draw(desc, request, dst, guard);
                });
                ASSERT_EQ(portable.status, tombola_success) << last_error();
                for_each_implementation(first, [&](const_tombola_primitive_desc_t desc) {
                    const Answer answer = draw(desc, request, dst, guard);
                    const std::string what =
                        impl_name(desc) + " type " + std::to_string(request.type) + " count " +
                        std::to_string(count) + " turn " + std::to_string(turn);
                    ASSERT_EQ(answer.status, tombola_success) << what;
                    ASSERT_EQ(answer.values, portable.values) << what;
                    ASSERT_EQ(answer.state, portable.state) << what;
                });
            }
        }
    }
}

TEST_F(PytorchUniform, every_layout_has_the_values_of_the_row_major_one) {
    for (const Request& request : requests()) {
        const DimVector dims = {3, 37, 5, 7};
        const Answer expected = draw(request, row_major(dims, request.type));
        ASSERT_EQ(expected.status, tombola_success) << last_error();
        std::vector<MemoryDesc> layouts;
        layouts.push_back(tagged(dims, request.type, tombola_nhwc));
        layouts.push_back(tagged(dims, request.type, tombola_nChw16c));
        layouts.push_back(tagged(dims, request.type, tombola_dcba));
        layouts.push_back(strided(dims, request.type, {37 * 5 * 8 + 3, 5 * 8, 8, 1}));
        for (const MemoryDesc& layout : layouts) {
            ASSERT_NE(layout.get(), nullptr) << last_error();
            for_each_implementation(
                describe(request, layout), [&](const_tombola_primitive_desc_t desc) {
                    const Answer answer = draw(desc, request, layout);
                    ASSERT_EQ(answer.status, tombola_success) << last_error();
                    ASSERT_EQ(answer.values, expected.values) << impl_name(desc);
                    ASSERT_EQ(answer.state, expected.state) << impl_name(desc);
                });
        }
    }
}

// ---- one stream --------------------------------------------------------------------------------------------

TEST_F(PytorchUniform, a_tensor_cut_in_two_is_the_tensor) {
    constexpr int64_t kCount = 4000;
    for (const Request& whole : requests()) {
        const Answer expected = draw(whole, kCount);
        const size_t size = tombola_data_type_size(whole.type);
        for (const int64_t k : {1, 311, 312, 623, 624, 625, 2001, 3999}) {
            const Answer head = draw(whole, k);
            Request by_offset = whole;
            by_offset.offset = static_cast<uint64_t>(k);
            Request by_state = whole;
            by_state.state = head.state;
            for (const Request& rest : {by_offset, by_state}) {
                const Answer tail = draw(rest, kCount - k);
                Bytes both = head.values;
                both.insert(both.end(), tail.values.begin(), tail.values.end());
                ASSERT_EQ(both.size(), static_cast<size_t>(kCount) * size);
                ASSERT_EQ(both, expected.values) << whole.type << " at " << k;
                ASSERT_EQ(tail.state, expected.state) << whole.type << " at " << k;
            }
        }
    }
}

// More than two of the parts that threads take, and streaming stores, at addresses of any alignment.
TEST_F(PytorchUniform, a_large_tensor_is_its_small_pieces) {
    constexpr int64_t kCount = (int64_t{9} << 20) + 12345;
    for (const size_t which : {1u, 2u, 5u, 10u, 13u, 18u, 20u, 24u}) {
        Request request = requests()[which];
        request.offset = 3;
        const Answer whole = draw_large(request, kCount);
        ASSERT_EQ(whole.status, tombola_success) << last_error();
        const size_t size = tombola_data_type_size(request.type);
        constexpr int64_t kPiece = 98765;
        for (int64_t at = 0; at < kCount; at += 7 * kPiece) {
            Request piece = request;
            piece.offset = request.offset + static_cast<uint64_t>(at);
            const int64_t count = std::min(kPiece, kCount - at);
            const Answer answer = draw_large(piece, count);
            ASSERT_EQ(
                std::memcmp(answer.values.data(), &whole.values[static_cast<size_t>(at) * size],
                            answer.values.size()),
                0)
                << which << " at " << at;
        }
        Request nothing = request;
        nothing.offset += static_cast<uint64_t>(kCount);
        EXPECT_EQ(draw(nothing, 0).state, whole.state) << which;
    }
}

TEST_F(PytorchUniform, far_offsets_add_up) {
    Request request = requests()[9];  // f64: two words a value
    request.offset = (uint64_t{1} << 63) + 17;
    const Answer far = draw(request, 100);
    Request first = request;
    first.offset = uint64_t{1} << 62;
    request.state = draw(first, 0).state;
    request.offset = (uint64_t{1} << 62) + 17;
    const Answer in_two = draw(request, 100);
    EXPECT_EQ(far.values, in_two.values);
    EXPECT_EQ(far.state, in_two.state);
}

TEST_F(PytorchUniform, an_empty_tensor_moves_the_state_by_its_offset_alone) {
    Request request = requests()[5];
    request.offset = 700;
    const Answer none = draw(request, 0);
    ASSERT_EQ(none.status, tombola_success) << last_error();
    request.offset = 0;
    EXPECT_EQ(none.state, draw(request, 700).state);
}

// ---- a live PyTorch generator ------------------------------------------------------------------------------

using TorchState = std::array<uint8_t, TOMBOLA_TORCH_RNG_STATE_BYTES>;

// As make-torch-golden.py writes it: 632 u64 in hex, *k for k zeros.
TorchState parse_torch_state(std::istream& in) {
    std::vector<uint64_t> words;
    for (std::string token; in >> token;) {
        if (token[0] == '*')
            words.insert(words.end(), std::stoul(token.substr(1)), 0);
        else
            words.push_back(std::stoull(token, nullptr, 16));
    }
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
    std::ifstream file = golden("torch_state.txt");
    std::vector<GoldenState> cases;
    for (std::string line; std::getline(file, line);) {
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
            c.request.type = kTypes.at(type);
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

TEST_F(PytorchUniform, a_generator_taken_over_goes_on_as_pytorch_does) {
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

TEST_F(PytorchUniform, a_generator_handed_back_is_where_pytorch_would_be) {
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

TEST_F(PytorchUniform, a_window_of_which_no_word_is_used_is_handed_back_as_the_one_before) {
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
TEST_F(PytorchUniform, words_that_no_window_precedes_are_refused_at_position_0) {
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

TEST_F(PytorchUniform, bytes_that_are_no_generator_are_refused) {
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

// ---- refusals ----------------------------------------------------------------------------------------------

TEST_F(PytorchUniform, wrong_values_are_refused_and_nothing_is_written) {
    struct Case {
        tombola_data_type_t type;
        uint64_t min, max;
        const char* message;
    };
    const Case cases[] = {
        {tombola_f32, bits_of(1.0f), bits_of(1.0f), "expected MIN < MAX"},
        {tombola_f32, bits_of(2.0f), bits_of(1.0f), "expected MIN < MAX"},
        {tombola_f32, bits_of(NAN), bits_of(1.0f), "MIN"},
        {tombola_f32, bits_of(0.0f), bits_of(INFINITY), "MAX"},
        {tombola_f32, bits_of(-3e38f), bits_of(3e38f), "MAX - MIN"},
        {tombola_f64, bits_of(-1.7e308), bits_of(1.7e308), "MAX - MIN"},
        {tombola_f16, 0xFBFF, 0x7BFF, "MAX - MIN"},
        {tombola_bf16, 0x3F80, 0x3F80, "expected MIN < MAX"},
        {tombola_s32, 5, 5, "expected MIN < MAX"},
        {tombola_s64, 0, static_cast<uint64_t>(-1), "expected MIN < MAX"},
    };
    for (const Case& wrong : cases) {
        Request request;
        request.type = wrong.type;
        request.min = wrong.min;
        request.max = wrong.max;
        const MemoryDesc dst = row_major({10}, wrong.type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            EXPECT_EQ(draw(desc, request, dst).status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find(wrong.message), std::string::npos) << last_error();
        });
    }
}

// The last elements that 64 bits can number, of one word and of two. The oracle: the state that 2^63 elements
// leave, drawn from at the rest of the distance.
TEST_F(PytorchUniform, offsets_of_which_elements_pass_64_bits_are_refused) {
    constexpr int64_t kCount = 9;
    for (const auto& [type, max] : {std::pair{tombola_f32, bits_of(1.0f)},
                                    {tombola_f64, bits_of(1.0)},
                                    {tombola_s64, static_cast<uint64_t>(INT64_MAX)}}) {
        Request request;
        request.type = type;
        request.max = max;
        request.offset = 0 - static_cast<uint64_t>(kCount);
        Request first = request, rest = request;
        first.offset = uint64_t{1} << 63;
        rest.offset = request.offset - first.offset;
        rest.state = draw(first, 0).state;
        const Answer expected = draw(rest, kCount);
        const MemoryDesc dst = row_major({kCount}, type);
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            SCOPED_TRACE(impl_name(desc));
            const Answer answer = draw(desc, request, dst);
            EXPECT_EQ(answer.values, expected.values);
            EXPECT_EQ(answer.state, expected.state);
            Request beyond = request;
            ++beyond.offset;
            EXPECT_EQ(draw(desc, beyond, dst).status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find("OFFSET is 18446744073709551608 for 9 elements; expected "
                                        "at most 18446744073709551607"),
                      std::string::npos)
                << last_error();
        });
    }
}

// The state is all there is: seeds (0, 0) draw nothing beside it, and DST_SEEDS has them as they were given.
TEST_F(PytorchUniform, seeds_beside_a_state_are_reported_as_they_were_given) {
    Request request = requests()[5];
    request.seed = 0;
    const MemoryDesc dst = row_major({10}, request.type), scalar = row_major({1}, request.type);
    const MemoryDesc words = row_major({kStateWords}, tombola_u32),
                     pair = row_major({2}, tombola_u64);
    State state = draw(requests()[5], 1).state;
    for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
        SCOPED_TRACE(impl_name(desc));
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        float values[10], min = 0, max = 1;
        const Memory dst_memory = memory_over(dst, engine_, values);
        const Memory min_memory = memory_over(scalar, engine_, &min);
        const Memory max_memory = memory_over(scalar, engine_, &max);
        const Memory state_memory = memory_over(words, engine_, state.data());
        using Pair = std::array<uint64_t, 2>;
        for (Pair given : {Pair{0, 0}, Pair{7, 8}}) {
            Pair used = {1, 1};
            const Memory seeds_memory = memory_over(pair, engine_, given.data());
            const Memory used_memory = memory_over(pair, engine_, used.data());
            const tombola_exec_arg_t args[] = {
                {TOMBOLA_ARG_DST, dst_memory},        {TOMBOLA_ARG_MIN, min_memory},
                {TOMBOLA_ARG_MAX, max_memory},        {TOMBOLA_ARG_SRC_STATE, state_memory},
                {TOMBOLA_ARG_DST_SEEDS, used_memory}, {TOMBOLA_ARG_SEEDS, seeds_memory}};
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 6, args), tombola_success)
                << last_error();
            EXPECT_EQ(used, given);
            // Without SEEDS, the descriptor's (0, 0).
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 5, args), tombola_success)
                << last_error();
            EXPECT_EQ(used, (Pair{0, 0}));
        }
    });
}

// The recurrence is linear: from a state of zeros only zeros follow. The low 31 bits of word 0 are no part of it.
TEST_F(PytorchUniform, a_state_of_zeros_is_refused) {
    Request request = requests()[5];
    const MemoryDesc dst = row_major({10}, request.type);
    const auto check = [&](uint32_t position, size_t word, uint32_t value, bool refused) {
        request.state.assign(kStateWords, 0);
        request.state[word] = value;
        request.state[kStateWords - 1] = position;
        for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
            const tombola_status_t status = draw(desc, request, dst).status;
            EXPECT_EQ(status, refused ? tombola_invalid_arguments : tombola_success)
                << impl_name(desc) << " position " << position << " word " << word;
            if (!refused) return;
            EXPECT_NE(last_error().find("SRC_STATE is 0 in every bit that MT19937 uses"),
                      std::string::npos)
                << last_error();
        });
    };
    for (const uint32_t position : {0u, 1u, 300u, 624u}) {
        for (const uint32_t ignored : {0u, 1u, 0x7FFFFFFFu}) check(position, 0, ignored, true);
        check(position, 0, 0x80000000, false);
        check(position, 1, 1, false);
        check(position, 623, 0x100, false);
    }
}

TEST_F(PytorchUniform, a_torch_state_of_zeros_is_refused_in_both_directions) {
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

TEST_F(PytorchUniform, a_position_beyond_the_window_is_refused) {
    Request request = requests()[5];
    request.state.assign(kStateWords, 1);
    request.state[kStateWords - 1] = 625;
    const MemoryDesc dst = row_major({10}, request.type);
    for_each_implementation(describe(request, dst), [&](const_tombola_primitive_desc_t desc) {
        EXPECT_EQ(draw(desc, request, dst).status, tombola_invalid_arguments);
        EXPECT_NE(last_error().find("SRC_STATE[624], the position, is 625; expected 0 to 624"),
                  std::string::npos)
            << last_error();
    });
}

}  // namespace
}  // namespace tombola::test
