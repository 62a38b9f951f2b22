// SPDX-License-Identifier: Apache-2.0

// Fills: random words and random numbers.

#include "arguments.hpp"
#include "functions.hpp"
#include "output.hpp"
#include "prepared.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;
using kind = tombola::primitive::kind;

// A state that a call reads and replaces: None, or an array of this many elements, row-major.
void* state_of(py::handle state, type data_type, size_t words, Tensor& tensor) {
    if (state.is_none()) return nullptr;
    tensor = input(state, "state");
    if (tensor.type != data_type || tensor.dims.size() != 1 || tensor.elements() != words ||
        !tensor.strides.empty())
        value_error("state is " + text_of(state) + "; expected " + std::to_string(words) +
                    " numbers of the dtype " + name_of(data_type));
    return tensor.data;
}

// What SRC_STATE and DST_STATE are: PyTorch's MT19937 state of `mt19937_words` words, or the two numbers of a Philox stream.
void* words_of(py::handle state, tombola::alignment alignment, Tensor& kept,
               size_t mt19937_words = TOMBOLA_MT19937_STATE_WORDS) {
    return alignment == tombola::alignment::pytorch
               ? state_of(state, type::u32, mt19937_words, kept)
               : state_of(state, type::u64, 2, kept);
}

bool is_zero(py::handle number) {
    const int equal = PyObject_RichCompareBool(number.ptr(), py::int_(0).ptr(), Py_EQ);
    if (equal >= 0) return equal == 1;
    // An array of several numbers is neither.
    if (PyErr_ExceptionMatches(PyExc_ValueError) == 0 &&
        PyErr_ExceptionMatches(PyExc_TypeError) == 0)
        throw py::error_already_set();
    PyErr_Clear();
    return false;
}

py::object uniform(py::handle shape, py::handle dtype, py::handle low, py::handle high,
                   py::handle seed, py::handle offset, py::handle alignment_name,
                   py::handle int_draws, py::handle float_draws, py::handle full_range_object,
                   py::handle out, py::handle state) {
    const Output output(shape, dtype, out, type::f32);
    const Tensor dst = output.tensor.flat();
    const auto alignment = alignment_of(alignment_name);
    const auto floats = named<tombola::float_draws>(
        float_draws, "float_draws",
        {{"torch1", tombola::float_draws::torch1}, {"torch2", tombola::float_draws::torch2}});
    const auto draws = named<tombola::int_draws>(int_draws, "int_draws",
                                                 {{"spec", tombola::int_draws::spec},
                                                  {"torch1", tombola::int_draws::torch1},
                                                  {"torch2", tombola::int_draws::torch2}});
    const auto seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    const bool full_range = flag_of(full_range_object, "full_range");
    const bool integers = dst.type == type::s32 || dst.type == type::s64;
    if (full_range && !high.is_none())
        type_error("high is " + text_of(high) + "; expected None with full_range");
    if (full_range && !is_zero(low))
        type_error("low is " + text_of(low) + "; expected 0 with full_range");
    if (high.is_none() && integers && !full_range)
        type_error(std::string("high is None; expected a number, as the dtype is ") +
                   name_of(dst.type));
    const Element min(low, dst.type, "low");
    const py::int_ one(1);
    const Element max(high.is_none() ? py::handle(one) : high, dst.type, "high");
    Tensor kept;
    void* const words = words_of(state, alignment, kept);
    run<tombola::random_uniform>(
        key_of(kind::random_uniform, dst, alignment, draws, floats, full_range),
        {{TOMBOLA_ARG_MIN, full_range ? nullptr : min.data()},
         {TOMBOLA_ARG_MAX, full_range ? nullptr : max.data()},
         {TOMBOLA_ARG_SEEDS, seeds.data()},
         {TOMBOLA_ARG_OFFSET, &first},
         {TOMBOLA_ARG_SRC_STATE, words},
         {TOMBOLA_ARG_DST_STATE, words},
         {TOMBOLA_ARG_DST, dst.data}},
        [&] {
            return tombola::random_uniform::primitive_desc(cpu(), alignment, dst.desc(), 0, 1,
                                                           draws, floats, full_range);
        });
    return output.result;
}

py::object normal(py::handle shape, py::handle dtype, py::handle mean, py::handle std,
                  py::handle seed, py::handle offset, py::handle alignment_name, py::handle out,
                  py::handle state) {
    const Output output(shape, dtype, out, type::f32);
    const Tensor dst = output.tensor.flat();
    const auto alignment = alignment_of(alignment_name);
    const auto seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    const Element centre(mean, dst.type, "mean"), width(std, dst.type, "std");
    Tensor kept;
    void* const words = words_of(state, alignment, kept, TOMBOLA_MT19937_NORMAL_STATE_WORDS);
    run<tombola::random_normal>(
        key_of(kind::random_normal, dst, alignment),
        {{TOMBOLA_ARG_MEAN, centre.data()},
         {TOMBOLA_ARG_STD, width.data()},
         {TOMBOLA_ARG_SEEDS, seeds.data()},
         {TOMBOLA_ARG_OFFSET, &first},
         {TOMBOLA_ARG_SRC_STATE, words},
         {TOMBOLA_ARG_DST_STATE, words},
         {TOMBOLA_ARG_DST, dst.data}},
        [&] { return tombola::random_normal::primitive_desc(cpu(), alignment, dst.desc(), 0, 1); });
    return output.result;
}

