// SPDX-License-Identifier: Apache-2.0

// Fills: random words and random numbers.

#include <array>
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

// Whether an array or a tensor is a scalar.
bool has_no_dimensions(py::handle tensor) {
    const py::object shape = py::getattr(tensor, "shape", py::none());
    return py::isinstance<py::tuple>(shape) && py::len(shape) == 0;
}

// The stream that a fill draws from: of the seeds from an offset on, or of a state.
struct Stream {
    std::array<uint64_t, 2> seeds;
    uint64_t offset;
    State* state;
    void* words;

    Stream(py::handle seed, py::handle first, py::handle continued, bool pytorch)
        : seeds(seeds_of(seed)),
          offset(unsigned_of(first, "offset")),
          state(state_of(continued)),
          words(words_of(state, pytorch)) {}
};

// Runs a primitive that fills a tensor from a stream. It takes up to two parameters.
template <class Operator, class MakePd>
void fill(Key key, const Tensor& dst, const Stream& stream, const MakePd& make_pd,
          const Argument& first = {}, const Argument& second = {}) {
    run<Operator>(std::move(key),
                  {first,
                   second,
                   {TOMBOLA_ARG_SEEDS, stream.seeds.data()},
                   {TOMBOLA_ARG_OFFSET, &stream.offset},
                   {TOMBOLA_ARG_SRC_STATE, stream.words},
                   {TOMBOLA_ARG_DST_STATE, stream.words},
                   {TOMBOLA_ARG_DST, dst.data}},
                  make_pd, stream.state);
}

py::object uniform(py::handle shape, py::handle dtype, py::handle low, py::handle high,
                   py::handle seed, py::handle offset, py::handle alignment_name,
                   py::handle int_draws, py::handle float_draws, py::handle full_range_object,
                   py::handle out, py::handle state_object) {
    const auto alignment = alignment_of(alignment_name);
    const auto floats = named<tombola::float_draws>(
        float_draws, "float_draws",
        {{"torch1", tombola::float_draws::torch1}, {"torch2", tombola::float_draws::torch2}});
    const auto draws = named<tombola::int_draws>(int_draws, "int_draws",
                                                 {{"spec", tombola::int_draws::spec},
                                                  {"torch1", tombola::int_draws::torch1},
                                                  {"torch2", tombola::int_draws::torch2}});
    const Stream stream(seed, offset, state_object, alignment == tombola::alignment::pytorch);
    const bool full_range = flag_of(full_range_object, "full_range");
    const py::object least = number_of(low, "low");
    const py::object greatest = high.is_none() ? py::int_(1) : number_of(high, "high");
    Output output(shape, dtype, out,
                  Types{{type::f32, type::f64, type::f16, type::bf16, type::s32, type::s64}});
    const Tensor dst = std::move(output.tensor).flat();
    const bool integers = dst.type == type::s32 || dst.type == type::s64;
    if (full_range && !integers)
        type_error(std::string("the dtype is ") + name_of(dst.type) +
                   "; expected int32 or int64 with full_range");
    if (full_range && alignment != tombola::alignment::pytorch)
        value_error("full_range is True with the alignment tensorflow; expected \"pytorch\"");
    if (full_range && !high.is_none())
        type_error("high is " + text_of(high) + "; expected None with full_range");
    if (full_range && !least.equal(py::int_(0)))
        type_error("low is " + text_of(least) + "; expected 0 with full_range");
    if (high.is_none() && integers && !full_range)
        type_error(std::string("high is None; expected a number, as the dtype is ") +
                   name_of(dst.type));
    const Element min(least, dst.type, "low");
    const Element max(greatest, dst.type, "high");
    if (!integers && min.is_finite() && max.is_finite() && !min.is_below(max))
        value_error("low is " + text_of(least) + " and high is " + text_of(greatest) +
                    "; expected low < high, each rounded to " + name_of(dst.type));
    fill<tombola::random_uniform>(
        key_of(kind::random_uniform, dst, alignment, draws, floats, full_range), dst, stream,
        [&] {
            return tombola::random_uniform::primitive_desc(cpu(), alignment, dst.desc(), 0, 1,
                                                           draws, floats, full_range);
        },
        {TOMBOLA_ARG_MIN, full_range ? nullptr : min.data()},
        {TOMBOLA_ARG_MAX, full_range ? nullptr : max.data()});
    return output.result;
}

