// SPDX-License-Identifier: Apache-2.0

// The vocabulary: registers, constants, loads and stores, tails, logic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "cpu/float16.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/x64/vocabulary_fixture.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using test::Guard;
using test::GuardedBuffer;

TEST_P(VocabularyTest, CopyAndZero) {
    run([](K& k) { k.copy(k.vec(0), k.vec(2)); });
    expect<uint64_t>([&](size_t i) { return in<uint64_t>(1, i); });
    run([](K& k) { k.zero(k.vec(0)); });
    expect<uint64_t>([](size_t) { return 0u; });
}

TEST_P(VocabularyTest, Constants) {
    run([](K& k) { k.load(k.vec(0), k.vector_u16(0x1234)); });
    expect<uint16_t>([](size_t) { return 0x1234; });
    run([](K& k) { k.load(k.vec(0), k.vector_u32(0xDEADBEEF)); });
    expect<uint32_t>([](size_t) { return 0xDEADBEEF; });
    run([](K& k) { k.load(k.vec(0), k.vector_u64(0x0123456789ABCDEF)); });
    expect<uint64_t>([](size_t) { return 0x0123456789ABCDEF; });
    run([](K& k) { k.load(k.vec(0), k.vector_f32(1.5f)); });
    expect<float>([](size_t) { return 1.5f; });
    run([](K& k) { k.load(k.vec(0), k.vector_f64(-2.25)); });
    expect<double>([](size_t) { return -2.25; });
    Lanes table;
    for (size_t i = 0; i < kMaxVecBytes; ++i) table.set(i, static_cast<uint8_t>(3 * i + 1));
    run([&](K& k) { k.load(k.vec(0), k.vector_table(&table)); });
    expect<uint8_t>([&](size_t i) { return table.get<uint8_t>(i); });
}

TEST_P(VocabularyTest, Shape) {
    const bool wide = GetParam() >= CpuIsa::avx512_core;
    run([&](K& k) {
        EXPECT_EQ(k.isa(), GetParam());
        EXPECT_EQ(k.is_avx512(), wide);
        EXPECT_EQ(k.bytes(), wide ? 64 : 32);
        EXPECT_EQ(k.lanes(2), wide ? 32 : 16);
        EXPECT_EQ(k.lanes(8), wide ? 8 : 4);
        EXPECT_EQ(k.registers(), wide ? 32 : 16);
        EXPECT_EQ(k.has_masks(), wide);
        EXPECT_EQ(k.holds_constants(), wide);
        EXPECT_EQ(k.vec(3).getBit(), wide ? 512 : 256);
        EXPECT_EQ(k.half(3).getBit(), wide ? 256 : 128);
        EXPECT_EQ(k.quarter(3).getBit(), 128);
        EXPECT_EQ(k.vec(3).getIdx() + k.half(4).getIdx() + k.quarter(5).getIdx(), 12);
        EXPECT_EQ(k.spread_bytes(3), wide ? 0 : 96);
        k.zero(k.vec(0));
    });
}

// Pieces of a quarter and of half a vector of 64 bytes, from registers and at guard pages. A vector of 32 bytes has
// pieces of 16.
TEST_P(VocabularyTest, Pieces) {
    for (int piece = 16; piece <= static_cast<int>(bytes()) / 2; piece *= 2)
        for (int position = 0; position < static_cast<int>(bytes()) / piece; ++position) {
            const auto first = static_cast<size_t>(position * piece);
            const auto size = static_cast<size_t>(piece);
            const auto replaced = [&](size_t i) {
                return i / size * size == first ? in<uint8_t>(1, i - first) : in<uint8_t>(0, i);
            };
            run([&](K& k) {
                const Xbyak::Ymm half = k.half(2);
                const Xbyak::Xmm quarter = k.quarter(2);
                const Xbyak::Operand& from =
                    piece == 32 ? static_cast<const Xbyak::Operand&>(half) : quarter;
                k.insert_piece(k.vec(0), k.vec(1), from, piece, position);
            });
            expect<uint8_t>(replaced);
            GuardedBuffer memory(size, Guard::behind);
            std::memcpy(memory.data(), inputs_[1].bytes.data(), size);
            tensor_ = memory.data();
            run([&](K& k) {
                k.insert_piece(k.vec(0), k.vec(1), k.ptr[k.tensor()], piece, position);
            });
            expect<uint8_t>(replaced);
            run([&](K& k) {
                k.store_piece(k.ptr[k.tensor()], k.vec(1), piece, position);
                k.zero(k.vec(0));
            });
            EXPECT_EQ(std::memcmp(memory.data(), inputs_[0].bytes.data() + first, size), 0)
                << position;
        }
}

