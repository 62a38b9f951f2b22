// SPDX-License-Identifier: Apache-2.0

// Operators of the domain "tombola" for ONNX Runtime, for tensors on the CPU. README.md lists their attributes, inputs and outputs.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "node.hpp"

namespace tombola_onnxruntime {

memory::data_type type_of(Type type) {
    switch (type) {
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
            return memory::data_type::f32;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
            return memory::data_type::f64;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
            return memory::data_type::f16;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
            return memory::data_type::bf16;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
            return memory::data_type::s8;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL:
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
        // Shuffles move bytes: which type of their size it is does not matter.
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN:
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2:
            return memory::data_type::u8;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16:
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16:
            return memory::data_type::f16;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
            return memory::data_type::s32;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32:
            return memory::data_type::u32;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
            return memory::data_type::s64;
        case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64:
            return memory::data_type::u64;
        default:
            refuse("element type " + std::to_string(type) + " is not served");
    }
}

namespace {

// The primitives that were prepared on this thread, by kind, shapes and options.
using Key = std::vector<int64_t>;

template <class... Options>
Key key_of(tombola::primitive::kind kind, const memory::dims& dims, Options... options) {
    Key key{static_cast<int64_t>(kind), static_cast<int64_t>(options)...};
    key.insert(key.end(), dims.begin(), dims.end());
    return key;
}

// A shuffle of `groups` groups of channels, as torch.channel_shuffle numbers them: Reshape, Transpose and Reshape in one step.
template <Type kType>
class ChannelShuffle {
  public:
    static constexpr const char* kName = "ChannelShuffle";
    static constexpr Slot kInputs[] = {{kType}};
    static constexpr Slot kOutputs[] = {{kType}};

    explicit ChannelShuffle(const Attributes& attributes)
        : groups_(attributes.get<int64_t>("groups")), axis_(attributes.get<int64_t>("axis", 1)) {
        if (groups_ < 1) refuse("groups is " + std::to_string(groups_) + "; expected at least 1");
    }
    void run(const Call& call) const {
        const Input x = call.input(0);
        const auto ndims = static_cast<int64_t>(x.dims.size());
        const int64_t axis = axis_ < 0 ? axis_ + ndims : axis_;
        if (axis < 0 || axis >= ndims)
            refuse("axis is " + std::to_string(axis_) + "; the input has " + std::to_string(ndims) +
                   " dimensions");
        const int64_t channels = x.dims[static_cast<size_t>(axis)];
        if (channels % groups_ != 0)
            refuse("groups is " + std::to_string(groups_) + "; expected a divisor of the " +
                   std::to_string(channels) + " channels");
        void* y = call.output(0, x.dims);
        if (elements(x.dims) == 0) return;
        const auto kind = tombola::primitive::kind::shuffle;
        recent(key_of(kind, x.dims, kType, axis, groups_), [&] {
            return prepare<tombola::shuffle_forward>(
                {cpu(), tombola::prop_kind::forward_inference, dense(x.dims, kType),
                 dense(x.dims, kType), static_cast<int>(axis), channels / groups_},
                {TOMBOLA_ARG_SRC, TOMBOLA_ARG_DST});
        }).run({{TOMBOLA_ARG_SRC, x.data}, {TOMBOLA_ARG_DST, y}});
    }

  private:
    int64_t groups_, axis_;
};

struct Uniform {
    using Primitive = tombola::random_uniform;
    using Parameters = tombola::random_uniform::bounds;
    static constexpr const char *kName = "RandomUniform", *kFirst = "low", *kSecond = "high";
    static bool takes(float low, float high) { return low < high; }
    static constexpr const char* kExpected = "finite numbers, low below high";
    static memory first(const Parameters& bounds) { return bounds.min(); }
    static memory second(const Parameters& bounds) { return bounds.max(); }
    static constexpr int kFirstArg = TOMBOLA_ARG_MIN, kSecondArg = TOMBOLA_ARG_MAX;
};

struct Normal {
    using Primitive = tombola::random_normal;
    using Parameters = tombola::random_normal::moments;
    static constexpr const char *kName = "RandomNormal", *kFirst = "mean", *kSecond = "scale";
    static bool takes(float, float scale) { return scale >= 0; }
    static constexpr const char* kExpected = "finite numbers, scale at least 0";
    static memory first(const Parameters& moments) { return moments.mean(); }
    static memory second(const Parameters& moments) { return moments.std(); }
    static constexpr int kFirstArg = TOMBOLA_ARG_MEAN, kSecondArg = TOMBOLA_ARG_STD;
};

// A tensor of random numbers of one distribution. The shape is an attribute, so the primitive is made with the kernel. The
// attribute dtype names the type: infer() tells it, so that the runtime takes the kernel with this output.
template <class Distribution, Type kType>
class Fill {
  public:
    static constexpr const char* kName = Distribution::kName;
    static constexpr Slot kInputs[] = {kOffset};
    static constexpr Slot kOutputs[] = {{kType}};
    static constexpr Type kTypes[] = {kF32, kF16, kF64, kBf16};

