// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/jit_row_shuffle.hpp"

#include <algorithm>
#include <cstring>

#include "common/parallel.hpp"
#include "cpu/loop_nest.hpp"
#include "cpu/x64/shuffle/row_kernel.hpp"
#include "cpu/x64/shuffle/shuffle_layout.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Source and destination together from which on stores bypass the caches.
constexpr int64_t kStreamingBytes = int64_t{64} << 20;

Result<ShuffleLayout> layout_of(const ShuffleDesc& desc) {
    if (desc.dst.has_zero_dim()) return unimplemented("no elements");
    auto layout = make_layout(desc);
    if (!layout.ok()) return layout;
    const ShuffleLayout& l = layout.value();
    if (l.block > 1) return unimplemented("the axis is blocked");
    if (l.depth == 0 && l.C == 1) return layout;
    if (l.inner >= int64_t{1} << 31) return unimplemented("rows of 2 GiB or more");
    if (l.inner < 4) return unimplemented("rows of %d bytes", static_cast<int>(l.inner));
    return layout;
}

bool streams(const ShuffleLayout& l) {
    const int64_t bytes = 2 * l.iterations(l.depth) * l.C * l.inner;
    return l.inner >= RowKernel::kMinStreamingBytes && bytes >= kStreamingBytes;
}

class RowShuffle : public Executable {
  public:
    RowShuffle(const ShuffleDesc& desc, const ShuffleLayout& layout,
               std::shared_ptr<const RowKernel> kernel)
        : desc_(desc),
          layout_(layout),
          one_run_(layout.C == 1 && layout.depth == 0),
          kernel_(std::move(kernel)) {
        if (layout_.depth == 0) layout_.loops[layout_.depth++] = {1, 0, 0};
    }

    Status execute(const ExecContext& context) const override {
        const bool forward = desc_.is_forward();
        const char* src = context.input<char>(forward ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST);
        char* dst = context.output<char>(forward ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC);
        if (one_run_)
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
        const int64_t rows = layout_.iterations(layout_.depth) * layout_.C;
        parallel_ranges(rows, 1, static_cast<size_t>(2 * rows * layout_.inner),
                        [&](int64_t begin, int64_t end) {
                            while (begin < end) begin += copy(src, dst, begin, end - begin);
                        });
    }

    // Copies from row `first` on as many of `count` rows as one call of the kernel can: whole images, whole
    // groups or the rest of a group. Returns how many.
    int64_t copy(const char* src, char* dst, int64_t first, int64_t count) const {
        const ShuffleLayout& l = layout_;
        const ByteLoop& images = l.loops[l.depth - 1];
        const int64_t image = first / l.C, c = first % l.C, u = c % l.Q, v = c / l.Q;
        const Offsets at = offsets_of(l, l.depth, image);
        RowKernel::Args args{src + at.src + l.source_channel(c) * l.src_axis,
                             dst + at.dst + c * l.dst_axis,
                             {1, images.src, images.dst},
                             {1, l.src_axis, l.Q * l.dst_axis},
                             l.Q};
        if (c == 0 && count >= l.C) {
            args.images.count = std::min(count / l.C, images.count - image % images.count);
            args.groups.count = l.G;
        } else if (u == 0 && count >= l.Q) {
            args.groups.count = std::min(count / l.Q, l.G - v);
        } else {
            args.rows = std::min(count, l.Q - u);
        }
        (*kernel_)(args);
        return args.images.count * args.groups.count * args.rows;
    }

    ShuffleDesc desc_;
    ShuffleLayout layout_;
    bool one_run_;  // nothing moves: both tensors are one contiguous copy
    std::shared_ptr<const RowKernel> kernel_;
};

}  // namespace

template <CpuIsa isa>
Result<Plan> JitRowShuffle<isa>::plan(const ShuffleDesc& desc) {
    auto layout = layout_of(desc);
    if (!layout.ok()) return layout.take_status();
    return Plan{};
}

template <CpuIsa isa>
Result<std::unique_ptr<Executable>> JitRowShuffle<isa>::create(const ShuffleDesc& desc,
                                                               const Plan&) {
    auto layout = layout_of(desc);
    if (!layout.ok()) return layout.take_status();
    const ShuffleLayout& l = layout.value();
    if (l.depth == 0 && l.C == 1)
        return std::unique_ptr<Executable>(std::make_unique<RowShuffle>(desc, l, nullptr));
    auto kernel = make_kernel<RowKernel>({isa, l.inner, l.G * l.src_axis, l.dst_axis, streams(l)});
    if (!kernel.ok()) return kernel.take_status();
    return std::unique_ptr<Executable>(std::make_unique<RowShuffle>(desc, l, kernel.take()));
}

template struct JitRowShuffle<CpuIsa::avx2>;
template struct JitRowShuffle<CpuIsa::avx512_core>;

}  // namespace tombola::impl::cpu::x64
