// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_program.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace tombola::impl::cpu::x64 {
namespace {

// A section relative to its own start. The patterns of two sections are equal if one section is the other, moved by
// some offset in the source and some offset in the destination.
std::vector<int64_t> pattern_of(const PermuteProgram& program, const PermuteSection& section) {
    const int64_t src = section.extents[0].offset, dst = section.outputs[0].dst_offset;
    std::vector<int64_t> pattern;
    pattern.reserve(2 * section.extents.size() +
                    section.outputs.size() * (2 + static_cast<size_t>(section.outputs[0].units)));
    for (const Piece& extent : section.extents)
        pattern.insert(pattern.end(), {extent.offset - src, extent.bytes});
    for (const PermuteOutput& output : section.outputs) {
        pattern.insert(pattern.end(), {output.dst_offset - dst, output.units, output.apart});
        for (int i = 0; i < output.units; ++i) {
            const int64_t source = program.source(output)[i];
            pattern.push_back(source < 0 ? source : source - src);
        }
    }
    return pattern;
}

// The contiguous ranges that a step writes, in ascending order.
std::vector<Piece> written_ranges(const PermuteProgram& program, const PermuteSection& section) {
    std::vector<Piece> pieces = pieces_of(program, section), ranges;
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
    for (const Piece& piece : pieces)
        if (!ranges.empty() && piece.offset <= ranges.back().end())
            ranges.back().bytes =
                static_cast<int>(std::max(piece.end(), ranges.back().end()) - ranges.back().offset);
        else
            ranges.push_back(piece);
    return ranges;
}

// Adds the extents of `from` to those of `to`. Both are in ascending order, and so is the result.
void join_extents(std::vector<Piece>& to, const std::vector<Piece>& from) {
    const auto before = [](const Piece& a, const Piece& b) { return a.offset < b.offset; };
    std::vector<Piece> joined;
    std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(joined),
                   before);
    to = std::move(joined);
}

// Orders sections by the addresses that they read, so that data that several sections read is still in the cache. Sections that read the
// same blocks are joined into one, of at most kMaxOutputs outputs. If the program has near sources, sections that read different blocks are
// joined too.
void gather_sections(PermuteProgram& program) {
    constexpr size_t kMaxOutputs = 32;
    std::stable_sort(
        program.sections.begin(), program.sections.end(),
        [](const auto& a, const auto& b) { return a.extents[0].offset < b.extents[0].offset; });
    std::vector<PermuteSection> gathered;
    for (PermuteSection& section : program.sections)
        if (!gathered.empty() &&
            (program.near_sources || gathered.back().extents == section.extents) &&
            gathered.back().outputs.size() + section.outputs.size() <= kMaxOutputs) {
            join_extents(gathered.back().extents, section.extents);
            std::move(section.outputs.begin(), section.outputs.end(),
                      std::back_inserter(gathered.back().outputs));
        } else
            gathered.push_back(std::move(section));
    program.sections = std::move(gathered);
    for (PermuteSection& section : program.sections)
        std::sort(section.outputs.begin(), section.outputs.end(),
                  [](const auto& a, const auto& b) { return a.dst_offset < b.dst_offset; });
}

