// SPDX-License-Identifier: Apache-2.0

// Each operation of the JIT vocabulary by itself, at each instruction set up to the one in force,
// against the same operation in plain C++.

#include "cpu/x64/vocabulary.hpp"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "cpu/float16.hpp"
#include "gtests/common/guarded_buffer.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using test::Guard;
using test::GuardedBuffer;

constexpr size_t kMaxBytes = 64;
constexpr int kInputs = 3;

// One vector as lanes of T; the first bytes() of it count.
struct alignas(kMaxBytes) Lanes {
    std::array<uint8_t, kMaxBytes> bytes{};
    template <class T>
    T get(size_t lane) const {
        T value;
        std::memcpy(&value, &bytes[lane * sizeof value], sizeof value);
        return value;
    }
    template <class T>
    void set(size_t lane, T value) {
        std::memcpy(&bytes[lane * sizeof value], &value, sizeof value);
    }
};

// A kernel that loads three vectors into registers 1 to 3, runs a body, and stores register 0. The body is a
// test's, so that nothing but the operation under test stands between loads and store.
class OperationKernel : public Vocabulary {
  public:
    using Body = std::function<void(OperationKernel&)>;
    using Key = std::tuple<CpuIsa, const Body*>;
    struct Args {
        const Lanes* inputs;
        Lanes* output;
        void* tensor;
        uint64_t count;
        uint64_t value;
    };
    explicit OperationKernel(const Key& key)
        : Vocabulary(std::get<0>(key), "operation"), body_(*std::get<1>(key)) {}

    using Vocabulary::and_bits;
    using Vocabulary::and_or;
    using Vocabulary::and_or_masked_u32;
    using Vocabulary::and_or_masked_u64;
    using Vocabulary::append_lanes_u32;
    using Vocabulary::blend_odd_u32;
    using Vocabulary::broadcast_u32;
    using Vocabulary::broadcast_u64;
    using Vocabulary::bytes;
    using Vocabulary::clear_mask;
    using Vocabulary::compare_f32;
    using Vocabulary::compare_f64;
    using Vocabulary::compare_greater_s32;
    using Vocabulary::compare_greater_s64;
    using Vocabulary::compare_not_below;
    using Vocabulary::copy;
    using Vocabulary::cvt_f16_to_f32;
    using Vocabulary::cvt_f32_to_f16;
    using Vocabulary::cvt_swapped_u53_to_f64;
    using Vocabulary::deal_32_bytes;
    using Vocabulary::gather_masked_u64;
    using Vocabulary::gather_u32_as_u64;
    using Vocabulary::gather_u64;
    using Vocabulary::half;
    using Vocabulary::has_masks;
    using Vocabulary::Held;
    using Vocabulary::hold;
    using Vocabulary::hold_u32;
    using Vocabulary::hold_u64;
    using Vocabulary::holds_constants;
    using Vocabulary::increment_masked_u64;
    using Vocabulary::insert_piece;
    using Vocabulary::interleave_high_u16;
    using Vocabulary::interleave_low_u16;
    using Vocabulary::is_avx512;
    using Vocabulary::isa;
    using Vocabulary::join_halves;
    using Vocabulary::join_masks;
    using Vocabulary::join_masks_u32;
    using Vocabulary::kGreaterEqual;
    using Vocabulary::kLess;
    using Vocabulary::kNotGreaterEqual;
    using Vocabulary::kUnordered;
    using Vocabulary::lanes;
    using Vocabulary::load;
    using Vocabulary::load_mask_bits;
    using Vocabulary::load_mask_bytes;
    using Vocabulary::load_masked;
    using Vocabulary::load_tail;
    using Vocabulary::Mask;
    using Vocabulary::mask_to_reg;
    using Vocabulary::min_with_difference_u64;
    using Vocabulary::mul_bf16_by_f32;
    using Vocabulary::mul_f16_by_f32;
    using Vocabulary::mul_lo_u64;
    using Vocabulary::mul_u32_wide;
    using Vocabulary::narrow_u32;
    using Vocabulary::narrow_u64;
    using Vocabulary::or_bits;
    using Vocabulary::or_masked_u32;
    using Vocabulary::or_masks;
    using Vocabulary::part_of_mask;
    using Vocabulary::quarter;
    using Vocabulary::registers;
    using Vocabulary::round_f32_to_bf16;
    using Vocabulary::round_f32_to_bf16_high;
    using Vocabulary::select_bits;
    using Vocabulary::select_masked_u32;
    using Vocabulary::set_held_range;
    using Vocabulary::set_odd_lanes;
    using Vocabulary::set_tail;
    using Vocabulary::set_zip_u64;
    using Vocabulary::spread_bytes;
    using Vocabulary::spread_u32;
    using Vocabulary::spread_u64;
    using Vocabulary::store;
    using Vocabulary::store_fence;
    using Vocabulary::store_low_u32;
    using Vocabulary::store_mask_bits;
    using Vocabulary::store_mask_bytes;
    using Vocabulary::store_piece;
    using Vocabulary::store_streaming;
    using Vocabulary::store_sum_u64;
    using Vocabulary::store_tail;
    using Vocabulary::store_where;
    using Vocabulary::swap_by_sign_u32;
    using Vocabulary::swap_by_sign_u64;
    using Vocabulary::swap_words_u64;
    using Vocabulary::Tail;
    using Vocabulary::take_held;
    using Vocabulary::test_either;
    using Vocabulary::vec;
    using Vocabulary::Vec;
    using Vocabulary::vector_f32;
    using Vocabulary::vector_f64;
    using Vocabulary::vector_table;
    using Vocabulary::vector_u16;
    using Vocabulary::vector_u32;
    using Vocabulary::vector_u64;
    using Vocabulary::widen_u16;
    using Vocabulary::widen_u32;
    using Vocabulary::xor3;
    using Vocabulary::xor3_u64;
    using Vocabulary::xor_bits;
    using Vocabulary::xor_bits_u64;
    using Vocabulary::xor_masked;
    using Vocabulary::xor_then_mask;
    using Vocabulary::zero;
    using Vocabulary::zip_u64;
    using Vocabulary::ZipOrder;
    using Xbyak::CodeGenerator::jmp;
    using Xbyak::CodeGenerator::mov;
    using Xbyak::CodeGenerator::ptr;
    using Xbyak::CodeGenerator::setnz;
    using Xbyak::CodeGenerator::vpsrlq;

