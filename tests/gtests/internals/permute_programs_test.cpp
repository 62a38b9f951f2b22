// SPDX-License-Identifier: Apache-2.0

// Every permute program that a shuffle may be made of, by every plan that can carry it out, in guarded memory: those
// that the cost estimates do not choose as well. Expected values follow the definition, channel by channel.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vec_traits.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/tensor.hpp"
#include "gtests/internals/permute_layouts.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using test::GuardedBuffer;

// Pixels of equal layout in source and destination, one behind the other.
class Checked {
  public:
    Checked(const ShuffleLayout& layout, int64_t pixel_bytes, size_t bytes)
        : layout_(layout), src_(bytes), dst_(bytes), shifted_(bytes + 1), streamed_(bytes + 128) {
        const auto values = test::test_bytes(bytes);
        std::memcpy(src_.data(), values.data(), bytes);
        want_.assign(bytes, GuardedBuffer::kPoison);
        for (int64_t pixel = 0; pixel < kPixels; ++pixel)
            for (int64_t c = 0; c < layout.C; ++c) {
                const int64_t from = layout.src_axis.offset(c % layout.Q * layout.G + c / layout.Q);
                const int64_t to = layout.dst_axis.offset(c);
                std::memcpy(&want_[static_cast<size_t>(pixel * pixel_bytes + to)],
                            &values[static_cast<size_t>(pixel * pixel_bytes + from)],
                            static_cast<size_t>(layout.inner));
            }
    }

    // The padding of the last block is written as zeros.
    void expect_zeros(int64_t at, int64_t bytes) {
        std::memset(&want_[static_cast<size_t>(at)], 0, static_cast<size_t>(bytes));
    }

    void run(const PermuteProgram& program, PermuteArgs args, CpuIsa isa) {
        const auto lowerings = all_lowerings(program, isa);
        if (!lower_to_packets(program, isa).empty()) ++packets[isa][layout_.element];
        if (!lower_to_routes(program, isa).empty()) ++transposes[isa][layout_.element];
        for (size_t i = 0; i < lowerings.size(); ++i) {
            if (has(lowerings[i], Operation::Kind::unpack)) ++unpacks[isa][layout_.element];
            if (has(lowerings[i], Operation::Kind::spill)) ++spill[isa][layout_.element];
            if (has(lowerings[i], Operation::Kind::align)) ++alignments[isa][layout_.element];
            if (has(lowerings[i], Operation::Kind::select)) ++selections[isa][layout_.element];
            EXPECT_GE(lowerings[i].stored_lines * kLineBytes,
                      static_cast<double>(written_bytes(program)));
            const auto plain = run_kernel(program, args, isa, lowerings[i], Stores::plain);
            expect_variant(program, args, isa, lowerings[i], plain);
            if (::testing::Test::HasFatalFailure()) return;
            if (has_parts(args, isa, lowerings[i])) {
                ++parts[isa][layout_.element];
                run_streaming(args, isa, lowerings[i], Stores::streaming_parts, kLaneBytes);
            }
            if (lowerings[i].sections[0].runs == 0) continue;
            // Lines of a destination whose units are not aligned.
            ++lines[isa][layout_.element];
            shifted_.poison();
            args.src = src_.data();
            args.dst = shifted_.data();
            plain.value()(args);
            ASSERT_EQ(std::memcmp(shifted_.data(), want_.data(), want_.size()), 0)
                << "element " << layout_.element << " block " << layout_.src_axis.block;
            ASSERT_EQ(shifted_.data()[want_.size()], GuardedBuffer::kPoison);
            ASSERT_TRUE(shifted_.slack_is_intact());
            // Past the caches, which takes a destination that is aligned to 8 bytes.
            run_streaming(args, isa, lowerings[i], Stores::streaming, 8);
        }
    }

    // How many programs each of these lowerings carried out, for each size of an element.
    static std::map<CpuIsa, std::map<int64_t, int>> transposes, lines, unpacks, spill, alignments,
        packets, selections, parts;

