// SPDX-License-Identifier: Apache-2.0
// dst(ou, c, in) = src(ou, c', in), c = u + v * Q, c' = u * G + v (oneDNN, "Shuffle", forward; backward has C/G in
// the place of G).
#include <algorithm>
#include <cstring>

#include "common/parallel.hpp"
#include "cpu/implementations.hpp"
#include "cpu/shuffle/shuffle_layout.hpp"

namespace tombola::impl::cpu {
namespace {

class PortableShuffle : public Executable {
  public:
    explicit PortableShuffle(const ShuffleDesc& desc) : desc_(desc) {
        if (!desc.dst.has_zero_dim()) layout_ = make_shuffle_layout(desc);
    }

    Status execute(const ExecContext& context) const override {
        if (desc_.dst.has_zero_dim()) return {};
        const auto [src, dst] = shuffle_tensors(desc_, context);
        if (layout_.inner > layout_.element)
            copy_rows(src, dst);
        else
            copy_elements(src, dst);
        zero_padding(desc_.dst, dst);
        return {};
    }

  private:
    // Channels u + v * Q, first <= u < last, of one iteration of the loops, which is at these offsets.
    struct Run {
        int64_t src, dst, v, first, last;
    };
    // Visits the channels in the order of the destination.
    template <class Copy>
    void for_each_run(const Copy& copy) const {
        const ShuffleLayout& l = layout_;
        parallel_ranges(l.loops.iterations() * l.C, 1, moving(2 * desc_.dst.size()),
                        [&](int64_t begin, int64_t end) {
                            LoopCursor cursor(l.loops, begin / l.C);
                            int64_t v = begin % l.C / l.Q, u = begin % l.C % l.Q;
                            for (int64_t at = begin; at < end;) {
                                const int64_t last = std::min(l.Q, u + end - at);
                                copy(Run{cursor.src(), cursor.dst(), v, u, last});
                                at += last - u;
                                u = 0;
                                if (++v < l.G) continue;
                                v = 0;
                                cursor.next();
                            }
                        });
    }

    // Rows of three bytes, such as pixels of u8, are the shortest that are no elements.
    struct ThreeBytes {
        char bytes[3];
    };

    void copy_rows(const char* src, char* dst) const {
        const ShuffleLayout& l = layout_;
        if (l.inner == sizeof(ThreeBytes) && l.src_axis.is_plain() && l.dst_axis.is_plain())
            return copy_elements_of<ThreeBytes>(src, dst);
        for_each_run([=, &l](const Run& run) {
            for (int64_t u = run.first; u < run.last; ++u)
                std::memcpy(dst + run.dst + l.dst_axis.offset(u + run.v * l.Q),
                            src + run.src + l.src_axis.offset(u * l.G + run.v),
                            static_cast<size_t>(l.inner));
        });
    }

    void copy_elements(const char* src, char* dst) const {
        switch (layout_.element) {
            case 1:
                return copy_elements_of<uint8_t>(src, dst);
            case 2:
                return copy_elements_of<uint16_t>(src, dst);
            case 4:
                return copy_elements_of<uint32_t>(src, dst);
            default:
                return copy_elements_of<uint64_t>(src, dst);
        }
    }

    template <class T>
    void copy_elements_of(const char* src, char* dst) const {
        const int64_t G = layout_.G, Q = layout_.Q;
        const AxisStride s = layout_.src_axis, d = layout_.dst_axis;
        for_each_run([=](const Run& run) {
            const char* a = src + run.src;
            char* b = dst + run.dst;
            const auto copy = [&](int64_t to, int64_t from) {
                std::memcpy(b + to, a + from, sizeof(T));  // which need not be aligned
            };
            // AxisStride::offset() without a branch: neighbours in a block are neighbours in memory.
            const auto place = [](const AxisStride& axis, int64_t i) {
                return (i >> __builtin_ctzll(static_cast<uint64_t>(axis.block))) * axis.stride +
                       (i & (axis.block - 1)) * static_cast<int64_t>(sizeof(T));
            };
            if (s.is_plain() && d.is_plain())
                for (int64_t u = run.first; u < run.last; ++u)
                    copy((u + run.v * Q) * d.stride, (u * G + run.v) * s.stride);
            else
                for (int64_t u = run.first; u < run.last; ++u)
                    copy(place(d, u + run.v * Q), place(s, u * G + run.v));
        });
    }

    ShuffleDesc desc_;
    ShuffleLayout layout_;
};

}  // namespace

Result<PlanPtr> plan_portable_shuffle(CpuIsa, const ShuffleDesc& desc) {
    return make_plan(0, [desc] { return make_executable<PortableShuffle>(desc); });
}

}  // namespace tombola::impl::cpu
