// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/parallel.hpp"
#include "cpu/shuffle/shuffle_layout.hpp"
#include "cpu/streaming.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/row_functions.hpp"
#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

Result<ShuffleLayout> layout_of(const ShuffleDesc& desc) {
    ShuffleLayout l = TOMBOLA_TRY(make_unblocked_layout(desc));
    if (l.is_copy()) return l;
    if (!l.src_axis.is_plain() || !l.dst_axis.is_plain())
        return unimplemented("the axis is blocked");
    if (l.inner >= int64_t{1} << 31) return unimplemented("rows of 2 GiB or more");
    if (l.inner < 4) return unimplemented("rows of %d bytes", static_cast<int>(l.inner));
    if (l.loops.depth == 0) l.loops.push({});
    return l;
}

// The two loops over the rows of an image, and by how many bytes each of them advances the addresses. A turn is one pass of the outer loop.
struct RowLoops {
    RowLoop outer, inner;
};

// If both tensors fit the first-level cache, only rows of at least this many bytes are stitched. A store that crosses a line costs little
// there, so copying is faster for shorter rows.
constexpr int64_t kMinStitchedInL1 = 128;
// If source and destination together have fewer bytes, copying is faster than stitching. Measured on Sapphire Rapids alone.
constexpr int64_t kMinBytesStitchedInL1 = 16 * 1024;
// See suits_narrow_stores().
constexpr int64_t kMaxNarrowInL1 = 256;
// If the tensors exceed the second-level cache, copying is faster than stitching for rows of at least this many bytes. Measured on Sapphire
// Rapids alone.
constexpr int64_t kMinCopiedBeyondL2 = 512;
// Shorter rows do not prefetch the lines of their stores: their other instructions take so long that no store waits for its line. Measured
// on Sapphire Rapids alone.
constexpr int64_t kMinPrefetchedStitched = 48, kMinPrefetchedCopied = 24;
// A turn of at most this many bytes is straight code; a longer one is a loop over its rows.
constexpr int64_t kMaxStraightBytes = 2048;
// Copying straight turns is faster than stitching if an image has at least this many turns, of at most this many bytes each. Measured on
// Zen 5. On Sapphire Rapids, no other number of turns is better.
constexpr int64_t kMinStraightTurns = 32, kMaxBytesOfTurn = 1600;
// See suits_prefetched_copies(). Measured on Sapphire Rapids alone.
constexpr int64_t kMaxRowOfPrefetchedCopies = 48, kMinStitchedRowsOfGroup = 8, kRowAlignment = 8;
// With fewer rows, one store per row (RowPlan::overruns) gains nothing, because the last row needs a call of its own. Measured on Zen 5 and
// Sapphire Rapids.
constexpr int64_t kMinOverrunningRows = 128;

// How the rows of a shuffle are copied. plan_rows() sets the members in this order.
struct RowPlan {
    CpuIsa isa;
    ShuffleLayout layout;

    // What is known about the tensors.
    int64_t bytes;  // of source and destination together
    bool in_l1, exceeds_l2;
    bool is_far;            // large enough to bypass the caches
    bool images_are_dense;  // the rows of an image follow each other in the destination
    bool is_dense;          // all rows follow each other in the destination

    // What is decided.
    // The stores of copied rows bypass the caches; rows must have at least kMinStreamingBytes.
    bool rows_stream;
    bool copies_strings;  // rows are copied by the string instruction
    // A row is one store that ends after the row. The store of the next row then writes the correct bytes there.
    bool overruns;
    RowLoops loops;
    bool is_straight;  // the code copies the rows of a turn one after the other, without a loop
    Sources sources;   // what is prefetched while stores bypass the caches
    bool is_stitched;
    Stores stores;  // applies to copied rows, and to stitched rows that do not bypass the caches
    CpuIsa code;    // the instruction set of the code that copies rows
};

// ---- how rows are taken ------------------------------------------------------------------------------------------

// In the first-level cache, and in memory, the string instruction is no faster.
bool suits_strings(const RowPlan& plan) {
    const int64_t min = machine().row.string_bytes;
    return min > 0 && plan.layout.inner >= min && !plan.in_l1 && !plan.is_far;
}

// Whether each row can be one store that ends after the row. Two overlapping stores take up to twice as long as one.
bool can_overrun(const RowPlan& plan) {
    const ShuffleLayout& l = plan.layout;
    return plan.is_dense && l.inner < 32 && l.inner != size_of_access(l.inner) &&
           l.loops.iterations() * l.C >= kMinOverrunningRows;
}