py::object normal(py::handle shape, py::handle dtype, py::handle mean, py::handle std,
                  py::handle seed, py::handle offset, py::handle alignment_name, py::handle out,
                  py::handle state_object) {
    const auto alignment = alignment_of(alignment_name);
    const Stream stream(seed, offset, state_object, alignment == tombola::alignment::pytorch);
    const py::object given_mean = number_of(mean, "mean"), given_std = number_of(std, "std");
    Output output(shape, dtype, out, kFloats);
    const Tensor dst = std::move(output.tensor).flat();
    const Element centre(given_mean, dst.type, "mean"), width(given_std, dst.type, "std");
    fill<tombola::random_normal>(
        key_of(kind::random_normal, dst, alignment), dst, stream,
        [&] { return tombola::random_normal::primitive_desc(cpu(), alignment, dst.desc(), 0, 1); },
        {TOMBOLA_ARG_MEAN, centre.data()}, {TOMBOLA_ARG_STD, width.data()});
    return output.result;
}

py::object exponential(py::handle shape, py::handle dtype, py::handle rate, py::handle seed,
                       py::handle offset, py::handle alignment_name, py::handle out,
                       py::handle state_object) {
    const auto alignment = alignment_of(alignment_name);
    const Stream stream(seed, offset, state_object, alignment == tombola::alignment::pytorch);
    const Element lambda(number_of(rate, "rate"), type::f64, "rate");
    Output output(shape, dtype, out, kFloats);
    const Tensor dst = std::move(output.tensor).flat();
    fill<tombola::random_exponential>(key_of(kind::random_exponential, dst, alignment), dst, stream,
                                      [&] {
                                          return tombola::random_exponential::primitive_desc(
                                              cpu(), alignment, dst.desc(), 0, 1);
                                      },
                                      {TOMBOLA_ARG_LAMBDA, lambda.data()});
    return output.result;
}

py::object bernoulli(py::handle p, py::handle shape, py::handle dtype, py::handle seed,
                     py::handle offset, py::handle alignment_name, py::handle out,
                     py::handle state_object) {
    constexpr Types kTypes{
        {type::u8, type::s32, type::s64, type::f16, type::bf16, type::f32, type::f64}};
    // A number is one probability of f64, as in tensor.bernoulli_(p); a tensor has one for each element. One without
    // dimensions stands for a number where the result has dimensions.
    const bool is_number =
        PyFloat_Check(p.ptr()) || PyLong_Check(p.ptr()) ||
        (!py::isinstance<py::array>(p) && !py::hasattr(p, "__dlpack__") && PyNumber_Check(p.ptr()));
    if (!is_number && !is_tensor(p))
        type_error("p is " + text_of(p) +
                   "; expected a number, a NumPy array or a tensor that can be exported by DLPack");
    const auto alignment = alignment_of(alignment_name);
    const Stream stream(seed, offset, state_object, alignment == tombola::alignment::pytorch);
    const bool may_be_number = is_number || has_no_dimensions(p);
    const py::object probability = may_be_number ? number_of(p, "p") : py::float_(0.0);
    const bool shaped = is_number || !shape.is_none() || !out.is_none();
    Output output = shaped ? Output(shape, dtype, out, kTypes) : Output();
    const bool one = is_number || (may_be_number && !output.tensor.dims.empty());
    const Element number(probability, type::f64, "p");
    const Tensor given = one ? Tensor() : input(p, "p", {{type::f32, type::f64}});
    Tensor probabilities = given.at_least_1d();
    if (!shaped) output = Output(given.dims, dtype, out, kTypes, "p");
    Tensor dst = output.tensor.at_least_1d();
    if (one) {
        dst = std::move(dst).flat();
    } else {
        check_shape(given, output.tensor.dims, "p");
        // One dimension of one element would be one probability for all: its numbers are drawn otherwise.
        if (dst.dims == memory::dims{1}) {
            dst.dims = probabilities.dims = {1, 1};
            dst.strides.clear();
            probabilities.strides.clear();
        }
    }
    Key key = key_of(kind::random_bernoulli, dst, alignment);
    if (one)
        key.push_back(-1);
    else
        add_to(key, probabilities);
    fill<tombola::random_bernoulli>(
        std::move(key), dst, stream,
        [&] {
            const memory::desc p_desc =
                one ? memory::desc({1}, type::f64, memory::format_tag::a) : probabilities.desc();
            return tombola::random_bernoulli::primitive_desc(cpu(), alignment, dst.desc(), p_desc,
                                                             0, 1);
        },
        {TOMBOLA_ARG_P, one ? number.data() : probabilities.data});
    return output.result;
}

