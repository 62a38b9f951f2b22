// SPDX-License-Identifier: Apache-2.0

// A program in the style of oneDNN 3.x: primitive descriptors without operation descriptors, get_*()
// of memory descriptors, format_tag::any, a user's scratchpad, blocked layouts. Nothing in it names
// tombola. Expected values: the formula of the shuffle, dst(u + v * C/G) = src(u * G + v).

#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "example_utils.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_common.hpp"

#if DNNL_VERSION_MAJOR < 3
#error "written for oneDNN 3"
#endif

namespace {

using dnnl::memory;

void check(bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(what);
}

void shuffle_blocked(dnnl::engine::kind kind, int, char**) {
    const dnnl::engine eng(kind, 0);
    const dnnl::stream queue(eng, dnnl::stream::flags::in_order);
    check(queue.get_engine().get_kind() == kind, "engine");

    // 20 channels in blocks of 16: the second block is padded with 12 zeros.
    const memory::dim channels = 20, width = 3, group = 4;
    const memory::desc md({1, channels, width}, memory::data_type::s32, memory::format_tag::nCw16c);
    check(md.get_ndims() == 3 && md.get_dims() == memory::dims({1, channels, width}), "dims");
    check(md.get_padded_dims() == memory::dims({1, 32, width}), "padded dims");
    check(md.get_padded_offsets() == memory::dims({0, 0, 0}), "padded offsets");
    check(md.get_inner_nblks() == 1 && md.get_inner_blks() == memory::dims({16}) &&
              md.get_inner_idxs() == memory::dims({1}),
          "blocks");
    check(md.get_format_kind() == memory::format_kind::blocked, "format kind");
    check(md.get_size() == 32 * width * sizeof(int32_t), "size");

    const memory src(md, eng), dst(md, eng);
    const auto at = [&](memory::dim c, memory::dim w) {
        return static_cast<size_t>((c / 16 * width + w) * 16 + c % 16);
    };
    auto* from = src.map_data<int32_t>();
    for (memory::dim c = 0; c < channels; ++c)
        for (memory::dim w = 0; w < width; ++w) from[at(c, w)] = static_cast<int32_t>(100 * c + w);
    src.unmap_data(from);

    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const memory::desc any({1, channels, width}, memory::data_type::s32, memory::format_tag::any);
    const dnnl::shuffle_forward::primitive_desc pd(eng, dnnl::prop_kind::forward_inference, md, any,
                                                   1, group, attr);
    check(pd.dst_desc() == md, "format_tag::any takes the layout of the source");
    check(pd.get_axis() == 1 && pd.get_group_size() == group &&
              pd.get_prop_kind() == dnnl::prop_kind::forward_inference,
          "properties");
    check(pd.query_s64(dnnl::query::group_size_s64) == group, "query_s64");
    std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    const memory scratchpad(pd.scratchpad_desc(), eng);
    args.insert({DNNL_ARG_SCRATCHPAD, scratchpad});
    dnnl::shuffle_forward(pd).execute(queue, args);

    const auto* to = dst.map_data<const int32_t>();
    const memory::dim rows = channels / group;
    for (memory::dim w = 0; w < width; ++w) {
        for (memory::dim u = 0; u < rows; ++u)
            for (memory::dim v = 0; v < group; ++v)
                check(to[at(u + v * rows, w)] == 100 * (u * group + v) + w, "wrong value");
        for (memory::dim c = channels; c < 32; ++c) check(to[at(c, w)] == 0, "padding");
    }

    const dnnl::shuffle_backward::primitive_desc back_pd(eng, md, md, 1, group, pd);
    const memory back(back_pd.diff_src_desc(), eng);
    dnnl::shuffle_backward(back_pd).execute(queue,
                                            {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_DIFF_SRC, back}});
    const auto* undone = back.map_data<const int32_t>();
    check(std::equal(undone, undone + 32 * width, src.map_data<const int32_t>()), "backward");
}

void library() {
    check(dnnl::version()->major == DNNL_VERSION_MAJOR, "version");
    check(dnnl::version()->gpu_runtime == DNNL_RUNTIME_NONE, "runtime");
    check(dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0, "engines");
    const int capacity = dnnl::get_primitive_cache_capacity();
    dnnl::set_primitive_cache_capacity(capacity);
    const auto before = dnnl::get_effective_cpu_isa();
    check(dnnl::set_max_cpu_isa(dnnl::cpu_isa::sse41) == dnnl::status::success, "isa");
    check(dnnl::get_effective_cpu_isa() == dnnl::cpu_isa::sse41, "isa");
    check(dnnl::set_max_cpu_isa(before) == dnnl::status::success, "isa");
    check(dnnl::get_effective_cpu_isa() == before, "isa");
    try {
        memory(memory::desc(), dnnl::engine(), nullptr);
    } catch (const dnnl::error& e) {
        check(e.status == dnnl_invalid_arguments, "status");
        check(e.status == dnnl::status::invalid_arguments, "status by its name in C++");
        return;
    }
    throw std::runtime_error("an empty engine was accepted");
}

}  // namespace

int main(int argc, char** argv) {
    const auto kind = parse_engine_kind(argc, argv);
    const int failed = handle_example_errors(shuffle_blocked, kind, argc, argv);
    return failed != 0 ? failed : handle_example_errors({kind}, library);
}