// See MachineRow::linear_rows.
bool is_linear(const RowPlan& plan) {
    return plan.layout.inner <= machine().row.linear_rows && !plan.rows_stream;
}

// Whether a row is two stores of 32 bytes that overlap by less than a half, and rows are therefore written in the order of the destination.
// If a core completes fewer than two such stores per cycle, that order takes less time, except for tensors in the second-level cache.
bool is_written_in_order(const RowPlan& plan) {
    const bool is_two_stores = 48 < plan.layout.inner && plan.layout.inner < 64;
    return is_two_stores && !machine().two_narrow_stores_per_cycle() &&
           (plan.in_l1 || plan.exceeds_l2);
}

// Rows whose stores bypass the caches are written in the order of the destination. Other rows may be read in the order of the source
// instead, if that makes the inner loop the shorter one. Then the other tensor is written in as many places as a turn has rows.
RowLoops loops_of(const RowPlan& plan) {
    const ShuffleLayout& l = plan.layout;
    const int64_t src = l.src_axis.stride, dst = l.dst_axis.stride;
    const RowLoop groups{l.G, src, l.Q * dst}, rows{l.Q, l.G * src, dst};
    const bool swaps = is_linear(plan) && l.G < l.Q && !is_written_in_order(plan) && !plan.overruns;
    return swaps ? RowLoops{rows, groups} : RowLoops{groups, rows};
}

bool has_straight_turns(const RowPlan& plan) {
    const RowLoop& turn = plan.loops.inner;
    return is_linear(plan) && !plan.copies_strings &&
           turn.count * plan.layout.inner <= kMaxStraightBytes &&
           turn.count * std::max(turn.src, turn.dst) < int64_t{1} << 31;
}

// ---- stitched or copied ------------------------------------------------------------------------------------------

// Whether, in a destination that begins with a line, stores of 32 bytes cross no line, but half of those of 64 bytes do. In the first-level cache, this makes code for AVX2 up to 1.28
// times as fast for rows of 96, 160 and 224 bytes, but not for longer ones. Measured on Sapphire Rapids alone.
bool suits_narrow_stores(const RowPlan& plan) {
    return plan.in_l1 && plan.layout.inner % kLineBytes == kLineBytes / 2 &&
           plan.layout.inner <= kMaxNarrowInL1;
}

// Whether rows in the second-level cache are so short that copies that prefetch are faster than stitching. They are if a group has few
// rows, because stitching begins anew with each group, or if few of the stores cross a line.
bool suits_prefetched_copies(const RowPlan& plan) {
    const ShuffleLayout& l = plan.layout;
    return machine().row.prefetches_rows && !plan.in_l1 && !plan.exceeds_l2 &&
           l.inner <= kMaxRowOfPrefetchedCopies &&
           (l.Q < kMinStitchedRowsOfGroup || l.inner % kRowAlignment == 0);
}

bool replaces_stitching(const RowPlan& plan) {
    if (!plan.is_straight) return false;
    if (suits_prefetched_copies(plan)) return true;
    return plan.loops.outer.count >= kMinStraightTurns &&
           plan.loops.inner.count * plan.layout.inner <= kMaxBytesOfTurn;
}

StitchKey stitch_key(const RowPlan& plan, Stores stores, Sources sources) {
    const ShuffleLayout& l = plan.layout;
    return {l.inner, l.Q, l.G, l.src_axis.stride, l.loops.fastest().src.stride, stores, sources};
}

// Whether stitching is possible, and faster than copying. Stitched rows need stores of 64 bytes. On machines where two stores of 32 bytes
// take no longer, stitching is faster only in the second-level cache and where stores bypass the caches.
bool suits_stitching(const RowPlan& plan) {
    if (!shape_of(plan.isa).masks || !plan.is_dense || plan.copies_strings) return false;
    if (!StitchFunction::serves(stitch_key(plan, Stores::plain, Sources::plain))) return false;
    if (!plan.is_far && replaces_stitching(plan)) return false;
    if (machine().narrow_stores_are_as_fast() && (plan.in_l1 || (plan.exceeds_l2 && !plan.is_far)))
        return false;
    if (plan.exceeds_l2 && plan.layout.inner >= kMinCopiedBeyondL2) return false;
    if (!plan.in_l1) return true;
    return plan.layout.inner >= kMinStitchedInL1 && plan.bytes >= kMinBytesStitchedInL1 &&
           !suits_narrow_stores(plan);
}

// ---- stores and prefetches ---------------------------------------------------------------------------------------

