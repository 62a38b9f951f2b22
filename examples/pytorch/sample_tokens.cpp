// SPDX-License-Identifier: Apache-2.0
// The operator sample_tokens: tombola's token_sampler on PyTorch's tensors.

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "generator.hpp"
#include "registration.hpp"

namespace tombola_torch {
namespace {

tombola::filter_order order_of(c10::string_view name) {
    using order = tombola::filter_order;
    for (const auto& [known, value] :
         {std::pair{"transformers", order::transformers}, std::pair{"vllm", order::vllm},
          std::pair{"joint", order::joint}, std::pair{"temperature_last", order::temperature_last}})
        if (name == known) return value;
    TORCH_CHECK(false, "filter_order is '", name,
                "', but expected transformers, vllm, joint or temperature_last");
}

tombola::logprobs logprobs_of(c10::string_view name) {
    using logprobs = tombola::logprobs;
    for (const auto& [known, value] :
         {std::pair{"none", logprobs::none}, std::pair{"processed", logprobs::processed},
          std::pair{"raw", logprobs::raw}})
        if (name == known) return value;
    TORCH_CHECK(false, "logprobs is '", name, "', but expected none, processed or raw");
}

using OptionalTensor = c10::optional<at::Tensor>;
using Outputs = std::tuple<at::Tensor, at::Tensor>;

// Ids, and log probabilities of the same shape; none of these where none are asked for.
Outputs sample_tokens_meta(const at::Tensor& logits, const OptionalTensor& temperature,
                           const OptionalTensor& top_k, const OptionalTensor& top_p,
                           const OptionalTensor& min_p, int64_t samples,
                           c10::string_view filter_order, const OptionalTensor& mask,
                           const OptionalTensor& seeds, const OptionalTensor& offset,
                           c10::string_view logprobs, OptionalGenerator) {
    const std::pair<const char*, const OptionalTensor&> given[] = {{"temperature", temperature},
                                                                   {"top_k", top_k},
                                                                   {"top_p", top_p},
                                                                   {"min_p", min_p},
                                                                   {"mask", mask},
                                                                   {"seeds", seeds},
                                                                   {"offset", offset}};
    for (const auto& [name, value] : given)
        TORCH_CHECK(!value.has_value() || !value->defined() || value->device() == logits.device(),
                    "sample_tokens: ", name, " is on ", value->device(),
                    ", but expected the logits' device, ", logits.device());
    TORCH_CHECK(logits.dim() == 1 || logits.dim() == 2, "logits have 1 or 2 dimensions, but got ",
                logits.dim());
    const auto type = logits.scalar_type();
    TORCH_CHECK(type == at::kFloat || type == at::kHalf || type == at::kBFloat16,
                "sample_tokens serves float32, float16 and bfloat16, but got ", type);
    TORCH_CHECK(samples >= 0, "num_samples is ", samples, ", but expected at least 0");
    order_of(filter_order);
    std::vector<c10::SymInt> shape{c10::SymInt(samples)};
    if (logits.dim() == 2) shape.insert(shape.begin(), logits.sym_size(0));
    const auto options = logits.options();
    at::Tensor ids = at::empty_symint(shape, options.dtype(at::kLong));
    if (logprobs_of(logprobs) == tombola::logprobs::none) shape = {c10::SymInt(0)};
    return {ids, at::empty_symint(shape, options.dtype(at::kFloat))};
}

// An argument of an execution: a tensor in the layout and the type that tombola takes, or none.
struct Given {
    int arg;
    memory::data_type type;
    memory::dims dims;
    at::Tensor tensor;

    Given(int number, const char* name, const OptionalTensor& value, at::ScalarType wanted,
          memory::data_type tombola_type, const std::vector<memory::dims>& shapes,
          const char* expected)
        : arg(number), type(tombola_type) {
        if (!value.has_value() || !value->defined()) return;
        for (const memory::dims& shape : shapes) {
            if (!has_shape(*value, shape)) continue;
            dims = shape;
            tensor = converted(number, name, *value, wanted).contiguous();
            return;
        }
        TORCH_CHECK(false, "sample_tokens: ", name, " has the shape ", value->sizes(),
                    ", but expected ", expected);
    }

