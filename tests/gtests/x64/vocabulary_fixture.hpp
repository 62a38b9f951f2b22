// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fixture of the tests of the JIT vocabulary: each operation by itself, at each instruction set up to the one in
// force, against the same operation in plain C++.

#include "cpu/x64/vocabulary.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <tuple>
#include <type_traits>

namespace tombola::impl::cpu::x64 {

inline constexpr int kInputs = 3;

// One vector as lanes of T; the first bytes() of it count.
struct alignas(kMaxVecBytes) Lanes {
    std::array<uint8_t, kMaxVecBytes> bytes{};
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

    using Vocabulary::add_masked_u32;
    using Vocabulary::add_toward_zero_f32;
    using Vocabulary::and3;
    using Vocabulary::and_bits;
    using Vocabulary::and_or;
    using Vocabulary::and_or_masked_u32;
    using Vocabulary::and_or_masked_u64;
    using Vocabulary::append_lanes_u32;
    using Vocabulary::Bf16Product;
    using Vocabulary::blend_odd_u32;
    using Vocabulary::broadcast_u32;
    using Vocabulary::broadcast_u64;
    using Vocabulary::bytes;
    using Vocabulary::clear_mask;
    using Vocabulary::compare_also_f32;
    using Vocabulary::compare_also_f64;
    using Vocabulary::compare_f32;
    using Vocabulary::compare_f64;
    using Vocabulary::compare_greater_s32;
    using Vocabulary::compare_greater_s64;
    using Vocabulary::compare_not_below;
    using Vocabulary::copy;
    using Vocabulary::copy_masked_u32;
    using Vocabulary::cvt_f16_to_f32;
    using Vocabulary::cvt_f32_to_f16;
    using Vocabulary::cvt_f32_to_f16_toward_zero;
    using Vocabulary::cvt_swapped_u53_to_f64;
    using Vocabulary::deal_32_bytes;
    using Vocabulary::emit_with_and_without_streaming;
    using Vocabulary::fill_mask;
    using Vocabulary::gather_masked_u64;
    using Vocabulary::gather_u32_as_u64;
    using Vocabulary::gather_u64;
    using Vocabulary::half;
    using Vocabulary::has_masks;
    using Vocabulary::has_xor3;
    using Vocabulary::Held;
    using Vocabulary::hold;
    using Vocabulary::hold_bf16_product;
    using Vocabulary::hold_elements;
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
    using Vocabulary::kOrdered;
    using Vocabulary::kUnordered;
    using Vocabulary::lanes;
    using Vocabulary::load;
    using Vocabulary::load_half_twice;
    using Vocabulary::load_mask_bits;
    using Vocabulary::load_mask_bytes;
    using Vocabulary::load_part;
    using Vocabulary::load_selected;
    using Vocabulary::load_tail;
    using Vocabulary::lookup_f32;
    using Vocabulary::Mask;
    using Vocabulary::mask_to_reg;
    using Vocabulary::max_masked_f32;
    using Vocabulary::min_masked_f32;
    using Vocabulary::min_with_difference_u64;
    using Vocabulary::move_high_words;
    using Vocabulary::mul_lo_u64;
    using Vocabulary::mul_masked_bf16;
    using Vocabulary::mul_masked_f16;
    using Vocabulary::mul_masked_f32;
    using Vocabulary::mul_u32_wide;
    using Vocabulary::narrow_u32;
    using Vocabulary::narrow_u64;
    using Vocabulary::or_bits;
    using Vocabulary::or_masked_u32;
    using Vocabulary::or_masks;
    using Vocabulary::part;
    using Vocabulary::part_of_mask;
    using Vocabulary::quarter;
    using Vocabulary::registers;
    using Vocabulary::round_f32_to_bf16;
    using Vocabulary::round_f32_to_bf16_high;
    using Vocabulary::round_f32_to_digits;
    using Vocabulary::select_bits;
    using Vocabulary::select_masked_u32;
    using Vocabulary::select_masked_u64;
    using Vocabulary::set_held_range;
    using Vocabulary::set_odd_lanes;
    using Vocabulary::set_tail;
    using Vocabulary::set_zip_u64;
    using Vocabulary::shift_left_masked_u32;
    using Vocabulary::spread_bytes;
    using Vocabulary::spread_u32;
    using Vocabulary::spread_u64;
    using Vocabulary::store;
    using Vocabulary::store_low_u32;
    using Vocabulary::store_mask_bits;
    using Vocabulary::store_mask_bytes;
    using Vocabulary::store_part;
    using Vocabulary::store_piece;
    using Vocabulary::store_sum_u64;
    using Vocabulary::store_sums_f32;
    using Vocabulary::store_tail;
    using Vocabulary::store_where;
    using Vocabulary::swap_by_sign_u32;
    using Vocabulary::swap_by_sign_u64;
    using Vocabulary::swap_words_u64;
    using Vocabulary::Tail;
    using Vocabulary::take_held;
    using Vocabulary::take_words_u32;
    using Vocabulary::takes_words;
    using Vocabulary::test_either;
    using Vocabulary::unset_to_reg;
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
    using Vocabulary::xor3_odd_u32;
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
    // d = the vector at the address in the lanes of the mask, of 16 or 32 bits, and 0 in the others. Register 7 is overwritten.
    void load_or_zero(const Vec& d, const Mask& m, const Xbyak::Address& a, int lane_bits) {
        zero(vec(7));
        load_selected(d, m, a, vec(7), lane_bits);
    }
    Xbyak::Address argument(size_t offset) { return ptr[args() + offset]; }

  private:
    void generate() override {
        begin(7, 2 * kMaxVecBytes);
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
    // check() of an operation under mask 0, which is set where input 0 is greater than input 1, signed. Register 0 is a
    // copy of input 2 when `body` begins. right(is_set, lane) is what the lane has to be.
    template <class T, class Right>
    void check_where_greater(const K::Body& body, const Right& right) {
        using Signed = std::make_signed_t<T>;
        check<T>(
            [&](K& k) {
                if (sizeof(T) == 8)
                    k.compare_greater_s64(k.mask(0), k.vec(1), k.vec(2));
                else
                    k.compare_greater_s32(k.mask(0), k.vec(1), k.vec(2));
                k.copy(k.vec(0), k.vec(3));
                body(k);
            },
            [&](size_t i) { return right(in<Signed>(0, i) > in<Signed>(1, i), i); });
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

}  // namespace tombola::impl::cpu::x64