// A page that may not be touched lies behind the bytes.
TEST_P(VocabularyTest, Parts) {
    for (size_t size = 4; size <= bytes(); size *= 2) {
        GuardedBuffer memory(size, Guard::behind);
        std::memcpy(memory.data(), inputs_[1].bytes.data(), size);
        tensor_ = memory.data();
        run([&](K& k) {
            EXPECT_EQ(k.part(0, static_cast<int>(size)).getBit(), 8 * std::max<size_t>(size, 16));
            k.load_part(0, k.ptr[k.tensor()], static_cast<int>(size));
        });
        expect<uint8_t>([&](size_t i) { return i < size ? in<uint8_t>(1, i) : uint8_t{0}; });
        run([&](K& k) {
            k.store_part(k.ptr[k.tensor()], 1, static_cast<int>(size));
            k.zero(k.vec(0));
        });
        EXPECT_EQ(std::memcmp(memory.data(), inputs_[0].bytes.data(), size), 0) << size;
    }
}

// Each of the two loops runs once, and only the one that the number in memory asks for.
TEST_P(VocabularyTest, WithAndWithoutStreaming) {
    constexpr size_t kFlag = 64;  // behind a vector
    GuardedBuffer memory(2 * kFlag, Guard::behind);
    tensor_ = memory.data();
    for (const uint64_t streaming : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 63}) {
        memory.poison();
        std::memcpy(memory.data() + kFlag, &streaming, sizeof streaming);
        int emitted = 0;
        run([&](K& k) {
            k.emit_with_and_without_streaming(k.tensor() + kFlag, [&](bool streams) {
                ++emitted;
                k.store(k.ptr[k.tensor()], k.vec(streams ? 2 : 1), streams);
            });
            k.zero(k.vec(0));
        });
        EXPECT_EQ(emitted, 2);
        const auto& expected = inputs_[streaming == 0 ? 0 : 1].bytes;
        EXPECT_EQ(std::memcmp(memory.data(), expected.data(), bytes()), 0) << streaming;
    }
}

// The registers of the range first, from the top, then memory.
TEST_P(VocabularyTest, HeldRange) {
    run([](K& k) {
        k.set_held_range(k.registers() - 2);
        EXPECT_EQ(k.take_held().getIdx(), k.registers() - 1);
        const auto in_register = k.hold(k.vector_u64(5));
        const auto in_memory = k.hold(k.vector_u64(7));
        EXPECT_EQ(in_register.reg().getIdx(), k.registers() - 2);
        EXPECT_TRUE(static_cast<const Xbyak::Operand&>(in_memory).isMEM());
        k.zero(k.vec(0));
        k.xor_bits(k.vec(0), k.vec(0), in_register);
        k.xor_bits(k.vec(0), k.vec(0), in_memory);
    });
    expect<uint64_t>([](size_t) { return 5u ^ 7u; });
}

TEST_P(VocabularyTest, LoadAndStore) {
    Lanes unaligned[2];
    uint8_t* to = unaligned[0].bytes.data() + 3;
    tensor_ = to;
    run([](K& k) {
        k.store(k.ptr[k.tensor()], k.vec(1));
        k.load(k.vec(0), k.ptr[k.tensor()]);
    });
    EXPECT_EQ(std::memcmp(to, inputs_[0].bytes.data(), bytes()), 0);
    expect<uint64_t>([&](size_t i) { return in<uint64_t>(0, i); });
}

TEST_P(VocabularyTest, Broadcasts) {
    const auto low = static_cast<uint32_t>(value_);
    run([](K& k) { k.broadcast_u32(k.vec(0), k.argument(offsetof(K::Args, value))); });
    expect<uint32_t>([&](size_t) { return low; });
    run([](K& k) { k.broadcast_u64(k.vec(0), k.argument(offsetof(K::Args, value))); });
    expect<uint64_t>([&](size_t) { return value_; });
    count_ = value_;
    run([](K& k) { k.broadcast_u32(k.vec(0), k.tail().count); });
    expect<uint32_t>([&](size_t) { return low; });
    run([](K& k) { k.broadcast_u64(k.vec(0), k.tail().count); });
    expect<uint64_t>([&](size_t) { return value_; });
}

TEST_P(VocabularyTest, SpreadValuesAreOperands) {
    run([](K& k) {
        const auto spread = k.spread_u32(k.args(), offsetof(K::Args, value), 0, k.vec(0));
        k.xor_bits(k.vec(0), k.vec(1), spread);
    });
    const auto low = static_cast<uint32_t>(value_);
    expect<uint32_t>([&](size_t i) { return in<uint32_t>(0, i) ^ low; });
    run([](K& k) {
        const auto spread = k.spread_u64(k.args(), offsetof(K::Args, value), 1, k.vec(0));
        k.xor_bits_u64(k.vec(0), k.vec(1), spread);
    });
    expect<uint64_t>([&](size_t i) { return in<uint64_t>(0, i) ^ value_; });
}

