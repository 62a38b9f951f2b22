// SPDX-License-Identifier: Apache-2.0

// What oneDNN accepts and tombola's own API refuses: a memory object of another descriptor, arguments that the
// primitive does not have, a hint of another axis and group size. And names that programs for oneDNN use beside
// those of the shuffle. Expected values: the formula of the shuffle, dst(u + v * C/G) = src(u * G + v).

#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "example_utils.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"

#if !defined(DNNL_RUNTIME_ZE) || !defined(DNNL_VENDOR_NONE) || !defined(DNNL_VENDOR_INTEL) || \
    !defined(DNNL_VENDOR_NVIDIA) || !defined(DNNL_VENDOR_AMD) || !defined(DNNL_VENDOR_GENERIC)
#error "a macro of dnnl_config.h is missing"
#endif
#if DNNL_GPU_VENDOR != DNNL_VENDOR_NONE
#error "there is no GPU"
#endif

namespace {

using oneapi::dnnl::memory;
using tag = memory::format_tag;
using dt = memory::data_type;

const memory::dim kChannels = 6, kPixels = 4, kGroup = 2;
const memory::dims kDims = {1, kChannels, kPixels, 1};
const memory::desc kNhwc(kDims, dt::f32, tag::nhwc);

void check(bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(what);
}

// The refusal that a call throws, or nothing.
template <class Call>
std::string refusal(const Call& call) {
    try {
        call();
    } catch (const dnnl::error& e) {
        check(e.status == dnnl_invalid_arguments && e.message == std::string(e.what()), "error");
        return e.message;
    }
    return {};
}

void fill(const memory& mem) {
    auto* values = mem.map_data<float>(0);
    for (memory::dim i = 0; i < kChannels * kPixels; ++i) values[i] = static_cast<float>(i);
    mem.unmap_data(values, 0);
}

// Source and destination hold nhwc bytes, whatever their memory objects call them.
void check_nhwc(const memory& src, const memory& dst) {
    const auto* from = src.map_data<const float>();
    const auto* to = dst.map_data<const float>();
    const memory::dim rows = kChannels / kGroup;
    for (memory::dim i = 0; i < kPixels; ++i)
        for (memory::dim u = 0; u < rows; ++u)
            for (memory::dim v = 0; v < kGroup; ++v)
                check(to[i * kChannels + u + v * rows] == from[i * kChannels + u * kGroup + v],
                      "wrong value");
}

void execution(dnnl::engine::kind kind) {
    const dnnl::engine eng(kind, 0);
    dnnl::stream queue(eng);
    const dnnl::shuffle_forward::primitive_desc pd(eng, dnnl::prop_kind::forward_scoring, kNhwc,
                                                   kNhwc, 1, kGroup);
    const dnnl::shuffle_forward shuffle(pd);
    const memory src(kNhwc, eng);
    fill(src);

    // The bytes of the destination are enough; its tag is not looked at, and neither is that of the source.
    const memory abcd({kDims, dt::f32, tag::abcd}, eng);
    shuffle.execute(queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, abcd}});
    check_nhwc(src, abcd);
    const memory bytes({{kChannels * kPixels * 4 + 1}, dt::u8, tag::a}, eng);
    std::memset(bytes.get_data_handle(0), 0xEE, bytes.get_desc().get_size(0));
    shuffle.execute(queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, bytes}});
    check_nhwc(src, bytes);
    check(bytes.map_data<unsigned char>()[kChannels * kPixels * 4] == 0xEE, "a byte too many");
    const dnnl::primitive& generic = shuffle;
    generic.execute(queue, {{DNNL_ARG_SRC, abcd}, {DNNL_ARG_DST, src}});

    // Arguments that a shuffle does not have.
    fill(src);
    const memory empty(memory::desc({8}, dt::u8, tag::a), eng);
    std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, abcd}};
    for (const int arg : {DNNL_ARG_WORKSPACE, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_SCRATCHPAD,
                          DNNL_ARG_DIFF_SRC, 4711})
        args.insert({arg, empty});
    std::memset(abcd.get_data_handle(), 0, abcd.get_desc().get_size());
    shuffle.execute(queue, args);
    check_nhwc(src, abcd);

    // What would be written out of bounds is refused, and what is missing too.
    const memory small({{1, kChannels, kPixels - 1, 1}, dt::f32, tag::nhwc}, eng);
    check(!refusal([&] {
               shuffle.execute(queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, small}});
           }).empty(),
          "a destination that is too small was accepted");
    check(!refusal([&] {
               shuffle.execute(queue, {{DNNL_ARG_SRC, src}});
           }).empty(),
          "an execution without destination was accepted");
}