    Xbyak::Reg64 args() { return gpr(0); }
    Xbyak::Reg64 tensor() { return gpr(2); }
    Tail tail() { return {gpr(3), gpr(4), gpr(5)}; }
    Xbyak::Reg64 scratch() { return gpr(6); }
    // Masks that share nothing: opmasks 1 ..., registers 8 ...
    Mask mask(int i) const { return {Xbyak::Opmask(1 + i), vec(8 + i)}; }
    // d = all ones where the mask is set, 0 elsewhere.
    void spell_u64(const Vec& d, const Mask& m) {
        load(d, vector_u64(~uint64_t{0}));
        and_or_masked_u64(d, m, hold_u64(12, ~uint64_t{0}), hold_u64(13, 0));
    }
    void spell_u32(const Vec& d, const Mask& m) {
        load(d, vector_u32(~uint32_t{0}));
        and_or_masked_u32(d, m, hold_u32(12, ~uint32_t{0}), hold_u32(13, 0));
    }
    Xbyak::Address argument(size_t offset) { return ptr[args() + offset]; }

  private:
    void generate() override {
        begin(7, 2 * static_cast<int>(kMaxBytes));
        mov(gpr(1), ptr[gpr(0) + offsetof(Args, inputs)]);
        for (int i = 0; i < kInputs; ++i)
            load(vec(i + 1), ptr[gpr(1) + static_cast<size_t>(i) * sizeof(Lanes)]);
        mov(gpr(2), ptr[gpr(0) + offsetof(Args, tensor)]);
        mov(gpr(3), ptr[gpr(0) + offsetof(Args, count)]);
        mov(gpr(1), ptr[gpr(0) + offsetof(Args, output)]);
        body_(*this);
        store(ptr[gpr(1)], vec(0));
        end();
    }
    const Body& body_;
};
using K = OperationKernel;

class VocabularyTest : public testing::TestWithParam<CpuIsa> {
  protected:
    void SetUp() override {
        if (effective_isa() < GetParam()) GTEST_SKIP() << "the effective ISA is below";
        set_random_inputs();
    }
    void set_random_inputs() {
        uint64_t x = 1;
        for (Lanes& input : inputs_)
            for (size_t lane = 0; lane < 8; ++lane) {
                x = x * 6364136223846793005u + 1442695040888963407u;  // Knuth, MMIX
                input.set(lane, x ^ x >> 29);
            }
    }
    size_t bytes() const { return static_cast<size_t>(shape_of(GetParam()).bytes); }

    void run(const K::Body& body) {
        auto made = make_function<K>({GetParam(), &body});
        ASSERT_TRUE(made.ok()) << made.status().message();
        K::Args args{inputs_.data(), &output_, tensor_, count_, value_};
        made.value()(args);
    }
    // right(lane) is what lane `lane` of the output has to be.
    template <class T, class Right>
    void expect(const Right& right) {
        for (size_t lane = 0; lane < bytes() / sizeof(T); ++lane)
            EXPECT_EQ(output_.get<T>(lane), right(lane)) << "lane " << lane;
    }
    // The same of every vector that `body` makes of random inputs, and of all pairs of the edge values; the
    // third input is their sum.
    template <class T, class Right>
    void check(const K::Body& body, const Right& right) {
        run(body);
        expect<T>(right);
        constexpr T kOne = 1, kTop = kOne << (8 * sizeof(T) - 1), kAll = static_cast<T>(~T{0});
        constexpr T kHalf = kOne << 4 * sizeof(T);
        constexpr T kEdges[] = {0, kOne, kHalf - 1, kHalf, kHalf / 2, kTop - 1, kTop, kAll};
        constexpr size_t kCount = std::size(kEdges);
        const size_t lanes = bytes() / sizeof(T);
        for (size_t first = 0; first < kCount * kCount; first += lanes) {
            for (size_t lane = 0; lane < lanes; ++lane) {
                const size_t pair = (first + lane) % (kCount * kCount);
                const T a = kEdges[pair / kCount], b = kEdges[pair % kCount];
                inputs_[0].set(lane, a);
                inputs_[1].set(lane, b);
                inputs_[2].set(lane, static_cast<T>(a + b));
            }
            run(body);
            expect<T>(right);
        }
        set_random_inputs();
    }
    template <class T>
    T in(int input, size_t lane) const {
        return inputs_[static_cast<size_t>(input)].get<T>(lane);
    }

    std::array<Lanes, kInputs> inputs_;
    Lanes output_;
    void* tensor_ = nullptr;
    uint64_t count_ = 0;
    uint64_t value_ = 0x0123456789ABCDEF;
};

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
    for (size_t i = 0; i < kMaxBytes; ++i) table.set(i, static_cast<uint8_t>(3 * i + 1));
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

TEST_P(VocabularyTest, ComparisonsOfIntegers) {
    check<uint32_t>(
        [](K& k) {
            k.compare_greater_s32(k.mask(0), k.vec(1), k.vec(2));
            k.spell_u32(k.vec(0), k.mask(0));
        },
        [&](size_t i) { return in<int32_t>(0, i) > in<int32_t>(1, i) ? ~0u : 0u; });
    check<uint64_t>(
        [](K& k) {
            k.compare_greater_s64(k.mask(0), k.vec(1), k.vec(2));
            k.spell_u64(k.vec(0), k.mask(0));
        },
        [&](size_t i) { return in<int64_t>(0, i) > in<int64_t>(1, i) ? ~uint64_t{0} : 0u; });
}