// Finds sequences of at most max_period sections that repeat with the same patterns at equal distances. All repeats of a sequence become
// one sequence with a loop around it.
void join_sections(PermuteProgram& program, size_t max_period) {
    const std::vector<PermuteSection> all = std::move(program.sections);
    program.sections.clear();
    std::map<std::vector<int64_t>, size_t> seen;
    std::vector<size_t> pattern;
    for (const PermuteSection& section : all)
        pattern.push_back(
            seen.try_emplace(pattern_of(program, section), seen.size()).first->second);
    // From section a to section b.
    const auto distance = [&](size_t a, size_t b) {
        return std::make_pair(all[b].extents[0].offset - all[a].extents[0].offset,
                              all[b].outputs[0].dst_offset - all[a].outputs[0].dst_offset);
    };
    for (size_t first = 0; first < all.size();) {
        size_t period = 1, repeats = 1;
        for (size_t p = 1; p <= max_period && first + p < all.size(); ++p) {
            // If p is a multiple of a period that was found, it covers no more sections.
            if (p % period == 0 && p <= (repeats - 1) * period) continue;
            // Each section from first + p to `end` is a moved copy of the section p places before it.
            size_t end = first + p;
            while (end < all.size() && pattern[end] == pattern[end - p] &&
                   distance(end - p, end) == distance(first, first + p))
                ++end;
            const size_t n = (end - first) / p;
            if ((n - 1) * p > (repeats - 1) * period) {
                period = p;
                repeats = n;
            }
        }
        const auto [src, dst] = distance(first, first + (repeats > 1 ? period : 0));
        for (size_t i = 0; i < period; ++i) {
            program.sections.push_back(all[first + i]);
            program.sections.back().loop = {static_cast<int64_t>(repeats), src, dst,
                                            static_cast<int>(period)};
        }
        first += period * repeats;
    }
}

constexpr size_t kMaxPeriod = 512;

// The greatest power of two, up to 8, that divides `bytes`.
int unit_of(int64_t bytes) { return static_cast<int>(std::min<int64_t>(bytes & -bytes, kMaxUnit)); }

// Adds the outputs that cover `bytes` bytes from dst_offset on. source(at) returns the source offset of the unit that is written at
// dst_offset + at.
template <class Source>
void write_range(PermuteProgram& program, PermuteSection& section, int64_t dst_offset,
                 int64_t bytes, const PermuteLimits& limits, const Source& source) {
    for (const Piece& piece : cut_into_vectors(bytes, limits.vector_bytes, limits.masks())) {
        section.outputs.push_back(
            {dst_offset + piece.offset, program.sources.size(), piece.bytes / program.unit});
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes; at += program.unit)
            program.sources.push_back(source(at));
    }
}

// The bytes that a step counts for. The last step may repeat some bytes, so each step counts for an equal share of all bytes.
double share_of_step(int64_t bytes, int64_t count, int64_t count_of_step) {
    const int64_t steps = (count + count_of_step - 1) / count_of_step;
    return static_cast<double>(bytes) / static_cast<double>(steps);
}

void set_matrix(PermuteProgram& program, const ShuffleLayout& layout) {
    program.row_bytes = layout.G * layout.inner;
    program.pixel_bytes = layout.C * layout.inner;
}

// A program, without sections yet, whose steps take `pixels` whole pixels.
PixelProgram begin_pixels(const ShuffleLayout& layout, int64_t pixels, int64_t all_pixels) {
    const int64_t pixel_bytes = layout.C * layout.inner, bytes = pixels * pixel_bytes;
    PixelProgram result{};
    result.pixels = pixels;
    result.bytes = share_of_step(all_pixels * pixel_bytes, all_pixels, pixels);
    result.program.unit = unit_of(layout.inner);
    result.program.loop = {bytes, bytes, pixels == 1};
    result.program.dst_alignment = std::gcd(bytes, kLineBytes);
    set_matrix(result.program, layout);
    return result;
}

// The source of the byte `at` of a pixel.
int64_t source_in_pixel(const ShuffleLayout& layout, int64_t at) {
    return layout.source_channel(at / layout.inner) * layout.inner + at % layout.inner;
}

// A program whose steps take whole pixels. It lists the source of every unit of a step.
PixelProgram whole_pixels(const ShuffleLayout& layout, int64_t pixels, int64_t all_pixels,
                          const PermuteLimits& limits) {
    const int64_t pixel_bytes = layout.C * layout.inner, bytes = pixels * pixel_bytes;
    PixelProgram result = begin_pixels(layout, pixels, all_pixels);
    PermuteSection section;
    section.extents = {{0, static_cast<int>(bytes)}};
    write_range(result.program, section, 0, bytes, limits, [&](int64_t at) {
        const int64_t in_pixel = at % pixel_bytes;
        return at - in_pixel + source_in_pixel(layout, in_pixel);
    });
    result.program.sections.push_back(std::move(section));
    return result;
}