// ideep's forward descriptor has its axis and group size swapped: (axis 2, group 1) for (axis 1, group 2).
void hint(dnnl::engine::kind kind) {
    const dnnl::engine eng(kind, 0);
    dnnl::stream queue(eng);
    const dnnl::shuffle_forward::primitive_desc swapped(eng, dnnl::prop_kind::forward_training,
                                                        kNhwc, kNhwc, /*axis=*/2, /*group_size=*/1);
    const memory::desc any(kDims, dt::f32, tag::any);
    const dnnl::shuffle_backward::primitive_desc pd(eng, any, any, 1, kGroup, swapped);
    check(pd.diff_dst_desc() == kNhwc && pd.diff_src_desc() == kNhwc, "layout of the hint");
    check(pd.get_axis() == 1 && pd.get_group_size() == kGroup, "axis and group size");
    const memory from(kNhwc, eng), to(kNhwc, eng);
    fill(from);
    dnnl::shuffle_backward(pd).execute(queue, {{DNNL_ARG_DIFF_DST, from}, {DNNL_ARG_DIFF_SRC, to}});
    check_nhwc(to, from);  // forward undoes it

    const dnnl::shuffle_backward::desc as_in_2(kNhwc, 1, kGroup);
    const dnnl::shuffle_backward::primitive_desc same(as_in_2, eng, swapped);
    check(same.diff_src_desc() == kNhwc, "operation descriptor");

    const memory::desc other({1, 8}, dt::f32, tag::nc);
    const dnnl::shuffle_forward::primitive_desc of_other(eng, dnnl::prop_kind::forward_training,
                                                         other, other, 1, kGroup);
    check(!refusal([&] {
               dnnl::shuffle_backward::primitive_desc(eng, kNhwc, kNhwc, 1, kGroup, of_other);
           }).empty(),
          "a hint of another shape was accepted");
}

