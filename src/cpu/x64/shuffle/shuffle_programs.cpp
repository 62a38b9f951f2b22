// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_program.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int64_t kLineBytes = 64;
constexpr size_t kMaxOutputs = 32;

// The greatest power of two, up to 8, that divides `bytes`.
int unit_of(int64_t bytes) {
    int unit = 8;
    while (bytes % unit != 0) unit /= 2;
    return unit;
}

int64_t power_of_two_up_to(int64_t n) {
    int64_t power = 1;
    while (2 * power <= n) power *= 2;
    return power;
}

// The bytes of a pixel per step, if a step takes n of `count` items and the last step may be moved back.
double share_of_step(const ShuffleLayout& layout, int64_t count, int64_t n) {
    const int64_t steps = (count + n - 1) / n;
    return static_cast<double>(layout.C * layout.inner) / static_cast<double>(steps);
}

// `pixels` pixels at once, with their permutation written out.
PixelProgram whole_pixels(const ShuffleLayout& layout, int64_t pixels,
                          const PermuteLimits& limits) {
    const int64_t pixel_bytes = layout.C * layout.inner, bytes = pixels * pixel_bytes;
    PixelProgram result{{}, pixels, 0, 0, static_cast<double>(bytes)};
    PermuteProgram& program = result.program;
    program.loop.single_step = pixels == 1;
    program.dst_alignment = std::gcd(bytes, kLineBytes);
    program.unit = unit_of(layout.inner);
    program.loop.src_step = program.loop.dst_step = bytes;
    PermuteSection section;
    section.extents = {{0, bytes}};
    for (const Piece& piece : cut_into_vectors(bytes, limits.vector_bytes, limits.masks)) {
        program.begin_output(section, piece.offset);
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes; at += program.unit) {
            const int64_t in_pixel = at % pixel_bytes;
            const int64_t source = layout.source_channel(in_pixel / layout.inner);
            program.take(section, at - in_pixel + source * layout.inner + at % layout.inner);
        }
    }
    program.sections.push_back(std::move(section));
    return result;
}

// G small: a step takes n consecutive u, which are n * G source elements side by side, and writes n elements in
// each of the G rows of the destination.
PixelProgram few_groups(const ShuffleLayout& layout, int64_t n) {
    const int64_t E = layout.inner;
    PixelProgram result{{}, 0, 0, 0, share_of_step(layout, layout.Q, n)};
    PermuteProgram& program = result.program;
    program.unit = static_cast<int>(E);
    program.loop.src_step = n * layout.G * E;
    program.loop.dst_step = n * E;
    program.loop.single_step = layout.Q == n;
    program.dst_alignment = std::gcd(std::gcd(layout.C * E, n * E), kLineBytes);
    result.src_last = (layout.Q - n) * layout.G * E;
    result.dst_last = (layout.Q - n) * E;
    PermuteSection section;
    section.extents = {{0, n * layout.G * E}};
    for (int64_t v = 0; v < layout.G; ++v) {
        program.begin_output(section, v * layout.Q * E);
        for (int64_t i = 0; i < n; ++i) program.take(section, (i * layout.G + v) * E);
    }
    program.sections.push_back(std::move(section));
    return result;
}

// Q small, the dual: a step takes n consecutive v from each of the Q rows of the source, and writes n * Q
// destination elements side by side.
PixelProgram few_rows(const ShuffleLayout& layout, int64_t n, const PermuteLimits& limits) {
    const int64_t E = layout.inner;
    PixelProgram result{{}, 0, 0, 0, share_of_step(layout, layout.G, n)};
    PermuteProgram& program = result.program;
    program.unit = static_cast<int>(E);
    program.loop.src_step = n * E;
    program.loop.dst_step = n * layout.Q * E;
    program.loop.single_step = layout.G == n;
    program.dst_alignment = std::gcd(std::gcd(layout.C * E, n * layout.Q * E), kLineBytes);
    result.src_last = (layout.G - n) * E;
    result.dst_last = (layout.G - n) * layout.Q * E;
    PermuteSection section;
    for (int64_t u = 0; u < layout.Q; ++u)
        section.extents.push_back({u * layout.G * E, (u * layout.G + n) * E});
    for (const Piece& piece :
         cut_into_vectors(n * layout.Q * E, limits.vector_bytes, limits.masks)) {
        program.begin_output(section, piece.offset);
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes; at += E) {
            const int64_t c = at / E;
            program.take(section, layout.source_channel(c) * E);
        }
    }
    program.sections.push_back(std::move(section));
    return result;
}