py::object exponential(py::handle shape, py::handle dtype, py::handle rate, py::handle seed,
                       py::handle offset, py::handle alignment_name, py::handle out,
                       py::handle state) {
    const Output output(shape, dtype, out, type::f32);
    const Tensor dst = output.tensor.flat();
    const auto alignment = alignment_of(alignment_name);
    const auto seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    const Element lambda(rate, type::f64, "rate");
    Tensor kept;
    void* const words = words_of(state, alignment, kept);
    run<tombola::random_exponential>(key_of(kind::random_exponential, dst, alignment),
                                     {{TOMBOLA_ARG_LAMBDA, lambda.data()},
                                      {TOMBOLA_ARG_SEEDS, seeds.data()},
                                      {TOMBOLA_ARG_OFFSET, &first},
                                      {TOMBOLA_ARG_SRC_STATE, words},
                                      {TOMBOLA_ARG_DST_STATE, words},
                                      {TOMBOLA_ARG_DST, dst.data}},
                                     [&] {
                                         return tombola::random_exponential::primitive_desc(
                                             cpu(), alignment, dst.desc(), 0, 1);
                                     });
    return output.result;
}

py::object bernoulli(py::handle p, py::handle shape, py::handle dtype, py::handle seed,
                     py::handle offset, py::handle alignment_name, py::handle out,
                     py::handle state) {
    // A number is one probability of f64, as in tensor.bernoulli_(p); a tensor has one for each element.
    const bool one =
        PyFloat_Check(p.ptr()) || PyLong_Check(p.ptr()) ||
        (!py::isinstance<py::array>(p) && !py::hasattr(p, "__dlpack__") && PyNumber_Check(p.ptr()));
    const Element number(one ? p : py::handle(py::float_(0.0)), type::f64, "p");
    Tensor probabilities;
    if (!one) probabilities = input(p, "p").at_least_1d();
    const Output output = one || !shape.is_none() || !out.is_none()
                              ? Output(shape, dtype, out, type::u8)
                              : Output(input(p, "p").dims, dtype, out, type::u8, "p");
    Tensor dst = output.tensor.at_least_1d();
    if (one) {
        dst = dst.flat();
    } else {
        check_shape(probabilities, dst.dims, "p");
        // One dimension of one element would be one probability for all: its numbers are drawn otherwise.
        if (dst.dims == memory::dims{1}) {
            dst.dims = probabilities.dims = {1, 1};
            dst.strides.clear();
            probabilities.strides.clear();
        }
    }
    const auto alignment = alignment_of(alignment_name);
    const auto seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    Tensor kept;
    void* const words = words_of(state, alignment, kept);
    Key key = key_of(kind::random_bernoulli, dst, alignment);
    if (one)
        key.push_back(-1);
    else
        add_to(key, probabilities);
    run<tombola::random_bernoulli>(std::move(key),
                                   {{TOMBOLA_ARG_P, one ? number.data() : probabilities.data},
                                    {TOMBOLA_ARG_SEEDS, seeds.data()},
                                    {TOMBOLA_ARG_OFFSET, &first},
                                    {TOMBOLA_ARG_SRC_STATE, words},
                                    {TOMBOLA_ARG_DST_STATE, words},
                                    {TOMBOLA_ARG_DST, dst.data}},
                                   [&] {
                                       const memory::desc p_desc =
                                           one ? memory::desc({1}, type::f64, memory::format_tag::a)
                                               : probabilities.desc();
                                       return tombola::random_bernoulli::primitive_desc(
                                           cpu(), alignment, dst.desc(), p_desc, 0, 1);
                                   });
    return output.result;
}

