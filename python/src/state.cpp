// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"

#include <cstring>

#include "arguments.hpp"
#include "functions.hpp"
#include "output.hpp"
#include "prepared.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;
using kind = tombola::primitive::kind;

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

py::object from_torch(py::handle blob) {
    const Tensor bytes = input(blob, "the state of PyTorch");
    const Output state({TOMBOLA_MT19937_NORMAL_STATE_WORDS}, py::none(), py::none(), type::u32);
    tombola::error::check(tombola_mt19937_normal_state_from_torch(
        torch_bytes(bytes).data, bytes.elements(), static_cast<uint32_t*>(state.tensor.data)));
    return state.result;
}

void to_torch(py::handle state, py::handle blob) {
    const Tensor words = numbers_of(state, type::u32, TOMBOLA_MT19937_NORMAL_STATE_WORDS, "state");
    const Tensor bytes = written(blob, "the state of PyTorch");
    tombola::error::check(tombola_mt19937_normal_state_to_torch(
        static_cast<const uint32_t*>(words.data), torch_bytes(bytes).data, bytes.elements()));
}

}  // namespace

State::State(py::handle words) {
    const bool pytorch = input(words, "state").type == type::u32;
    const Tensor given =
        pytorch ? numbers_of(words, type::u32, TOMBOLA_MT19937_NORMAL_STATE_WORDS, "state")
                : numbers_of(words, type::u64, 2, "state");
    words_ = Output(given.dims, py::none(), py::none(), given.type).tensor;
    std::memcpy(words_.data, given.data, bytes());
}

void* State::words(bool pytorch) {
    if (pytorch != (words_.type == type::u32))
        value_error(std::string("state is of the alignment \"") +
                    (pytorch ? "tensorflow" : "pytorch") + "\"; expected one of \"" +
                    (pytorch ? "pytorch" : "tensorflow") + "\"");
    return words_.data;
}

size_t State::bytes() const { return words_.elements() * memory::data_type_size(words_.type); }

py::object State::copy() {
    const Output made(words_.dims, py::none(), py::none(), words_.type);
    {
        const Released released;
        const std::lock_guard<std::mutex> turn(mutex_);
        std::memcpy(made.tensor.data, words_.data, bytes());
    }
    return made.result;
}

void State::set(const State& from) {
    if (from.words_.type != words_.type) value_error("state is of the other alignment");
    const Released released;
    const std::lock_guard<std::mutex> turn(mutex_);
    std::memcpy(words_.data, from.words_.data, bytes());
}

State* state_of(py::handle state) { return state.is_none() ? nullptr : state.cast<State*>(); }

void add_state(py::module_& module) {
    // Local: a copy of this module in the same process has a class of its own.
    py::class_<State>(module, "State", py::module_local())
        .def(py::init<py::handle>())
        .def("copy", &State::copy)
        .def("set", &State::set);
    module.def("initial_state", &initial_state);
    module.def("from_torch", &from_torch);
    module.def("to_torch", &to_torch);
}

}  // namespace tombola_python