// G and Q both large: a section transposes `columns` neighbouring v of `rows` neighbouring u.
PixelProgram tiles(const ShuffleLayout& layout, int64_t rows, int64_t columns,
                   const PermuteLimits& limits) {
    const int64_t E = layout.inner, G = layout.G, Q = layout.Q;
    PixelProgram result{{}, 0, 0, 0, share_of_step(layout, Q, rows)};
    PermuteProgram& program = result.program;
    program.unit = static_cast<int>(E);
    program.loop.src_step = rows * G * E;
    program.loop.dst_step = rows * E;
    program.loop.single_step = Q == rows;
    program.dst_alignment = std::gcd(std::gcd(layout.C * E, rows * E), kLineBytes);
    result.src_last = (Q - rows) * G * E;
    result.dst_last = (Q - rows) * E;
    const auto section_at = [&](int64_t v0) {
        PermuteSection section;
        // Rows of a tensor that are contiguous form one row.
        if (G == columns)
            section.extents = {{0, rows * G * E}};
        else
            for (int64_t u = 0; u < rows; ++u)
                section.extents.push_back({(u * G + v0) * E, (u * G + v0 + columns) * E});
        const int64_t runs = Q == rows ? 1 : columns, run_bytes = rows * columns * E / runs;
        for (int64_t run = 0; run < runs; ++run)
            for (const Piece& piece :
                 cut_into_vectors(run_bytes, limits.vector_bytes, limits.masks)) {
                program.begin_output(section, (v0 + run) * Q * E + piece.offset);
                for (int64_t at = piece.offset; at < piece.offset + piece.bytes; at += E) {
                    const int64_t u = at / E % rows, v = v0 + run + at / E / rows;
                    program.take(section, (u * G + v) * E);
                }
            }
        return section;
    };
    // Written out once, because G may have any value.
    PermuteSection whole = section_at(0);
    if (G / columns > 1) whole.loop = {G / columns, columns * E, columns * Q * E};
    program.sections.push_back(std::move(whole));
    if (G % columns != 0) program.sections.push_back(section_at(G - columns));
    join_sections(program);
    return result;
}

}  // namespace