py::object permutation(py::handle range, py::handle size, py::handle dtype, py::handle seed,
                       py::handle offset, py::handle alignment_name, py::handle out,
                       py::handle state) {
    const int64_t elements = signed_of(range, "n");
    if (elements < 0)
        value_error("n is " + std::to_string(elements) + "; expected a number from 0 on");
    const Output output(size, dtype, out, type::s64, "size");
    const Tensor& dst = output.tensor;
    const auto alignment = named<tombola::permutation_alignment>(
        alignment_name, "alignment",
        {{"philox", tombola::permutation_alignment::philox},
         {"pytorch", tombola::permutation_alignment::pytorch}});
    const auto seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    Tensor kept;
    const bool pytorch = alignment == tombola::permutation_alignment::pytorch;
    void* const words = pytorch ? state_of(state, type::u32, TOMBOLA_MT19937_STATE_WORDS, kept)
                                : state_of(state, type::u64, 2, kept);
    run<tombola::random_permutation>(key_of(kind::random_permutation, dst, alignment, elements),
                                     {{TOMBOLA_ARG_SEEDS, seeds.data()},
                                      {TOMBOLA_ARG_OFFSET, &first},
                                      {TOMBOLA_ARG_SRC_STATE, words},
                                      {TOMBOLA_ARG_DST_STATE, words},
                                      {TOMBOLA_ARG_DST, dst.data}},
                                     [&] {
                                         return tombola::random_permutation::primitive_desc(
                                             cpu(), alignment, dst.desc(), elements, 0, 1);
                                     });
    return output.result;
}

// The words of Philox from a state {counter, key} on.
py::object random_words(py::handle shape, py::handle state, py::handle out) {
    const Output output(shape, py::none(), out, type::u32);
    if (output.tensor.type != type::u32)
        type_error(std::string("out has the dtype ") + name_of(output.tensor.type) +
                   "; expected uint32");
    const Tensor dst = output.tensor.flat();
    Tensor kept;
    const void* const words = state_of(state, type::u32, 6, kept);
    run<tombola::random_generator>(
        key_of(kind::random_generator, dst),
        {{TOMBOLA_ARG_SRC_STATE, words}, {TOMBOLA_ARG_DST, dst.data}}, [&] {
            return tombola::random_generator::primitive_desc(
                cpu(), tombola::generator_kind::philox4x32_10, dst.desc());
        });
    return output.result;
}

// The state of MT19937 that the global seed gives. A call that draws one number leaves the words after the first twist:
// its position, 1, becomes 0.
py::object initial_state(py::handle seed) {
    const Output state({TOMBOLA_MT19937_STATE_WORDS}, py::none(), py::none(), type::u32);
    auto* const words = static_cast<uint32_t*>(state.tensor.data);
    const auto seeds = seeds_of(seed);
    const float zero = 0, one = 1;
    Tensor drawn;
    drawn.type = type::f32;
    drawn.dims = {1};
    float number = 0;
    run<tombola::random_uniform>(key_of(kind::random_uniform, drawn),
                                 {{TOMBOLA_ARG_MIN, &zero},
                                  {TOMBOLA_ARG_MAX, &one},
                                  {TOMBOLA_ARG_SEEDS, seeds.data()},
                                  {TOMBOLA_ARG_DST, &number},
                                  {TOMBOLA_ARG_DST_STATE, words}},
                                 [&] {
                                     return tombola::random_uniform::primitive_desc(
                                         cpu(), tombola::alignment::pytorch, drawn.desc(), 0, 1);
                                 });
    words[TOMBOLA_MT19937_STATE_WORDS - 1] = 0;
    return state.result;
}

// Both conversions between a state of MT19937 and the bytes of torch.get_rng_state().
const Tensor& torch_bytes(const Tensor& blob) {
    if (blob.type != type::u8 || !blob.strides.empty())
        type_error(std::string("the state of PyTorch has the dtype ") + name_of(blob.type) +
                   "; expected contiguous bytes, as torch.get_rng_state() returns them");
    return blob;
}

void from_torch(py::handle blob, py::handle state) {
    Tensor kept;
    void* const words = state_of(state, type::u32, TOMBOLA_MT19937_NORMAL_STATE_WORDS, kept);
    const Tensor bytes = input(blob, "the state of PyTorch");
    tombola::error::check(tombola_mt19937_normal_state_from_torch(
        torch_bytes(bytes).data, bytes.elements(), static_cast<uint32_t*>(words)));
}

void to_torch(py::handle state, py::handle blob) {
    Tensor kept;
    const void* const words = state_of(state, type::u32, TOMBOLA_MT19937_NORMAL_STATE_WORDS, kept);
    const Tensor bytes = written(blob, "the state of PyTorch");
    tombola::error::check(tombola_mt19937_normal_state_to_torch(
        static_cast<const uint32_t*>(words), torch_bytes(bytes).data, bytes.elements()));
}

}  // namespace

void add_random(py::module_& module) {
    module.def("uniform", &uniform);
    module.def("bernoulli", &bernoulli);
    module.def("exponential", &exponential);
    module.def("normal", &normal);
    module.def("permutation", &permutation);
    module.def("random_words", &random_words);
    module.def("seeds", [](py::handle seed) {
        const auto seeds = seeds_of(seed);
        return py::make_tuple(seeds[0], seeds[1]);
    });
    module.def("initial_state", &initial_state);
    module.def("from_torch", &from_torch);
    module.def("to_torch", &to_torch);
}

}  // namespace tombola_python
