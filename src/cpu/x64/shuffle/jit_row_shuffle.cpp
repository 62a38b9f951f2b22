// SPDX-License-Identifier: Apache-2.0
#include "cpu/implementations.hpp"

#include <algorithm>
#include <cstring>

#include "common/parallel.hpp"
#include "cpu/shuffle/shuffle_layout.hpp"
#include "cpu/x64/shuffle/row_functions.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Stores bypass the caches if source and destination together have at least this many bytes.
constexpr int64_t kStreamingBytes = int64_t{64} << 20;

// Rows of neighbouring groups share cache lines of the source. So groups are copied in slices: a slice of each group
// of an image, then the next slice of each. The lines that a slice touches in both tensors stay in the first-level
// cache until the next group needs them.
constexpr int64_t kSliceBytes = 24 * 1024;

Result<ShuffleLayout> layout_of(const ShuffleDesc& desc) {
    if (desc.dst.has_zero_dim()) return unimplemented("no elements");
    if (desc.src.block_dim == desc.axis || desc.dst.block_dim == desc.axis)
        return unimplemented("the axis is blocked");
    ShuffleLayout l = make_shuffle_layout(desc);
    if (l.is_copy()) return l;
    for (int i = 0; i < l.loops.depth; ++i)
        if (!l.loops.loops[i].is_plain())
            return unimplemented("source and destination have different blocks");
    if (l.inner >= int64_t{1} << 31) return unimplemented("rows of 2 GiB or more");
    if (l.inner < 4) return unimplemented("rows of %d bytes", static_cast<int>(l.inner));
    return l;
}

bool streams(const ShuffleLayout& l) {
    const int64_t bytes = 2 * l.loops.iterations() * l.C * l.inner;
    return l.inner >= kMinStreamingBytes && bytes >= kStreamingBytes;
}

class RowShuffle : public Executable {
  public:
    RowShuffle(const ShuffleDesc& desc, const ShuffleLayout& layout, JitFunction<RowArgs> kernel)
        : desc_(desc), layout_(layout), kernel_(std::move(kernel)) {
        if (layout_.loops.depth == 0) layout_.loops.push({});
    }

    Status execute(const ExecContext& context) const override {
        const auto [src, dst] = shuffle_tensors(desc_, context);
        if (!kernel_)
            copy_bytes(src, dst);
        else
            copy_rows(src, dst);
        if (layout_.has_padding) zero_padding(desc_.dst, dst);
        return {};
    }

  private:
    void copy_bytes(const char* src, char* dst) const {
        parallel_ranges(layout_.inner, 64, static_cast<size_t>(2 * layout_.inner),
                        [&](int64_t begin, int64_t end) {
                            std::memcpy(dst + begin, src + begin, static_cast<size_t>(end - begin));
                        });
    }

    void copy_rows(const char* src, char* dst) const {
        const int64_t rows = layout_.loops.iterations() * layout_.C;
        parallel_ranges(rows, 1, static_cast<size_t>(2 * rows * layout_.inner),
                        [&](int64_t begin, int64_t end) {
                            while (begin < end) begin += copy(src, dst, begin, end - begin);
                        });
    }

    // Copies as many of the `count` rows from `first` on as one call of the kernel can cover: whole images, whole
    // groups or the rest of a group. Returns how many.
    int64_t copy(const char* src, char* dst, int64_t first, int64_t count) const {
        const ShuffleLayout& l = layout_;
        const Loop& images = l.loops.fastest();
        const int64_t image = first / l.C, c = first % l.C, u = c % l.Q, v = c / l.Q;
        const LoopCursor at(l.loops, image);
        RowArgs args{src + at.src() + l.source_channel(c) * l.src_axis.stride,
                     dst + at.dst() + c * l.dst_axis.stride,
                     {1, images.src.stride, images.dst.stride},
                     {1, l.src_axis.stride, l.Q * l.dst_axis.stride},
                     l.Q};
        if (c == 0 && count >= l.C) {
            args.images.count = std::min(count / l.C, images.count - image % images.count);
            args.groups.count = l.G;
        } else if (u == 0 && count >= l.Q) {
            args.groups.count = std::min(count / l.Q, l.G - v);
        } else {
            args.rows = std::min(count, l.Q - u);
        }
        kernel_(args);
        return args.images.count * args.groups.count * args.rows;
    }

