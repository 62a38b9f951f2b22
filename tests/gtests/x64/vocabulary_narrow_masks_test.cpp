// SPDX-License-Identifier: Apache-2.0

// The vocabulary: masks of lanes of 8, 16 or 32 bits, masks in memory, and products of 16-bit types under a mask.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "common/bit_cast.hpp"
#include "cpu/float16.hpp"
#include "gtests/x64/vocabulary_fixture.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

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
                k.load_or_zero(k.vec(0), k.mask(0), k.ptr[k.tensor()], lane_bits);
            },
            [&](size_t i) {
                const T value = memory.get<T>(i);
                return kept(i) ? value : T{0};
            });
    };
    keep(uint16_t{}, 16);
    keep(uint32_t{}, 32);

    // A product: of NaN and infinity too.
    constexpr float kFactor = 1.1111112f;
    Lanes memory;
    tensor_ = &memory;
    check<uint32_t>(
        [&](K& k) {
            memory = inputs_[2];
            memory.set(0, NAN);
            memory.set(1, -INFINITY);
            k.compare_not_below(k.mask(0), k.vec(1), k.vec(2), 32);
            k.load(k.vec(4), k.vector_f32(kFactor));
            k.mul_masked_f32(k.vec(0), k.mask(0), k.vec(4), k.ptr[k.tensor()]);
        },
        [&](size_t i) {
            const bool is_kept = in<uint32_t>(0, i) >= in<uint32_t>(1, i);
            return is_kept ? bit_cast<uint32_t>(memory.get<float>(i) * kFactor) : 0;
        });
}

// Every number of the types, times a factor that rounds, under a mask of each second element. The right result is C++'s,
// whose conversions have tests against every value of their own.
TEST_P(VocabularyTest, MaskedProductsOf16Bits) {
    constexpr float kFactor = 1.1111112f;
    Lanes memory;
    tensor_ = &memory;
    for (uint32_t dropped = 0; dropped < 2; ++dropped)
        for (uint32_t first = 0; first < 0x10000; first += static_cast<uint32_t>(bytes() / 2)) {
            for (size_t i = 0; i < bytes() / 2; ++i) {
                memory.set(i, static_cast<uint16_t>(first + i));
                inputs_[0].set(i, static_cast<uint16_t>(i % 2 != dropped));
                inputs_[1].set(i, uint16_t{1});
            }
            run([&](K& k) {
                k.compare_not_below(k.mask(0), k.vec(1), k.vec(2), 16);
                k.load(k.vec(4), k.vector_f32(kFactor));
                k.mul_masked_f16(k.vec(0), k.mask(0), k.vec(4), k.tensor(), k.vec(2), k.vec(3));
            });
            expect<uint16_t>([&](size_t i) {
                if (i % 2 == dropped) return uint16_t{0};
                return to_f16(to_f32(memory.get<Float16>(i)) * kFactor).bits;
            });
            run([&](K& k) {
                k.set_held_range(10);
                const K::Bf16Product constants = k.hold_bf16_product();
                k.compare_not_below(k.mask(0), k.vec(1), k.vec(2), 16);
                k.load(k.vec(4), k.vector_f32(kFactor));
                k.mul_masked_bf16(k.vec(0), k.mask(0), k.vec(4), k.tensor(), constants, k.vec(2),
                                  k.vec(3));
            });
            expect<uint16_t>([&](size_t i) {
                if (i % 2 == dropped) return uint16_t{0};
                return to_bf16(to_f32(memory.get<BFloat16>(i)) * kFactor).bits;
            });
        }
    tensor_ = nullptr;  // or GCC 12 warns that it outlives `memory`
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
        if (lanes < kMaxVecBytes) {
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
        for (size_t i = 0; i < kMaxVecBytes; i += 3) both[0].bytes[i] = 0;
        run([&](K& k) {
            k.load_mask_bits(k.mask(0), k.tensor(), lane_bits);
            k.load_or_zero(k.vec(0), k.mask(0), k.ptr[k.tensor() + kMaxVecBytes], lane_bits);
        });
        expect<T>([&](size_t i) {
            return (both[0].bytes[i / 8] >> i % 8 & 1) != 0 ? both[1].get<T>(i) : T{0};
        });
        run([&](K& k) {
            k.load_mask_bits(k.mask(0), k.tensor(), lane_bits);
            k.load_selected(k.vec(0), k.mask(0), k.ptr[k.tensor() + kMaxVecBytes], k.vec(1),
                            lane_bits);
        });
        expect<T>([&](size_t i) {
            return (both[0].bytes[i / 8] >> i % 8 & 1) != 0 ? both[1].get<T>(i) : in<T>(0, i);
        });
        run([&](K& k) {
            k.load_mask_bytes(k.mask(0), k.tensor(), lane_bits, k.vec(4));
            k.load_or_zero(k.vec(0), k.mask(0), k.ptr[k.tensor() + kMaxVecBytes], lane_bits);
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
                k.load_or_zero(k.vec(0), wanted, k.ptr[k.tensor()], kWideBits);
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
        k.load_or_zero(k.vec(0), k.mask(2), k.ptr[k.tensor()], 16);
    });
    const size_t half = bytes() / 4;
    expect<uint16_t>([&](size_t i) {
        const bool kept = i < half ? in<uint32_t>(0, i) >= in<uint32_t>(1, i)
                                   : in<uint32_t>(1, i - half) >= in<uint32_t>(2, i - half);
        return kept ? memory.get<uint16_t>(i) : uint16_t{0};
    });
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