  private:
    // Whether all stores are registers at multiples of a lane.
    static bool has_parts(const PermuteArgs& args, CpuIsa isa, const Operations& o) {
        const auto fits = [](int64_t offset) { return offset % kLaneBytes == 0; };
        bool all = o.sections[0].runs == 0 && fits(args.dst_last) && fits(args.dst_outer) &&
                   fits(o.loop.dst_step) && fits(o.loop.granule);
        for (const Operations::Section& section : o.sections) {
            all = all && fits(section.loop.dst_repeat);
            for (const Operation& store : section.list)
                if (store.is_store())
                    all = all && fits(store.offset) && store.bytes == shape_of(isa).bytes;
        }
        return all;
    }

    // Past the caches, into a destination so many bytes behind a line.
    void run_streaming(PermuteArgs args, CpuIsa isa, const Operations& operations, Stores stores,
                       size_t behind_line) {
        constexpr Sources kSources[] = {Sources::plain, Sources::prefetched,
                                        Sources::prefetched_l2};
        const Sources sources = kSources[streamed_runs_++ % 3];
        const auto kernel =
            permute_function(isa, stores, sources, std::make_shared<Operations>(operations));
        ASSERT_TRUE(kernel.ok()) << kernel.status().message();
        streamed_.poison();
        uint8_t* const to = streamed_.data() + (64 + behind_line) -
                            reinterpret_cast<uintptr_t>(streamed_.data()) % 64;
        args.src = src_.data();
        args.dst = to;
        kernel.value()(args);
        ASSERT_EQ(std::memcmp(to, want_.data(), want_.size()), 0)
            << "element " << layout_.element << " block " << layout_.src_axis.block << " stores "
            << static_cast<int>(stores);
        const auto is_poison = [](const uint8_t* begin, const uint8_t* end) {
            return std::all_of(begin, end,
                               [](uint8_t byte) { return byte == GuardedBuffer::kPoison; });
        };
        const uint8_t* const end = streamed_.data() + want_.size() + 128;
        ASSERT_TRUE(is_poison(streamed_.data(), to) && is_poison(to + want_.size(), end));
    }

    // One of the other kernels of the same operations, as all of them would take twice the time.
    void expect_variant(const PermuteProgram& program, PermuteArgs args, CpuIsa isa,
                        const Operations& lowering, const Result<JitFunction<PermuteArgs>>& plain) {
        const auto run_variant = [&](Stores stores, Sources sources,
                                     const Unrolled& unrolled = {}) {
            return run_kernel(program, args, isa, lowering, stores, sources, unrolled);
        };
        switch (engine_() % 4) {
            case 0:
                EXPECT_FALSE(plain.value() ==
                             run_variant(Stores::prefetched, Sources::plain).value());
                break;
            case 1:
                EXPECT_TRUE(run_variant(Stores::plain, Sources::plain, {3, 2}).ok());
                break;
            case 2:
                args.src_ahead = int64_t{1} << 40;  // need not be memory
                EXPECT_FALSE(plain.value() ==
                             run_variant(Stores::plain, Sources::prefetched).value());
                break;
            default:
                args.src_ahead = int64_t{1} << 40;
                EXPECT_FALSE(plain.value() ==
                             run_variant(Stores::plain, Sources::prefetched_l2).value());
        }
    }

