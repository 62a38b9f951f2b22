// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "dlpack.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;

struct Use {
    const Types& types;
    bool written;
    // Whether elements may share an address, as numpy.broadcast_to() makes them.
    bool shared = false;
};

// A copy helps with what is read alone: it would be written instead of the caller's array.
[[noreturn]] void refuse_strides(const Tensor& tensor, const std::string& reason,
                                 const char* expected) {
    const std::string name = tensor.name;
    value_error(
        name + " has " + reason + "; expected an array " + expected +
        (tensor.is_written ? "" : ": numpy.ascontiguousarray(" + name + ") makes such a copy"));
}

[[noreturn]] void refuse_shared_addresses(const Tensor& tensor) {
    refuse_strides(tensor,
                   "the strides " + tuple_of(tensor.byte_strides()) +
                       " in bytes, by which elements may share an address",
                   "whose elements lie apart");
}

// What an array has along an axis of one element, or in an array of none, is never stepped along: any stride will do. A stride of
// 0 is refused here already, because a result of such a shape may need more memory than there is.
void tidy_strides(Tensor& tensor, Use use) {
    if (tensor.elements() == 0) return tensor.strides.clear();
    bool row_major = true;
    memory::dim expected = 1;
    for (size_t axis = tensor.dims.size(); axis-- > 0;) {
        if (tensor.dims[axis] == 1) tensor.strides[axis] = expected;
        if (tensor.strides[axis] < 0)
            refuse_strides(tensor, "a negative stride along axis " + std::to_string(axis),
                           "with positive strides");
        if (tensor.strides[axis] == 0 && !use.shared) refuse_shared_addresses(tensor);
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

// A tensor of no elements may have no address. It is given one, since a null address means that an argument is left out.
void* address_of(void* data, const Tensor& tensor) {
    alignas(64) static char nothing[64];
    return data == nullptr && tensor.elements() == 0 ? nothing : data;
}

void check_address(const Tensor& tensor, const char* remedy) {
    const size_t bytes = memory::data_type_size(tensor.type);
    if (reinterpret_cast<uintptr_t>(tensor.data) % bytes != 0)
        value_error(std::string(tensor.name) + " lies at an address that is no multiple of " +
                    std::to_string(bytes) + " bytes; expected an aligned " + remedy);
}

// The data of an array as elements of this type and kind.
Tensor of_elements(const py::array& array, type data_type, char kind, const char* name, Use use) {
    if (use.written && !array.writeable())
        value_error(std::string(name) + " is read-only; expected an array that can be written");
    Tensor tensor;
    tensor.name = name;
    tensor.is_written = use.written;
    tensor.type = data_type;
    tensor.kind = kind;
    tensor.owner = array;
    tensor.dims.assign(array.shape(), array.shape() + array.ndim());
    tensor.data = address_of(const_cast<void*>(array.data()), tensor);
    const auto itemsize = static_cast<py::ssize_t>(memory::data_type_size(data_type));
    if (!(array.flags() & py::array::c_style)) {
        for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
            const py::ssize_t stride = array.strides(axis);
            if (stride % itemsize != 0)
                value_error(std::string(name) + " has a stride of " + std::to_string(stride) +
                            " bytes along axis " + std::to_string(axis) +
                            "; expected a multiple of the " + std::to_string(itemsize) +
                            " bytes of an element");
            tensor.strides.push_back(stride / itemsize);
        }
        tidy_strides(tensor, use);
    }
    check_address(tensor, "array: numpy.array(x) makes a copy that is");
    return tensor;
}

Tensor of_array(const py::array& array, const char* name, Use use) {
    // Kinds of NumPy whose elements are bits and nothing else: no references to objects.
    constexpr std::string_view kPlain = "biufcmM";
    const char letter =
        py::detail::array_descriptor_proxy(py::detail::array_proxy(array.ptr())->descr)->kind;
    type data_type = use.types.moved && kPlain.find(letter) != kPlain.npos
                         ? type_of_size(static_cast<size_t>(array.itemsize()))
                         : type_of(array);
    char kind = data_type == type::bf16 ? 'B' : letter;
    if (use.types.moved && data_type != type::undef)
        data_type = type_of_size(memory::data_type_size(data_type));
    if (!use.types.has(data_type))
        refuse_type(std::string(name) + " has the dtype " + said_by(PyObject_Str, array.dtype()),
                    use.types.moved || in_native_order(array), use.types);
    if (!in_native_order(array)) kind = '>';
    return of_elements(array, data_type, kind, name, use);
}

// The bits of a BFloat16Array. By DLPack it would not be known whether they may be written.
Tensor of_bits(py::handle object, const char* name, Use use) {
    const type data_type = use.types.moved ? type_of_size(2) : type::bf16;
    if (!use.types.has(data_type))
        refuse_type(std::string(name) + " has the dtype bfloat16", true, use.types);
    return of_elements(bfloat16_bits(object.attr("bits"), (std::string(name) + ".bits").c_str()),
                       data_type, 'B', name, use);
}

// Whether these are the dimensions of a tensor: none is negative, and its bytes can be counted.
bool are_dimensions(const memory::dims& dims, size_t bytes) {
    return std::all_of(dims.begin(), dims.end(), [&](memory::dim size) {
        return size >= 0 &&
               !__builtin_mul_overflow(bytes, static_cast<size_t>(std::max<memory::dim>(size, 1)),
                                       &bytes) &&
               bytes >> 63 == 0;
    });
}

// Memory of the CPU, which may be pinned for CUDA or ROCm.
bool is_host_memory(int64_t device) {
    return device == dlpack::kCpu || device == dlpack::kCudaHost || device == dlpack::kRocmHost;
}

// The kind of the device that has the data.
int64_t device_of(py::handle object, const char* name) {
    const py::object device = object.attr("__dlpack_device__")();
    if (PyTuple_Check(device.ptr()) != 0 && PyTuple_GET_SIZE(device.ptr()) > 0) {
        const int64_t kind = PyLong_AsLongLong(PyTuple_GET_ITEM(device.ptr(), 0));
        if (PyErr_Occurred() == nullptr) return kind;
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 &&
            PyErr_ExceptionMatches(PyExc_OverflowError) == 0)
            throw py::error_already_set();
        PyErr_Clear();
    }
    type_error(std::string(name) + ".__dlpack_device__() returned " + text_of(device) +
               "; expected two integers");
}