// The maximum size in bytes of a pixel that is paired. The two stores of longer pixels would be too far apart.
constexpr int64_t kMaxPairedPixel = 256;

// A step takes two whole pixels. Each half of a vector has a lane of one pixel, so both halves are permuted alike. The lanes follow one
// another from the start of the pixel or, if `by_column`, from the start of each column. If a column is shorter than a lane, its
// lane also covers the start of the next column, which is written later.
PixelProgram pairs_of_pixels(const ShuffleLayout& layout, int64_t all_pixels, bool by_column) {
    const int64_t inner = layout.inner, pixel_bytes = layout.C * inner, row = layout.G * inner;
    const int64_t range = by_column ? layout.Q * inner : pixel_bytes;
    PixelProgram result = begin_pixels(layout, 2, all_pixels);
    PermuteProgram& program = result.program;
    PermuteSection section;
    // The loads of lanes begin at equal channels of each extent.
    const int64_t extent = by_column || row < kLaneBytes ? pixel_bytes : row;
    for (int64_t at = 0; at < 2 * pixel_bytes; at += extent)
        section.extents.push_back({at, static_cast<int>(extent)});
    const auto add_piece = [&](int64_t first, const Piece& piece) {
        for (const int64_t pixel : {int64_t{0}, pixel_bytes}) {
            if (pixel > 0 && piece.bytes == kLaneBytes) {
                section.outputs.back().units *= 2;
                section.outputs.back().apart = pixel_bytes;
            } else
                section.outputs.push_back({pixel + first + piece.offset, program.sources.size(),
                                           piece.bytes / program.unit});
            for (int64_t at = piece.offset; at < piece.end(); at += program.unit)
                program.sources.push_back(at < range ? pixel + source_in_pixel(layout, first + at)
                                                     : kAnySource);
        }
    };
    // The lanes of all columns that begin at the same row take from the same lanes of the source.
    const std::vector<Piece> pieces = cut_into_vectors(range, kLaneBytes, false);
    for (size_t i = 0; i < pieces.size(); ++i)
        for (int64_t first = 0; first < pixel_bytes; first += range) {
            const bool joined = range < kLaneBytes && first + range < pixel_bytes;
            if (!joined)
                add_piece(first, pieces[i]);
            else if (i == 0)
                add_piece(first, {0, kLaneBytes});
        }
    program.sections.push_back(std::move(section));
    return result;
}

// A part of a pixel that a step transposes: `rows` neighbouring values of u, and `columns` neighbouring values of v. Its elements lie in
// `rows` ranges of the source and in `ranges` ranges of the destination.
struct TileShape {
    int64_t rows, columns;
    bool across;  // the next step takes the next v instead of the next u
    int64_t ranges;
    // The section for the last columns writes only the columns that no other section writes.
    bool trims = false;
};

// Adds the section for the columns from v0 on. Columns before `first` are left out, because another section writes them.
void add_tile(PermuteProgram& program, const ShuffleLayout& layout, const TileShape& tile,
              const PermuteLimits& limits, int64_t v0, int64_t first) {
    const int64_t E = layout.inner, G = layout.G, Q = layout.Q;
    const int64_t rows = tile.rows, columns = tile.columns, end = v0 + tile.ranges;
    PermuteSection section;
    // Contiguous rows of the source are one extent.
    if (G == columns && (!tile.across || tile.ranges > 1))
        section.extents = {{0, static_cast<int>(rows * G * E)}};
    else
        for (int64_t u = 0; u < rows; ++u)
            section.extents.push_back({(u * G + v0) * E, static_cast<int>(columns * E)});
    // A range of the destination ends where the next one begins. So it may write more bytes than it has: the next range overwrites them.
    const int64_t bytes = rows * columns * E / tile.ranges;
    const bool joined = tile.across && tile.ranges > 1;
    // Joined ranges exist only without masks, so a shorter vector changes nothing else.
    PermuteLimits cut = limits;
    const int64_t written = joined ? (bytes + kLaneBytes - 1) & -kLaneBytes : bytes;
    if (joined && written % cut.vector_bytes != 0) cut.vector_bytes = kLaneBytes;
    for (int64_t v = first; v < end; ++v)
        write_range(
            program, section, v * Q * E, v + 1 < end ? written : bytes, cut, [&](int64_t at) {
                return at < bytes ? (at / E % rows * G + v + at / E / rows) * E : kAnySource;
            });
    program.sections.push_back(std::move(section));
}