TEST_P(VocabularyTest, Logic) {
    const auto a = [&](size_t i) { return in<uint64_t>(0, i); };
    const auto b = [&](size_t i) { return in<uint64_t>(1, i); };
    const auto c = [&](size_t i) { return in<uint64_t>(2, i); };
    check<uint64_t>([](K& k) { k.and_bits(k.vec(0), k.vec(1), k.vec(2)); },
                    [&](size_t i) { return a(i) & b(i); });
    check<uint64_t>([](K& k) { k.or_bits(k.vec(0), k.vec(1), k.vec(2)); },
                    [&](size_t i) { return a(i) | b(i); });
    check<uint64_t>([](K& k) { k.xor_bits(k.vec(0), k.vec(1), k.vec(2)); },
                    [&](size_t i) { return a(i) ^ b(i); });
    check<uint64_t>([](K& k) { k.xor_bits_u64(k.vec(0), k.vec(1), k.vec(2)); },
                    [&](size_t i) { return a(i) ^ b(i); });
    check<uint64_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.xor3(k.vec(0), k.vec(2), k.vec(3));
        },
        [&](size_t i) { return a(i) ^ b(i) ^ c(i); });
    check<uint64_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.and3(k.vec(0), k.vec(2), k.vec(3));
        },
        [&](size_t i) { return a(i) & b(i) & c(i); });
    // One instruction keeps its second source; two have xored the third into it.
    check<uint64_t>(
        [](K& k) {
            k.xor3(k.vec(0), k.vec(2), k.vec(3));
            if (!k.has_xor3()) k.xor_bits(k.vec(2), k.vec(2), k.vec(3));
            k.copy(k.vec(0), k.vec(2));
        },
        b);
    check<uint64_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.and_or(k.vec(0), k.vec(2), k.vec(3));
        },
        [&](size_t i) { return (a(i) & b(i)) | c(i); });
}

TEST_P(VocabularyTest, XorsThreeInOddWords) {
    if (bytes() != 64) GTEST_SKIP() << "AVX-512 alone has this operation";
    run([](K& k) {
        k.set_odd_lanes(k.scratch());
        const auto spread = k.spread_u32(k.args(), offsetof(K::Args, value), 0, k.vec(0));
        k.copy(k.vec(0), k.vec(1));
        k.xor3_odd_u32(k.vec(0), k.vec(2), spread);
    });
    const auto low = static_cast<uint32_t>(value_);
    expect<uint32_t>([&](size_t i) {
        const auto a = in<uint32_t>(0, i), b = in<uint32_t>(1, i);
        return i % 2 == 0 ? a : a ^ b ^ low;
    });
}

// Two at once: where a register holds a constant, it is one of its own.
TEST_P(VocabularyTest, HeldConstantsAreOperands) {
    run([](K& k) {
        const auto narrow = k.hold_u32(16, 0xDEADBEEF);
        const auto wide = k.hold_u64(17, 0x0123456789ABCDEF);
        k.xor_bits(k.vec(0), k.vec(1), narrow);
        k.xor_bits_u64(k.vec(0), k.vec(0), wide);
    });
    expect<uint64_t>(
        [&](size_t i) { return in<uint64_t>(0, i) ^ 0xDEADBEEFDEADBEEF ^ 0x0123456789ABCDEF; });
}

TEST_P(VocabularyTest, HeldElementsFillEachLane) {
    constexpr struct {
        int bytes;
        uint64_t value, lane;
    } kCases[] = {{1, 0x5A, 0x5A5A5A5A5A5A5A5A},
                  {2, 0x3F80, 0x3F803F803F803F80},
                  {4, 0xDEADBEEF, 0xDEADBEEFDEADBEEF},
                  {8, 0x0123456789ABCDEF, 0x0123456789ABCDEF}};
    for (const auto& c : kCases)
        check<uint64_t>(
            [&](K& k) {
                const auto held = k.hold_elements(16, c.value, c.bytes);
                k.xor_bits(k.vec(0), k.vec(1), held);
            },
            [&](size_t i) { return in<uint64_t>(0, i) ^ c.lane; });
}

TEST_P(VocabularyTest, Products) {
    const auto a = [&](size_t i) { return in<uint64_t>(0, i); };
    const auto b = [&](size_t i) { return in<uint64_t>(1, i); };
    check<uint64_t>([](K& k) { k.mul_u32_wide(k.vec(0), k.vec(1), k.vec(2)); },
                    [&](size_t i) { return (a(i) & 0xFFFFFFFF) * (b(i) & 0xFFFFFFFF); });
    check<uint64_t>(
        [](K& k) {
            k.vpsrlq(k.vec(5), k.vec(2), 32);
            k.mul_lo_u64(k.vec(0), k.vec(1), k.vec(2), k.vec(5), k.vec(6), k.vec(7));
        },
        [&](size_t i) { return a(i) * b(i); });
}