// Rows of at least `min_bytes` bytes prefetch the lines of their stores, unless the tensors fit the first-level cache.
Stores stores_that_prefetch_from(const RowPlan& plan, int64_t min_bytes) {
    return plan.layout.inner < min_bytes || plan.in_l1 ? Stores::plain : Stores::prefetched;
}

// The stores of stitched rows that do not bypass the caches.
Stores stores_of_stitches(const RowPlan& plan) {
    return stores_that_prefetch_from(plan, kMinPrefetchedStitched);
}

Stores stores_of_copies(const RowPlan& plan) {
    if (plan.rows_stream) return Stores::streaming;
    if (plan.copies_strings) return Stores::strings;
    if (plan.is_straight && !plan.exceeds_l2 && !machine().row.prefetches_rows)
        return Stores::plain;
    if (plan.exceeds_l2 && plan.images_are_dense) return Stores::prefetched_ahead;
    return stores_that_prefetch_from(plan, kMinPrefetchedCopied);
}

// While an image is stored, the next one is prefetched in the order of memory: the processor's own prefetchers do not
// follow short rows that lie apart. Where the source has gaps, the wrong lines would be prefetched. An image that does
// not fit the second-level cache would lose its lines before they are read.
Sources sources_of(const RowPlan& plan) {
    const ShuffleLayout& l = plan.layout;
    const Loop& images = l.loops.fastest();
    const int64_t image = l.C * l.inner;
    const bool reads_ahead = plan.is_far && plan.is_dense && l.src_axis.stride == l.inner &&
                             (images.count == 1 || images.src.stride == image) &&
                             image <= machine().caches.l2 / 4 * 3;
    return reads_ahead ? prefetched_sources(l.inner) : Sources::plain;
}

// Whether vectors of 32 bytes copy rows faster than those of 64. Fewer of their stores cross cache lines.
bool suits_narrow_vectors(const RowPlan& plan) {
    // In the third-level cache, rows whose stores prefetch ahead are up to 2 % faster. Measured on Sapphire Rapids alone.
    if (plan.stores == Stores::prefetched_ahead) return true;
    // In the second-level cache, straight turns that prefetch the lines of their stores are faster too: see MachineRow::prefetches_rows.
    if (plan.is_straight && plan.stores == Stores::prefetched && !plan.exceeds_l2) return true;
    // Other straight turns beyond the first-level cache gain by wide vectors on machines that complete two narrow stores per cycle, because
    // fewer stores are faster there.
    if (plan.is_straight && !plan.in_l1 && machine().two_narrow_stores_per_cycle()) return false;
    // With wide vectors, straight turns store a row of 33 to 63 bytes under a mask, which takes up to 1.5 times as long as two stores of 32
    // bytes. Rows of fewer bytes take the same time with both.
    const bool is_short = plan.is_straight && plan.layout.inner < kLineBytes;
    const bool narrow_is_as_fast =
        machine().narrow_stores_are_as_fast() && plan.stores != Stores::streaming;
    return is_short || narrow_is_as_fast || suits_narrow_stores(plan);
}

// The instruction set of the code that copies rows.
CpuIsa code_of_copies(const RowPlan& plan) {
    return suits_narrow_vectors(plan) ? CpuIsa::avx2 : plan.isa;
}

RowPlan plan_rows(CpuIsa isa, const ShuffleLayout& layout) {
    RowPlan plan{};
    plan.isa = isa;
    plan.layout = layout;
    if (layout.is_copy()) return plan;
    const Loop& images = layout.loops.fastest();
    plan.bytes = 2 * layout.loops.iterations() * layout.C * layout.inner;
    plan.in_l1 = fits_l1(plan.bytes);
    plan.exceeds_l2 = plan.bytes >= machine().caches.l2;
    plan.is_far = machine().is_far(plan.bytes, max_threads());
    plan.images_are_dense = layout.dst_axis.stride == layout.inner;
    plan.is_dense = plan.images_are_dense && !layout.has_padding && layout.loops.depth == 1 &&
                    (images.count == 1 || images.dst.stride == layout.C * layout.inner);
    plan.rows_stream = layout.inner >= kMinStreamingBytes && plan.is_far;
    plan.copies_strings = suits_strings(plan);
    plan.overruns = can_overrun(plan);
    plan.loops = loops_of(plan);
    plan.is_straight = has_straight_turns(plan);
    plan.sources = sources_of(plan);
    plan.is_stitched = suits_stitching(plan);
    if (plan.is_stitched) {
        plan.is_straight = false;
        plan.stores = stores_of_stitches(plan);
        return plan;
    }
    plan.stores = stores_of_copies(plan);
    plan.code = code_of_copies(plan);
    return plan;
}