// A program whose steps transpose a tile. If the steps advance u, the section is repeated for all v.
PixelProgram tile_program(const ShuffleLayout& layout, const TileShape& tile,
                          const PermuteLimits& limits) {
    const int64_t E = layout.inner, G = layout.G, Q = layout.Q, columns = tile.columns;
    const int64_t n = tile.across ? columns : tile.rows, count = tile.across ? G : Q;
    const int64_t src_stride = tile.across ? E : G * E, dst_stride = tile.across ? Q * E : E;
    PixelProgram result{};
    result.src_last = (count - n) * src_stride;
    result.dst_last = (count - n) * dst_stride;
    result.bytes = share_of_step(layout.C * E, count, n);
    PermuteProgram& program = result.program;
    program.unit = static_cast<int>(E);
    set_matrix(program, layout);
    program.loop = {n * src_stride, n * dst_stride, count == n};
    program.dst_alignment = std::gcd(std::gcd(layout.C * E, n * dst_stride), kLineBytes);
    add_tile(program, layout, tile, limits, 0, 0);
    if (tile.across) return result;
    // The section is generated once and repeated, so that the code stays small for every G.
    const int64_t whole = G / columns, last = G - columns;  // `last`: where the last columns begin
    SectionLoop& loop = program.sections[0].loop;
    if (whole > 1) loop = {whole, columns * E, columns * Q * E};
    if (G % columns == 0) return result;
    // The last columns are moved back: as one repeat of the only section, or as a section of their own.
    if (whole == 1 && !tile.trims)
        loop = {2, last * E, last * Q * E};
    else
        add_tile(program, layout, tile, limits, last, tile.trims ? whole * columns : last);
    return result;
}

// Adds programs whose steps take whole pixels: as many as fill one, two and four vectors, and the smallest number that fills whole cache
// lines. With that number every step starts at a cache line if the tensor does.
void add_whole_pixels(std::vector<PixelProgram>& programs, const ShuffleLayout& layout,
                      int64_t available, const PermuteLimits& limits) {
    const int64_t pixel_bytes = layout.C * layout.inner;
    const int64_t per_vector = std::max<int64_t>(limits.vector_bytes / pixel_bytes, 1);
    const int64_t for_alignment = kLineBytes / std::gcd(pixel_bytes, kLineBytes);
    std::set<int64_t> counts;
    for (const int64_t wanted : {per_vector, 2 * per_vector, 4 * per_vector, for_alignment}) {
        const int64_t taken = std::min(wanted, available);
        if (taken * pixel_bytes <= limits.max_step_bytes() && counts.insert(taken).second)
            programs.push_back(whole_pixels(layout, taken, available, limits));
    }
}

// Adds programs for pairs of pixels. They suit vectors of 32 bytes, which have no masks and permute within lanes.
void add_pairs_of_pixels(std::vector<PixelProgram>& programs, const ShuffleLayout& layout,
                         int64_t available, const PermuteLimits& limits) {
    const int64_t pixel_bytes = layout.C * layout.inner, column_bytes = layout.Q * layout.inner;
    if (limits.masks() || available < 2) return;
    if (pixel_bytes <= kLaneBytes || pixel_bytes > kMaxPairedPixel) return;
    programs.push_back(pairs_of_pixels(layout, available, false));
    if (column_bytes % kLaneBytes != 0 && column_bytes > kLaneBytes / 2)
        programs.push_back(pairs_of_pixels(layout, available, true));
}