bool is_torch_bool(py::handle object) {
    return said_by(PyObject_Str, py::getattr(object, "dtype", py::none())) == "torch.bool";
}

// The capsule that __dlpack__() returns. What it refuses, such as a tensor of PyTorch that requires a gradient, is told with the argument's
// name.
py::object capsule_of(py::handle object, const char* name) {
    // PyTorch exports a negated view without negating it.
    const py::object is_neg = py::getattr(object, "is_neg", py::none());
    if (PyCallable_Check(is_neg.ptr()) != 0 && is_neg().is(py::bool_(true)))
        value_error(std::string(name) +
                    " is a negated view; expected a tensor whose memory has its "
                    "numbers: a copy by resolve_neg()");
    try {
        return object.attr("__dlpack__")();
    } catch (py::error_already_set& cause) {
        const bool refuses =
            cause.matches(PyExc_BufferError) ||
            (cause.matches(PyExc_RuntimeError) && !cause.matches(PyExc_RecursionError) &&
             !cause.matches(PyExc_NotImplementedError));
        if (!refuses) throw;
        // PyTorch before 2.0 exports no bool. Its bytes are 0 and 1.
        if (is_torch_bool(object))
            return object.attr("view")(py::module_::import("torch").attr("uint8"))
                .attr("__dlpack__")();
        value_error(std::string(name) +
                        " cannot be exported by DLPack: " + said_by(PyObject_Str, cause.value()) +
                        "; expected a strided tensor, without gradient (detach()), and not "
                        "conjugated (resolve_conj())",
                    cause);
    }
}

Tensor of_dlpack(py::handle object, const char* name, Use use) {
    const int64_t device = device_of(object, name);
    if (!is_host_memory(device))
        type_error(std::string(name) + " is on a device of DLPack's kind " +
                   std::to_string(device) +
                   "; expected the CPU's, 1, or memory pinned for a GPU, 3 or 11");
    const py::object capsule = capsule_of(object, name);
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor") == 0)
        type_error(std::string(name) + ".__dlpack__() returned " + text_of(capsule) +
                   "; expected a capsule of the name dltensor, which nobody has taken");
    auto* managed =
        static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    // From here on the tensor is this consumer's to release.
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    Tensor tensor;
    tensor.name = name;
    tensor.is_written = use.written;
    tensor.owner = py::capsule(managed, [](void* pointer) {
        auto* used = static_cast<dlpack::ManagedTensor*>(pointer);
        if (used->deleter != nullptr) used->deleter(used);
    });
    const dlpack::Tensor& source = managed->tensor;
    dlpack::DataType dtype = source.dtype;
    if (dtype.code == dlpack::kUInt && dtype.bits == 8 && is_torch_bool(object))
        dtype.code = dlpack::kBool;  // it came as its bytes, see capsule_of()
    tensor.kind = kind_of_dlpack(dtype.code);
    if (dtype.lanes == 1)
        tensor.type = !use.types.moved ? type_of_dlpack(dtype.code, dtype.bits)
                      : tensor.kind == 0 || dtype.bits % 8 != 0 ? type::undef
                                                                : type_of_size(dtype.bits / 8);
    if (!use.types.has(tensor.type))
        refuse_type(std::string(name) + " has the dtype " + name_of_dlpack(dtype.code, dtype.bits) +
                        (dtype.lanes == 1 ? "" : " of " + std::to_string(dtype.lanes) + " lanes"),
                    true, use.types);
    // A pinned tensor of PyTorch says 3, and its capsule 1.
    if (!is_host_memory(source.device.type))
        type_error(std::string(name) + " is on a device of DLPack's kind " +
                   std::to_string(source.device.type) + "; its __dlpack_device__() says " +
                   std::to_string(device));
    if (source.ndim > 0 && source.shape == nullptr)
        value_error(std::string(name) + " has " + std::to_string(source.ndim) +
                    " dimensions and no shape; expected one");
    if (source.ndim > 0) tensor.dims.assign(source.shape, source.shape + source.ndim);
    if (source.ndim < 0 || !are_dimensions(tensor.dims, memory::data_type_size(tensor.type)))
        value_error(std::string(name) + " has the shape " + tuple_of(tensor.dims) +
                    "; expected sizes from 0 on, and fewer than 2^63 bytes");
    auto* const data = static_cast<char*>(source.data);
    tensor.data = address_of(data == nullptr ? nullptr : data + source.byte_offset, tensor);
    if (tensor.data == nullptr)
        value_error(std::string(name) + " has elements at a null address; expected their address");
    check_address(tensor, "tensor: a copy of it is");
    if (source.strides != nullptr) {
        tensor.strides.assign(source.strides, source.strides + source.ndim);
        tidy_strides(tensor, use);
    }
    return tensor;
}