TEST_P(VocabularyTest, ComparisonsOfFloats) {
    const float nan = std::nanf("");
    const float kPairs[8][2] = {{1, 2},   {2, 1},        {1, 1},  {nan, 1},
                                {1, nan}, {0.0f, -0.0f}, {-1, 1}, {1, -1}};
    for (const int predicate : {K::kLess, K::kUnordered, K::kNotGreaterEqual, K::kGreaterEqual}) {
        const auto right = [&](float a, float b) {
            const bool unordered = std::isnan(a) || std::isnan(b);
            if (predicate == K::kUnordered) return unordered;
            if (predicate == K::kLess) return a < b;
            return predicate == K::kGreaterEqual ? a >= b : !(a >= b);
        };
        for (size_t i = 0; i < 16; ++i) {
            inputs_[0].set(i, kPairs[i % 8][0]);
            inputs_[1].set(i, kPairs[i % 8][1]);
        }
        run([&](K& k) {
            k.compare_f32(k.mask(0), k.vec(1), k.vec(2), predicate);
            k.spell_u32(k.vec(0), k.mask(0));
        });
        expect<uint32_t>(
            [&](size_t i) { return right(kPairs[i % 8][0], kPairs[i % 8][1]) ? ~0u : 0u; });
        for (size_t first = 0; first < 8; first += bytes() / 8) {
            for (size_t i = 0; i < bytes() / 8; ++i) {
                inputs_[0].set(i, static_cast<double>(kPairs[first + i][0]));
                inputs_[1].set(i, static_cast<double>(kPairs[first + i][1]));
            }
            run([&](K& k) {
                k.compare_f64(k.mask(0), k.vec(1), k.vec(2), predicate);
                k.spell_u64(k.vec(0), k.mask(0));
            });
            expect<uint64_t>([&](size_t i) {
                return right(kPairs[first + i][0], kPairs[first + i][1]) ? ~uint64_t{0} : 0u;
            });
        }
    }
}

// Masks of single lanes, one after the other, and of none.
TEST_P(VocabularyTest, MasksAreJoinedAndTested) {
    const size_t lanes = bytes() / 8;
    for (size_t a = 0; a <= lanes; ++a)
        for (size_t b = 0; b <= lanes; ++b) {
            for (size_t i = 0; i < lanes; ++i) {
                inputs_[0].set(i, uint64_t{i == a});
                inputs_[1].set(i, uint64_t{i == b});
            }
            const auto joined = [&](size_t i) { return i == a || i == b ? ~uint64_t{0} : 0u; };
            const auto set = [](K& k) {
                k.zero(k.vec(4));
                k.clear_mask(k.mask(2));
                k.compare_greater_s64(k.mask(0), k.vec(1), k.vec(4));
                k.compare_greater_s64(k.mask(1), k.vec(2), k.vec(4));
            };
            run([&](K& k) {
                set(k);
                k.or_masks(k.mask(2), k.mask(2), k.mask(0));
                k.or_masks(k.mask(2), k.mask(2), k.mask(1));
                k.spell_u64(k.vec(0), k.mask(2));
            });
            expect<uint64_t>(joined);
            const bool any = a < lanes || b < lanes;
            run([&](K& k) {
                set(k);
                k.mov(k.scratch(), 0);
                k.test_either(k.mask(0), k.mask(1), k.vec(5));
                k.setnz(k.scratch().cvt8());
                k.broadcast_u64(k.vec(0), k.scratch());
            });
            expect<uint64_t>([&](size_t) { return uint64_t{any}; });
            run([&](K& k) {
                set(k);
                k.or_masks(k.mask(2), k.mask(0), k.mask(1));
                k.mov(k.scratch(), 0);
                k.mask_to_reg(k.scratch(), k.mask(2));
                k.broadcast_u64(k.vec(0), k.scratch());
            });
            for (size_t i = 0; i < lanes; ++i) EXPECT_EQ(output_.get<uint64_t>(i) != 0, any);
        }
    set_random_inputs();
}

TEST_P(VocabularyTest, MaskedOperations) {
    check<uint64_t>(
        [](K& k) {
            k.load(k.vec(4), k.vector_u64(1));
            k.compare_greater_s64(k.mask(0), k.vec(1), k.vec(2));
            k.increment_masked_u64(k.vec(0), k.mask(0), k.vec(3), k.vec(4));
        },
        [&](size_t i) {
            return in<uint64_t>(2, i) + (in<int64_t>(0, i) > in<int64_t>(1, i) ? 1 : 0);
        });
    check<uint64_t>(
        [](K& k) {
            k.compare_greater_s64(k.mask(0), k.vec(1), k.vec(2));
            k.copy(k.vec(0), k.vec(3));
            k.and_or_masked_u64(k.vec(0), k.mask(0), k.hold_u64(12, 0xFF00FF00FF00FF00),
                                k.hold_u64(13, 3));
        },
        [&](size_t i) {
            return in<int64_t>(0, i) > in<int64_t>(1, i)
                       ? (in<uint64_t>(2, i) & 0xFF00FF00FF00FF00) | 3
                       : 0;
        });
    check<uint32_t>(
        [](K& k) {
            k.compare_greater_s32(k.mask(0), k.vec(1), k.vec(2));
            k.copy(k.vec(0), k.vec(3));
            k.and_or_masked_u32(k.vec(0), k.mask(0), k.hold_u32(12, 0xFF00FF00), k.hold_u32(13, 3));
        },
        [&](size_t i) {
            return in<int32_t>(0, i) > in<int32_t>(1, i) ? (in<uint32_t>(2, i) & 0xFF00FF00) | 3
                                                         : 0;
        });
}

