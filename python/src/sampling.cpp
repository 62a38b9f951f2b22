// SPDX-License-Identifier: Apache-2.0

// Classes drawn by weight.

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "arguments.hpp"
#include "functions.hpp"
#include "output.hpp"
#include "positional.hpp"
#include "prepared.hpp"
#include "state.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;
using kind = tombola::primitive::kind;

// What is drawn from: a row of classes, or a batch of rows.
Tensor rows_of(py::handle object, const char* name, const Types& types) {
    Tensor rows = input(object, name, types);
    if (rows.dims.empty() || rows.dims.size() > 2)
        value_error(std::string(name) + " has " + std::to_string(rows.dims.size()) +
                    " dimensions; expected (classes,) or (batch, classes)");
    return rows;
}

// The numbers that are used instead of a stream. None gives a tensor without an address.
Tensor uniforms_of(py::handle object, const memory::dims& shape) {
    if (object.is_none()) return {};
    Tensor numbers = input(object, "uniforms", {{type::f64}});
    check_shape(numbers, shape, "uniforms");
    check_row_major(numbers);
    return numbers;
}

// A row is a batch of one.
Tensor batched(Tensor tensor) {
    if (tensor.dims.size() == 1) {
        tensor.dims.insert(tensor.dims.begin(), 1);
        if (!tensor.strides.empty())
            tensor.strides.insert(tensor.strides.begin(), tensor.dims[1] * tensor.strides[0]);
    }
    return tensor;
}

// What a multinomial reads and writes.
struct Draw {
    memory::dims shape;
    Output output;
    Tensor src, dst;
    bool replacement = false, log_probs = false;

    Draw(py::handle weights, py::handle samples, py::handle with_replacement, py::handle logs,
         py::handle dtype, py::handle out) {
        const int64_t drawn = count_of(samples, "samples");
        replacement = flag_of(with_replacement, "replacement");
        log_probs = flag_of(logs, "log_probs");
        const Tensor rows = rows_of(weights, "weights", kFloats);
        shape = rows.dims;
        shape.back() = drawn;
        output = Output(shape, dtype, out, kIndices, "samples");
        src = batched(rows);
        dst = batched(output.tensor);
        if (!replacement && shape.back() > rows.dims.back())
            value_error("samples is " + std::to_string(shape.back()) + "; expected at most " +
                        std::to_string(rows.dims.back()) +
                        ", the number of classes, without replacement");
    }
    // The primitive that draws by the uniform numbers, or from a stream if they are null.
    std::unique_ptr<Prepared> prepared(const void* seeds, const void* offset,
                                       const void* uniforms) const {
        const bool streamed = uniforms == nullptr;
        Key key = key_of(kind::multinomial, dst, replacement, log_probs);
        add_to(key, src);
        return take<tombola::multinomial>(std::move(key),
                                          {{TOMBOLA_ARG_SRC, src.data},
                                           {TOMBOLA_ARG_SEEDS, streamed ? seeds : nullptr},
                                           {TOMBOLA_ARG_OFFSET, streamed ? offset : nullptr},
                                           {TOMBOLA_ARG_UNIFORMS, uniforms},
                                           {TOMBOLA_ARG_DST, dst.data}},
                                          [&] {
                                              const memory::desc src_desc = src.desc();
                                              return tombola::multinomial::primitive_desc(
                                                  cpu(), src_desc, dst.desc(), replacement,
                                                  log_probs, 0, 1);
                                          });
    }
};

py::object multinomial(py::handle weights, py::handle samples, py::handle replacement,
                       py::handle log_probs, py::handle dtype, py::handle seed, py::handle offset,
                       py::handle uniforms, py::handle out) {
    const auto seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    const Draw draw(weights, samples, replacement, log_probs, dtype, out);
    const Tensor numbers = uniforms_of(uniforms, draw.shape);
    execute(draw.prepared(seeds.data(), &first, numbers.data));
    return draw.output.result;
}

// Draws by uniform numbers of float64 that continue a stream. The state advances when both primitives have run: a call that
// is refused draws nothing.
py::object continued_multinomial(py::handle weights, py::handle samples, py::handle replacement,
                                 py::handle log_probs, py::handle dtype, py::handle seed,
                                 py::handle alignment_name, py::handle out,
                                 py::handle state_object) {
    const auto seeds = seeds_of(seed);
    const Draw draw(weights, samples, replacement, log_probs, dtype, out);
    const auto alignment = alignment_of(alignment_name);
    State& state = *state_of(state_object);
    void* const words = state.words(alignment == tombola::alignment::pytorch);
    const Tensor numbers = Output(draw.shape, type::f64, "samples").tensor.flat();
    const double zero = 0, one = 1;
    const uint64_t offset = 0;
    auto first = take<tombola::random_uniform>(
        key_of(kind::random_uniform, numbers, alignment, tombola::int_draws::spec,
               tombola::float_draws::torch1, false),
        {{TOMBOLA_ARG_MIN, &zero},
         {TOMBOLA_ARG_MAX, &one},
         {TOMBOLA_ARG_SEEDS, seeds.data()},
         {TOMBOLA_ARG_OFFSET, &offset},
         {TOMBOLA_ARG_SRC_STATE, words},
         {TOMBOLA_ARG_DST_STATE, words},
         {TOMBOLA_ARG_DST, numbers.data}},
        [&] {
            return tombola::random_uniform::primitive_desc(cpu(), alignment, numbers.desc(), 0, 1);
        });
    auto second = draw.prepared(nullptr, nullptr, numbers.data);
    {
        Turn turn(&state);
        turn.fill(*first);
        first->execute();
        second->execute();
        turn.commit();
    }
    Kept::put_back(std::move(first));
    Kept::put_back(std::move(second));
    return draw.output.result;
}