// Greater, equal and less, also across 2^63. The destination may be the first source.
TEST_P(VocabularyTest, MinWithDifference) {
    const auto right = [&](size_t i) {
        const auto a = in<uint64_t>(0, i), b = in<uint64_t>(1, i);
        return std::min(a, a - b);
    };
    check<uint64_t>(
        [](K& k) { k.min_with_difference_u64(k.vec(0), k.vec(1), k.vec(2), k.vec(4), k.vec(5)); },
        right);
    check<uint64_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.min_with_difference_u64(k.vec(0), k.vec(0), k.vec(2), k.vec(4), k.vec(5));
        },
        right);
}

// Every length; neighbours on either side are pages that cannot be touched.
TEST_P(VocabularyTest, TailsTouchNothingElse) {
    for (size_t count = 0; count < bytes(); ++count)
        for (const Guard guard : {Guard::behind, Guard::before}) {
            GuardedBuffer buffer(count, guard);
            count_ = count;
            tensor_ = buffer.data();
            run([](K& k) {
                k.set_tail(k.tail());
                k.store_tail(k.tensor(), k.vec(1), k.tail());
                k.zero(k.vec(0));
            });
            EXPECT_EQ(std::memcmp(buffer.data(), inputs_[0].bytes.data(), count), 0) << count;
            EXPECT_TRUE(buffer.slack_is_intact()) << count;
            run([](K& k) {
                k.set_tail(k.tail());
                k.load_tail(k.vec(0), k.tensor(), k.tail());
            });
            expect<uint8_t>([&](size_t i) { return i < count ? in<uint8_t>(0, i) : 0; });
        }
}

TEST_P(VocabularyTest, StreamingStore) {
    Lanes target;
    tensor_ = &target;
    run([](K& k) {
        k.store(k.ptr[k.tensor()], k.vec(1), true);
        k.zero(k.vec(0));
    });
    EXPECT_EQ(std::memcmp(target.bytes.data(), inputs_[0].bytes.data(), bytes()), 0);
}

// What the assembler refuses becomes a status, whatever the build type: here a label without a place, and more
// code than was reserved.
TEST_P(VocabularyTest, AssemblersErrorsAreStatuses) {
    const K::Body endless = [](K& k) {
        for (int i = 0; i < 100000; ++i) k.xor_bits(k.vec(0), k.vec(1), k.vec(2));
    };
    const auto too_long = make_function<K>({GetParam(), &endless});
    ASSERT_FALSE(too_long.ok());
    EXPECT_EQ(too_long.status().code(), StatusCode::runtime_error);
    EXPECT_NE(too_long.status().message().find("code generation failed"), std::string::npos);

    const K::Body nowhere = [](K& k) {
        Xbyak::Label label;
        k.jmp(label);
    };
    const auto unplaced = make_function<K>({GetParam(), &nowhere});
    EXPECT_FALSE(unplaced.ok());
}

// An operation that is added without a test of its own is missed here.
TEST(Vocabulary, EveryOperationIsNamedInItsTests) {
    const auto contents = [](const std::string& path) {
        std::ifstream file(path);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    std::string header = contents(TOMBOLA_SOURCE_DIR "/src/cpu/x64/vocabulary.hpp");
    std::string tests;
    for (const char* name :
         {"vocabulary", "vocabulary_lane_masks", "vocabulary_moves", "vocabulary_narrow_masks"})
        tests +=
            contents(std::string(TOMBOLA_SOURCE_DIR "/tests/gtests/x64/") + name + "_test.cpp");
    header.resize(header.find("\n  private:\n    void"));  // what kernels cannot call
    const std::string types =
        "void|bool|int|CpuIsa|Vec|Half|Held|Spread|Mask|Bf16Product|Address|Xbyak::Xmm";
    const std::regex declaration("\n    (?:static )?(?:" + types + ") (\\w+)\\(");
    int operations = 0;
    for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end;
         ++it, ++operations)
        EXPECT_TRUE(tests.find("k." + it->str(1) + "(") != std::string::npos ||
                    tests.find("K::" + it->str(1) + "(") != std::string::npos)
            << it->str(1);
    EXPECT_GT(operations, 50);
}

INSTANTIATE_TEST_SUITE_P(EachIsa, VocabularyTest,
                         testing::Values(CpuIsa::avx2, CpuIsa::avx512_core,
                                         CpuIsa::avx512_core_vbmi),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace tombola::impl::cpu::x64
