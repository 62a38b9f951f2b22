// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "dlpack.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;

struct TypeNames {
    type data_type;
    std::string_view numpy;
    std::string_view tombola;
    char kind;
    uint8_t code;
};

constexpr std::array<TypeNames, 10> kTypes{{
    {type::f32, "float32", "f32", 'f', dlpack::kFloat},
    {type::f64, "float64", "f64", 'f', dlpack::kFloat},
    {type::f16, "float16", "f16", 'f', dlpack::kFloat},
    {type::bf16, "bfloat16", "bf16", 'B', dlpack::kBFloat},
    {type::s32, "int32", "s32", 'i', dlpack::kInt},
    {type::s64, "int64", "s64", 'i', dlpack::kInt},
    {type::u32, "uint32", "u32", 'u', dlpack::kUInt},
    {type::u64, "uint64", "u64", 'u', dlpack::kUInt},
    {type::s8, "int8", "s8", 'i', dlpack::kInt},
    {type::u8, "uint8", "u8", 'u', dlpack::kUInt},
}};

size_t size_of(type data_type) { return memory::data_type_size(data_type); }

type type_by_name(std::string_view name) {
    for (const auto& names : kTypes)
        if (name == names.numpy || name == names.tombola) return names.data_type;
    return type::undef;
}

std::string name_in_numpy(const py::dtype& dtype) {
    return py::str(static_cast<py::handle>(dtype)).cast<std::string>();
}

std::string tuple_of(const memory::dims& shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) text += ", ";
        text += std::to_string(shape[i]);
    }
    return text + (shape.size() == 1 ? ",)" : ")");
}

// undef for what tombola does not have.
type type_of_numpy(const py::dtype& dtype) {
    const char order = dtype.attr("byteorder").cast<std::string_view>()[0];
    if (order == '>') return type::undef;
    for (const auto& names : kTypes)
        if (names.kind == dtype.kind() &&
            size_of(names.data_type) == static_cast<size_t>(dtype.itemsize()))
            return names.data_type;
    // A NumPy with ml_dtypes has bfloat16.
    return dtype.itemsize() == 2 && name_in_numpy(dtype) == "bfloat16" ? type::bf16 : type::undef;
}

type type_of_numpy_fast(const py::array& array) {
    using api = py::detail::npy_api;
    auto* descr = py::detail::array_descriptor_proxy(py::detail::array_proxy(array.ptr())->descr);
    if (descr->byteorder == '=' || descr->byteorder == '|') {
        switch (descr->type_num) {
            case api::NPY_FLOAT_:
                return type::f32;
            case api::NPY_DOUBLE_:
                return type::f64;
            default:
                break;
        }
    }
    return type_of_numpy(array.dtype());
}

// What an array has along an axis of one element, or in an array of none, is never stepped along: any stride will do.
void tidy_strides(Tensor& tensor, const char* name) {
    bool row_major = true;
    memory::dim expected = 1;
    for (size_t axis = tensor.dims.size(); axis-- > 0;) {
        if (tensor.dims[axis] == 1 || tensor.elements() == 0) tensor.strides[axis] = expected;
        if (tensor.strides[axis] < 0)
            value_error(std::string(name) + " has a negative stride along axis " +
                        std::to_string(axis) +
                        "; expected strides of 0 or more: numpy.ascontiguousarray() makes a copy "
                        "without");
        row_major = row_major && tensor.strides[axis] == expected;
        expected *= tensor.dims[axis];
    }
    if (row_major) tensor.strides.clear();
}

// A type of tombola of this size, for data that is only moved.
type type_of_size(size_t bytes) {
    switch (bytes) {
        case 1:
            return type::u8;
        case 2:
            return type::f16;
        case 4:
            return type::f32;
        case 8:
            return type::f64;
        default:
            return type::undef;
    }
}

struct Use {
    bool written = false;
    bool moved = false;
};

Tensor of_array(const py::array& array, const char* name, Use use) {
    Tensor tensor;
    // Kinds of NumPy whose elements are bits and nothing else: no references to objects.
    constexpr std::string_view kPlain = "biufcmM";
    tensor.type = use.moved && kPlain.find(array.dtype().kind()) != kPlain.npos
                      ? type_of_size(static_cast<size_t>(array.itemsize()))
                      : type_of_numpy_fast(array);
    if (tensor.type == type::undef)
        type_error(std::string(name) + " has the dtype " + name_in_numpy(array.dtype()) +
                   ", which tombola does not have");
    if (use.written && !array.writeable())
        value_error(std::string(name) + " is read-only; expected an array that can be written");
    tensor.kind = tensor.type == type::bf16 ? 'B' : array.dtype().kind();
    tensor.data = const_cast<void*>(array.data());
    tensor.owner = array;
    tensor.dims.assign(array.shape(), array.shape() + array.ndim());
    if (!(array.flags() & py::array::c_style)) {
        const auto itemsize = static_cast<py::ssize_t>(size_of(tensor.type));
        for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
            const py::ssize_t stride = array.strides(axis);
            if (stride % itemsize != 0)
                value_error(std::string(name) + " has a stride of " + std::to_string(stride) +
                            " bytes along axis " + std::to_string(axis) +
                            "; expected a multiple of the " + std::to_string(itemsize) +
                            " bytes of an element");
            tensor.strides.push_back(stride / itemsize);
        }
        tidy_strides(tensor, name);
    }
    return tensor;
}