    explicit Fill(const Attributes& attributes)
        : dims_(attributes.integers("shape")), numbers_(attributes) {
        chosen_type(attributes.get<int64_t>("dtype", kTypes[0]), kTypes);
        const auto first = attributes.get<float>(Distribution::kFirst, 0);
        const auto second = attributes.get<float>(Distribution::kSecond, 1);
        if (std::any_of(dims_.begin(), dims_.end(), [](int64_t size) { return size < 0; }))
            refuse("shape has a negative number");
        if (!std::isfinite(first) || !std::isfinite(second) || !Distribution::takes(first, second))
            refuse(std::string(Distribution::kFirst) + " is " + std::to_string(first) + " and " +
                   Distribution::kSecond + " is " + std::to_string(second) + "; expected " +
                   Distribution::kExpected);
        typename Distribution::Primitive::primitive_desc pd(
            cpu(), tombola::alignment::tensorflow, memory::desc(dense(vector(), kType)), 0, 1);
        primitive_ = typename Distribution::Primitive(pd);
        const auto hold = [&](const typename Distribution::Parameters& parameters) {
            first_ = Distribution::first(parameters);
            second_ = Distribution::second(parameters);
        };
        if constexpr (kType == kF64)
            hold({pd, static_cast<double>(first), static_cast<double>(second)});
        else
            hold({pd, first, second});
        draw_one();
        dst_desc_ = pd.exec_arg_desc(TOMBOLA_ARG_DST);
        seeds_desc_ = pd.seeds_desc();
        offset_desc_ = pd.offset_desc();
    }
    void run(const Call& call) const {
        void* y = call.output(0, dims_);
        uint64_t start = numbers_.start(call.input(0), elements(dims_));
        primitive_.execute(tombola_examples::queue(),
                           {{Distribution::kFirstArg, first_},
                            {Distribution::kSecondArg, second_},
                            {TOMBOLA_ARG_SEEDS,
                             memory(seeds_desc_, cpu(), const_cast<uint64_t*>(numbers_.seeds()))},
                            {TOMBOLA_ARG_OFFSET, memory(offset_desc_, cpu(), &start)},
                            {TOMBOLA_ARG_DST, memory(dst_desc_, cpu(), y)}});
    }
    static void infer(Ort::ShapeInferContext& context) {
        const auto dtype = attribute([&] { return context.GetAttrInt("dtype"); });
        Ort::ShapeInferContext::Shape shape;
        const auto sizes = attribute([&] { return context.GetAttrInts("shape"); });
        if (sizes) shape.assign(sizes->begin(), sizes->end());
        Ort::ThrowOnError(
            context.SetOutputShape(0, shape, chosen_type(dtype.value_or(kTypes[0]), kTypes)));
    }

  private:
    // Parameters that only an execution refuses, such as bounds whose difference is infinite, fail here when the session is made.
    void draw_one() const {
        const typename Distribution::Primitive::primitive_desc pd(
            cpu(), tombola::alignment::tensorflow, memory::desc(dense({1}, kType)), 0, 1);
        typename Distribution::Primitive(pd).execute(
            tombola_examples::queue(),
            {{Distribution::kFirstArg, first_},
             {Distribution::kSecondArg, second_},
             {TOMBOLA_ARG_DST, memory(pd.exec_arg_desc(TOMBOLA_ARG_DST), cpu())}});
    }
    // The shape as a vector: the numbers follow logical order, so that dimensions do not matter.
    memory::dims vector() const { return {elements(dims_)}; }

