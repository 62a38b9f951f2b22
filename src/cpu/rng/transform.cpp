// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/transform.hpp"

#include <algorithm>

#include "common/parallel.hpp"
#include "common/types.hpp"
#include "cpu/loop_nest.hpp"
#include "cpu/rng/scatter.hpp"
#include "cpu/streaming.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr int64_t kRunElements = 2048;                // with three buffers 26 KiB of stack
constexpr size_t kMaxSrcBytes = 4, kMaxDstBytes = 8;  // of an element
static_assert(kRunElements % kTransformMultiple == 0);

using Kind = TransformMask::Kind;

char* element(void* data, int64_t number, size_t size) {
    return static_cast<char*>(data) + static_cast<size_t>(number) * size;
}
const char* element(const void* data, int64_t number, size_t size) {
    return static_cast<const char*>(data) + static_cast<size_t>(number) * size;
}

// The transformation of one thread's range of elements.
class Part {
  public:
    Part(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask, bool streaming)
        : src_(src),
          dst_(dst),
          mask_(mask),
          src_in_place_(src.desc.is_row_major()),
          dst_in_place_(dst.desc.is_row_major()),
          mask_in_place_(mask.kind != Kind::bytes || mask.desc.is_row_major()),
          streaming_(streaming && dst_in_place_ && src.data != dst.data) {}

    void run(Range range, FunctionRef<void(const TransformRun&)> body) const {
        if (!src_in_place_ || !dst_in_place_ || !mask_in_place_)
            return run_through_buffers(range, body);
        const StreamingStores stores(streaming_);
        body({range.begin, range.end - range.begin, element(src_.data, range.begin, src_size()),
              element(dst_.data, range.begin, dst_size()), mask_at(range.begin), stores.allowed()});
    }

  private:
    size_t src_size() const { return size_of(src_.desc.data_type); }
    size_t dst_size() const { return size_of(dst_.desc.data_type); }
    uint8_t* mask_at(int64_t number) const {
        if (mask_.kind == Kind::none) return nullptr;
        return mask_.data + (mask_.kind == Kind::bits ? number / 8 : number);
    }

    void run_through_buffers(Range range, FunctionRef<void(const TransformRun&)> body) const {
        alignas(64) char from[kRunElements * kMaxSrcBytes];
        alignas(64) char to[kRunElements * kMaxDstBytes];
        alignas(64) uint8_t mask[kRunElements];
        for (int64_t at = range.begin; at < range.end; at += kRunElements) {
            TransformRun run{at,   std::min(kRunElements, range.end - at), from, to, mask_at(at),
                             false};
            if (src_in_place_)
                run.from = element(src_.data, at, src_size());
            else
                gather(src_.desc, src_.data, at, run.count, from);
            if (dst_in_place_) run.to = element(dst_.data, at, dst_size());
            if (!mask_in_place_) {
                run.mask = mask;
                if (!mask_.is_written) gather(mask_.desc, mask_.data, at, run.count, mask);
            }
            body(run);
            if (!dst_in_place_) scatter(dst_.desc, dst_.data, at, run.count, to);
            if (!mask_in_place_ && mask_.is_written)
                scatter(mask_.desc, mask_.data, at, run.count, mask);
        }
    }

    const ReadTensor& src_;
    const WrittenTensor& dst_;
    const TransformMask& mask_;
    bool src_in_place_, dst_in_place_, mask_in_place_, streaming_;
};

}  // namespace

void transform(const ReadTensor& src, const WrittenTensor& dst, const TransformMask& mask,
               double nanoseconds_per_element, FunctionRef<void(const TransformRun&)> body) {
    const int64_t count = dst.desc.nelems();
    if (count == 0) return;
    zero_padding(dst.desc, dst.data);
    if (mask.kind == Kind::bytes && mask.is_written) zero_padding(mask.desc, mask.data);
    const size_t bytes = static_cast<size_t>(count) * size_of(dst.desc.data_type);
    const bool streaming = bypasses_caches(bytes);
    const Part part(src, dst, mask, streaming);
    const size_t read_bytes = static_cast<size_t>(count) * size_of(src.desc.data_type);
    const Work work = work_of(static_cast<double>(count) * nanoseconds_per_element,
                              bytes + read_bytes, streaming ? bytes : 0);
    parallel_ranges(count, kTransformMultiple, work, [&](int64_t begin, int64_t end) {
        part.run({begin, end}, body);
    });
}

}  // namespace tombola::impl::cpu