Tensor of_dlpack(py::handle object, const char* name, Use use) {
    const py::tuple device = object.attr("__dlpack_device__")();
    if (device[0].cast<int>() != dlpack::kCpu)
        type_error(std::string(name) + " is on a device of DLPack's kind " +
                   std::to_string(device[0].cast<int>()) + "; expected the CPU's, 1");
    const py::object capsule = object.attr("__dlpack__")();
    auto* managed =
        static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (managed == nullptr) throw py::error_already_set();
    // From here on the tensor is this consumer's to release.
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    Tensor tensor;
    tensor.owner = py::capsule(managed, [](void* pointer) {
        auto* used = static_cast<dlpack::ManagedTensor*>(pointer);
        if (used->deleter != nullptr) used->deleter(used);
    });
    const dlpack::Tensor& source = managed->tensor;
    for (const auto& names : kTypes)
        if (names.code == source.dtype.code && source.dtype.lanes == 1 &&
            size_of(names.data_type) * 8 == source.dtype.bits)
            tensor.type = names.data_type;
    constexpr std::string_view kKinds = "iuf?Bcb";  // by code
    if (source.dtype.code < kKinds.size()) tensor.kind = kKinds[source.dtype.code];
    if (use.moved && source.dtype.lanes == 1) tensor.type = type_of_size(source.dtype.bits / 8);
    if (tensor.type == type::undef)
        type_error(std::string(name) + " has elements of " + std::to_string(source.dtype.bits) +
                   " bits of DLPack's type " + std::to_string(source.dtype.code) +
                   ", which tombola does not have");
    // A tensor of no elements may have no address.
    alignas(64) static char nothing[64];
    tensor.data =
        source.data == nullptr ? nothing : static_cast<char*>(source.data) + source.byte_offset;
    tensor.dims.assign(source.shape, source.shape + source.ndim);
    if (source.strides != nullptr) {
        tensor.strides.assign(source.strides, source.strides + source.ndim);
        tidy_strides(tensor, name);
    }
    return tensor;
}

Tensor tensor_of(py::handle object, const char* name, Use use) {
    if (py::isinstance<py::array>(object))
        return of_array(py::reinterpret_borrow<py::array>(object), name, use);
    if (py::hasattr(object, "__dlpack__") && py::hasattr(object, "__dlpack_device__"))
        return of_dlpack(object, name, use);
    type_error(std::string(name) + " is " + text_of(object) +
               "; expected a NumPy array or a tensor that can be exported by DLPack");
}

}  // namespace

[[noreturn]] void value_error(const std::string& message) { throw py::value_error(message); }
[[noreturn]] void type_error(const std::string& message) { throw py::type_error(message); }
std::string text_of(py::handle object) {
    if (!py::isinstance<py::array>(object)) return py::repr(object).cast<std::string>();
    const auto array = py::reinterpret_borrow<py::array>(object);
    return "an array of the dtype " + name_in_numpy(array.dtype()) + " and the shape " +
           tuple_of(memory::dims(array.shape(), array.shape() + array.ndim()));
}

memory::data_type data_type_of(py::handle dtype, const char* name) {
    type found = type::undef;
    if (PyUnicode_Check(dtype.ptr())) {
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(dtype.ptr(), &size);
        if (text == nullptr) throw py::error_already_set();
        found = type_by_name({text, static_cast<size_t>(size)});
        if (found != type::undef) return found;
    }
    const std::string text = py::str(dtype).cast<std::string>();
    constexpr std::string_view kTorch = "torch.";
    if (text.compare(0, kTorch.size(), kTorch) == 0)
        found = type_by_name(std::string_view(text).substr(kTorch.size()));
    if (found == type::undef) {
        try {
            found = type_of_numpy(py::dtype::from_args(py::reinterpret_borrow<py::object>(dtype)));
        } catch (py::error_already_set&) {  // The message below says it.
        }
    }
    if (found == type::undef)
        type_error(std::string(name) + " is " + text_of(dtype) +
                   "; expected a data type of tombola, such as \"float32\" or numpy.int64");
    return found;
}