    memory::dims dims_;
    Numbers numbers_;
    tombola::primitive primitive_;
    memory first_, second_;
    memory::desc dst_desc_, seeds_desc_, offset_desc_;
};

template <Type kType>
using RandomUniform = Fill<Uniform, kType>;
template <Type kType>
using RandomNormal = Fill<Normal, kType>;

// Class indices. The input is logits, as ONNX's Multinomial has it, or weights.
template <Type kType, Type kIndex>
class Multinomial {
  public:
    static constexpr const char* kName = "Multinomial";
    static constexpr Slot kInputs[] = {{kType}, kOffset};
    static constexpr Slot kOutputs[] = {{kIndex}};
    static constexpr Type kTypes[] = {kS32, kS64};

    explicit Multinomial(const Attributes& attributes)
        : samples_(attributes.get<int64_t>("sample_size", 1)),
          replacement_(attributes.get<int64_t>("replacement", 1) != 0),
          logits_(attributes.get<int64_t>("logits", 1) != 0),
          numbers_(attributes) {
        chosen_type(attributes.get<int64_t>("dtype", kTypes[0]), kTypes);
        if (samples_ < 1)
            refuse("sample_size is " + std::to_string(samples_) + "; expected at least 1");
    }
    void run(const Call& call) const {
        const Input x = call.input(0);
        if (x.dims.size() != 2)
            refuse("the input has " + std::to_string(x.dims.size()) + " dimensions; expected 2");
        const memory::dims dims{x.dims[0], samples_};
        void* y = call.output(0, dims);
        uint64_t start = numbers_.start(call.input(1), elements(dims));
        const auto kind = tombola::primitive::kind::multinomial;
        recent(
            key_of(kind, x.dims, kType, kIndex, samples_, replacement_, logits_),
            [&] {
                return prepare<tombola::multinomial>(
                    {cpu(), dense(x.dims, kType), dense(dims, kIndex), replacement_, logits_, 0, 1},
                    {TOMBOLA_ARG_SRC, TOMBOLA_ARG_SEEDS, TOMBOLA_ARG_OFFSET, TOMBOLA_ARG_DST});
            })
            .run({{TOMBOLA_ARG_SRC, x.data},
                  {TOMBOLA_ARG_SEEDS, numbers_.seeds()},
                  {TOMBOLA_ARG_OFFSET, &start},
                  {TOMBOLA_ARG_DST, y}});
    }
    static void infer(Ort::ShapeInferContext& context) {
        const auto dtype = attribute([&] { return context.GetAttrInt("dtype"); });
        const auto samples =
            attribute([&] { return context.GetAttrInt("sample_size"); }).value_or(1);
        // A dimension that the runtime does not know gets a name of its own. The runtime would take -1 for a size, and one name
        // twice for two equal sizes.
        static std::atomic<uint64_t> unknown{0};
        const std::string name = "tombola_batch_" + std::to_string(unknown++);
        const auto& input = context.GetInputShape(0);
        Ort::ShapeInferContext::Shape shape{name.c_str(), samples};
        if (knows_batch(input)) shape[0] = input[0];
        Ort::ThrowOnError(
            context.SetOutputShape(0, shape, chosen_type(dtype.value_or(kTypes[0]), kTypes)));
    }

  private:
    // Whether the runtime knows the first dimension of the input, as a number or by a name.
    static bool knows_batch(const Ort::ShapeInferContext::Shape& input) {
        return !input.empty() && (!input[0].IsInt() || input[0].AsInt() >= 0);
    }

    int64_t samples_;
    bool replacement_, logits_;
    Numbers numbers_;
};

template <Type kType>
using MultinomialS32 = Multinomial<kType, kS32>;
template <Type kType>
using MultinomialS64 = Multinomial<kType, kS64>;

// Token ids from logits.
template <Type kType>
class TokenSampler {
  public:
    static constexpr const char* kName = "TokenSampler";
    // logits, temperature, top_k, top_p, min_p, mask, seeds, offset
    static constexpr Slot kInputs[] = {{kType},       {kF32, false}, {kS32, false}, {kF32, false},
                                       {kF32, false}, {kS32, false}, {kS64, false}, {kS64, false}};
    // ids, log probabilities
    static constexpr Slot kOutputs[] = {{kS64}, {kF32, false}};