// ---- execution ---------------------------------------------------------------------------------------------------

// Rows of neighbouring groups share cache lines of the source. So groups are copied in slices: one slice of each group of an image, then
// the next slice of each. The lines that a slice touches in both tensors stay in the cache until the next group needs them. This is the
// second-level cache if stores bypass the caches, because the first and the last line of each slice cannot bypass them; otherwise it is the
// first-level cache. A slice is a whole number of periods of the stitched rows. If the groups begin with a line, so do the slices. A slice
// takes about a third of the cache; with a half to a sixth, 11 shapes take the same time within 3 % on average.
int64_t slice_rows(int64_t row_bytes, int64_t period, bool streams) {
    const Caches& caches = machine().caches;
    const int64_t rows = (streams ? caches.l2 : caches.l1) / (3 * (2 * row_bytes + kLineBytes));
    return std::max<int64_t>((rows + period / 2) / period, 1) * period;
}

// The prefetched source lies this many bytes after the next image, which hides the latency of memory. 8 KiB is as good.
constexpr int64_t kBytesAfterImage = 16384;

// The distance in bytes from the place of a store in the destination to the byte of the source that is prefetched with that store.
int64_t bytes_ahead(const ShuffleLayout& l, const char* src, const char* dst) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(src) -
                                reinterpret_cast<uintptr_t>(dst)) +
           l.C * l.inner + kBytesAfterImage;
}

// How short rows are stitched into a destination without gaps that has this alignment.
struct StitchWay {
    StitchFunction function;
    int64_t alignment;  // 1, unless stores bypass the caches
    bool streams() const { return alignment > 1; }
};

// The kernels of a plan. There are none if the shuffle is one copy.
struct RowKernels {
    JitFunction<RowArgs> rows;
    JitFunction<RowArgs> overrunning;  // see RowKey::overruns; for all turns except the last one
    // In descending order of speed; the last one serves destinations of any alignment.
    std::vector<StitchWay> stitches;
};

class RowShuffle : public Executable {
  public:
    RowShuffle(const ShuffleDesc& desc, const RowPlan& plan, RowKernels kernels)
        : desc_(desc), padding_(desc.dst), plan_(plan), kernels_(std::move(kernels)) {}

    Status execute(const ExecContext& context) const override {
        const auto [src, dst] = shuffle_tensors(desc_, context);
        kernels_.rows || !kernels_.stitches.empty() ? copy_rows(src, dst) : copy_bytes(src, dst);
        padding_.zero(dst);
        return {};
    }

  private:
    const ShuffleLayout& layout() const { return plan_.layout; }

    void copy_bytes(const char* src, char* dst) const {
        parallel_ranges(layout().inner, 64, moving(static_cast<size_t>(2 * layout().inner)),
                        [&](int64_t begin, int64_t end) {
                            std::memcpy(dst + begin, src + begin, static_cast<size_t>(end - begin));
                        });
    }

    void copy_rows(const char* src, char* dst) const {
        const int64_t rows = layout().loops.iterations() * layout().C;
        const auto way =
            std::find_if(kernels_.stitches.begin(), kernels_.stitches.end(),
                         [&](const StitchWay& each) { return is_aligned(dst, each.alignment); });
        const bool stitched = way != kernels_.stitches.end();
        const int64_t slice =
            stitched ? slice_rows(layout().inner, way->function.period(), way->streams()) : 0;
        // If turns are straight code, each call copies whole turns.
        const int64_t turn = plan_.is_straight ? plan_.loops.inner.count : 1;
        const bool streaming = stitched ? way->streams() : plan_.rows_stream;
        const auto bytes = static_cast<size_t>(rows * layout().inner);
        parallel_ranges(rows, turn, work_of(0, 2 * bytes, streaming ? bytes : 0),
                        [&](int64_t begin, int64_t end) {
                            const StreamingStores stores(streaming);
                            if (stitched) return stitch(way->function, slice, src, dst, begin, end);
                            if (kernels_.overrunning)
                                begin =
                                    copy_rows(kernels_.overrunning, src, dst, begin, end - turn);
                            copy_rows(kernels_.rows, src, dst, begin, end);
                        });
    }

    // Copies rows [begin, end) in the order of the loops. Returns the end.
    int64_t copy_rows(const JitFunction<RowArgs>& kernel, const char* src, char* dst, int64_t begin,
                      int64_t end) const {
        while (begin < end) begin += copy(kernel, src, dst, begin, end - begin);
        return begin;
    }

