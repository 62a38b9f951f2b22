// SPDX-License-Identifier: Apache-2.0

// Classes drawn by weight.

#include "arguments.hpp"
#include "functions.hpp"
#include "prepared.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;
using kind = tombola::primitive::kind;

// A row is a batch of one.
Tensor batched(Tensor tensor) {
    if (tensor.dims.size() == 1) {
        tensor.dims.insert(tensor.dims.begin(), 1);
        if (!tensor.strides.empty())
            tensor.strides.insert(tensor.strides.begin(), tensor.dims[1] * tensor.strides[0]);
    }
    return tensor;
}

py::object multinomial(py::handle weights, py::handle samples, py::handle replacement,
                       py::handle log_probs, py::handle dtype, py::handle seed, py::handle offset,
                       py::handle uniforms, py::handle out) {
    const Tensor rows = input(weights, "weights");
    if (rows.dims.empty() || rows.dims.size() > 2)
        value_error("weights has " + std::to_string(rows.dims.size()) +
                    " dimensions; expected (classes,) or (batch, classes)");
    memory::dims shape = rows.dims;
    shape.back() = static_cast<memory::dim>(unsigned_of(samples, "samples") & INT64_MAX);
    const Output output(shape, dtype, out, type::s64);
    const Tensor src = batched(rows), dst = batched(output.tensor);
    const bool with_replacement = py::cast<bool>(replacement), logs = py::cast<bool>(log_probs);
    const auto seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    Tensor numbers;
    if (!uniforms.is_none()) {
        numbers = input(uniforms, "uniforms");
        if (numbers.type != type::f64 || numbers.dims != shape || !numbers.strides.empty())
            value_error("uniforms is " + text_of(uniforms) +
                        "; expected a row-major array of float64 of the result's shape");
    }
    const bool streamed = uniforms.is_none();
    Key key = key_of(kind::multinomial, dst, with_replacement, logs);
    add_to(key, src);
    run<tombola::multinomial>(std::move(key),
                              {{TOMBOLA_ARG_SRC, src.data},
                               {TOMBOLA_ARG_SEEDS, streamed ? seeds.data() : nullptr},
                               {TOMBOLA_ARG_OFFSET, streamed ? &first : nullptr},
                               {TOMBOLA_ARG_UNIFORMS, numbers.data},
                               {TOMBOLA_ARG_DST, dst.data}},
                              [&] {
                                  return tombola::multinomial::primitive_desc(
                                      cpu(), src.desc(), dst.desc(), with_replacement, logs, 0, 1);
                              });
    return output.result;
}

}  // namespace

void add_sampling(py::module_& module) { module.def("multinomial", &multinomial); }

}  // namespace tombola_python