    explicit TokenSampler(const Attributes& attributes)
        : samples_(attributes.get<int64_t>("sample_size", 1)),
          order_(attributes.choice("filter_order", "transformers",
                                   {"transformers", "vllm", "joint", "temperature_last"})),
          logprobs_(attributes.choice("logprobs", "processed", {"processed", "raw"})),
          numbers_(attributes) {
        if (samples_ < 1)
            refuse("sample_size is " + std::to_string(samples_) + "; expected at least 1");
    }
    void run(const Call& call) const {
        using tombola::filter_order;
        using tombola::logprobs;
        constexpr filter_order kOrders[] = {filter_order::transformers, filter_order::vllm,
                                            filter_order::joint, filter_order::temperature_last};
        constexpr logprobs kKinds[] = {logprobs::processed, logprobs::raw};

        const Input logits = call.input(0);
        if (logits.dims.size() != 2)
            refuse("logits has " + std::to_string(logits.dims.size()) + " dimensions; expected 2");
        const memory::dims dims{logits.dims[0], samples_};
        void* ids = call.output(0, dims);
        void* logprob = call.output(1, dims);
        const logprobs kind_of_logprobs = logprob == nullptr ? logprobs::none : kKinds[logprobs_];

        // Optional inputs: by row, or one element for all rows.
        constexpr std::pair<int, size_t> kOptional[] = {
            {TOMBOLA_ARG_TEMPERATURE, 1}, {TOMBOLA_ARG_TOP_K, 2}, {TOMBOLA_ARG_TOP_P, 3},
            {TOMBOLA_ARG_MIN_P, 4},       {TOMBOLA_ARG_MASK, 5},  {TOMBOLA_ARG_SEEDS, 6},
            {TOMBOLA_ARG_OFFSET, 7}};
        const tombola::token_sampler::primitive_desc pd(cpu(), dense(logits.dims, kType),
                                                        dense(dims, kS64), kOrders[order_],
                                                        kind_of_logprobs, 0, 0, 1);
        std::unordered_map<int, memory> args;
        const auto add = [&](int arg, const memory::desc& desc, const void* data) {
            args.emplace(arg, memory(desc, cpu(), const_cast<void*>(data)));
        };
        for (const auto& [arg, index] : kOptional) {
            const Input input = call.input(index);
            if (!input.given) continue;
            if (arg == TOMBOLA_ARG_OFFSET) check_offsets(input);
            memory::desc desc = pd.exec_arg_desc(arg);
            // A number of rank 0 is one element.
            const memory::dims own = input.dims.empty() ? memory::dims{1} : input.dims;
            if (own != desc.get_dims())
                desc = memory::desc(own, desc.get_data_type(), memory::dims());
            add(arg, desc, input.data);
        }
        uint64_t start = 0;
        if (!call.input(6).given) {
            add(TOMBOLA_ARG_SEEDS, pd.exec_arg_desc(TOMBOLA_ARG_SEEDS), numbers_.seeds());
            if (!call.input(7).given) {
                start = numbers_.start(Input(), elements(dims));
                add(TOMBOLA_ARG_OFFSET, pd.exec_arg_desc(TOMBOLA_ARG_OFFSET), &start);
            }
        }
        add(TOMBOLA_ARG_SRC, pd.exec_arg_desc(TOMBOLA_ARG_SRC), logits.data);
        add(TOMBOLA_ARG_DST, pd.exec_arg_desc(TOMBOLA_ARG_DST), ids);
        if (logprob != nullptr)
            add(TOMBOLA_ARG_DST_LOGPROBS, pd.exec_arg_desc(TOMBOLA_ARG_DST_LOGPROBS), logprob);
        tombola::token_sampler(pd).execute(tombola_examples::queue(), args);
    }

  private:
    static void check_offsets(const Input& offset) {
        const auto* numbers = static_cast<const int64_t*>(offset.data);
        for (int64_t i = 0; i < elements(offset.dims); ++i)
            if (numbers[i] < 0)
                refuse("offset is " + std::to_string(numbers[i]) + "; expected at least 0");
    }