TEST_P(VocabularyTest, Gathers) {
    std::vector<uint32_t> narrow(100);
    std::vector<uint64_t> wide(100);
    for (size_t i = 0; i < 100; ++i) {
        narrow[i] = static_cast<uint32_t>(0x80000000 + 3 * i);
        wide[i] = 0x8000000000000000 + 5 * i;
    }
    const auto index = [](size_t lane) { return lane * 37 % 100; };
    for (size_t lane = 0; lane < 8; ++lane) inputs_[0].set(lane, uint64_t{index(lane)});
    tensor_ = narrow.data();
    run([](K& k) { k.gather_u32_as_u64(k.vec(0), k.tensor(), k.vec(1), k.mask(0)); });
    expect<uint64_t>([&](size_t i) { return uint64_t{narrow[index(i)]}; });
    tensor_ = wide.data();
    run([](K& k) { k.gather_u64(k.vec(0), k.tensor(), k.vec(1), k.mask(0)); });
    expect<uint64_t>([&](size_t i) { return wide[index(i)]; });
    run([](K& k) {
        k.compare_greater_s64(k.mask(1), k.vec(2), k.vec(3));
        k.copy(k.vec(0), k.vec(3));
        k.gather_masked_u64(k.vec(0), k.tensor(), k.vec(1), k.mask(1), k.mask(0));
    });
    expect<uint64_t>([&](size_t i) {
        return in<int64_t>(1, i) > in<int64_t>(2, i) ? wide[index(i)] : in<uint64_t>(2, i);
    });
}

TEST_P(VocabularyTest, ZipsSumsAndNarrowStores) {
    const size_t lanes = bytes() / 8;
    const auto zipped = [&](size_t i) { return in<uint64_t>(i % 2 == 0 ? 0 : 1, i / 2); };
    for (const bool upper : {false, true}) {
        run([&](K& k) {
            const K::ZipOrder order{k.vec(6), k.vec(7)};
            k.set_zip_u64(order);
            k.zip_u64(k.vec(upper ? 4 : 0), k.vec(upper ? 0 : 4), k.vec(1), k.vec(2), order,
                      k.vec(5));
        });
        expect<uint64_t>([&](size_t i) { return zipped(upper ? lanes + i : i); });
    }
    uint64_t sum = 0, stored = 0;
    for (size_t i = 0; i < lanes; ++i) sum += in<uint64_t>(0, i);
    tensor_ = &stored;
    run([](K& k) {
        k.store_sum_u64(k.ptr[k.tensor()], 1, 4);
        k.zero(k.vec(0));
    });
    EXPECT_EQ(stored, sum);
    GuardedBuffer low(bytes() / 2, Guard::behind);
    tensor_ = low.data();
    run([](K& k) {
        k.store_low_u32(k.ptr[k.tensor()], k.vec(1), k.vec(4));
        k.zero(k.vec(0));
    });
    for (size_t i = 0; i < lanes; ++i)
        EXPECT_EQ(reinterpret_cast<const uint32_t*>(low.data())[i],
                  static_cast<uint32_t>(in<uint64_t>(0, i)));
}

TEST_P(VocabularyTest, MasksChooseWhatIsStored) {
    const size_t lanes = bytes() / 8;
    const auto is_set = [&](size_t i) {
        return i < lanes ? in<int64_t>(0, i) > in<int64_t>(1, i)
                         : in<int64_t>(1, i - lanes) > in<int64_t>(2, i - lanes);
    };
    constexpr uint64_t kElements[] = {0xA5, 0xBEEF, 0x12345678, 0x0123456789ABCDEF};
    for (const int size : {1, 2, 4, 8}) {
        const uint64_t element = kElements[__builtin_ctz(static_cast<unsigned>(size))];
        uint64_t pattern = element;
        for (int width = size; width < 8; width *= 2) pattern |= pattern << 8 * width;
        const size_t stored = 2 * lanes * static_cast<size_t>(size);
        std::vector<uint8_t> to(stored + 64, 0xEE);
        tensor_ = to.data();
        run([&](K& k) {
            k.compare_greater_s64(k.mask(1), k.vec(1), k.vec(2));
            k.compare_greater_s64(k.mask(2), k.vec(2), k.vec(3));
            k.join_masks(k.mask(0), k.mask(1), k.mask(2));
            k.store_where(k.tensor(), k.mask(0), k.hold_u64(12, pattern), size, k.vec(5));
            k.zero(k.vec(0));
        });
        for (size_t i = 0; i < 2 * lanes; ++i) {
            uint64_t value = 0;
            std::memcpy(&value, &to[i * static_cast<size_t>(size)], static_cast<size_t>(size));
            EXPECT_EQ(value, is_set(i) ? element : 0) << size << " " << i;
        }
        for (size_t i = stored; i < to.size(); ++i) EXPECT_EQ(to[i], 0xEE) << size;
    }
    check<uint64_t>([](K& k) { k.join_halves(k.vec(0), k.half(1), k.half(2)); },
                    [&](size_t i) {
                        return i < lanes / 2 ? in<uint64_t>(0, i) : in<uint64_t>(1, i - lanes / 2);
                    });
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
    run([](K& k) {
        const auto spread = k.spread_u64(k.args(), offsetof(K::Args, value), 1, k.vec(0));
        k.copy(k.vec(0), k.vec(1));
        k.xor3_u64(k.vec(0), k.vec(2), spread);
    });
    expect<uint64_t>([&](size_t i) { return in<uint64_t>(0, i) ^ in<uint64_t>(1, i) ^ value_; });
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
            k.xor3_u64(k.vec(0), k.vec(2), k.vec(3));
        },
        [&](size_t i) { return a(i) ^ b(i) ^ c(i); });
    check<uint64_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.and_or(k.vec(0), k.vec(2), k.vec(3));
        },
        [&](size_t i) { return (a(i) & b(i)) | c(i); });
}

