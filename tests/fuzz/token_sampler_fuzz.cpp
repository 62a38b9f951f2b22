// SPDX-License-Identifier: Apache-2.0

// token_sampler's arguments: any logits, filters, masks, uniforms, seeds and offsets, for all rows or row by row, against
// the reference, which is written from doc/token_sampler.md.

#include <cstring>
#include <deque>

#include "fuzz/arena.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/tensors.hpp"
#include "reference/token_sampler_reference.hpp"

namespace tombola::fuzz {
namespace {

using reference::TokenSamplerRequest;
using reference::TokenSamplerResult;
using test::Memory;
using test::MemoryDesc;

constexpr tombola_data_type_t kLogitTypes[] = {tombola_f32, tombola_f16, tombola_bf16};

Arena& arena() {
    static Arena made;
    return made;
}

template <class T>
std::vector<T> numbers(Input& in, tombola_data_type_t type, tombola_dim_t count) {
    std::vector<T> values(static_cast<size_t>(count));
    fill(in, type, reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(T));
    return values;
}

// Nothing, one element for all rows, or one per row. Half of them have numbers that make sense.
template <class T>
std::vector<T> per_row(Input& in, tombola_data_type_t type, tombola_dim_t batch, T low, T high) {
    const int kind = in.ConsumeIntegralInRange(0, 2);
    if (kind == 0) return {};
    std::vector<T> values = numbers<T>(in, type, kind == 1 ? 1 : batch);
    if (in.ConsumeBool())
        for (T& value : values) {
            if constexpr (std::is_floating_point_v<T>)
                value = in.ConsumeFloatingPointInRange<T>(low, high);
            else
                value = in.ConsumeIntegralInRange<T>(low, high);
        }
    return values;
}

TokenSamplerRequest any_request(Input& in) {
    TokenSamplerRequest r;
    r.type = in.PickValueInArray(kLogitTypes);
    r.filter_order = static_cast<tombola_filter_order_t>(in.ConsumeIntegralInRange(0, 3));
    r.logprobs = static_cast<tombola_logprobs_t>(in.ConsumeIntegralInRange(0, 2));
    r.batch = in.ConsumeIntegralInRange<int64_t>(0, 4);
    r.classes = in.ConsumeBool() ? in.ConsumeIntegralInRange<int64_t>(1, 40)
                                 : in.ConsumeIntegralInRange<int64_t>(1, 700);
    r.samples = in.ConsumeIntegralInRange<int64_t>(0, 5);
    r.top_n = in.ConsumeIntegralInRange<int64_t>(0, std::min<int64_t>(r.classes, 20));
    r.temperature = per_row<float>(in, tombola_f32, r.batch, 0, 3);
    r.top_p = per_row<float>(in, tombola_f32, r.batch, 0, 1);
    r.min_p = per_row<float>(in, tombola_f32, r.batch, 0, 1);
    r.top_k = per_row<int32_t>(in, tombola_s32, r.batch, 0, static_cast<int32_t>(r.classes) + 1);
    r.offset = per_row<uint64_t>(in, tombola_u64, r.batch, 0, 1000);
    r.row_seeds = r.batch > 0 && in.ConsumeBool();
    r.seeds = numbers<uint64_t>(in, tombola_u64, r.row_seeds ? 2 * r.batch : 2);
    for (size_t i = 0; i < r.seeds.size(); i += 2) r.seeds[i] |= 1;  // no entropy
    if (in.ConsumeBool()) r.uniforms = numbers<double>(in, tombola_f64, r.batch * r.samples);
    if (in.ConsumeBool())
        r.mask = numbers<uint32_t>(in, tombola_s32, r.batch * ((r.classes + 31) / 32));
    return r;
}

class Execution {
  public:
    Execution(Input& in, const TokenSamplerRequest& r) : in_(in) {
        arena().reset();
        logits_.resize(static_cast<size_t>(r.batch * r.classes) * tombola_data_type_size(r.type));
        fill(in, r.type, logits_.data(), logits_.size());
        const MemoryDesc src = test::row_major({r.batch, r.classes}, r.type);
        const MemoryDesc dst = test::row_major({r.batch, r.samples}, tombola_s64);
        const tombola_cpu_isa_t isa = tombola_get_effective_cpu_isa();
        tombola_set_max_cpu_isa(static_cast<tombola_cpu_isa_t>(in.ConsumeIntegralInRange(0, 3)));
        expect(tombola_token_sampler_primitive_desc_create(pd_.out(), the_engine(), src, dst,
                                                           r.filter_order, r.logprobs, r.top_n, 1,
                                                           2, nullptr) == tombola_success,
               "a token_sampler is refused");
        tombola_set_max_cpu_isa(isa);
        add(TOMBOLA_ARG_SRC, tombola_u8, {}, logits_.data(), logits_.size(), &src);
        dst_ = add(TOMBOLA_ARG_DST, tombola_s64, {}, nullptr, 0, &dst);
        given(TOMBOLA_ARG_TEMPERATURE, tombola_f32, r.temperature, r.batch);
        given(TOMBOLA_ARG_TOP_K, tombola_s32, r.top_k, r.batch);
        given(TOMBOLA_ARG_TOP_P, tombola_f32, r.top_p, r.batch);
        given(TOMBOLA_ARG_MIN_P, tombola_f32, r.min_p, r.batch);
        given(TOMBOLA_ARG_OFFSET, tombola_u64, r.offset, r.batch);
        add(TOMBOLA_ARG_SEEDS, tombola_u64, r.row_seeds ? Dims{r.batch, 2} : Dims{2},
            r.seeds.data(), r.seeds.size() * 8);
        if (!r.mask.empty())
            add(TOMBOLA_ARG_MASK, tombola_s32, {r.batch, (r.classes + 31) / 32}, r.mask.data(),
                r.mask.size() * 4);
        if (!r.uniforms.empty())
            add(TOMBOLA_ARG_UNIFORMS, tombola_f64, {r.batch, r.samples}, r.uniforms.data(),
                r.uniforms.size() * 8);
        kept_ = add(TOMBOLA_ARG_DST_KEPT, tombola_s32, {r.batch});
        if (r.logprobs != tombola_logprobs_none)
            logprobs_ = add(TOMBOLA_ARG_DST_LOGPROBS, tombola_f32, {r.batch, r.samples});
        if (r.top_n > 0) top_ids_ = add(TOMBOLA_ARG_DST_TOP_IDS, tombola_s64, {r.batch, r.top_n});
        if (r.top_n > 0 && r.logprobs != tombola_logprobs_none)
            top_logprobs_ = add(TOMBOLA_ARG_DST_TOP_LOGPROBS, tombola_f32, {r.batch, r.top_n});
    }