    Result<JitFunction<PermuteArgs>> run_kernel(const PermuteProgram& program, PermuteArgs args,
                                                CpuIsa isa, const Operations& operations,
                                                Stores stores, Sources sources = Sources::plain,
                                                const Unrolled& unrolled = {}) {
        auto kernel = permute_function(isa, stores, sources,
                                       std::make_shared<Operations>(operations), unrolled);
        EXPECT_TRUE(kernel.ok()) << kernel.status().message();
        dst_.poison();
        args.src = src_.data();
        args.dst = dst_.data();
        kernel.value()(args);
        [&] {
            ASSERT_EQ(std::memcmp(dst_.data(), want_.data(), want_.size()), 0)
                << "element " << layout_.element << " Q " << layout_.Q << " G " << layout_.G
                << " block " << layout_.src_axis.block << " isa " << name_of(isa) << " step "
                << program.loop.dst_step << " cycles " << operations.cycles << " stores "
                << static_cast<int>(stores) << " unrolled " << unrolled.steps << ' '
                << unrolled.passes;
            ASSERT_TRUE(dst_.slack_is_intact());
        }();
        return kernel;
    }

    // The bytes that all sections write in one step, those that two outputs write counted once.
    static int64_t written_bytes(const PermuteProgram& program) {
        int64_t bytes = 0;
        for (const PermuteSection& section : program.sections) {
            std::set<int64_t> units;
            for (const PermuteOutput& output : section.outputs)
                for (int i = 0; i < output.units; ++i)
                    if (program.source(output)[i] != kAnySource)
                        units.insert(output.place(i * program.unit));
            bytes += static_cast<int64_t>(units.size()) * program.unit * section.loop.repeats;
        }
        return bytes;
    }

    static bool has(const Operations& operations, Operation::Kind kind) {
        for (const Operations::Section& section : operations.sections)
            for (const Operation& o : section.list)
                if (o.kind == kind) return true;
        return false;
    }

    ShuffleLayout layout_;
    GuardedBuffer src_, dst_, shifted_, streamed_;
    static inline size_t streamed_runs_ = 0;  // of all layouts
    std::vector<uint8_t> want_;
    static std::minstd_rand engine_;  // chooses the variants
};
std::minstd_rand Checked::engine_;
std::map<CpuIsa, std::map<int64_t, int>> Checked::transposes, Checked::lines, Checked::unpacks,
    Checked::spill, Checked::alignments, Checked::packets, Checked::selections, Checked::parts;

// All that can be.
void expect_transposes() {
    for (const CpuIsa isa : isas_in_force())
        for (const int64_t E : {1, 2, 4, 8}) {
            EXPECT_EQ(Checked::transposes[isa][E] > 0, E >= shape_of(isa).permutes_from) << E;
            const bool unpacks = isa == CpuIsa::avx2 && E <= 2;
            EXPECT_EQ(Checked::unpacks[isa][E] > 0, unpacks) << E;
            EXPECT_EQ(Checked::spill[isa][E] > 0, unpacks) << E;
        }
}

TEST(PermutePrograms, ChannelsSideBySide) {
    if (isas_in_force().empty()) GTEST_SKIP() << "needs AVX2";
    Checked::transposes.clear();
    Checked::unpacks.clear();
    Checked::spill.clear();
    constexpr int64_t kSizes[] = {2, 3, 4, 7, 8, 9, 12, 15, 16, 17, 30, 32, 33, 64, 65};
    for (const int64_t E : {1, 2, 4, 8})
        for (const int64_t Q : kSizes)
            for (const int64_t G : kSizes) {
                const ShuffleLayout layout = side_by_side(Q, G, E);
                const int64_t pixel_bytes = layout.C * E;
                Checked checked(layout, pixel_bytes, static_cast<size_t>(kPixels * pixel_bytes));
                for (const CpuIsa isa : isas_in_force())
                    for (const PixelProgram& pixel : pixel_programs(
                             layout, kPixels, true, limits_of(isa, static_cast<int>(E)))) {
                        PermuteArgs args{nullptr, nullptr,     pixel.src_last, pixel.dst_last,
                                         kPixels, pixel_bytes, pixel_bytes};
                        if (pixel.pixels > 1) {
                            args.outer = 1;
                            args.src_last = args.dst_last = (kPixels - pixel.pixels) * pixel_bytes;
                        }
                        checked.run(pixel.program, args, isa);
                        if (HasFatalFailure()) return;
                    }
            }
    expect_transposes();
}