// Masks in a register, and as kernels hold them.
TEST_P(VocabularyTest, MaskedLogic) {
    constexpr uint32_t kMask = 0x9D2C5680;  // of MT19937's tempering: no two halves alike
    const auto a = [&](size_t i) { return in<uint32_t>(0, i); };
    const auto b = [&](size_t i) { return in<uint32_t>(1, i); };
    const auto mask = [&](size_t i) { return in<uint32_t>(2, i); };
    check<uint32_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.select_bits(k.vec(0), k.vec(3), k.vector_u32(0x12345678));
        },
        [&](size_t i) { return (a(i) & mask(i)) | (0x12345678 & ~mask(i)); });
    check<uint32_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.select_bits(k.vec(0), k.hold_u32(16, kMask), k.vector_u32(0x12345678));
        },
        [&](size_t i) { return (a(i) & kMask) | (0x12345678 & ~kMask); });
    check<uint32_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.xor_masked(k.vec(0), k.vec(2), k.vec(3));
        },
        [&](size_t i) { return a(i) ^ (b(i) & mask(i)); });
    check<uint32_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.xor_masked(k.vec(0), k.vec(2), k.hold_u32(16, kMask));
        },
        [&](size_t i) { return a(i) ^ (b(i) & kMask); });
    check<uint32_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.xor_then_mask(k.vec(0), k.vec(2), k.vec(3));
        },
        [&](size_t i) { return (a(i) ^ b(i)) & mask(i); });
    check<uint32_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.xor_then_mask(k.vec(0), k.vec(2), k.hold_u32(16, kMask));
        },
        [&](size_t i) { return (a(i) ^ b(i)) & kMask; });
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

TEST_P(VocabularyTest, Widens) {
    const size_t half = bytes() / 8;
    check<uint32_t>([](K& k) { k.widen_u32(k.vec(0), k.vec(1), false); },
                    [&](size_t i) { return i % 2 == 0 ? in<uint32_t>(0, i / 2) : 0; });
    check<uint32_t>([](K& k) { k.widen_u32(k.vec(0), k.vec(1), true); },
                    [&](size_t i) { return i % 2 == 0 ? in<uint32_t>(0, half + i / 2) : 0; });
    check<uint32_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.widen_u32(k.vec(0), k.vec(0), false);
        },
        [&](size_t i) { return i % 2 == 0 ? in<uint32_t>(0, i / 2) : 0; });
}

// Into another register, and in place.
TEST_P(VocabularyTest, Narrows) {
    constexpr uint16_t kEdges[] = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0x1234, 0xFEDC};
    for (size_t i = 0; i < 16; ++i) inputs_[0].set(i, uint32_t{kEdges[i * 5 % 8]});
    const auto expect_u16 = [&] {
        for (size_t i = 0; i < bytes() / 4; ++i)
            EXPECT_EQ(output_.get<uint16_t>(i), in<uint32_t>(0, i)) << "lane " << i;
    };
    run([](K& k) { k.narrow_u32(k.half(0), k.vec(1)); });
    expect_u16();
    run([](K& k) {
        k.copy(k.vec(0), k.vec(1));
        k.narrow_u32(k.half(0), k.vec(0));
    });
    expect_u16();

    set_random_inputs();
    inputs_[0].set(0, ~uint64_t{0});
    inputs_[0].set(1, uint64_t{0x7FFFFFFF80000000});
    const auto expect_u32 = [&] {
        for (size_t i = 0; i < bytes() / 8; ++i)
            EXPECT_EQ(output_.get<uint32_t>(i), static_cast<uint32_t>(in<uint64_t>(0, i)))
                << "lane " << i;
    };
    run([](K& k) { k.narrow_u64(k.half(0), k.vec(1)); });
    expect_u32();
    run([](K& k) {
        k.copy(k.vec(0), k.vec(1));
        k.narrow_u64(k.half(0), k.vec(0));
    });
    expect_u32();
}

// Integers of up to 53 bits, with their words swapped.
TEST_P(VocabularyTest, SwappedU53ToF64) {
    constexpr uint64_t kMost = (uint64_t{1} << 53) - 1;
    const uint64_t kIntegers[16] = {0,
                                    1,
                                    0xFFFFFFFF,
                                    0x100000000,
                                    0x100000001,
                                    0x80000000,
                                    0x7FFFFFFF,
                                    kMost,
                                    kMost - 1,
                                    uint64_t{1} << 52,
                                    (uint64_t{1} << 52) - 1,
                                    0x1FFFFF00000000,
                                    0x1FFFFF7FFFFFFF,
                                    0x1FFFFF80000000,
                                    0x123456789ABCD,
                                    0x10000080000000};
    for (size_t first = 0; first < 16; first += bytes() / 8) {
        for (size_t i = 0; i < bytes() / 8; ++i) {
            const uint64_t x = kIntegers[first + i];
            inputs_[0].set(i, x << 32 | x >> 32);
        }
        const auto right = [&](size_t i) { return static_cast<double>(kIntegers[first + i]); };
        run([](K& k) { k.cvt_swapped_u53_to_f64(k.vec(0), k.vec(1), k.vec(4)); });
        expect<double>(right);
        run([](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.cvt_swapped_u53_to_f64(k.vec(0), k.vec(0), k.vec(4));
        });
        expect<double>(right);
    }
}

TEST_P(VocabularyTest, SwapsAndBlends) {
    run([](K& k) { k.swap_words_u64(k.vec(0), k.vec(1)); });
    expect<uint32_t>([&](size_t i) { return in<uint32_t>(0, i ^ 1); });
    run([](K& k) {
        k.set_odd_lanes(k.scratch());
        k.blend_odd_u32(k.vec(0), k.vec(1), k.vec(2));
    });
    expect<uint32_t>([&](size_t i) { return in<uint32_t>(static_cast<int>(i % 2), i); });
}

