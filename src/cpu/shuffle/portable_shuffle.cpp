// SPDX-License-Identifier: Apache-2.0
// dst(ou, c, in) = src(ou, c', in), c = u + v * Q, c' = u * G + v (oneDNN, "Shuffle", forward; backward has C/G in
// the place of G).
#include "cpu/implementations.hpp"

#include <algorithm>
#include <cstring>

#include "common/parallel.hpp"
#include "cpu/shuffle/shuffle_geometry.hpp"

namespace tombola::impl::cpu {
namespace {

class PortableShuffle : public Executable {
  public:
    explicit PortableShuffle(const ShuffleDesc& desc) : desc_(desc) {
        if (!desc.dst.has_zero_dim()) geometry_ = make_geometry(desc);
    }

    Status execute(const ExecContext& context) const override {
        if (desc_.dst.has_zero_dim()) return {};
        const bool forward = desc_.is_forward();
        const char* src = context.input<char>(forward ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST);
        char* dst = context.output<char>(forward ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC);
        if (geometry_.inner > 1)
            copy_rows(src, dst);
        else
            copy_elements(src, dst);
        zero_padding(desc_.dst, dst);
        return {};
    }

  private:
    // Channels u + v * Q, first <= u < last, of one iteration, which is at these offsets.
    struct Run {
        dim_t src, dst, v, first, last;
    };
    // In the order of the destination.
    template <class Copy>
    void for_each_run(const Copy& copy) const {
        const ShuffleGeometry& g = geometry_;
        parallel_ranges(g.others.iterations() * g.C, 1, 2 * desc_.dst.size(),
                        [&](dim_t begin, dim_t end) {
                            LoopCursor cursor(g.others, begin / g.C);
                            dim_t v = begin % g.C / g.Q, u = begin % g.C % g.Q;
                            for (dim_t at = begin; at < end;) {
                                const dim_t last = std::min(g.Q, u + end - at);
                                copy(Run{cursor.src(), cursor.dst(), v, u, last});
                                at += last - u;
                                u = 0;
                                if (++v < g.G) continue;
                                v = 0;
                                cursor.next();
                            }
                        });
    }

    void copy_rows(const char* src, char* dst) const {
        const ShuffleGeometry& g = geometry_;
        const auto element = static_cast<dim_t>(g.element);
        const auto row_bytes = static_cast<size_t>(g.inner * element);
        for_each_run([=, &g](const Run& run) {
            for (dim_t u = run.first; u < run.last; ++u) {
                const dim_t from = run.src + g.src_axis.offset(u * g.G + run.v);
                const dim_t to = run.dst + g.dst_axis.offset(u + run.v * g.Q);
                std::memcpy(dst + to * element, src + from * element, row_bytes);
            }
        });
    }

    void copy_elements(const char* src, char* dst) const {
        switch (geometry_.element) {
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
        const T* from = reinterpret_cast<const T*>(src);
        T* to = reinterpret_cast<T*>(dst);
        const dim_t G = geometry_.G, Q = geometry_.Q;
        const AxisStride s = geometry_.src_axis, d = geometry_.dst_axis;
        for_each_run([=](const Run& run) {
            const T* a = from + run.src;
            T* b = to + run.dst;
            if (s.block == 1 && d.block == 1)
                for (dim_t u = run.first; u < run.last; ++u)
                    b[(u + run.v * Q) * d.stride] = a[(u * G + run.v) * s.stride];
            else
                for (dim_t u = run.first; u < run.last; ++u)
                    b[d.offset(u + run.v * Q)] = a[s.offset(u * G + run.v)];
        });
    }

    ShuffleDesc desc_;
    ShuffleGeometry geometry_;
};

}  // namespace

Result<PlanPtr> plan_portable_shuffle(CpuIsa, const ShuffleDesc& desc) {
    return make_plan(0, [desc] { return make_executable<PortableShuffle>(desc); });
}

}  // namespace tombola::impl::cpu