Tensor tensor_of(py::handle object, const char* name, Use use) {
    if (!is_tensor(object))
        type_error(std::string(name) + " is " + text_of(object) +
                   "; expected a NumPy array or a tensor that can be exported by DLPack");
    if (py::isinstance<py::array>(object))
        return of_array(py::reinterpret_borrow<py::array>(object), name, use);
    return py::isinstance(object, bfloat16_class()) ? of_bits(object, name, use)
                                                    : of_dlpack(object, name, use);
}

}  // namespace

bool is_tensor(py::handle object) {
    return py::isinstance<py::array>(object) || py::isinstance(object, bfloat16_class()) ||
           (py::hasattr(object, "__dlpack__") && py::hasattr(object, "__dlpack_device__"));
}

py::handle bfloat16_class() {
    static py::handle kept;
    if (!kept)
        kept = py::object(py::module_::import("tombola._bfloat16").attr("BFloat16Array")).release();
    return kept;
}

size_t Tensor::elements() const {
    size_t product = 1;
    for (const memory::dim size : dims) product *= static_cast<size_t>(size);
    return product;
}

Tensor Tensor::flat() && {
    if (strides.empty()) dims.assign(1, static_cast<memory::dim>(elements()));
    return std::move(*this);
}

Tensor Tensor::at_least_1d() const& { return Tensor(*this).at_least_1d(); }
Tensor Tensor::at_least_1d() && {
    if (dims.empty()) dims = {1};
    return std::move(*this);
}

py::array bfloat16_bits(py::handle bits, const char* name) {
    if (py::isinstance<py::array>(bits)) {
        auto array = py::reinterpret_borrow<py::array>(bits);
        if (array.dtype().kind() == 'u' && array.itemsize() == 2 && in_native_order(array))
            return array;
    }
    type_error(std::string(name) + " is " + text_of(bits) + "; expected a NumPy array of uint16");
}

std::vector<py::ssize_t> Tensor::byte_strides() const {
    std::vector<py::ssize_t> bytes(strides.begin(), strides.end());
    for (py::ssize_t& stride : bytes)
        if (__builtin_mul_overflow(stride, memory::data_type_size(type), &stride))
            stride = stride < 0 ? PY_SSIZE_T_MIN : PY_SSIZE_T_MAX;
    return bytes;
}

memory::desc Tensor::desc() const {
    if (dims.size() > TOMBOLA_MAX_NDIMS)
        value_error(std::string(name) + " has " + std::to_string(dims.size()) +
                    " dimensions; expected at most " + std::to_string(TOMBOLA_MAX_NDIMS));
    try {
        return memory::desc(dims, type, strides);
    } catch (const tombola::error& error) {
        if (error.status != tombola_invalid_arguments) throw;
        if (strides.empty()) value_error(std::string(name) + ": " + error.message);
        refuse_shared_addresses(*this);
    }
}

Tensor input(py::handle object, const char* name, const Types& types) {
    return tensor_of(object, name, {types, false});
}
Tensor shared_input(py::handle object, const char* name, const Types& types) {
    return tensor_of(object, name, {types, false, true});
}
Tensor written(py::handle object, const char* name, const Types& types) {
    return tensor_of(object, name, {types, true});
}

Tensor numbers_of(py::handle object, memory::data_type data_type, size_t count, const char* name) {
    const Tensor tensor = input(object, name, {{data_type}});
    if (tensor.dims.size() != 1 || tensor.elements() != count || !tensor.strides.empty())
        value_error(std::string(name) + " is " + text_of(object) + "; expected " +
                    std::to_string(count) + " numbers of the dtype " + name_of(data_type));
    return tensor;
}

void check_row_major(const Tensor& tensor) {
    if (!tensor.strides.empty())
        refuse_strides(tensor, "the strides " + tuple_of(tensor.byte_strides()) + " in bytes",
                       "in row-major order");
}

void check_shape(const Tensor& tensor, const memory::dims& expected, const char* name) {
    if (tensor.dims != expected)
        value_error(std::string(name) + " has the shape " + tuple_of(tensor.dims) + "; expected " +
                    tuple_of(expected));
}

}  // namespace tombola_python
