// SPDX-License-Identifier: Apache-2.0

// The kernels that copy rows, called one by one: any run of rows, and rows at every alignment.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/x64/shuffle/row_functions.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/tensor.hpp"

namespace tombola::impl {
namespace {

using test::Guard;
using test::GuardedBuffer;

// Runs of rows that begin and end anywhere, as threads and slices cut them: nothing else is written.
TEST(ShuffleRowFunctions, StitchedRowsFromAnyRowToAny) {
    using cpu::x64::Sources;
    using cpu::x64::StitchFunction;
    using cpu::x64::Stores;
    if (effective_isa() < CpuIsa::avx512_core) GTEST_SKIP() << "AVX-512";
    constexpr int64_t kQ = 5, kG = 3, kImages = 6, kRows = kQ * kG * kImages;
    const auto check = [](int64_t R, Stores stores, Sources sources) {
        const cpu::x64::StitchKey key{R, kQ, kG, R, kQ * kG * R, stores, sources};
        ASSERT_TRUE(StitchFunction::serves(key));
        const auto made = StitchFunction::make(key);
        ASSERT_TRUE(made.ok()) << made.status().message();
        const StitchFunction& stitch = made.value();
        const auto bytes = static_cast<size_t>(kRows * R);
        const GuardedBuffer src(bytes);
        const auto values = test::test_bytes(bytes);
        std::memcpy(src.data(), values.data(), bytes);
        std::vector<uint8_t> want(bytes), got(bytes);
        for (int64_t row = 0; row < kRows; ++row) {
            const int64_t image = row / (kQ * kG), c = row % (kQ * kG);
            const int64_t from = image * kQ * kG + c % kQ * kG + c / kQ;
            std::memcpy(&want[static_cast<size_t>(row * R)], &values[static_cast<size_t>(from * R)],
                        static_cast<size_t>(R));
        }
        // Streaming stores need an aligned destination.
        const bool streams = stores == Stores::streaming || stores == Stores::streaming_parts;
        const size_t offset = stores == Stores::streaming_parts ? 16 : 0;
        GuardedBuffer dst(bytes + offset, streams ? Guard::before : Guard::behind);
        char* const to = dst.data<char>() + offset;
        const auto expect_rows = [&](int64_t begin, int64_t end) {
            std::fill(got.begin(), got.end(), GuardedBuffer::kPoison);
            std::copy(want.begin() + begin * R, want.begin() + end * R, got.begin() + begin * R);
            ASSERT_EQ(std::memcmp(to, got.data(), bytes), 0)
                << R << " bytes, rows " << begin << " to " << end;
            ASSERT_EQ(std::count(dst.data(), dst.data() + offset, GuardedBuffer::kPoison), offset);
            ASSERT_TRUE(dst.slack_is_intact());
        };
        const int64_t ahead = 777;  // a prefetch of any address is harmless
        for (int64_t begin = 0; begin < kRows; ++begin)
            for (int64_t end = begin + 1; end <= kRows; ++end) {
                dst.poison();
                stitch(src.data<char>(), to, begin, end, ahead);
                expect_rows(begin, end);
                if (::testing::Test::HasFatalFailure()) return;
            }
    };
    for (const int64_t R : {33, 36, 40, 47, 48, 49, 57, 63, 65, 98, 100, 127, 196, 255})
        for (const Stores stores : {Stores::plain, Stores::prefetched, Stores::streaming}) {
            check(R, stores, Sources::plain);
            if (stores == Stores::streaming) check(R, stores, Sources::prefetched);
            if (stores == Stores::streaming) check(R, stores, Sources::prefetched_l2);
            if (stores == Stores::streaming) check(R, Stores::streaming_parts, Sources::prefetched);
            if (HasFatalFailure()) return;
        }
}

// The code adds distances as immediate operands, which have 32 bits with a sign.
TEST(ShuffleRowFunctions, DistancesOfStitchedRows) {
    using cpu::x64::StitchFunction;
    constexpr int64_t k2To31 = int64_t{1} << 31;
    const auto serves = [](int64_t src_axis, int64_t src_image) {
        return StitchFunction::serves({49, 5, 4, src_axis, src_image, cpu::x64::Stores::plain});
    };
    EXPECT_TRUE(serves(k2To31 / 4 - 1, k2To31 - 1));
    EXPECT_FALSE(serves(k2To31 / 4, k2To31 - 1));  // from row to row: 4 * src_axis
    EXPECT_FALSE(serves(49, k2To31));
}

// The kernel of rows, on rows at every alignment.
TEST(ShuffleRowFunctions, PrefetchedAndStreamingRows) {
    using cpu::x64::Sources;
    using cpu::x64::Stores;
    if (effective_isa() < CpuIsa::avx2) GTEST_SKIP() << "needs AVX2";
    const auto check = [](CpuIsa isa, int64_t row_bytes, Stores stores,
                          Sources sources = Sources::plain) {
        const auto kernel =
            cpu::x64::row_function({isa, row_bytes, row_bytes, row_bytes, stores, sources});
        ASSERT_TRUE(kernel.ok()) << kernel.status().message();
        constexpr int64_t kRows = 67;
        const GuardedBuffer src(static_cast<size_t>(kRows * row_bytes));
        GuardedBuffer dst(src.bytes());
        const auto values = test::test_bytes(src.bytes());
        std::memcpy(src.data(), values.data(), values.size());
        cpu::x64::RowArgs args{src.data(), dst.data(), {1, 0, 0}, {1, 0, 0}, kRows, 777};
        kernel.value()(args);
        EXPECT_EQ(std::memcmp(dst.data(), src.data(), src.bytes()), 0) << row_bytes;
        EXPECT_TRUE(dst.slack_is_intact());
    };
    for (const CpuIsa isa : {CpuIsa::avx2, CpuIsa::avx512_core}) {
        if (isa > effective_isa()) continue;
        for (const int64_t row_bytes : {4, 9, 16, 25, 49, 64, 98, 196}) {
            check(isa, row_bytes, Stores::prefetched);
            if (HasFatalFailure()) return;
        }
        for (const int64_t row_bytes : {128, 129, 191, 200, 512, 513, 575, 784, 1000, 3136, 4099}) {
            check(isa, row_bytes, Stores::prefetched);
            check(isa, row_bytes, Stores::prefetched_ahead);
            check(isa, row_bytes, Stores::streaming);
            check(isa, row_bytes, Stores::streaming, Sources::prefetched);
            check(isa, row_bytes, Stores::streaming, Sources::prefetched_l2);
            check(isa, row_bytes, Stores::strings);
            if (HasFatalFailure()) return;
        }
    }
}

// Turns of a few rows that lie apart in the source, as a loop and as straight code, and rows whose stores overrun them.
TEST(ShuffleRowFunctions, TurnsOfRowsThatLieApart) {
    using cpu::x64::Stores;
    if (effective_isa() < CpuIsa::avx2) GTEST_SKIP() << "needs AVX2";
    constexpr int64_t kTurns = 3, kImages = 2;
    const auto check = [](CpuIsa isa, int64_t R, Stores stores, int64_t rows, bool is_straight,
                          bool overruns) {
        const int64_t image = kTurns * rows * R;
        const auto kernel =
            cpu::x64::row_function({isa, R, kTurns * R, R, stores, cpu::x64::Sources::plain,
                                    is_straight ? rows : 0, overruns});
        ASSERT_TRUE(kernel.ok()) << kernel.status().message();
        const auto bytes = static_cast<size_t>(kImages * image);
        const auto more = static_cast<size_t>(overruns ? cpu::x64::size_of_access(R) - R : 0);
        const GuardedBuffer src(bytes + more);
        GuardedBuffer dst(bytes + more);
        const auto values = test::test_bytes(bytes + more);
        std::memcpy(src.data(), values.data(), values.size());
        cpu::x64::RowArgs args{
            src.data(), dst.data(), {kImages, image, image}, {kTurns, R, rows * R}, rows, 777};
        kernel.value()(args);
        for (int64_t i = 0; i < kImages; ++i)
            for (int64_t turn = 0; turn < kTurns; ++turn)
                for (int64_t row = 0; row < rows; ++row)
                    ASSERT_EQ(std::memcmp(dst.data() + i * image + (turn * rows + row) * R,
                                          src.data() + i * image + (row * kTurns + turn) * R,
                                          static_cast<size_t>(R)),
                              0)
                        << R << " bytes, turn " << turn << " of " << rows << ", row " << row
                        << (is_straight ? ", straight" : "") << (overruns ? ", overrun" : "");
        EXPECT_TRUE(dst.slack_is_intact());
    };
    for (const CpuIsa isa : {CpuIsa::avx2, CpuIsa::avx512_core}) {
        if (isa > effective_isa()) continue;
        for (const Stores stores : {Stores::plain, Stores::prefetched})
            for (const int64_t rows : {1, 2, 5})
                for (const int64_t R : {4, 9, 16, 25, 31, 32, 33, 48, 57, 63, 64, 65, 100, 196}) {
                    check(isa, R, stores, rows, false, false);
                    check(isa, R, stores, rows, true, false);
                    if (R < 32) check(isa, R, stores, rows, false, true);
                    if (R < 32) check(isa, R, stores, rows, true, true);
                    if (HasFatalFailure()) return;
                }
    }
}

}  // namespace
}  // namespace tombola::impl