    // Dimensions of 1 do not matter: logits of one row have no dimension for it.
    static bool has_shape(const at::Tensor& value, const memory::dims& shape) {
        memory::dims sizes = value.sizes().vec(), wanted = shape;
        for (memory::dims* list : {&sizes, &wanted})
            list->erase(std::remove(list->begin(), list->end(), 1), list->end());
        return sizes == wanted;
    }

    // An integer is never rounded or cut. A top_k beyond int32, the only number that may be so large, means the same as the nearest int32.
    static at::Tensor converted(int number, const char* name, const at::Tensor& value,
                                at::ScalarType wanted) {
        if (wanted == at::kFloat) return value.to(wanted);
        const at::ScalarType type = value.scalar_type();
        TORCH_CHECK(at::isIntegralType(type, /*includeBool=*/false), "sample_tokens: ", name,
                    " has the dtype ", type, ", but expected integers");
        TORCH_CHECK(number != TOMBOLA_ARG_MASK || type == wanted, "sample_tokens: ", name,
                    " has the dtype ", type, ", but expected int32");
        const at::Tensor wide = value.to(at::kLong);
        if (number == TOMBOLA_ARG_OFFSET && value.numel() > 0) {
            const auto least = wide.min().item<int64_t>();
            TORCH_CHECK(least >= 0, "sample_tokens: offset is ", least,
                        ", but expected at least 0");
        }
        using Limits = std::numeric_limits<int32_t>;
        return wanted == at::kInt ? wide.clamp(Limits::min(), Limits::max()).to(wanted) : wide;
    }
};

Outputs sample_tokens_cpu(const at::Tensor& logits, const OptionalTensor& temperature,
                          const OptionalTensor& top_k, const OptionalTensor& top_p,
                          const OptionalTensor& min_p, int64_t samples,
                          c10::string_view filter_order, const OptionalTensor& mask,
                          const OptionalTensor& seeds, const OptionalTensor& offset,
                          c10::string_view logprobs, OptionalGenerator generator) {
    const Outputs result =
        sample_tokens_meta(logits, temperature, top_k, top_p, min_p, samples, filter_order, mask,
                           seeds, offset, logprobs, generator);
    const at::Tensor source = logits.contiguous();
    const int64_t classes = source.size(-1), batch = source.dim() == 2 ? source.size(0) : 1;
    const auto order = order_of(filter_order);
    const auto wanted = logprobs_of(logprobs);
    using type = memory::data_type;
    const std::vector<memory::dims> per_row{{1}, {batch}};
    const char* one_or_batch = "one element, or one per row";
    const Given given[] = {
        {TOMBOLA_ARG_TEMPERATURE, "temperature", temperature, at::kFloat, type::f32, per_row,
         one_or_batch},
        {TOMBOLA_ARG_TOP_K, "top_k", top_k, at::kInt, type::s32, per_row, one_or_batch},
        {TOMBOLA_ARG_TOP_P, "top_p", top_p, at::kFloat, type::f32, per_row, one_or_batch},
        {TOMBOLA_ARG_MIN_P, "min_p", min_p, at::kFloat, type::f32, per_row, one_or_batch},
        {TOMBOLA_ARG_MASK,
         "mask",
         mask,
         at::kInt,
         type::s32,
         {{batch, (classes + 31) / 32}},
         "[batch, ceil(classes / 32)]"},
        {TOMBOLA_ARG_SEEDS,
         "seeds",
         seeds,
         at::kLong,
         type::u64,
         {{2}, {batch, 2}},
         "[2] or [batch, 2]"},
        {TOMBOLA_ARG_OFFSET, "offset", offset, at::kLong, type::u64, per_row, one_or_batch}};
    if (batch == 0) return result;

    const auto source_type = type_of(source.scalar_type());
    std::vector<memory::dims> shapes;
    for (const Given& one : given) shapes.push_back(one.dims);
    const std::tuple key(batch, classes, samples, source_type, order, wanted, shapes);
    const bool drawn = !given[5].tensor.defined();
    const auto run = [&](const int64_t* pair) {
        const Prepared& sampler = recent(key, [&] {
            const tombola::token_sampler::primitive_desc pd(
                cpu(), memory::desc({batch, classes}, source_type, memory::format_tag::ab),
                memory::desc({batch, samples}, type::s64, memory::format_tag::ab), order, wanted, 0,
                0, 1);
            Prepared made = prepare<tombola::token_sampler>(pd, {TOMBOLA_ARG_SRC, TOMBOLA_ARG_DST});
            const auto add = [&](int arg, const memory::desc& desc) {
                made.args.emplace(arg, memory(desc, cpu(), TOMBOLA_MEMORY_NONE));
            };
            for (const Given& one : given)
                if (one.tensor.defined())
                    add(one.arg, memory::desc(one.dims, one.type, memory::dims()));
            if (drawn) add(TOMBOLA_ARG_SEEDS, pd.seeds_desc());
            if (wanted != tombola::logprobs::none)
                add(TOMBOLA_ARG_DST_LOGPROBS, pd.logprobs_desc());
            return made;
        });
        const auto address = [&](int i) {
            return given[i].tensor.defined() ? given[i].tensor.data_ptr() : nullptr;
        };
        const bool writes = wanted != tombola::logprobs::none;
        sampler.run({{TOMBOLA_ARG_SRC, source.data_ptr()},
                     {TOMBOLA_ARG_DST, std::get<0>(result).data_ptr()},
                     {TOMBOLA_ARG_DST_LOGPROBS, writes ? std::get<1>(result).data_ptr() : nullptr},
                     {given[0].arg, address(0)},
                     {given[1].arg, address(1)},
                     {given[2].arg, address(2)},
                     {given[3].arg, address(3)},
                     {given[4].arg, address(4)},
                     {TOMBOLA_ARG_SEEDS, drawn ? pair : address(5)},
                     {given[6].arg, address(6)}});
    };
    if (drawn)
        drawing("sample_tokens", generator, [&](Words& words) {
            int64_t pair[2];
            words.uniform<int64_t>({{2}, {1}}, pair, 1, INT64_MAX);
            run(pair);
        });
    else
        translating_errors("sample_tokens", [&] { run(nullptr); });
    return result;
}

using Signature = Outputs(const at::Tensor&, const OptionalTensor&, const OptionalTensor&,
                          const OptionalTensor&, const OptionalTensor&, int64_t, c10::string_view,
                          const OptionalTensor&, const OptionalTensor&, const OptionalTensor&,
                          c10::string_view, OptionalGenerator);

TORCH_LIBRARY_FRAGMENT(tombola, library) {
    define_random(
        library,
        "sample_tokens(Tensor logits, Tensor? temperature=None, Tensor? top_k=None, Tensor? "
        "top_p=None, Tensor? min_p=None, *, int num_samples=1, str filter_order='transformers', "
        "Tensor? mask=None, Tensor? seeds=None, Tensor? offset=None, str logprobs='none', "
        "Generator? generator=None) -> (Tensor, Tensor)");
    library.impl("sample_tokens", torch::dispatch(DispatchKey::CPU, &sample_tokens_cpu));
    library.impl("sample_tokens", torch::dispatch(DispatchKey::Meta, &sample_tokens_meta));
    not_differentiable(library, "sample_tokens");
    not_in_vmap(library, "sample_tokens");
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> sample_tokens(const at::Tensor& logits, const TokenParameters& p,
                                                 OptionalGenerator generator) {
    static const auto op = find_operator<Signature>("sample_tokens");
    return op.call(logits, p.temperature, p.top_k, p.top_p, p.min_p, p.num_samples, p.filter_order,
                   p.mask, p.seeds, p.offset, p.logprobs, generator);
}

}  // namespace tombola_torch
