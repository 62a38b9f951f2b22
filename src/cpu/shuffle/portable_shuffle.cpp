// SPDX-License-Identifier: Apache-2.0
// dst(ou, c, in) = src(ou, c', in), c = u + v * Q, c' = u * G + v (oneDNN, "Shuffle", forward; backward has C/G in
// the place of G). The offsets of all channels are tabulated at creation, so an element costs two look-ups.
#include "cpu/shuffle/portable_shuffle.hpp"

#include <cstring>
#include <vector>

#include "common/parallel.hpp"
#include "cpu/shuffle/shuffle_geometry.hpp"

namespace tombola::impl::cpu {
namespace {

struct ChannelOffset {
    dim_t src, dst;  // in elements
};

class PortableShuffleExecutable : public Executable {
  public:
    explicit PortableShuffleExecutable(const ShuffleDesc& desc) : desc_(desc) {
        if (desc.dst.has_zero_dim()) return;  // no channels: nothing is copied
        geometry_ = make_geometry(desc);
        channels_.reserve(static_cast<size_t>(geometry_.C));
        for (dim_t c = 0; c < geometry_.C; ++c)
            channels_.push_back({geometry_.src_axis.offset(geometry_.source_channel(c)),
                                 geometry_.dst_axis.offset(c)});
    }

    Status execute(const ExecContext& context) const override {
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
    size_t work_bytes() const { return 2 * desc_.dst.size(); }

    // Rows of `inner` elements, one for each channel of each iteration.
    void copy_rows(const char* src, char* dst) const {
        const auto element = static_cast<dim_t>(geometry_.element);
        const auto row_bytes = static_cast<size_t>(geometry_.inner * element);
        const dim_t rows = geometry_.others.iterations() * geometry_.C;
        parallel_ranges(rows, 1, work_bytes(), [&](dim_t begin, dim_t end) {
            LoopCursor cursor(geometry_.others, begin / geometry_.C);
            dim_t c = begin % geometry_.C;
            for (dim_t row = begin; row < end; ++row) {
                const ChannelOffset& channel = channels_[static_cast<size_t>(c)];
                std::memcpy(dst + (cursor.dst() + channel.dst) * element,
                            src + (cursor.src() + channel.src) * element, row_bytes);
                if (++c < geometry_.C) continue;
                c = 0;
                cursor.next();
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
        parallel_ranges(geometry_.others.iterations(), 1, work_bytes(),
                        [&](dim_t begin, dim_t end) {
                            LoopCursor cursor(geometry_.others, begin);
                            for (dim_t i = begin; i < end; ++i, cursor.next()) {
                                const T* from = reinterpret_cast<const T*>(src) + cursor.src();
                                T* to = reinterpret_cast<T*>(dst) + cursor.dst();
                                for (const ChannelOffset& channel : channels_)
                                    to[channel.dst] = from[channel.src];
                            }
                        });
    }

    ShuffleDesc desc_;
    ShuffleGeometry geometry_;
    std::vector<ChannelOffset> channels_;
};

}  // namespace

Result<Plan> PortableShuffle::plan(const ShuffleDesc&) { return Plan{}; }

Result<std::unique_ptr<Executable>> PortableShuffle::create(const ShuffleDesc& desc, const Plan&) {
    return std::unique_ptr<Executable>(std::make_unique<PortableShuffleExecutable>(desc));
}

}  // namespace tombola::impl::cpu