// Register 3 is the sign, register 4 scratch. Each of the two results is looked at.
TEST_P(VocabularyTest, SwapsBySign) {
    for (const bool second : {false, true}) {
        run([&](K& k) {
            k.copy(k.vec(0), k.vec(1));
            second ? k.swap_by_sign_u32(k.vec(2), k.vec(0), k.vec(3), k.vec(4))
                   : k.swap_by_sign_u32(k.vec(0), k.vec(2), k.vec(3), k.vec(4));
        });
        expect<uint32_t>(
            [&](size_t i) { return in<uint32_t>(in<uint32_t>(2, i) >> 31 != 0 ? 1 : 0, i); });
        run([&](K& k) {
            k.copy(k.vec(0), k.vec(1));
            second ? k.swap_by_sign_u64(k.vec(2), k.vec(0), k.vec(3), k.vec(4))
                   : k.swap_by_sign_u64(k.vec(0), k.vec(2), k.vec(3), k.vec(4));
        });
        expect<uint64_t>(
            [&](size_t i) { return in<uint64_t>(in<uint64_t>(2, i) >> 63 != 0 ? 1 : 0, i); });
    }
}

// Units of 32 bytes of both sources in turn: as u64 lanes, unit i / 4.
TEST_P(VocabularyTest, DealsUnitsOf32Bytes) {
    for (const bool odd : {false, true}) {
        run([&](K& k) {
            k.deal_32_bytes(k.vec(odd ? 4 : 0), k.vec(odd ? 0 : 4), k.vec(1), k.vec(2));
        });
        expect<uint64_t>([&](size_t i) {
            const size_t lanes = bytes() / 8, unit = i / 4 * 2 + (odd ? 1 : 0);
            const size_t lane = unit * 4 + i % 4;
            return in<uint64_t>(lane < lanes ? 0 : 1, lane % lanes);
        });
    }
}

// Also with the destination in the place that each may take.
TEST_P(VocabularyTest, InterleavesHalves) {
    const auto high = [&](size_t i) {
        return in<uint32_t>(0, i) >> 16 | (in<uint32_t>(1, i) & 0xFFFF0000);
    };
    run([](K& k) { k.interleave_high_u16(k.vec(0), k.vec(1), k.vec(2)); });
    expect<uint32_t>(high);
    run([](K& k) {
        k.copy(k.vec(0), k.vec(1));
        k.interleave_high_u16(k.vec(0), k.vec(0), k.vec(2));
    });
    expect<uint32_t>(high);
    const auto low = [&](size_t i) {
        return (in<uint32_t>(0, i) & 0xFFFF) | in<uint32_t>(1, i) << 16;
    };
    run([](K& k) { k.interleave_low_u16(k.vec(0), k.vec(1), k.vec(2)); });
    expect<uint32_t>(low);
    run([](K& k) {
        k.copy(k.vec(0), k.vec(2));
        k.interleave_low_u16(k.vec(0), k.vec(1), k.vec(0));
    });
    expect<uint32_t>(low);
}

// Values that are exact, that round up and down, ties to either side, subnormal in f16, and too large for it. The
// expected f16 bits are worked out by hand from the format: 5 bits of exponent, bias 15, 10 of fraction.
TEST_P(VocabularyTest, F16) {
    const struct {
        float value;
        uint16_t bits;
    } kCases[] = {{1.0f, 0x3C00},
                  {-2.0f, 0xC000},
                  {1.0f + 0x1p-11f, 0x3C00},
                  {1.0f + 0x3p-11f, 0x3C02},
                  {1.0f + 0x1p-10f, 0x3C01},
                  {65504.0f, 0x7BFF},
                  {65519.0f, 0x7BFF},
                  {65520.0f, 0x7C00},
                  {0x1p-24f, 0x0001},
                  {0x1p-25f, 0x0000},
                  {0x3p-25f, 0x0002},
                  {0x1p-14f, 0x0400},
                  {0.0f, 0x0000},
                  {-0.0f, 0x8000},
                  {0.333251953125f, 0x3555},
                  {1000.0f, 0x63D0}};
    for (size_t first = 0; first < std::size(kCases); first += bytes() / 4) {
        for (size_t i = 0; i < bytes() / 4; ++i) inputs_[0].set(i, kCases[first + i].value);
        run([](K& k) { k.cvt_f32_to_f16(k.half(0), k.vec(1)); });
        for (size_t i = 0; i < bytes() / 4; ++i)
            EXPECT_EQ(output_.get<uint16_t>(i), kCases[first + i].bits) << kCases[first + i].value;
        for (size_t i = 0; i < bytes() / 4; ++i) inputs_[0].set(i, kCases[first + i].bits);
        run([](K& k) { k.cvt_f16_to_f32(k.vec(0), k.half(1)); });
        for (size_t i = 0; i < bytes() / 4; ++i) {
            const float widened = output_.get<float>(i);
            const float value = kCases[first + i].value;
            // Exact, or the nearest: within half a unit of 11 bits, or of the subnormal spacing.
            if (!std::isinf(widened)) {
                EXPECT_LE(std::abs(widened - value),
                          std::max(0x1p-25f, std::abs(value) * 0x1p-11f));
            }
        }
    }
}