    // Runs, and compares with what the reference says.
    void check(const TokenSamplerRequest& request) {
        const TokenSamplerResult expected =
            reference::token_sampler_reference(request, logits_.data());
        std::vector<std::vector<uint8_t>> before;
        for (const Arena::Buffer& buffer : buffers_) before.emplace_back(buffer.begin, buffer.end);
        test::Primitive primitive;
        expect(tombola_primitive_create(primitive.out(), pd_) == tombola_success,
               "a primitive could not be created");
        static const test::Stream stream = test::default_stream(the_engine());
        const bool success =
            succeeded(tombola_primitive_execute(primitive, stream, static_cast<int>(args_.size()),
                                                args_.data()),
                      "primitive_execute");
        for (size_t i = 0; i < buffers_.size(); ++i) {
            const Arena::Buffer& buffer = buffers_[i];
            const bool written = success && args_[i].arg != TOMBOLA_ARG_SRC && is_output_[i];
            const auto front = static_cast<size_t>(buffer.data - buffer.begin);
            const auto behind = static_cast<size_t>(buffer.end - buffer.data) - buffer.bytes;
            expect(std::memcmp(buffer.begin, before[i].data(), front) == 0 &&
                       std::memcmp(buffer.data + buffer.bytes,
                                   before[i].data() + front + buffer.bytes, behind) == 0,
                   "bytes beside a tensor have been written");
            if (!written)
                expect(std::equal(before[i].begin(), before[i].end(), buffer.begin),
                       "an input has been written to, or an output of a failed execution");
        }
        if (!success || !expected.refusal.empty()) {
            if (success || expected.refusal.empty() ||
                test::last_error().find(expected.refusal) == std::string::npos)
                report("the reference says '" + expected.refusal + "', the library '" +
                       (success ? "" : test::last_error()) + "'");
            return;
        }
        same(dst_, expected.ids, "the ids");
        same(kept_, expected.kept, "the numbers of classes that were kept");
        same(top_ids_, expected.top_ids, "the greatest classes");
        same(logprobs_, expected.logprobs, "the log probabilities");
        same(top_logprobs_, expected.top_logprobs, "the greatest log probabilities");
    }

  private:
    template <class T>
    void given(int arg, tombola_data_type_t type, const std::vector<T>& values,
               tombola_dim_t batch) {
        if (values.empty()) return;
        add(arg, type, {values.size() == 1 ? 1 : batch}, values.data(), values.size() * sizeof(T));
    }
    // An input if there are values.
    const Arena::Buffer* add(int arg, tombola_data_type_t type, const Dims& dims,
                             const void* values = nullptr, size_t bytes = 0,
                             const MemoryDesc* desc = nullptr) {
        const MemoryDesc made = desc == nullptr ? test::row_major(dims, type) : MemoryDesc();
        const_tombola_memory_desc_t md = desc == nullptr ? made : *desc;
        const size_t size = tombola_memory_desc_get_size(md);
        const Arena::Buffer buffer = arena().take(size, in_.ConsumeBool(), 8);
        if (bytes > 0) std::memcpy(buffer.data, values, std::min(bytes, size));
        memories_.emplace_back();
        expect(tombola_memory_create(memories_.back().out(), md, the_engine(), buffer.data) ==
                   tombola_success,
               "a memory object is refused");
        args_.push_back({arg, memories_.back()});
        is_output_.push_back(arg == TOMBOLA_ARG_DST || arg >= TOMBOLA_ARG_DST_LOGPROBS);
        buffers_.push_back(buffer);
        return &buffers_.back();
    }
    template <class T>
    static void same(const Arena::Buffer* buffer, const std::vector<T>& expected,
                     const char* what) {
        if (buffer == nullptr) return;
        expect(buffer->bytes == expected.size() * sizeof(T), "another number of results");
        if (expected.empty()) return;
        if (std::memcmp(buffer->data, expected.data(), buffer->bytes) != 0)
            report(std::string(what) + " are not those of the reference");
    }

    Input& in_;
    std::vector<uint8_t> logits_;
    test::PrimitiveDesc pd_;
    std::vector<tombola_exec_arg_t> args_;
    std::deque<Memory> memories_;
    std::deque<Arena::Buffer> buffers_;
    std::vector<bool> is_output_;
    const Arena::Buffer *dst_ = nullptr, *kept_ = nullptr, *logprobs_ = nullptr,
                        *top_ids_ = nullptr, *top_logprobs_ = nullptr;
};

}  // namespace
}  // namespace tombola::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace tombola::fuzz;
    Input in(data, size);
    const TokenSamplerRequest request = any_request(in);
    Execution(in, request).check(request);
    return 0;
}
