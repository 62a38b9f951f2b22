// SPDX-License-Identifier: Apache-2.0
//
// Shuffle beside memcpy of the same bytes and, if it was found, beside oneDNN, in one process and on the same
// buffers. Prints Markdown: a line a type and layout, with geometric means over the shapes of oneDNN's perf set.
//
// usage: shuffle_table [--details] [--dt=f32,s8] [--tag=nchw,nhwc] [--shape=64x116x28x28] [--min-ms=N]
//
// Each of the three is run in turn, round by round, and its fastest round counts. GB/s are bytes read plus bytes
// written. oneDNN's bf16 shuffle of channel-blocked layouts is never run: version 2.6.3 writes out of bounds.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gtests/common/handles.hpp"
#ifdef TOMBOLA_HAVE_DNNL
#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace {

using namespace tombola::test;

struct Shape {
    tombola_dim_t n, c, h, w, groups;
};
// oneDNN's benchdnn, inputs/shuffle/option_set_perf: ShuffleNet v1 and v2.
constexpr Shape kShapes[] = {
    {32, 4, 224, 224, 2}, {64, 116, 28, 28, 2}, {512, 192, 7, 7, 2},
    {256, 704, 7, 7, 2},  {64, 117, 28, 28, 3}, {256, 465, 7, 7, 3},
    {1, 1088, 7, 7, 4},   {16, 272, 56, 56, 4}, {64, 120, 28, 28, 8},
};

std::string name_of(const Shape& shape) {
    return std::to_string(shape.n) + "x" + std::to_string(shape.c) + "x" + std::to_string(shape.h) +
           "x" + std::to_string(shape.w);
}

struct Type {
    const char* name;
    tombola_data_type_t type;
};
constexpr Type kTypes[] = {
    {"f32", tombola_f32}, {"bf16", tombola_bf16}, {"f16", tombola_f16}, {"s8", tombola_s8}};

struct Tag {
    const char* name;
    tombola_format_tag_t tag;
    bool blocked;
};
constexpr Tag kTags[] = {{"nchw", tombola_nchw, false},
                         {"nhwc", tombola_nhwc, false},
                         {"nChw8c", tombola_nChw8c, true},
                         {"nChw16c", tombola_nChw16c, true}};

struct Options {
    bool details = false;
    std::string types, tags, shapes;
    double min_seconds = 0.02;
};