    // Copies as many of the `count` rows from `first` on as one call of the kernel can cover: whole images, whole turns of the
    // inner loop or the rest of one. Returns how many.
    int64_t copy(const JitFunction<RowArgs>& kernel, const char* src, char* dst, int64_t first,
                 int64_t count) const {
        const ShuffleLayout& l = layout();
        const auto& [outer, inner] = plan_.loops;
        const Loop& images = l.loops.fastest();
        const auto [image, c] = divide(first, l.C);
        const auto [turn, row] = divide(c, inner.count);
        const LoopCursor at(l.loops, image);
        RowArgs args{src + at.src() + turn * outer.src + row * inner.src,
                     dst + at.dst() + turn * outer.dst + row * inner.dst,
                     {1, images.src.stride, images.dst.stride},
                     {1, outer.src, outer.dst},
                     inner.count,
                     bytes_ahead(l, src, dst)};
        if (c == 0 && count >= l.C) {
            args.images.count =
                std::min(count / l.C, images.count - divide(image, images.count).rest);
            args.turns.count = outer.count;
        } else if (row == 0 && count >= inner.count) {
            args.turns.count = std::min(count / inner.count, outer.count - turn);
        } else {
            args.rows = std::min(count, inner.count - row);
        }
        if (plan_.rows_stream) {  // rows without gaps between them
            if (!plan_.images_are_dense) args.rows = args.turns.count = 1;
            if (!plan_.is_dense) args.images.count = 1;
        }
        kernel(args);
        return args.images.count * args.turns.count * args.rows;
    }

    // Copies rows [begin, end) of the destination, all at once or slice by slice: one slice of each group of an image, then the next slice
    // of each. The last slice of a group is up to 1.5 slices long, so that no slice is short.
    void stitch(const StitchFunction& copy, int64_t slice, const char* src, char* dst,
                int64_t begin, int64_t end) const {
        const ShuffleLayout& l = layout();
        const auto is_last = [&](int64_t u) { return 2 * (l.Q - u) < 3 * slice; };
        const int64_t ahead = bytes_ahead(l, src, dst);
        if (is_last(0)) return copy(src, dst, begin, end, ahead);
        for (int64_t number = divide(begin, l.C).quotient; number * l.C < end; ++number) {
            const int64_t image = number * l.C;
            for (int64_t u = 0, next; u < l.Q; u = next) {
                next = is_last(u) ? l.Q : u + slice;
                for (int64_t v = 0; v < l.G; ++v) {
                    const int64_t group = image + v * l.Q;
                    const int64_t from = std::max(group + u, begin);
                    const int64_t to = std::min(group + next, end);
                    if (from < to) copy(src, dst, from, to, ahead);
                }
            }
        }
    }

    ShuffleDesc desc_;
    Padding padding_;
    RowPlan plan_;
    RowKernels kernels_;
};

Result<RowKernels> make_kernels(const RowPlan& plan) {
    RowKernels kernels;
    if (plan.layout.is_copy()) return kernels;
    if (plan.is_stitched) {
        struct Way {
            Stores stores;
            Sources sources;
            int64_t alignment;
        };
        for (const Way& way : {Way{Stores::streaming, plan.sources, kLineBytes},
                               {Stores::streaming_parts, plan.sources, kLaneBytes},
                               {plan.stores, Sources::plain, 1}}) {
            if (way.alignment > 1 && !plan.is_far) continue;
            auto function =
                TOMBOLA_TRY(StitchFunction::make(stitch_key(plan, way.stores, way.sources)));
            kernels.stitches.push_back({std::move(function), way.alignment});
        }
        return kernels;
    }
    const RowLoop& inner = plan.loops.inner;
    RowKey key{plan.code, plan.layout.inner, inner.src, inner.dst, plan.stores};
    if (plan.stores == Stores::streaming) {
        key.dst_row = plan.layout.inner;
        key.sources = plan.sources;
    } else if (plan.is_straight) {
        key.turn = inner.count;
    }
    kernels.rows = TOMBOLA_TRY(row_function(key));
    key.overruns = plan.overruns;
    if (key.overruns) kernels.overrunning = TOMBOLA_TRY(row_function(key));
    return kernels;
}

}  // namespace

Result<PlanPtr> plan_row_shuffle(CpuIsa isa, const ShuffleDesc& desc) {
    const RowPlan plan = plan_rows(isa, TOMBOLA_TRY(layout_of(desc)));
    return make_plan(0, [desc, plan]() -> Result<std::unique_ptr<Executable>> {
        RowKernels kernels = TOMBOLA_TRY(make_kernels(plan));
        return make_executable<RowShuffle>(desc, plan, std::move(kernels));
    });
}

}  // namespace tombola::impl::cpu::x64
