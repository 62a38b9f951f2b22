// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_program.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace tombola::impl::cpu::x64 {
namespace {

// Whether b is a moved by these offsets.
bool is_moved(const PermuteSection& a, const PermuteSection& b, int64_t src, int64_t dst) {
    if (a.extents.size() != b.extents.size() || a.outputs.size() != b.outputs.size()) return false;
    for (size_t i = 0; i < a.extents.size(); ++i)
        if (b.extents[i].begin != a.extents[i].begin + src ||
            b.extents[i].end != a.extents[i].end + src)
            return false;
    for (size_t o = 0; o < a.outputs.size(); ++o) {
        const auto &from = a.outputs[o].source, &to = b.outputs[o].source;
        if (b.outputs[o].dst_offset != a.outputs[o].dst_offset + dst || from.size() != to.size())
            return false;
        for (size_t i = 0; i < from.size(); ++i)
            if (to[i] != (from[i] == kZeroSource ? kZeroSource : from[i] + src)) return false;
    }
    return true;
}

bool same_extents(const PermuteSection& a, const PermuteSection& b) {
    return std::equal(
        a.extents.begin(), a.extents.end(), b.extents.begin(), b.extents.end(),
        [](const Extent& x, const Extent& y) { return x.begin == y.begin && x.end == y.end; });
}

}  // namespace

void gather_sections(PermuteProgram& program, size_t max_outputs) {
    std::stable_sort(program.sections.begin(), program.sections.end(),
                     [](const PermuteSection& a, const PermuteSection& b) {
                         return a.extents[0].begin < b.extents[0].begin;
                     });
    std::vector<PermuteSection> gathered;
    for (PermuteSection& section : program.sections) {
        PermuteSection* last = gathered.empty() ? nullptr : &gathered.back();
        if (last != nullptr && same_extents(*last, section) &&
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
            const int64_t n = last->repeats;
            const int64_t src = section.extents[0].begin - last->extents[0].begin;
            const int64_t dst = section.outputs[0].dst_offset - last->outputs[0].dst_offset;
            const bool in_step =
                n == 1 || (src == n * last->src_repeat && dst == n * last->dst_repeat);
            if (in_step && is_moved(*last, section, src, dst)) {
                last->repeats = n + 1;
                last->src_repeat = src / n;
                last->dst_repeat = dst / n;
                continue;
            }
        }
        joined.push_back(std::move(section));
    }
    program.sections = std::move(joined);
}

double split_stores(const PermuteProgram& program) {
    constexpr int64_t kLineBytes = 64;
    double splits = 0;
    for (const PermuteSection& section : program.sections)
        for (const PermuteOutput& output : section.outputs) {
            const auto bytes = static_cast<int64_t>(output.source.size()) * program.unit;
            const int64_t alignment = std::min(program.dst_alignment, kLineBytes);
            int64_t split = 0;
            for (int64_t start = 0; start < kLineBytes; start += alignment)
                split += (start + output.dst_offset) % kLineBytes + bytes > kLineBytes;
            splits += static_cast<double>(split * alignment) / static_cast<double>(kLineBytes);
        }
    return splits;
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