// bf16 is the upper half of f32: exact, below, above, and the two ties.
TEST_P(VocabularyTest, BF16) {
    const uint32_t kCases[8][2] = {{0x3F800000, 0x3F80}, {0x3F807FFF, 0x3F80}, {0x3F808001, 0x3F81},
                                   {0x3F808000, 0x3F80}, {0x3F818000, 0x3F82}, {0xBF818000, 0xBF82},
                                   {0x00018000, 0x0002}, {0x7F7FFFFF, 0x7F80}};
    for (size_t i = 0; i < 16; ++i) inputs_[0].set(i, kCases[i % 8][0]);
    run([](K& k) { k.round_f32_to_bf16(k.vec(0), k.vec(1), k.vec(4)); });
    expect<uint32_t>([&](size_t i) { return kCases[i % 8][1]; });
    run([](K& k) { k.round_f32_to_bf16_high(k.vec(0), k.vec(1), k.vec(4)); });
    for (size_t i = 0; i < bytes() / 4; ++i)
        EXPECT_EQ(output_.get<uint32_t>(i) >> 16, kCases[i % 8][1]) << "lane " << i;
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
        k.store_streaming(k.ptr[k.tensor()], k.vec(1));
        k.store_fence();
        k.zero(k.vec(0));
    });
    EXPECT_EQ(std::memcmp(target.bytes.data(), inputs_[0].bytes.data(), bytes()), 0);
}