    ShuffleDesc desc_;
    ShuffleLayout layout_;
    JitFunction<RowArgs> kernel_;  // empty: both tensors are one contiguous run
};

// Copies short rows to a destination without gaps.
class StitchedShuffle : public Executable {
  public:
    StitchedShuffle(const ShuffleDesc& desc, const ShuffleLayout& layout, StitchFunction kernel)
        : desc_(desc),
          images_(layout.loops.iterations()),
          C_(layout.C),
          Q_(layout.Q),
          row_bytes_(layout.inner),
          slice_(kSliceBytes / (2 * layout.inner + kLineBytes)),
          kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        const ShuffleTensors tensors = shuffle_tensors(desc_, context);
        const int64_t rows = images_ * C_;
        parallel_ranges(
            rows, 1, static_cast<size_t>(2 * rows * row_bytes_),
            [&](int64_t begin, int64_t end) { copy(tensors.src, tensors.dst, begin, end); });
        return {};
    }

  private:
    // Copies rows [begin, end) of the destination: all at once, or slice by slice, one slice of each group of an image
    // after the other.
    void copy(const char* src, char* dst, int64_t begin, int64_t end) const {
        if (Q_ <= slice_) return kernel_(src, dst, begin, end);
        for (int64_t image = begin / C_ * C_; image < end; image += C_)
            for (int64_t u = 0; u < Q_; u += slice_)
                for (int64_t group = image; group < image + C_; group += Q_) {
                    const int64_t from = std::max(group + u, begin);
                    const int64_t to = std::min(group + std::min(u + slice_, Q_), end);
                    if (from < to) kernel_(src, dst, from, to);
                }
    }

    ShuffleDesc desc_;
    int64_t images_, C_, Q_, row_bytes_;
    int64_t slice_;  // rows of a group
    StitchFunction kernel_;
};

bool is_dense(const ShuffleLayout& l) {
    return l.dst_axis.stride == l.inner && !l.has_padding &&
           (l.loops.depth == 0 ||
            (l.loops.depth == 1 && l.loops.fastest().dst.stride == l.C * l.inner));
}

// Builds the kernel that suits the layout, and its executable.
Result<std::unique_ptr<Executable>> build(CpuIsa isa, const ShuffleDesc& desc,
                                          const ShuffleLayout& l) {
    if (l.is_copy()) return make_executable<RowShuffle>(desc, l, JitFunction<RowArgs>());
    const int64_t src_image = l.loops.depth == 0 ? 0 : l.loops.loops[0].src.stride;
    const StitchKey stitch{isa, l.inner, l.Q, l.G, l.src_axis.stride, src_image};
    if (is_dense(l) && !streams(l) && StitchFunction::serves(stitch)) {
        return make_executable<StitchedShuffle>(desc, l, TOMBOLA_TRY(StitchFunction::make(stitch)));
    }
    auto kernel = TOMBOLA_TRY(
        row_function({isa, l.inner, l.G * l.src_axis.stride, l.dst_axis.stride, streams(l)}));
    return make_executable<RowShuffle>(desc, l, std::move(kernel));
}

}  // namespace

Result<PlanPtr> plan_row_shuffle(CpuIsa isa, const ShuffleDesc& desc) {
    const ShuffleLayout layout = TOMBOLA_TRY(layout_of(desc));
    return make_plan(0, [isa, desc, layout] { return build(isa, desc, layout); });
}

}  // namespace tombola::impl::cpu::x64