// Programs for AVX2 have no loads and stores that need a mask, whatever they would cost: a processor without AVX-512 has no such
// instructions. Pixels that are not dense are taken one at a time.
TEST(PermutePrograms, Avx2NeedsNoMasks) {
    if (isas_in_force().empty()) GTEST_SKIP() << "needs AVX2";
    int seen = 0;
    for (const int64_t E : {1, 2, 4})
        for (const int64_t Q : {1, 2, 3, 5, 7, 9, 17})
            for (const int64_t G : {1, 2, 3, 5, 8, 11})
                for (const bool dense : {true, false})
                    for (const PixelProgram& pixel :
                         pixel_programs(side_by_side(Q, G, E), kPixels, dense,
                                        limits_of(CpuIsa::avx2, static_cast<int>(E))))
                        for (const Operations& lowered : all_lowerings(pixel.program, CpuIsa::avx2))
                            for (const auto& section : lowered.sections)
                                for (const Operation& o : section.list) {
                                    const bool in_memory = o.kind == Operation::Kind::load ||
                                                           o.kind == Operation::Kind::store;
                                    seen += in_memory ? 1 : 0;
                                    ASSERT_TRUE(!in_memory || o.is_register_size())
                                        << Q << " x " << G << " of " << E << ": " << o.bytes;
                                }
    EXPECT_GT(seen, 1000);
}

// Programs of a gigabyte of channels: of every group written out, one alone would take gigabytes.
TEST(PermutePrograms, AnyNumberOfGroups) {
    if (isas_in_force().empty()) GTEST_SKIP() << "needs AVX2";
    for (const int64_t G : {int64_t{1} << 24, (int64_t{1} << 24) - 1}) {
        const ShuffleLayout layout = side_by_side(8, G, 8);
        for (const CpuIsa isa : isas_in_force())
            for (const PixelProgram& pixel : pixel_programs(layout, 1, true, limits_of(isa, 8))) {
                all_lowerings(pixel.program, isa);
                EXPECT_LE(pixel.program.sections.size(), 2u);
                int64_t end = 0;  // of what is written
                for (const PermuteSection& section : pixel.program.sections)
                    for (const PermuteOutput& output : section.outputs)
                        end = std::max(end, (section.loop.repeats - 1) * section.loop.dst_repeat +
                                                output.dst_offset + pixel.dst_last +
                                                pixel.program.bytes(output));
                EXPECT_EQ(end, layout.C * 8);
            }
    }
}

// 17 pixels are two steps of 16, as the last step repeats pixels.
TEST(PermutePrograms, StepsShareAllBytes) {
    if (isas_in_force().empty()) GTEST_SKIP() << "needs AVX2";
    for (const CpuIsa isa : isas_in_force())
        for (const PixelProgram& pixel :
             pixel_programs(side_by_side(3, 26, 2), 17, true, limits_of(isa, 2))) {
            if (pixel.pixels == 0) continue;
            const int64_t steps = (17 + pixel.pixels - 1) / pixel.pixels;
            EXPECT_DOUBLE_EQ(pixel.bytes * static_cast<double>(steps), 17 * 3 * 26 * 2)
                << pixel.pixels;
        }
}