// Adds programs whose steps transpose a part of a pixel.
void add_tiles(std::vector<PixelProgram>& programs, const ShuffleLayout& layout,
               const PermuteLimits& limits) {
    const int64_t E = layout.inner, G = layout.G, Q = layout.Q;
    if (E != unit_of(E)) return;
    const int64_t vector = limits.vector_bytes / E, lane = kLaneBytes / E;
    const auto add = [&](const TileShape& tile) {
        programs.push_back(tile_program(layout, tile, limits));
    };
    // For small G, a step writes a vector of elements to each of the G rows of the destination. For small Q, it reads
    // one from each of the Q rows of the source.
    const auto elements = [&](int64_t count) {
        const int64_t bytes = std::min(count, vector) * E;
        return cut_into_vectors(bytes, limits.vector_bytes, limits.masks())[0].bytes / E;
    };
    const auto is_stored = [&](int64_t n) { return limits.masks() || n * E >= 4; };
    const int64_t rows = elements(Q), columns = elements(G);
    if (G <= limits.max_sources() && is_stored(rows)) add({rows, G, false, G});
    if (Q <= limits.max_sources() && is_stored(columns)) add({Q, columns, true, 1});
    // The next three are for lower_unpacks.cpp.
    const bool unpacks = !limits.masks() && E <= 2;
    // A lane of rows of all columns: the last step repeats fewer rows.
    if (unpacks && G <= limits.max_sources() && Q > lane && Q % vector != 0)
        add({lane, G, false, G});
    // A lane of columns that are shorter than a lane.
    if (unpacks && Q > lane / 2 && Q < lane && G > lane) add({Q, lane, true, lane});
    // All columns of a pixel, one after the other.
    if (unpacks && Q > lane / 2 && G * Q * E <= limits.max_step_bytes()) add({Q, G, true, G});
    // For large G and Q, a step transposes a tile in registers.
    for (int64_t u = lane; u <= std::min(Q, vector); u *= 2)
        for (int64_t v = lane; v <= std::min(G, vector); v *= 2) {
            const int64_t registers = u * v * E / limits.vector_bytes;
            if (registers >= 4 && registers <= limits.max_transposed)
                add({u, v, false, Q == u && !unpacks ? 1 : v, unpacks});
        }
}

}  // namespace

std::vector<Piece> pieces_of(const PermuteProgram& program, const PermuteSection& section) {
    std::vector<Piece> pieces;
    for (const PermuteOutput& output : section.outputs)
        if (output.is_apart()) {
            pieces.push_back({output.dst_offset, kLaneBytes});
            pieces.push_back({output.dst_offset + output.apart, kLaneBytes});
        } else
            pieces.push_back({output.dst_offset, program.bytes(output)});
    return pieces;
}

