// SPDX-License-Identifier: Apache-2.0

// The channel shuffle.

#include "arguments.hpp"
#include "functions.hpp"
#include "output.hpp"
#include "positional.hpp"
#include "prepared.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;
using kind = tombola::primitive::kind;

py::object shuffle(py::handle src_object, py::handle group_size, py::handle axis_object,
                   py::handle backward_object, py::handle out) {
    constexpr Types kTypes{{type::u8, type::f16, type::f32, type::f64},
                           "booleans, numbers or times of 1, 2, 4 or 8 bytes",
                           true};
    const Integer given_axis(axis_object, "axis");
    const int64_t columns = signed_of(group_size, "group_size", "a number from 1 to 2^63 - 1");
    const bool backward = flag_of(backward_object, "backward");
    const Tensor src = input(src_object, "src", kTypes);
    const auto ndims = static_cast<int64_t>(src.dims.size());
    if (ndims == 0) value_error("src has no dimensions; expected at least 1");
    int64_t axis = given_axis.in(-ndims, ndims - 1, [&] {
        return "a number from " + std::to_string(-ndims) + " to " + std::to_string(ndims - 1);
    });
    if (axis < 0) axis += ndims;
    const py::object result = out_or_like(out, src_object, src);
    const Tensor dst = written(result, "out", kTypes);
    // Elements are moved by their size alone, so the primitive would take two types of one size. The dtypes of two arrays
    // tell more: the unit of a time.
    const auto same_dtypes = [&] {
        if (!py::isinstance<py::array>(src_object) || !py::isinstance<py::array>(result))
            return true;
        const py::dtype one = py::reinterpret_borrow<py::array>(src_object).dtype();
        const py::dtype other = py::reinterpret_borrow<py::array>(result).dtype();
        return one.is(other) || one.equal(other);
    };
    if (dst.kind != src.kind || dst.type != src.type || !same_dtypes())
        type_error("out has another dtype than src: out is " + text_of(result) + ", src is " +
                   text_of(src_object) + "; expected the same");
    check_shape(dst, src.dims, "out");
    Key key = key_of(kind::shuffle, dst, axis, columns, backward);
    add_to(key, src);
    const auto at = static_cast<int>(axis);
    if (backward) {
        run<tombola::shuffle_backward>(
            std::move(key), {{TOMBOLA_ARG_DIFF_DST, src.data}, {TOMBOLA_ARG_DIFF_SRC, dst.data}},
            [&] {
                const memory::desc src_desc = src.desc();
                return tombola::shuffle_backward::primitive_desc(cpu(), dst.desc(), src_desc, at,
                                                                 columns, {});
            });
    } else {
        run<tombola::shuffle_forward>(
            std::move(key), {{TOMBOLA_ARG_SRC, src.data}, {TOMBOLA_ARG_DST, dst.data}}, [&] {
                const memory::desc src_desc = src.desc();
                return tombola::shuffle_forward::primitive_desc(
                    cpu(), tombola::prop_kind::forward_inference, src_desc, dst.desc(), at,
                    columns);
            });
    }
    return result;
}

}  // namespace

void add_shuffle(py::module_& module) { add_positional<&shuffle>(module, "shuffle"); }

}  // namespace tombola_python
