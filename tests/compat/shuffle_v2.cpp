// SPDX-License-Identifier: Apache-2.0

// A program in the style of oneDNN 2.x: operation descriptors, dims() and data_type() of memory
// descriptors, forward and backward, implementations one after another. Nothing in it names tombola.
// Expected values: the formula of the shuffle, dst(u + v * C/G) = src(u * G + v).

#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "example_utils.hpp"
#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

using tag = memory::format_tag;
using dt = memory::data_type;

namespace {

const memory::dim kBatch = 2, kChannels = 12, kHeight = 3, kWidth = 5;
const int kAxis = 1, kGroup = 3;

void check(bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(what);
}

// The channel of the source that forward puts at channel c.
memory::dim source_channel(memory::dim c) {
    const memory::dim rows = kChannels / kGroup;
    return (c % rows) * kGroup + c / rows;
}

void check_shuffled(const std::vector<float>& from, const std::vector<float>& to) {
    const memory::dim plane = kHeight * kWidth;
    for (memory::dim n = 0; n < kBatch; ++n)
        for (memory::dim c = 0; c < kChannels; ++c)
            for (memory::dim i = 0; i < plane; ++i)
                check(to[(n * kChannels + c) * plane + i] ==
                          from[(n * kChannels + source_channel(c)) * plane + i],
                      "wrong value in channel " + std::to_string(c));
}

void shuffle_there_and_back(engine::kind kind) {
    engine eng(kind, 0);
    stream strm(eng);
    const memory::dims dims = {kBatch, kChannels, kHeight, kWidth};
    std::vector<float> source(product(dims));
    for (size_t i = 0; i < source.size(); ++i) source[i] = std::sin(0.1f * static_cast<float>(i));

    auto md = memory::desc(dims, dt::f32, tag::nchw);
    check(md.dims() == dims && md.data_type() == dt::f32 && !md.is_zero() && bool(md), "desc");
    check(!bool(memory::desc()) && memory::desc().is_zero(), "empty desc");
    auto src = memory(md, eng);
    auto dst = memory({dims, dt::f32, tag::abcd}, eng);
    write_to_dnnl_memory(source.data(), src);

    auto forward_d = shuffle_forward::desc(prop_kind::forward_training, md, kAxis, kGroup);
    auto forward_pd = shuffle_forward::primitive_desc(forward_d, eng);
    check(forward_pd.src_desc() == md && forward_pd.dst_desc() == md, "descriptors");
    check(forward_pd.query_md(query::exec_arg_md, DNNL_ARG_DST) == md, "query_md");
    check(forward_pd.query_md(query::src_md) == md, "query_md");
    check(forward_pd.get_kind() == primitive::kind::shuffle, "kind");
    check(std::string(forward_pd.impl_info_str()).size() > 0, "impl_info_str");

    std::vector<float> result(source.size());
    shuffle_forward::primitive_desc each = forward_pd;
    do {
        shuffle_forward(each).execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
        strm.wait();
        read_from_dnnl_memory(result.data(), dst);
        check_shuffled(source, result);
        std::fill(result.begin(), result.end(), -1.f);
        memory(md, eng, result.data());
        write_to_dnnl_memory(result.data(), dst);
    } while (each.next_impl());

    // A copy made from the C handle is the same operator, and the handle stays the caller's.
    const auto copy = shuffle_forward::primitive_desc(forward_pd.get());
    shuffle_forward(copy).execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    strm.wait();
    read_from_dnnl_memory(result.data(), dst);
    check_shuffled(source, result);

    auto backward_d = shuffle_backward::desc(md, kAxis, kGroup);
    auto backward_pd = shuffle_backward::primitive_desc(backward_d, eng, forward_pd);
    check(backward_pd.diff_src_desc() == md && backward_pd.diff_dst_desc() == md, "descriptors");
    auto back = memory(backward_pd.diff_src_desc(), eng);
    std::unordered_map<int, memory> args;
    args.insert({DNNL_ARG_DIFF_DST, dst});
    args.insert({DNNL_ARG_DIFF_SRC, back});
    auto prim = shuffle_backward(backward_pd);
    prim.execute(strm, args);
    strm.wait();
    read_from_dnnl_memory(result.data(), back);
    check(result == source, "backward does not undo forward");
}

// 5 does not divide 12: an exception with a status, or an empty object where that is asked for.
void refuse(engine::kind kind) {
    engine eng(kind, 0);
    const memory::desc md({kBatch, kChannels}, dt::f32, tag::nc);
    const auto wrong = shuffle_forward::desc(prop_kind::forward_inference, md, kAxis, 5);
    const shuffle_forward::primitive_desc empty(wrong, eng, primitive_attr(), true);
    check(!empty, "allow_empty");
    try {
        shuffle_forward::primitive_desc(wrong, eng);
    } catch (const error& e) {
        check(e.status == dnnl_invalid_arguments && std::string(e.what()).size() > 0, "status");
        return;
    }
    throw std::runtime_error("a group size that does not divide the axis was accepted");
}

}  // namespace

int main(int argc, char** argv) {
    const auto kind = parse_engine_kind(argc, argv);
    const int failed = handle_example_errors(shuffle_there_and_back, kind);
    return failed != 0 ? failed : handle_example_errors({kind}, [&] { refuse(kind); });
}