// What number_of() makes of a number, and an array or None as it is.
py::object number_or_array(py::handle value, const char* name) {
    if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) return number_of(value, name);
    return py::reinterpret_borrow<py::object>(value);
}

// An argument that is one number for all rows, or an array of one for each row.
class RowNumbers {
  public:
    RowNumbers(py::handle value, type data_type, memory::dim batch, const char* name) {
        if (value.is_none()) return;
        if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) {
            if (data_type == type::u64) {
                const uint64_t number = unsigned_of(value, name);
                std::memcpy(single_.data(), &number, sizeof(number));
            } else {
                const Element element(value, data_type, name);
                std::memcpy(single_.data(), element.data(), single_.size());
            }
            return;
        }
        tensor_ = input(value, name, {{data_type}});
        if (tensor_.dims != memory::dims{batch} || !tensor_.strides.empty())
            value_error(std::string(name) + " is " + text_of(value) + "; expected a number, or " +
                        std::to_string(batch) + " numbers of the dtype " + name_of(data_type));
        several_ = true;
    }
    Argument argument(int arg) const {
        if (several_) return {arg, tensor_.data, tensor_.dims};
        return {arg, single_.data(), {}};
    }

  private:
    alignas(8) std::array<unsigned char, 8> single_{};
    Tensor tensor_;
    bool several_ = false;
};

// The seeds of a call: a pair, or an array of a pair for each row.
class RowSeeds {
  public:
    explicit RowSeeds(py::handle seed)
        : seed_(seed),
          several_(py::isinstance<py::array>(seed) && py::cast<py::array>(seed).ndim() == 2) {
        if (!several_)
            pair_ = seeds_of(seed, "None, an integer, two integers, or two integers for each row");
    }
    Argument argument(memory::dim batch) {
        if (!several_) return {TOMBOLA_ARG_SEEDS, pair_.data(), {}};
        pairs_ = input(seed_, "seed", {{type::u64}});
        if (pairs_.dims != memory::dims{batch, 2} || !pairs_.strides.empty())
            value_error("seed is " + text_of(seed_) + "; expected " + std::to_string(batch) +
                        " pairs of the dtype uint64");
        return {TOMBOLA_ARG_SEEDS, pairs_.data, pairs_.dims};
    }

  private:
    py::handle seed_;
    bool several_;
    std::array<uint64_t, 2> pair_{};
    Tensor pairs_;
};

// The logits of a call, and the shapes that follow from theirs.
struct Logits {
    Tensor rows, src;
    memory::dims leading;  // (), or (batch,)

    explicit Logits(py::handle logits)
        : rows(rows_of(logits, "logits", {{type::f32, type::f16, type::bf16}})),
          src(batched(rows)),
          leading(rows.dims.begin(), rows.dims.end() - 1) {}
    memory::dim batch() const { return src.dims[0]; }
    memory::dim classes() const { return src.dims[1]; }
    memory::dims with_axis(memory::dim size) const {
        memory::dims shape = leading;
        shape.push_back(size);
        return shape;
    }
};

// The classes that are allowed: a bit for each. A mask of bool arrives as words; its shape tells which classes they are for. None gives a
// tensor without an address.
Tensor mask_of(py::handle object, py::handle bool_shape, const Logits& logits) {
    if (!bool_shape.is_none() && shape_of(bool_shape, "mask") != logits.rows.dims)
        value_error("mask has the shape " + text_of(bool_shape) + "; expected the logits' shape, " +
                    tuple_of(logits.rows.dims));
    if (object.is_none()) return {};
    const memory::dim words = (logits.classes() + 31) / 32;
    Tensor mask = input(object, "mask", {{type::s32, type::u32}, "bool, int32 or uint32"});
    if (mask.dims != logits.with_axis(words))
        value_error("mask is " + text_of(object) + "; expected words of 32 bits of the shape " +
                    tuple_of(logits.with_axis(words)) + ", or bool of the logits' shape, " +
                    tuple_of(logits.rows.dims));
    check_row_major(mask);
    return mask;
}

// The result of a call as the primitive writes it: [batch, samples]. Without a number of samples the result has no axis for them.
Tensor ids_of(Tensor result, bool has_axis) {
    if (!has_axis) {
        result.dims.push_back(1);
        if (!result.strides.empty()) result.strides.push_back(1);
    }
    return batched(std::move(result));
}