py::object permutation(py::handle range, py::handle size, py::handle dtype, py::handle seed,
                       py::handle offset, py::handle alignment_name, py::handle out,
                       py::handle state_object) {
    const int64_t elements = count_of(range, "n");
    const auto alignment = named<tombola::permutation_alignment>(
        alignment_name, "alignment",
        {{"philox", tombola::permutation_alignment::philox},
         {"pytorch", tombola::permutation_alignment::pytorch}});
    const Stream stream(seed, offset, state_object,
                        alignment == tombola::permutation_alignment::pytorch);
    const Output output(size, dtype, out, kIndices, "size");
    const Tensor& dst = output.tensor;
    const auto whole = static_cast<uint64_t>(elements), taken = dst.elements();
    if (dst.dims.size() != 1)
        value_error((out.is_none() ? "size is " + text_of(size)
                                   : "out has the shape " + tuple_of(dst.dims)) +
                    "; expected one dimension");
    if (dst.type == type::s32 && whole > uint64_t{1} << 31)
        value_error("dtype is int32 and n is " + std::to_string(elements) +
                    "; expected int64 for an n above 2^31");
    if (stream.offset > whole)
        value_error("offset is " + std::to_string(stream.offset) + "; expected 0 to " +
                    std::to_string(elements) + ", which is n");
    if (taken > whole - stream.offset)
        value_error("offset is " + std::to_string(stream.offset) + " and size is " +
                    std::to_string(taken) + "; expected a sum of at most " +
                    std::to_string(elements) + ", which is n");
    fill<tombola::random_permutation>(key_of(kind::random_permutation, dst, alignment, elements),
                                      dst, stream, [&] {
                                          return tombola::random_permutation::primitive_desc(
                                              cpu(), alignment, dst.desc(), elements, 0, 1);
                                      });
    return output.result;
}

// The words of Philox from a state {counter, key} on.
py::object random_words(py::handle shape, py::handle state, py::handle out) {
    Output output(shape, py::none(), out, Types{{type::u32}});
    const Tensor dst = std::move(output.tensor).flat();
    const Tensor words = numbers_of(state, type::u32, 6, "state");
    run<tombola::random_generator>(
        key_of(kind::random_generator, dst),
        {{TOMBOLA_ARG_SRC_STATE, words.data}, {TOMBOLA_ARG_DST, dst.data}}, [&] {
            return tombola::random_generator::primitive_desc(
                cpu(), tombola::generator_kind::philox4x32_10, dst.desc());
        });
    return output.result;
}

}  // namespace

void add_random(py::module_& module) {
    add_positional<&uniform>(module, "uniform");
    add_positional<&bernoulli>(module, "bernoulli");
    add_positional<&exponential>(module, "exponential");
    add_positional<&normal>(module, "normal");
    add_positional<&permutation>(module, "permutation");
    add_positional<&random_words>(module, "random_words");
    module.def("seeds", [](py::handle seed) {
        const auto seeds = seeds_of(seed);
        return py::make_tuple(seeds[0], seeds[1]);
    });
}

}  // namespace tombola_python