struct FreeMemory {
    void operator()(void* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<char, FreeMemory>;

Buffer make_buffer(size_t bytes) {
    const size_t rounded = (bytes + 4095) / 4096 * 4096;
    Buffer buffer(static_cast<char*>(std::aligned_alloc(4096, rounded)));
    std::memset(buffer.get(), 1, rounded);
    return buffer;
}

double seconds() {
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// The fastest round of each runner, in seconds a run. Empty runners take no part.
std::vector<double> race(const std::vector<std::function<void()>>& runners, double min_seconds) {
    std::vector<double> best(runners.size(), std::numeric_limits<double>::infinity());
    std::vector<int> repeats(runners.size(), 1);
    for (size_t i = 0; i < runners.size(); ++i) {
        if (!runners[i]) continue;
        runners[i]();
        const double begin = seconds();
        runners[i]();
        const double once = seconds() - begin;
        repeats[i] = std::clamp(static_cast<int>(2e-4 / std::max(once, 1e-9)), 1, 10000);
    }
    const double begin = seconds();
    for (int round = 0; round < 5 || (round < 200 && seconds() - begin < min_seconds); ++round)
        for (size_t i = 0; i < runners.size(); ++i) {
            if (!runners[i]) continue;
            const double start = seconds();
            for (int r = 0; r < repeats[i]; ++r) runners[i]();
            best[i] = std::min(best[i], (seconds() - start) / repeats[i]);
        }
    return best;
}

#ifdef TOMBOLA_HAVE_DNNL
// An empty function where oneDNN does not serve the case, or must not be asked.
std::function<void()> dnnl_runner(const Shape& shape, const Type& type, const Tag& tag,
                                  bool forward, char* src, char* dst) {
    using memory = dnnl::memory;
    static const std::map<std::string, memory::data_type> kDnnlTypes = {
        {"f32", memory::data_type::f32},
        {"bf16", memory::data_type::bf16},
        {"f16", memory::data_type::f16},
        {"s8", memory::data_type::s8}};
    static const std::map<std::string, memory::format_tag> kDnnlTags = {
        {"nchw", memory::format_tag::nchw},
        {"nhwc", memory::format_tag::nhwc},
        {"nChw8c", memory::format_tag::nChw8c},
        {"nChw16c", memory::format_tag::nChw16c}};
    if (tag.blocked && std::string(type.name) == "bf16") return {};
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    static dnnl::stream stream(engine);
    try {
        const memory::desc md({shape.n, shape.c, shape.h, shape.w}, kDnnlTypes.at(type.name),
                              kDnnlTags.at(tag.name));
        const int group = static_cast<int>(shape.groups);
        const dnnl::shuffle_forward::primitive_desc forward_pd(
            {dnnl::prop_kind::forward_training, md, 1, group}, engine);
        const memory from(md, engine, src), to(md, engine, dst);
        if (forward) {
            const dnnl::shuffle_forward primitive(forward_pd);
            return [=] {
                primitive.execute(stream, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
                stream.wait();
            };
        }
        const dnnl::shuffle_backward primitive(
            dnnl::shuffle_backward::primitive_desc({md, 1, group}, engine, forward_pd));
        return [=] {
            primitive.execute(stream, {{DNNL_ARG_DIFF_DST, from}, {DNNL_ARG_DIFF_SRC, to}});
            stream.wait();
        };
    } catch (const dnnl::error&) {
        return {};
    }
}
#else
std::function<void()> dnnl_runner(const Shape&, const Type&, const Tag&, bool, char*, char*) {
    return {};
}
#endif

struct Runner {
    Memory src, dst;
    Primitive primitive;
    std::string implementation;
};

Runner tombola_runner(tombola_engine_t engine, const_tombola_memory_desc_t desc, const Shape& shape,
                      bool forward, char* src, char* dst) {
    PrimitiveDesc pd;
    if (forward)
        tombola_shuffle_forward_primitive_desc_create(pd.out(), engine, tombola_forward_training,
                                                      desc, nullptr, 1, shape.groups, nullptr);
    else
        tombola_shuffle_backward_primitive_desc_create(pd.out(), engine, nullptr, desc, 1,
                                                       shape.groups, nullptr, nullptr);
    Runner runner;
    const char* name = "";
    tombola_primitive_desc_query(pd, tombola_query_impl_info_str, 0, &name);
    runner.implementation = name;
    if (tombola_primitive_create(runner.primitive.out(), pd) != tombola_success) {
        std::fprintf(stderr, "shuffle_table: %s\n", tombola_get_last_error());
        std::exit(1);
    }
    tombola_memory_create(runner.src.out(), desc, engine, src);
    tombola_memory_create(runner.dst.out(), desc, engine, dst);
    return runner;
}

class GeometricMean {
  public:
    void add(double value) {
        log_sum_ += std::log(value), ++count_, least_ = std::min(least_, value);
    }
    double mean() const { return count_ > 0 ? std::exp(log_sum_ / count_) : std::nan(""); }
    double least() const { return least_; }
    bool empty() const { return count_ == 0; }

  private:
    double log_sum_ = 0, least_ = std::numeric_limits<double>::infinity();
    int count_ = 0;
};

bool selected(const std::string& list, const std::string& name) {
    return list.empty() || ("," + list + ",").find("," + name + ",") != std::string::npos;
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        if (arg == "--details")
            options.details = true;
        else if (arg.rfind("--dt=", 0) == 0)
            options.types = arg.substr(5);
        else if (arg.rfind("--tag=", 0) == 0)
            options.tags = arg.substr(6);
        else if (arg.rfind("--shape=", 0) == 0)
            options.shapes = arg.substr(8);
        else if (arg.rfind("--min-ms=", 0) == 0)
            options.min_seconds = std::atof(&arg[9]) / 1e3;
        else {
            std::fprintf(stderr,
                         "usage: shuffle_table [--details] [--dt=LIST] [--tag=LIST] "
                         "[--shape=64x116x28x28] [--min-ms=N]\n");
            std::exit(2);
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    const Engine engine = cpu_engine();
    const Stream stream = default_stream(engine);
    GeometricMean all_shares, all_ratios, cache_shares;

    std::printf(
        "| type | layout | direction | tombola GB/s | of memcpy | least | oneDNN GB/s | times "
        "oneDNN | least |\n");
    std::printf("|---|---|---|---|---|---|---|---|---|\n");
    for (const Type& type : kTypes)
        for (const Tag& tag : kTags)
            for (const bool forward : {true, false}) {
                if (!selected(options.types, type.name) || !selected(options.tags, tag.name))
                    continue;
                GeometricMean rates, shares, peer_rates, ratios;
                for (const Shape& shape : kShapes) {
                    if (!selected(options.shapes, name_of(shape))) continue;
                    const MemoryDesc desc =
                        tagged({shape.n, shape.c, shape.h, shape.w}, type.type, tag.tag);
                    const size_t bytes = tombola_memory_desc_get_size(desc);
                    const Buffer src = make_buffer(bytes), dst = make_buffer(bytes);
                    const Runner runner =
                        tombola_runner(engine, desc, shape, forward, src.get(), dst.get());
                    const tombola_exec_arg_t args[] = {
                        {forward ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST, runner.src},
                        {forward ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC, runner.dst}};
                    const auto best =
                        race({[&] { std::memcpy(dst.get(), src.get(), bytes); },
                              [&] { tombola_primitive_execute(runner.primitive, stream, 2, args); },
                              dnnl_runner(shape, type, tag, forward, src.get(), dst.get())},
                             options.min_seconds);
                    const double share = best[0] / best[1], ratio = best[2] / best[1];
                    const double rate = 2e-9 * static_cast<double>(bytes);
                    rates.add(rate / best[1]);
                    shares.add(share);
                    all_shares.add(share);
                    if (shape.n == 1) cache_shares.add(share);
                    if (std::isfinite(ratio)) {
                        peer_rates.add(rate / best[2]);
                        ratios.add(ratio);
                        all_ratios.add(ratio);
                    }
                    if (options.details)
                        std::printf(
                            "| %s | %s | %s | %.1f | %.2f | | %.1f | %.2f | %lldx%lldx%lldx%lld "
                            "g%lld %s, memcpy %.1f |\n",
                            type.name, tag.name, forward ? "fwd" : "bwd", rate / best[1], share,
                            rate / best[2], ratio, (long long)shape.n, (long long)shape.c,
                            (long long)shape.h, (long long)shape.w, (long long)shape.groups,
                            runner.implementation.c_str(), rate / best[0]);
                }
                std::printf("| %s | %s | %s | %.1f | %.2f | %.2f |", type.name, tag.name,
                            forward ? "fwd" : "bwd", rates.mean(), shares.mean(), shares.least());
                if (ratios.empty())
                    std::printf(" - | - | - |\n");
                else
                    std::printf(" %.1f | %.1f | %.1f |\n", peer_rates.mean(), ratios.mean(),
                                ratios.least());
                std::fflush(stdout);
            }
    std::printf("\nOf memcpy: geometric mean %.2f, least %.2f.\n", all_shares.mean(),
                all_shares.least());
    if (!cache_shares.empty())
        std::printf("In cache (1x1088x7x7): geometric mean %.2f, least %.2f.\n",
                    cache_shares.mean(), cache_shares.least());
    if (!all_ratios.empty())
        std::printf("Times oneDNN: geometric mean %.2f, least %.2f.\n", all_ratios.mean(),
                    all_ratios.least());
    return 0;
}