double split_stores(const PermuteProgram& program, const PermuteSection& section) {
    // The cost of a split whose cache line is completed by the neighbouring store, relative to any other split.
    constexpr double kMergedSplit = 0.25;
    const auto lines = [](int64_t bytes) { return (bytes + kLineBytes - 1) / kLineBytes; };
    const bool aligns = program.loop.aligns();
    const int64_t alignment =
        std::min(aligns ? program.loop.dst_step : program.dst_alignment, kLineBytes);
    // If all repeats meet cache lines at the same places, one of them is enough. Otherwise the places recur after at most kLineBytes repeats.
    const bool one_is_enough = aligns || section.loop.dst_repeat % alignment == 0;
    const int64_t repeats = one_is_enough ? 1 : std::min(section.loop.repeats, kLineBytes);
    // Stores of lanes that are apart do not follow one another.
    const bool is_apart = std::any_of(section.outputs.begin(), section.outputs.end(),
                                      [](const PermuteOutput& o) { return o.is_apart(); });
    const std::vector<Piece> ranges =
        is_apart ? pieces_of(program, section) : written_ranges(program, section);
    double splits = 0;
    int cases = 0;
    for (int64_t repeat = 0; repeat < repeats; ++repeat)
        for (int64_t start = 0; start < kLineBytes; start += alignment) {
            const int64_t base = start + (aligns ? -section.outputs[0].dst_offset
                                                 : repeat * section.loop.dst_repeat);
            for (const Piece& range : ranges) {
                const int64_t at = (base + range.offset) & (kLineBytes - 1);
                splits += static_cast<double>(lines(at + range.bytes) - lines(range.bytes));
                const int64_t vectors = at != 0 ? range.bytes / kLineBytes : 0;
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
            bytes += section.loop.repeats * program.unit *
                     std::count_if(program.source(output), program.source(output) + output.units,
                                   [](int64_t source) { return source != kAnySource; });
    return bytes;
}

bool writes_apart(const PermuteProgram& program) {
    const PermuteSection& first = program.sections[0];
    const std::vector<Piece> ranges = written_ranges(program, first);
    return ranges.size() > 1 || (first.loop.repeats > 1 && first.loop.dst_repeat > ranges[0].bytes);
}

const Piece* extent_at(const std::vector<Piece>& extents, int64_t offset) {
    const auto next =
        std::upper_bound(extents.begin(), extents.end(), offset,
                         [](int64_t at, const Piece& extent) { return at < extent.offset; });
    return next != extents.begin() && offset < std::prev(next)->end() ? &*std::prev(next) : nullptr;
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

std::vector<PixelProgram> pixel_programs(const ShuffleLayout& layout, int64_t pixels, bool dense,
                                         const PermuteLimits& limits) {
    const int64_t available = dense ? pixels : 1;  // for a step
    std::vector<PixelProgram> programs;
    add_whole_pixels(programs, layout, available, limits);
    add_pairs_of_pixels(programs, layout, available, limits);
    add_tiles(programs, layout, limits);
    return programs;
}

PermuteProgram blocked_program(const ShuffleLayout& layout, int64_t pixels, bool single_step,
                               bool near_sources, const PermuteLimits& limits) {
    const int64_t E = layout.element, block = layout.src_axis.block, block_bytes = block * E;
    PermuteProgram program;
    program.unit = static_cast<int>(E);
    program.loop = {pixels * block_bytes, pixels * block_bytes, single_step, block_bytes};
    program.row_bytes = layout.G * E;
    // A single block may have any stride.
    program.block_stride = std::max<int64_t>(layout.src_axis.stride, pixels * block_bytes);
    program.dst_alignment = std::gcd(program.loop.dst_step, kLineBytes);
    for (int i = 0; i < layout.loops.depth; ++i)
        program.dst_alignment = std::gcd(program.dst_alignment, layout.loops.loops[i].dst.stride);
    const int64_t blocks = layout.blocks();
    program.sources.reserve(static_cast<size_t>(blocks * block * pixels));
    std::vector<int64_t> sources(
        static_cast<size_t>(block_bytes));  // of each channel, at its first byte
    std::vector<int64_t> source_blocks;
    for (int64_t first = 0; first < layout.C; first += block) {
        PermuteSection section;
        std::fill(sources.begin(), sources.end(), kZeroSource);
        source_blocks.clear();
        for (int64_t c = first; c < std::min(first + block, layout.C); ++c) {
            const int64_t source = layout.source_channel(c);
            sources[(c - first) * E] = layout.src_axis.offset(source);
            source_blocks.push_back(layout.src_axis.offset(source & -block));
        }
        std::sort(source_blocks.begin(), source_blocks.end());
        source_blocks.erase(std::unique(source_blocks.begin(), source_blocks.end()),
                            source_blocks.end());
        for (const int64_t at : source_blocks)
            section.extents.push_back({at, static_cast<int>(pixels * block_bytes)});
        write_range(program, section, layout.dst_axis.offset(first), pixels * block_bytes, limits,
                    [&](int64_t at) {
                        const int64_t source = sources[at & (block_bytes - 1)];
                        return source == kZeroSource ? kZeroSource : (at & -block_bytes) + source;
                    });
        program.sections.push_back(std::move(section));
    }
    program.near_sources = near_sources;
    gather_sections(program);
    join_sections(program, blocks > kManyBlocks ? kMaxPeriod : 1);
    return program;
}

}  // namespace tombola::impl::cpu::x64