tombola::filter_order order_of(py::handle name) {
    using order = tombola::filter_order;
    return named<order>(name, "order",
                        {{"transformers", order::transformers},
                         {"vllm", order::vllm},
                         {"joint", order::joint},
                         {"temperature_last", order::temperature_last}});
}

tombola::logprobs logprobs_of(py::handle name) {
    using logprobs = tombola::logprobs;
    if (name.is_none()) return logprobs::none;
    return named<logprobs>(name, "logprobs",
                           {{"processed", logprobs::processed}, {"raw", logprobs::raw}}, "None, ");
}

py::object sample_tokens(py::handle logits, py::handle samples, py::handle given_temperature,
                         py::handle given_top_k, py::handle given_top_p, py::handle given_min_p,
                         py::handle mask_object, py::handle mask_shape, py::handle order_name,
                         py::handle seed, py::handle given_offset, py::handle uniforms,
                         py::handle logprobs_name, py::handle top_n, py::handle kept_wanted,
                         py::handle dtype, py::handle out) {
    const int64_t drawn = samples.is_none() ? 1 : count_of(samples, "samples");
    const Integer given_top(top_n, "top_n");
    const py::object temperature = number_or_array(given_temperature, "temperature"),
                     top_k = number_or_array(given_top_k, "top_k"),
                     top_p = number_or_array(given_top_p, "top_p"),
                     min_p = number_or_array(given_min_p, "min_p"),
                     offset = number_or_array(given_offset, "offset");
    const bool counts_kept = flag_of(kept_wanted, "kept");
    RowSeeds row_seeds(seed);
    const Logits from(logits);
    const memory::dims shape = samples.is_none() ? from.leading : from.with_axis(drawn);
    const Output ids(shape, dtype, out, kIndices, "samples");
    const Tensor dst = ids_of(ids.tensor, !samples.is_none());
    const auto order = order_of(order_name);
    const auto logprobs = logprobs_of(logprobs_name);
    const int64_t top = given_top.in(0, from.classes(), [&] {
        return "0 to " + std::to_string(from.classes()) + ", the number of classes";
    });
    const memory::dim batch = from.batch();
    const RowNumbers temperatures(temperature, type::f32, batch, "temperature");
    const RowNumbers ks(top_k, type::s32, batch, "top_k");
    const RowNumbers ps(top_p, type::f32, batch, "top_p");
    const RowNumbers mins(min_p, type::f32, batch, "min_p");
    const RowNumbers offsets(offset, type::u64, batch, "offset");
    Argument seeds = row_seeds.argument(batch);
    const Tensor mask = mask_of(mask_object, mask_shape, from);
    const Tensor numbers = uniforms_of(uniforms, shape);
    const bool streamed = uniforms.is_none(), logs = logprobs != tombola::logprobs::none;
    const Output sampled = logs ? Output(shape, type::f32) : Output();
    const Output kept = counts_kept ? Output(from.leading, type::s32) : Output();
    const Output top_ids = top > 0 ? Output(from.with_axis(top), dst.type) : Output();
    const Output top_logs = top > 0 && logs ? Output(from.with_axis(top), type::f32) : Output();
    Key key = key_of(kind::token_sampler, dst, order, logprobs, top);
    add_to(key, from.src);
    Argument stream_offset = offsets.argument(TOMBOLA_ARG_OFFSET);
    if (!streamed) seeds.address = stream_offset.address = nullptr;
    run<tombola::token_sampler>(std::move(key),
                                {{TOMBOLA_ARG_SRC, from.src.data},
                                 temperatures.argument(TOMBOLA_ARG_TEMPERATURE),
                                 ks.argument(TOMBOLA_ARG_TOP_K),
                                 ps.argument(TOMBOLA_ARG_TOP_P),
                                 mins.argument(TOMBOLA_ARG_MIN_P),
                                 {TOMBOLA_ARG_MASK, mask.data},
                                 seeds,
                                 stream_offset,
                                 {TOMBOLA_ARG_UNIFORMS, numbers.data},
                                 {TOMBOLA_ARG_DST, dst.data},
                                 {TOMBOLA_ARG_DST_LOGPROBS, sampled.tensor.data},
                                 {TOMBOLA_ARG_DST_KEPT, kept.tensor.data},
                                 {TOMBOLA_ARG_DST_TOP_IDS, top_ids.tensor.data},
                                 {TOMBOLA_ARG_DST_TOP_LOGPROBS, top_logs.tensor.data}},
                                [&] {
                                    const memory::desc src_desc = from.src.desc();
                                    return tombola::token_sampler::primitive_desc(
                                        cpu(), src_desc, dst.desc(), order, logprobs, top, 0, 1);
                                });
    return py::make_tuple(ids.result, sampled.result, kept.result, top_ids.result, top_logs.result);
}

}  // namespace

void add_sampling(py::module_& module) {
    add_positional<&multinomial>(module, "multinomial");
    add_positional<&continued_multinomial>(module, "continued_multinomial");
    add_positional<&sample_tokens>(module, "sample_tokens");
}

}  // namespace tombola_python
