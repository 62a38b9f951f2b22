// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_program.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int64_t kLineBytes = 64;

// Whether section b is section a moved by these offsets.
bool is_moved(const PermuteProgram& program, const PermuteSection& a, const PermuteSection& b,
              int64_t src, int64_t dst) {
    if (a.extents.size() != b.extents.size() || a.outputs.size() != b.outputs.size()) return false;
    for (size_t i = 0; i < a.extents.size(); ++i)
        if (b.extents[i].begin != a.extents[i].begin + src ||
            b.extents[i].end != a.extents[i].end + src)
            return false;
    for (size_t o = 0; o < a.outputs.size(); ++o) {
        const PermuteOutput &x = a.outputs[o], &y = b.outputs[o];
        if (y.dst_offset != x.dst_offset + dst || x.units != y.units) return false;
        const int64_t *from = program.source(x), *to = program.source(y);
        for (int i = 0; i < x.units; ++i)
            if (to[i] != (from[i] == kZeroSource ? kZeroSource : from[i] + src)) return false;
    }
    return true;
}

bool same_extents(const PermuteSection& a, const PermuteSection& b) {
    return std::equal(
        a.extents.begin(), a.extents.end(), b.extents.begin(), b.extents.end(),
        [](const Extent& x, const Extent& y) { return x.begin == y.begin && x.end == y.end; });
}

// The contiguous runs that a step writes, in ascending order.
std::vector<Piece> runs_of(const PermuteProgram& program, const PermuteSection& section) {
    std::vector<Piece> runs;
    for (const PermuteOutput& output : section.outputs)
        runs.push_back({output.dst_offset, program.bytes(output)});
    std::sort(runs.begin(), runs.end(),
              [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
    size_t last = 0;
    for (size_t i = 1; i < runs.size(); ++i)
        if (runs[i].offset <= runs[last].offset + runs[last].bytes)
            runs[last].bytes = static_cast<int>(runs[i].offset + runs[i].bytes - runs[last].offset);
        else
            runs[++last] = runs[i];
    runs.resize(std::min(runs.size(), last + 1));
    return runs;
}

}  // namespace

void gather_sections(PermuteProgram& program, size_t max_outputs, bool by_alignment) {
    const auto alike = [&](const PermuteSection& a, const PermuteSection& b) {
        return !by_alignment ||
               (a.outputs[0].dst_offset - b.outputs[0].dst_offset) % kLineBytes == 0;
    };
    std::stable_sort(program.sections.begin(), program.sections.end(),
                     [&](const PermuteSection& a, const PermuteSection& b) {
                         if (a.extents[0].begin != b.extents[0].begin)
                             return a.extents[0].begin < b.extents[0].begin;
                         return by_alignment && a.outputs[0].dst_offset % kLineBytes <
                                                    b.outputs[0].dst_offset % kLineBytes;
                     });
    std::vector<PermuteSection> gathered;
    for (PermuteSection& section : program.sections) {
        PermuteSection* last = gathered.empty() ? nullptr : &gathered.back();
        if (last != nullptr && same_extents(*last, section) && alike(*last, section) &&
            last->outputs.size() + section.outputs.size() <= max_outputs)
            std::move(section.outputs.begin(), section.outputs.end(),
                      std::back_inserter(last->outputs));
        else
            gathered.push_back(std::move(section));
    }
    program.sections = std::move(gathered);
}

void join_sections(PermuteProgram& program) {
    std::vector<PermuteSection> joined;
    for (PermuteSection& section : program.sections) {
        PermuteSection* last = joined.empty() ? nullptr : &joined.back();
        if (last != nullptr) {
            const int64_t n = last->loop.repeats;
            const int64_t src = section.extents[0].begin - last->extents[0].begin;
            const int64_t dst = section.outputs[0].dst_offset - last->outputs[0].dst_offset;
            const bool in_step =
                n == 1 || (src == n * last->loop.src_repeat && dst == n * last->loop.dst_repeat);
            if (in_step && is_moved(program, *last, section, src, dst)) {
                last->loop = {n + 1, src / n, dst / n};
                continue;
            }
        }
        joined.push_back(std::move(section));
    }
    program.sections = std::move(joined);
}

double split_stores(const PermuteProgram& program, const PermuteSection& section) {
    // The cost of a split store whose line is completed by its neighbour, relative to another split.
    constexpr double kMergedSplit = 0.25;
    const auto lines = [](int64_t bytes) { return (bytes + kLineBytes - 1) / kLineBytes; };
    const bool aligns =
        program.loop.granule > 0 && program.loop.granule < kLineBytes && !program.loop.single_step;
    const int64_t alignment = std::min(program.dst_alignment, kLineBytes);
    // After at most this many repeats, stores meet cache lines at the same places again.
    const int64_t repeats = std::min(section.loop.repeats, kLineBytes);
    const std::vector<Piece> runs = runs_of(program, section);
    double splits = 0;
    int cases = 0;
    for (int64_t repeat = 0; repeat < repeats; ++repeat)
        for (int64_t start = 0; start < kLineBytes; start += aligns ? kLineBytes : alignment) {
            const int64_t base =
                aligns ? -section.outputs[0].dst_offset : start + repeat * section.loop.dst_repeat;
            for (const Piece& run : runs) {
                const int64_t at = (base + run.offset) & (kLineBytes - 1);
                splits += static_cast<double>(lines(at + run.bytes) - lines(run.bytes));
                const int64_t vectors = at != 0 ? run.bytes / kLineBytes : 0;
                splits += kMergedSplit * static_cast<double>(vectors);
            }
            ++cases;
        }
    return splits / cases;
}

int64_t stored_bytes(const PermuteProgram& program) {
    int64_t bytes = 0;
    for (const PermuteSection& section : program.sections)
        for (const PermuteOutput& output : section.outputs)
            bytes += section.loop.repeats * program.bytes(output);
    return bytes;
}

std::vector<Piece> cut_into_vectors(int64_t bytes, int vector_bytes, bool masks) {
    if (bytes < vector_bytes && masks) return {{0, static_cast<int>(bytes)}};
    while (vector_bytes > bytes) vector_bytes /= 2;
    std::vector<Piece> pieces;
    for (int64_t offset = 0; offset + vector_bytes <= bytes; offset += vector_bytes)
        pieces.push_back({offset, vector_bytes});
    if (bytes % vector_bytes != 0) pieces.push_back({bytes - vector_bytes, vector_bytes});
    return pieces;
}

}  // namespace tombola::impl::cpu::x64
