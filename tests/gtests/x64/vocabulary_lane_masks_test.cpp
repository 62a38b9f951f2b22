// SPDX-License-Identifier: Apache-2.0

// The vocabulary: masks of lanes of 32 or 64 bits, arithmetic and logic under a mask, gathers.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "common/bit_cast.hpp"
#include "gtests/x64/vocabulary_fixture.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

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
    check_where_greater<uint64_t>(
        [](K& k) {
            k.load(k.vec(4), k.vector_u64(1));
            k.increment_masked_u64(k.vec(0), k.mask(0), k.vec(3), k.vec(4));
        },
        [&](bool is_set, size_t i) { return in<uint64_t>(2, i) + (is_set ? 1 : 0); });
    check_where_greater<uint64_t>(
        [](K& k) {
            k.and_or_masked_u64(k.vec(0), k.mask(0), k.hold_u64(12, 0xFF00FF00FF00FF00),
                                k.hold_u64(13, 3));
        },
        [&](bool is_set, size_t i) {
            return is_set ? (in<uint64_t>(2, i) & 0xFF00FF00FF00FF00) | 3 : 0;
        });
    check_where_greater<uint32_t>(
        [](K& k) {
            k.and_or_masked_u32(k.vec(0), k.mask(0), k.hold_u32(12, 0xFF00FF00), k.hold_u32(13, 3));
        },
        [&](bool is_set, size_t i) { return is_set ? (in<uint32_t>(2, i) & 0xFF00FF00) | 3 : 0; });
    check_where_greater<uint32_t>(
        [](K& k) { k.select_masked_u32(k.vec(0), k.mask(0), k.vec(1)); },
        [&](bool is_set, size_t i) { return in<uint32_t>(is_set ? 0 : 2, i); });
    check_where_greater<uint64_t>(
        [](K& k) { k.select_masked_u64(k.vec(0), k.mask(0), k.vec(1)); },
        [&](bool is_set, size_t i) { return in<uint64_t>(is_set ? 0 : 2, i); });
    check_where_greater<uint32_t>(
        [](K& k) { k.or_masked_u32(k.vec(0), k.mask(0), k.vector_u32(0x00F0F000)); },
        [&](bool is_set, size_t i) { return in<uint32_t>(2, i) | (is_set ? 0x00F0F000 : 0); });
}

// The lanes outside the mask hold NaN.
TEST_P(VocabularyTest, MaxMaskedF32) {
    for (size_t i = 0; i < 16; ++i) {
        inputs_[0].set(i, i % 3 == 0 ? std::nanf("") : static_cast<float>(i));
        inputs_[1].set(i, i % 4 == 0 ? std::nanf("") : 7.5f);
        inputs_[2].set(i, i % 3 == 0 || i % 4 == 0 ? -1.0f : 1.0f);
    }
    run([](K& k) {
        k.compare_f32(k.mask(0), k.vec(3), k.vector_f32(0), k.kGreaterEqual);
        k.max_masked_f32(k.vec(0), k.mask(0), k.vec(1), k.vec(2));
    });
    expect<float>([&](size_t i) {
        return i % 3 == 0 || i % 4 == 0 ? 0 : std::max(static_cast<float>(i), 7.5f);
    });
}