// The lanes of a mask, numbered from a value on, one behind the other; the address stands behind the last of them.
TEST_P(VocabularyTest, AppendLanes) {
    std::array<Lanes, 2> target;
    tensor_ = target.data();
    run([](K& k) {
        k.compare_f32(k.mask(0), k.vec(1), k.vec(2), K::kGreaterEqual);
        k.mov(k.scratch(), 1000);
        k.append_lanes_u32(k.tensor(), k.mask(0), k.scratch(), k.tail().scratch, k.tail().scratch2,
                           k.vec(5));
        k.mov(k.scratch(), 7);
        k.mov(k.ptr[k.tensor()], k.scratch().cvt32());
        k.zero(k.vec(0));
    });
    std::vector<uint32_t> expected;
    for (size_t i = 0; i < bytes() / 4; ++i)
        if (in<float>(0, i) >= in<float>(1, i)) expected.push_back(static_cast<uint32_t>(1000 + i));
    expected.push_back(7);
    EXPECT_EQ(std::memcmp(target.data(), expected.data(), expected.size() * 4), 0);
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

// What a mask of lanes of that many bits does: it keeps the lanes of input 2 where input 0 is not below input 1.
TEST_P(VocabularyTest, MasksOfNarrowLanes) {
    const auto keep = [&](auto type, int lane_bits) {
        using T = decltype(type);
        Lanes memory;
        tensor_ = &memory;
        const auto kept = [&](size_t i) { return in<T>(0, i) >= in<T>(1, i); };
        check<T>(
            [&](K& k) {
                memory = inputs_[2];
                k.compare_not_below(k.mask(0), k.vec(1), k.vec(2), lane_bits);
                k.load_masked(k.vec(0), k.mask(0), k.ptr[k.tensor()], lane_bits);
            },
            [&](size_t i) {
                const T value = memory.get<T>(i);
                return kept(i) ? value : T{0};
            });
    };
    keep(uint16_t{}, 16);
    keep(uint32_t{}, 32);
}

// A mask is stored as bits and as bytes, and loaded again.
TEST_P(VocabularyTest, MasksInMemory) {
    Lanes memory;
    tensor_ = &memory;
    const auto stored = [&](auto type, int lane_bits) {
        using T = decltype(type);
        const size_t lanes = bytes() / sizeof(T);
        const auto kept = [&](size_t i) { return in<T>(0, i) >= in<T>(1, i); };
        memory.bytes.fill(0xA5);
        run([&](K& k) {
            k.compare_not_below(k.mask(0), k.vec(1), k.vec(2), lane_bits);
            k.store_mask_bits(k.tensor(), k.mask(0), lane_bits, k.vec(4), k.scratch());
            k.zero(k.vec(0));
        });
        for (size_t i = 0; i < lanes; ++i)
            EXPECT_EQ(memory.bytes[i / 8] >> i % 8 & 1, kept(i)) << lane_bits << " bits, " << i;
        EXPECT_EQ(memory.bytes[lanes / 8], 0xA5);
        memory.bytes.fill(0xA5);
        run([&](K& k) {
            k.compare_not_below(k.mask(0), k.vec(1), k.vec(2), lane_bits);
            k.store_mask_bytes(k.tensor(), k.mask(0), lane_bits, k.vec(4));
            k.zero(k.vec(0));
        });
        for (size_t i = 0; i < lanes; ++i)
            EXPECT_EQ(memory.bytes[i], kept(i) ? 1 : 0) << lane_bits << " bits, " << i;
        if (lanes < kMaxBytes) {
            EXPECT_EQ(memory.bytes[lanes], 0xA5);
        }
    };
    stored(uint8_t{}, 8);
    stored(uint16_t{}, 16);
    stored(uint32_t{}, 32);

    // Behind the mask, at 64, lies what it keeps.
    std::array<Lanes, 2> both;
    tensor_ = both.data();
    const auto loaded = [&](auto type, int lane_bits) {
        using T = decltype(type);
        both = {inputs_[0], inputs_[1]};
        for (size_t i = 0; i < kMaxBytes; i += 3) both[0].bytes[i] = 0;
        run([&](K& k) {
            k.load_mask_bits(k.mask(0), k.tensor(), lane_bits);
            k.load_masked(k.vec(0), k.mask(0), k.ptr[k.tensor() + kMaxBytes], lane_bits);
        });
        expect<T>([&](size_t i) {
            return (both[0].bytes[i / 8] >> i % 8 & 1) != 0 ? both[1].get<T>(i) : T{0};
        });
        run([&](K& k) {
            k.load_mask_bytes(k.mask(0), k.tensor(), lane_bits, k.vec(4));
            k.load_masked(k.vec(0), k.mask(0), k.ptr[k.tensor() + kMaxBytes], lane_bits);
        });
        expect<T>([&](size_t i) { return both[0].bytes[i] != 0 ? both[1].get<T>(i) : T{0}; });
    };
    loaded(uint16_t{}, 16);
    loaded(uint32_t{}, 32);
}

// Each part of a mask of narrow lanes, and two masks of wide lanes as one.
TEST_P(VocabularyTest, PartsOfMasks) {
    Lanes memory;
    tensor_ = &memory;
    const auto parts_of = [&](auto narrow, auto wide) {
        using Narrow = decltype(narrow);
        using Wide = decltype(wide);
        constexpr int kBits = 8 * sizeof(Narrow), kWideBits = 8 * sizeof(Wide);
        constexpr int kParts = kWideBits / kBits;
        for (int part = 0; part < kParts; ++part) {
            run([&](K& k) {
                memory = inputs_[2];
                k.compare_not_below(k.mask(0), k.vec(1), k.vec(2), kBits);
                const K::Mask wanted = k.part_of_mask(k.mask(1), k.mask(0), kBits, kParts, part);
                k.load_masked(k.vec(0), wanted, k.ptr[k.tensor()], kWideBits);
            });
            const size_t first = static_cast<size_t>(part) * bytes() / sizeof(Wide);
            expect<Wide>([&](size_t i) {
                const bool kept = in<Narrow>(0, first + i) >= in<Narrow>(1, first + i);
                return kept ? memory.get<Wide>(i) : Wide{0};
            });
        }
    };
    parts_of(uint8_t{}, uint16_t{});
    parts_of(uint8_t{}, uint32_t{});
    parts_of(uint16_t{}, uint32_t{});

    run([&](K& k) {
        memory = inputs_[2];
        k.compare_not_below(k.mask(0), k.vec(1), k.vec(2), 32);
        k.compare_not_below(k.mask(1), k.vec(2), k.vec(3), 32);
        k.join_masks_u32(k.mask(2), k.mask(0), k.mask(1));
        k.load_masked(k.vec(0), k.mask(2), k.ptr[k.tensor()], 16);
    });
    const size_t half = bytes() / 4;
    expect<uint16_t>([&](size_t i) {
        const bool kept = i < half ? in<uint32_t>(0, i) >= in<uint32_t>(1, i)
                                   : in<uint32_t>(1, i - half) >= in<uint32_t>(2, i - half);
        return kept ? memory.get<uint16_t>(i) : uint16_t{0};
    });
}

TEST_P(VocabularyTest, MaskedLanesOf32Bits) {
    check<uint32_t>(
        [](K& k) {
            k.compare_greater_s32(k.mask(0), k.vec(1), k.vec(2));
            k.copy(k.vec(0), k.vec(3));
            k.select_masked_u32(k.vec(0), k.mask(0), k.vec(1));
        },
        [&](size_t i) {
            return in<int32_t>(0, i) > in<int32_t>(1, i) ? in<uint32_t>(0, i) : in<uint32_t>(2, i);
        });
    check<uint32_t>(
        [](K& k) {
            k.compare_greater_s32(k.mask(0), k.vec(1), k.vec(2));
            k.copy(k.vec(0), k.vec(3));
            k.or_masked_u32(k.vec(0), k.mask(0), k.vector_u32(0x00F0F000));
        },
        [&](size_t i) {
            return in<uint32_t>(2, i) | (in<int32_t>(0, i) > in<int32_t>(1, i) ? 0x00F0F000 : 0);
        });
}

TEST_P(VocabularyTest, WidensHalvesOf16Bits) {
    for (const bool upper : {false, true}) {
        run([&](K& k) { k.widen_u16(k.vec(0), k.vec(1), upper); });
        const size_t first = upper ? bytes() / 4 : 0;
        expect<uint32_t>([&](size_t i) { return uint32_t{in<uint16_t>(0, first + i)}; });
    }
}

// Every number of the types, times a factor that rounds. The right result is C++'s, whose conversions
// have tests against every value of their own.
TEST_P(VocabularyTest, ProductsOf16Bits) {
    constexpr float kFactor = 1.1111112f;
    for (uint32_t first = 0; first < 0x10000; first += static_cast<uint32_t>(bytes() / 2)) {
        for (size_t i = 0; i < bytes() / 2; ++i)
            inputs_[0].set(i, static_cast<uint16_t>(first + i));
        run([&](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.load(k.vec(4), k.vector_f32(kFactor));
            k.mul_f16_by_f32(k.vec(0), k.vec(4), k.vec(2), k.vec(3));
        });
        expect<uint16_t>(
            [&](size_t i) { return to_f16(to_f32(in<Float16>(0, i)) * kFactor).bits; });
        run([&](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.load(k.vec(4), k.vector_f32(kFactor));
            k.mul_bf16_by_f32(k.vec(0), k.vec(4), k.vec(2), k.vec(3));
        });
        expect<uint16_t>(
            [&](size_t i) { return to_bf16(to_f32(in<BFloat16>(0, i)) * kFactor).bits; });
    }
}

// An operation that is added without a test of its own is missed here.
TEST(Vocabulary, EveryOperationIsNamedInThisFile) {
    const auto contents = [](const char* path) {
        std::ifstream file(path);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    std::string header = contents(TOMBOLA_SOURCE_DIR "/src/cpu/x64/vocabulary.hpp");
    const std::string tests = contents(TOMBOLA_SOURCE_DIR "/tests/gtests/x64/vocabulary_test.cpp");
    header.resize(header.find("\n  private:\n    void"));  // what kernels cannot call
    const std::regex declaration(
        "\n    (?:void|bool|int|CpuIsa|Vec|Half|Held|Spread|Address|Xbyak::Xmm) (\\w+)\\(");
    int operations = 0;
    for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end;
         ++it, ++operations)
        EXPECT_NE(tests.find("k." + it->str(1) + "("), std::string::npos) << it->str(1);
    EXPECT_GT(operations, 50);
}

INSTANTIATE_TEST_SUITE_P(EachIsa, VocabularyTest,
                         testing::Values(CpuIsa::avx2, CpuIsa::avx512_core,
                                         CpuIsa::avx512_core_vbmi),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace tombola::impl::cpu::x64