const char* name_of(memory::data_type data_type) {
    for (const auto& names : kTypes)
        if (names.data_type == data_type) return names.numpy.data();
    return "undef";
}

size_t Tensor::elements() const {
    size_t product = 1;
    for (const memory::dim size : dims) product *= static_cast<size_t>(size);
    return product;
}

Tensor Tensor::flat() const {
    Tensor flat = *this;
    if (strides.empty()) flat.dims = {static_cast<memory::dim>(elements())};
    return flat;
}

Tensor Tensor::at_least_1d() const {
    Tensor tensor = *this;
    if (dims.empty()) tensor.dims = {1};
    return tensor;
}

Tensor input(py::handle object, const char* name) { return tensor_of(object, name, {}); }
Tensor written(py::handle object, const char* name) {
    return tensor_of(object, name, {true, false});
}
Tensor moved(py::handle object, const char* name, bool is_written) {
    return tensor_of(object, name, {is_written, true});
}

memory::dims shape_of(py::handle shape) {
    memory::dims dims;
    const auto add = [&](py::handle number) {
        const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(number.ptr()));
        if (!index) {
            PyErr_Clear();
            type_error("shape is " + text_of(shape) +
                       "; expected an integer or a sequence of integers");
        }
        const Py_ssize_t size = PyLong_AsSsize_t(index.ptr());
        if (size < 0) {
            PyErr_Clear();
            value_error("shape is " + text_of(shape) + "; expected numbers from 0 to 2^63 - 1");
        }
        dims.push_back(size);
    };
    if (PySequence_Check(shape.ptr()) && !PyUnicode_Check(shape.ptr())) {
        for (const py::handle number : shape) add(number);
    } else {
        add(shape);
    }
    return dims;
}

Output::Output(py::handle shape, py::handle dtype, py::handle out, memory::data_type usual) {
    if (shape.is_none()) {
        if (out.is_none()) type_error("shape is None; expected a shape, or out, which has one");
        *this = Output(input(out, "out").dims, dtype, out, usual);
    } else {
        *this = Output(shape_of(shape), dtype, out, usual);
    }
}

Output::Output(const memory::dims& shape, py::handle dtype, py::handle out,
               memory::data_type usual) {
    if (!out.is_none()) {
        tensor = written(out, "out");
        result = py::reinterpret_borrow<py::object>(out);
        check_shape(tensor, shape, "out");
        if (!dtype.is_none() && data_type_of(dtype, "dtype") != tensor.type)
            type_error("out has the dtype " + std::string(name_of(tensor.type)) + "; expected " +
                       name_of(data_type_of(dtype, "dtype")));
        return;
    }
    tensor.type = dtype.is_none() ? usual : data_type_of(dtype, "dtype");
    tensor.dims = shape;
    // The bits of a bfloat16 go into uint16, which a class of the package makes readable.
    const bool wrapped = tensor.type == type::bf16;
    size_t bytes = size_of(tensor.type);
    for (const memory::dim size : shape)
        if (__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes) || bytes >> 56 != 0)
            value_error("shape is " + tuple_of(shape) + "; expected fewer than 2^56 bytes");
    using api = py::detail::npy_api;
    constexpr std::array<int, 10> kNumbers{
        api::NPY_FLOAT_, api::NPY_DOUBLE_, 23 /* NPY_HALF */, api::NPY_USHORT_, api::NPY_INT_,
        api::NPY_LONG_,  api::NPY_UINT_,   api::NPY_ULONG_,   api::NPY_BYTE_,   api::NPY_UBYTE_};
    size_t row = 0;
    while (kTypes[row].data_type != tensor.type) ++row;
    const auto descriptor =
        py::reinterpret_steal<py::dtype>(api::get().PyArray_DescrFromType_(kNumbers[row]));
    const py::array made(descriptor, shape);
    tensor.data = const_cast<void*>(made.data());
    tensor.owner = made;
    result = made;
    if (wrapped) {
        static const py::handle wrap =
            py::object(py::module_::import("tombola._bfloat16").attr("BFloat16Array")).release();
        result = wrap(made);
    }
}

py::object out_or_like(py::handle out, py::handle src) {
    if (!out.is_none()) return py::reinterpret_borrow<py::object>(out);
    if (!py::isinstance<py::array>(src)) {
        const Tensor source = input(src, "src");
        return Output(source.dims, py::none(), py::none(), source.type).result;
    }
    static const py::handle empty_like =
        py::object(py::module_::import("numpy").attr("empty_like")).release();
    return empty_like(src);
}

void check_shape(const Tensor& tensor, const memory::dims& expected, const char* name) {
    if (tensor.dims != expected)
        value_error(std::string(name) + " has the shape " + tuple_of(tensor.dims) + "; expected " +
                    tuple_of(expected));
}

}  // namespace tombola_python