// A NaN in each lane of either operand of either comparison, and in none.
TEST_P(VocabularyTest, ComparisonsOfWhichAllHold) {
    for (const int width : {4, 8}) {
        const size_t lanes = bytes() / static_cast<size_t>(width);
        for (size_t bad = 0; bad <= 3 * lanes; ++bad) {
            for (size_t i = 0; i < 3 * lanes; ++i) {
                const bool is_bad = i == bad;
                if (width == 4)
                    inputs_[i / lanes].set(i % lanes, is_bad ? std::nanf("") : 1.0f);
                else
                    inputs_[i / lanes].set(i % lanes, is_bad ? std::nan("") : -1.0);
            }
            run([&](K& k) {
                k.fill_mask(k.mask(0));
                for (const auto& [a, b] : {std::pair{1, 2}, std::pair{3, 3}}) {
                    if (width == 4)
                        k.compare_also_f32(k.mask(0), k.vec(a), k.vec(b), k.kOrdered, k.vec(5));
                    else
                        k.compare_also_f64(k.mask(0), k.vec(a), k.vec(b), k.kOrdered, k.vec(5));
                }
                k.unset_to_reg(k.scratch(), k.mask(0), width);
                k.broadcast_u64(k.vec(0), k.scratch());
            });
            EXPECT_EQ(output_.get<uint64_t>(0) != 0, bad < 3 * lanes) << width << " " << bad;
        }
    }
    set_random_inputs();
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
        for (const bool streaming : {false, true}) {
            const size_t stored = 2 * lanes * static_cast<size_t>(size);
            alignas(64) uint8_t to[3 * 64];
            std::memset(to, 0xEE, sizeof to);
            tensor_ = to;
            run([&](K& k) {
                k.compare_greater_s64(k.mask(1), k.vec(1), k.vec(2));
                k.compare_greater_s64(k.mask(2), k.vec(2), k.vec(3));
                k.join_masks(k.mask(0), k.mask(1), k.mask(2));
                k.store_where(k.tensor(), k.mask(0), k.hold_u64(12, pattern), size, k.vec(5),
                              streaming);
                k.zero(k.vec(0));
            });
            for (size_t i = 0; i < 2 * lanes; ++i) {
                uint64_t value = 0;
                std::memcpy(&value, &to[i * static_cast<size_t>(size)], static_cast<size_t>(size));
                EXPECT_EQ(value, is_set(i) ? element : 0) << size << " " << i;
            }
            for (size_t i = stored; i < sizeof to; ++i) EXPECT_EQ(to[i], 0xEE) << size;
        }
    }
    check<uint64_t>([](K& k) { k.join_halves(k.vec(0), k.half(1), k.half(2)); },
                    [&](size_t i) {
                        return i < lanes / 2 ? in<uint64_t>(0, i) : in<uint64_t>(1, i - lanes / 2);
                    });
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

// The numbers of the set lanes, counted from a value on, lie one after the other. The address ends after the last one.
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

TEST_P(VocabularyTest, MaskedSumsCopiesAndMinima) {
    check_where_greater<uint32_t>([](K& k) { k.add_masked_u32(k.vec(0), k.mask(0), k.vec(1)); },
                                  [&](bool is_set, size_t i) {
                                      return in<uint32_t>(2, i) + (is_set ? in<uint32_t>(0, i) : 0);
                                  });
    check_where_greater<uint32_t>(
        [](K& k) { k.copy_masked_u32(k.vec(0), k.mask(0), k.hold_u32(4, 0x12345678)); },
        [](bool is_set, size_t) { return is_set ? 0x12345678u : 0u; });
    check_where_greater<uint32_t>(
        [](K& k) { k.shift_left_masked_u32(k.vec(0), k.mask(0), k.vec(3), 23); },
        [&](bool is_set, size_t i) { return is_set ? in<uint32_t>(2, i) << 23 : 0u; });
    for (size_t i = 0; i < bytes() / sizeof(float); ++i)
        inputs_[2].set(i, static_cast<float>(i) - 3.5f);
    run([](K& k) {
        const K::Held value = k.hold_u32(4, bit_cast<uint32_t>(1.0f));
        k.compare_greater_s32(k.mask(0), k.vec(1), k.vec(2));
        k.copy(k.vec(0), k.vec(3));
        k.min_masked_f32(k.vec(0), k.mask(0), value, k.vec(5));
    });
    expect<float>([&](size_t i) {
        const float x = in<float>(2, i);
        return in<int32_t>(0, i) > in<int32_t>(1, i) ? std::min(x, 1.0f) : x;
    });
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