void names(dnnl::engine::kind kind) {
    const dnnl::engine eng(kind, 0);
    dnnl::primitive_attr attr;
    attr.set_fpmath_mode(dnnl::fpmath_mode::bf16);
    attr.set_fpmath_mode(dnnl::fpmath_mode::any, true);
    attr.set_accumulation_mode(dnnl::accumulation_mode::relaxed);
    attr.set_deterministic(true);
    auto mode = dnnl::fpmath_mode::strict;
    bool apply_to_int = false;
    attr.get_fpmath_mode(mode, apply_to_int);
    check(attr.get_fpmath_mode() == dnnl::fpmath_mode::any && mode == dnnl::fpmath_mode::any &&
              apply_to_int && attr.get_deterministic() &&
              attr.get_accumulation_mode() == dnnl::accumulation_mode::relaxed,
          "modes of arithmetic");
    check(dnnl::primitive_attr().get_fpmath_mode() == dnnl::fpmath_mode::strict &&
              !dnnl::primitive_attr().get_deterministic(),
          "default modes of arithmetic");
    dnnl::set_default_fpmath_mode(dnnl::fpmath_mode::tf32);
    const dnnl::shuffle_forward::primitive_desc pd(eng, dnnl::prop_kind::forward, kNhwc, kNhwc, 1,
                                                   kGroup, attr);
    const dnnl::primitive_attr copy = pd.get_primitive_attr();
    check(copy.get_scratchpad_mode() == dnnl::scratchpad_mode::library, "attributes");
    const dnnl::primitive_desc_base& base = pd;
    check(base.workspace_desc().is_zero() && base.weights_desc().is_zero() &&
              base.weights_desc(1).is_zero() && base.diff_weights_desc().is_zero(),
          "descriptors of what a shuffle does not have");

    check(dnnl::convert_to_c(dnnl::prop_kind::forward_scoring) == dnnl_forward_inference &&
              dnnl::convert_to_c(dnnl::primitive::kind::shuffle) == dnnl_shuffle &&
              dnnl::convert_to_c(kind) == dnnl_cpu &&
              dnnl::convert_to_c(dnnl::query::src_md) == dnnl_query_src_md &&
              dnnl::convert_to_c(dnnl::scratchpad_mode::user) == dnnl_scratchpad_mode_user &&
              dnnl::convert_to_c(dnnl::fpmath_mode::f16) == dnnl_fpmath_mode_f16 &&
              memory::convert_to_c(dt::bf16) == dnnl_bf16 &&
              memory::convert_to_c(tag::nChw32c) == dnnl_aBcd32b,
          "convert_to_c");
    memory::validate_dims(kDims, 4);
    check(!refusal([] { memory::validate_dims(kDims, 5); }).empty() &&
              !refusal([] { memory::validate_dims(memory::dims(13)); }).empty(),
          "validate_dims");

    // printf takes a const char*.
    static_assert(std::is_same<decltype(dnnl::error::message), const char*>::value, "");
    char text[200];
    try {
        memory(memory::desc(), dnnl::engine(), nullptr);
        check(false, "an empty engine was accepted");
    } catch (dnnl::error& e) {
        const dnnl::error kept = e;
        e = dnnl::error(dnnl_runtime_error, "another");
        std::snprintf(text, sizeof text, "%s", kept.message);
    }
    check(std::string(text).find("engine") != std::string::npos, text);

    // There is one buffer.
    const memory mem(kNhwc, eng);
    check(mem.get_desc().get_size(1) == 0, "size of a second buffer");
    check(!refusal([&] { mem.map_data<float>(1); }).empty(), "a second buffer was mapped");
    mem.set_data_handle(mem.get_data_handle(0), 0);

    // Blocks of 32, padded to 32 channels.
    const memory::desc blocked({1, kChannels, 3, 1}, dt::f32, tag::nChw32c);
    check(blocked.get_size() == 32 * 3 * sizeof(float) &&
              blocked.get_inner_blks() == memory::dims({32}),
          "nChw32c");
}

// A pool for newer releases of oneDNN, with wait(), and the names of its streams.
struct Pool : public dnnl::threadpool_interop::threadpool_iface {
    int get_num_threads() const override { return 1; }
    bool get_in_parallel() const override { return false; }
    void parallel_for(int n, const std::function<void(int, int)>& fn) override {
        for (int i = 0; i < n; ++i) fn(i, n);
    }
    uint64_t get_flags() const override { return 0; }
    void wait() override {}
};

void threadpool(dnnl::engine::kind kind) {
    const dnnl::engine eng(kind, 0);
    Pool pool;
    if (dnnl::version()->cpu_runtime == DNNL_RUNTIME_THREADPOOL) {
        const auto queue = dnnl::threadpool_interop::make_stream(eng, &pool);
        check(dnnl::threadpool_interop::get_threadpool(queue) == &pool, "pool of a stream");
        return;
    }
    dnnl_stream_t queue = nullptr;
    check(dnnl_threadpool_interop_stream_create(&queue, eng.get(), &pool) == dnnl_unimplemented,
          "a pool was accepted by a library of another run-time");
}

}  // namespace

int main(int argc, char** argv) {
    const auto kind = parse_engine_kind(argc, argv);
    int failed = 0;
    for (const auto& part : {execution, hint, names, threadpool})
        failed = std::max(failed, handle_example_errors(part, kind));
    return failed;
}