    int64_t samples_;
    int order_, logprobs_;
    Numbers numbers_;
};

// Dropout that is also active in inference, as Monte Carlo dropout needs it.
template <Type kType>
class Dropout {
  public:
    static constexpr const char* kName = "Dropout";
    // data, ratio, offset
    static constexpr Slot kInputs[] = {{kType}, {kF32, false}, kOffset};
    // output, mask
    static constexpr Slot kOutputs[] = {{kType}, {kBool, false}};

    explicit Dropout(const Attributes& attributes) : numbers_(attributes) {}
    void run(const Call& call) const {
        const Input x = call.input(0), ratio = call.input(1);
        const auto* given = scalar<float>(ratio, "ratio");
        const float p = given == nullptr ? 0.5F : *given;
        void* y = call.output(0, x.dims);
        void* mask = call.output(1, x.dims);
        const memory::dims dims{elements(x.dims)};
        uint64_t start = numbers_.start(call.input(2), dims[0]);
        const auto kind = tombola::primitive::kind::dropout;
        using tombola::dropout_mask;
        const auto form = mask == nullptr ? dropout_mask::none : dropout_mask::u8;
        recent(key_of(kind, dims, kType, form),
               [&] {
                   const tombola::dropout_forward::primitive_desc pd(
                       cpu(), tombola::prop_kind::forward_inference, dense(dims, kType),
                       dense(dims, kType), 32, form, 0, 1);
                   tombola_examples::Prepared prepared = prepare<tombola::dropout_forward>(
                       pd, {TOMBOLA_ARG_SRC, TOMBOLA_ARG_P, TOMBOLA_ARG_SEEDS, TOMBOLA_ARG_OFFSET,
                            TOMBOLA_ARG_DST});
                   if (mask != nullptr)
                       prepared.args.emplace(TOMBOLA_ARG_MASK,
                                             memory(pd.mask_desc(), cpu(), TOMBOLA_MEMORY_NONE));
                   return prepared;
               })
            .run({{TOMBOLA_ARG_SRC, x.data},
                  {TOMBOLA_ARG_P, &p},
                  {TOMBOLA_ARG_SEEDS, numbers_.seeds()},
                  {TOMBOLA_ARG_OFFSET, &start},
                  {TOMBOLA_ARG_DST, y},
                  {TOMBOLA_ARG_MASK, mask}});
    }

  private:
    Numbers numbers_;
};

template <class Kernel>
void add(Ort::CustomOpDomain& domain) {
    static const Operator<Kernel> op;
    domain.Add(&op);
}

template <template <Type> class Kernel, Type... kTypes>
void add_for(Ort::CustomOpDomain& domain) {
    (add<Kernel<kTypes>>(domain), ...);
}

// A domain must outlive the sessions that use it. One is enough for all of them.
Ort::CustomOpDomain& domain() {
    static auto& made = *[] {
        auto* domain = new Ort::CustomOpDomain("tombola");
        add_for<ChannelShuffle, kF32, kF64, kF16, kBf16, kBool, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8,
                ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16,
                ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, kS32, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32,
                kS64, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64>(*domain);
        add_for<RandomUniform, kF32, kF64, kF16, kBf16>(*domain);
        add_for<RandomNormal, kF32, kF64, kF16, kBf16>(*domain);
        add_for<MultinomialS32, kF32, kF64, kF16, kBf16>(*domain);
        add_for<MultinomialS64, kF32, kF64, kF16, kBf16>(*domain);
        add_for<TokenSampler, kF32, kF16, kBf16>(*domain);
        add_for<Dropout, kF32, kF16, kBf16>(*domain);
        return domain;
    }();
    return made;
}

}  // namespace

}  // namespace tombola_onnxruntime

// What SessionOptions.register_custom_ops_library() looks for.
extern "C" __attribute__((visibility("default"))) OrtStatus* ORT_API_CALL
RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
    const OrtApi* api = base->GetApi(ORT_API_VERSION);
    if (api == nullptr)
        return base->GetApi(1)->CreateStatus(
            ORT_FAIL,
            "this ONNX Runtime is older than the headers that tombola's operators were built with");
    Ort::InitApi(api);
    return tombola_onnxruntime::guarded("RegisterCustomOps", [&] {
        Ort::UnownedSessionOptions(options).Add(tombola_onnxruntime::domain());
    });
}