TEST(PermutePrograms, StepsThatWriteApart) {
    if (isas_in_force().empty()) GTEST_SKIP() << "needs AVX2";
    const auto leaves_gaps = [](const PermuteProgram& program) {
        std::set<int64_t> written;
        for (const PermuteSection& section : program.sections)
            for (int64_t repeat = 0; repeat < section.loop.repeats; ++repeat)
                for (const PermuteOutput& output : section.outputs)
                    for (int i = 0; i < program.bytes(output); ++i)
                        written.insert(output.place(i) + repeat * section.loop.dst_repeat);
        return *written.rbegin() - *written.begin() >= static_cast<int64_t>(written.size());
    };
    int apart = 0, together = 0;
    for (const CpuIsa isa : isas_in_force())
        for (const int64_t E : {1, 2, 4, 8})
            for (const int64_t Q : {2, 8, 16, 155})
                for (const int64_t G : {2, 3, 14, 16, 155})
                    for (const PixelProgram& pixel : pixel_programs(
                             side_by_side(Q, G, E), 5, true, limits_of(isa, static_cast<int>(E)))) {
                        const bool gaps = leaves_gaps(pixel.program);
                        ++(gaps ? apart : together);
                        EXPECT_EQ(writes_apart(pixel.program), gaps)
                            << name_of(isa) << " Q " << Q << " G " << G << " E " << E;
                    }
    EXPECT_GT(apart, 0);
    EXPECT_GT(together, 0);
}

TEST(PermutePrograms, Blocks) {
    if (isas_in_force().empty()) GTEST_SKIP() << "needs AVX2";
    Checked::transposes.clear();
    Checked::unpacks.clear();
    Checked::spill.clear();
    Checked::lines.clear();
    Checked::packets.clear();
    Checked::alignments.clear();
    Checked::selections.clear();
    Checked::parts.clear();
    constexpr struct {
        int64_t Q, G;
    } kFactors[] = {{4, 4}, {32, 4}, {64, 8},  {8, 16}, {16, 8},   {34, 4},  {32, 16}, {29, 2},
                    {5, 3}, {4, 72}, {13, 12}, {19, 9}, {1031, 3}, {41, 77}, {15, 8},  {8, 15}};
    for (const int64_t E : {1, 2, 4, 8})
        for (const int64_t block : {4, 8, 16})
            for (const auto& factors : kFactors) {
                const int64_t block_bytes = block * E;
                const ShuffleLayout layout = in_blocks(factors.Q, factors.G, E, block);
                const int64_t blocks = (layout.C + block - 1) / block;
                Checked checked(layout, block_bytes,
                                static_cast<size_t>(blocks * layout.dst_axis.stride));
                for (int64_t c = layout.C; c < blocks * block; ++c)
                    for (int64_t pixel = 0; pixel < kPixels; ++pixel)
                        checked.expect_zeros(layout.dst_axis.offset(c) + pixel * block_bytes, E);
                for (const CpuIsa isa : isas_in_force()) {
                    const PermuteLimits limits = limits_of(isa, static_cast<int>(E));
                    for (int64_t step = 1; step <= kPixels; step *= 2)
                        for (const bool near_sources : {false, true}) {
                            const int64_t last = (kPixels - step) * block_bytes;
                            checked.run(blocked_program(layout, step, false, near_sources, limits),
                                        {nullptr, nullptr, last, last, 1, 0, 0}, isa);
                            if (HasFatalFailure()) return;
                        }
                    checked.run(blocked_program(layout, kPixels, true, true, limits),
                                {nullptr, nullptr, 0, 0, 1, 0, 0}, isa);
                    if (HasFatalFailure()) return;
                }
            }
    expect_transposes();
    for (const CpuIsa isa : isas_in_force())
        for (const int64_t E : {1, 2, 4, 8}) {
            EXPECT_GT(Checked::packets[isa][E], 0) << E;
            EXPECT_EQ(Checked::alignments[isa][E] > 0, isa == CpuIsa::avx2 && E <= 2) << E;
            EXPECT_EQ(Checked::selections[isa][E] > 0, isa != CpuIsa::avx2 && E > 1) << E;
            EXPECT_GT(Checked::parts[isa][E], 0) << E;
        }
    for (const CpuIsa isa : isas_in_force())
        for (const int64_t E : {1, 2, 4, 8})
            EXPECT_EQ(Checked::lines[isa][E] > 0,
                      isa == CpuIsa::avx512_core_vbmi || (isa == CpuIsa::avx512_core && E > 1))
                << E;
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