std::vector<PixelProgram> pixel_programs(const ShuffleLayout& layout, int64_t pixels, bool dense,
                                         const PermuteLimits& limits) {
    std::vector<PixelProgram> programs;
    const int64_t pixel_bytes = layout.C * layout.inner;
    // The candidates are: enough pixels for one vector, for several vectors, and so many that every step starts at a
    // vector's alignment. With the last, no store crosses a cache line if the tensor is aligned.
    const int64_t most = dense ? pixels : 1;
    const int64_t per_vector = std::max<int64_t>(limits.vector_bytes / pixel_bytes, 1);
    const int64_t for_alignment = kLineBytes / std::gcd(pixel_bytes, kLineBytes);
    std::vector<int64_t> counts;
    for (const int64_t wanted : {per_vector, 2 * per_vector, 4 * per_vector, for_alignment,
                                 (4 * limits.vector_bytes / pixel_bytes + for_alignment) /
                                     for_alignment * for_alignment}) {
        const int64_t taken = std::min(wanted, most);
        if (taken * pixel_bytes <= limits.whole_bytes &&
            std::find(counts.begin(), counts.end(), taken) == counts.end())
            counts.push_back(taken);
    }
    for (const int64_t count : counts) programs.push_back(whole_pixels(layout, count, limits));
    const int64_t E = layout.inner;
    if (E != unit_of(E)) return programs;
    const auto elements = [&](int64_t available) {
        const int64_t n = std::min(available, limits.vector_bytes / E);
        return limits.masks ? n : power_of_two_up_to(n);
    };
    if (layout.G <= limits.max_sources) {
        const int64_t n = elements(layout.Q);
        if (limits.masks || n * E >= 4) programs.push_back(few_groups(layout, n));
    }
    if (layout.Q <= limits.max_sources) {
        const int64_t n = elements(layout.G);
        if (limits.masks || n * E >= 4) programs.push_back(few_rows(layout, n, limits));
    }
    for (int64_t rows = 16 / E; rows <= std::min(layout.Q, limits.vector_bytes / E); rows *= 2)
        for (int64_t columns = 16 / E; columns <= std::min(layout.G, limits.vector_bytes / E);
             columns *= 2) {
            const int64_t registers = rows * columns * E / limits.vector_bytes;
            if (registers >= 4 && registers <= limits.max_transposed)
                programs.push_back(tiles(layout, rows, columns, limits));
        }
    return programs;
}

PermuteProgram blocked_program(const ShuffleLayout& layout, int64_t pixels, bool single_step,
                               bool by_alignment, const PermuteLimits& limits) {
    const int64_t E = layout.element, block = layout.src_axis.block, block_bytes = block * E;
    PermuteProgram program;
    program.unit = static_cast<int>(E);
    program.loop = {pixels * block_bytes, pixels * block_bytes, single_step, block_bytes};
    program.dst_alignment = std::gcd(program.loop.dst_step, kLineBytes);
    for (int i = 0; i < layout.loops.depth; ++i)
        program.dst_alignment = std::gcd(program.dst_alignment, layout.loops.loops[i].dst.stride);
    const auto pieces = cut_into_vectors(pixels * block_bytes, limits.vector_bytes, limits.masks);
    // The units of all pieces, the same in each block: the offset of the pixel, and the channel of the block.
    std::vector<std::pair<int64_t, int64_t>> units;
    for (const Piece& piece : pieces)
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes; at += E)
            units.emplace_back(at / block_bytes * block_bytes, at % block_bytes / E);
    const auto blocks = static_cast<size_t>((layout.C + block - 1) / block);
    program.sources.reserve(blocks * units.size());
    program.sections.resize(blocks);
    std::vector<int64_t> sources(block), source_blocks;  // of the channels of a block
    for (size_t b = 0; b < blocks; ++b) {
        PermuteSection& section = program.sections[b];
        const int64_t first = static_cast<int64_t>(b) * block;
        std::fill(sources.begin(), sources.end(), kZeroSource);
        source_blocks.clear();
        for (int64_t c = first; c < std::min(first + block, layout.C); ++c) {
            const int64_t source = layout.source_channel(c);
            sources[c - first] = layout.src_axis.offset(source);
            source_blocks.push_back(layout.src_axis.offset(source & -block));
        }
        std::sort(source_blocks.begin(), source_blocks.end());
        source_blocks.erase(std::unique(source_blocks.begin(), source_blocks.end()),
                            source_blocks.end());
        for (const int64_t at : source_blocks)
            section.extents.push_back({at, at + pixels * block_bytes});
        size_t unit = 0;
        for (const Piece& piece : pieces) {
            program.begin_output(section,
                                 static_cast<int64_t>(b) * layout.dst_axis.stride + piece.offset);
            for (int64_t i = 0; i < piece.bytes / E; ++i, ++unit) {
                const int64_t source = sources[units[unit].second];
                program.take(section,
                             source == kZeroSource ? kZeroSource : units[unit].first + source);
            }
        }
    }
    gather_sections(program, kMaxOutputs, by_alignment);
    join_sections(program);
    return program;
}

}  // namespace tombola::impl::cpu::x64
