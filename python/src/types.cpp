// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include <algorithm>
#include <string_view>

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

bool in_native_order(const py::dtype& dtype) {
    const char order = py::detail::array_descriptor_proxy(dtype.ptr())->byteorder;
    return order == '=' || order == '|';
}

type type_of(const py::dtype& dtype) {
    if (!in_native_order(dtype)) return type::undef;
    for (const auto& names : kTypes)
        if (names.kind == dtype.kind() &&
            size_of(names.data_type) == static_cast<size_t>(dtype.itemsize()))
            return names.data_type;
    // A NumPy with ml_dtypes has bfloat16.
    return dtype.itemsize() == 2 && said_by(PyObject_Str, dtype) == "bfloat16" ? type::bf16
                                                                               : type::undef;
}

// The data type of this name, tombola's, NumPy's or PyTorch's.
type type_by_text(py::handle dtype) {
    if (PyUnicode_Check(dtype.ptr())) return type_by_name(utf8_of(dtype));
    const std::string text = said_by(PyObject_Str, dtype);
    constexpr std::string_view kTorch = "torch.";
    if (text.compare(0, kTorch.size(), kTorch) != 0) return type::undef;
    return type_by_name(std::string_view(text).substr(kTorch.size()));
}

}  // namespace

bool Types::has(type data_type) const {
    return data_type != type::undef && std::find(list.begin(), list.end(), data_type) != list.end();
}

std::string Types::expected() const {
    if (text != nullptr) return text;
    std::string names;
    for (size_t i = 0; i < list.size() && list[i] != type::undef; ++i) {
        const bool last = i + 1 == list.size() || list[i + 1] == type::undef;
        if (i > 0) names += last ? " or " : ", ";
        names += name_of(list[i]);
    }
    return names;
}

void refuse_type(const std::string& text, bool in_native_order, const Types& types) {
    type_error(text + (in_native_order ? "" : ", whose byte order is not the machine's") +
               "; expected " + types.expected());
}

memory::data_type data_type_of(py::handle dtype, const Types& types) {
    const bool is_dtype = py::isinstance<py::dtype>(dtype);
    type found = is_dtype ? type::undef : type_by_text(dtype);
    py::object numpy;
    if (found == type::undef) {
        try {
            numpy = py::dtype::from_args(py::reinterpret_borrow<py::object>(dtype));
            found = type_of(numpy.cast<py::dtype>());
        } catch (py::error_already_set&) {  // The message below says it.
        }
    }
    if (types.has(found)) return found;
    refuse_type("dtype is " + (numpy                  ? said_by(PyObject_Str, numpy)
                               : found == type::undef ? text_of(dtype)
                                                      : name_of(found)),
                !numpy || in_native_order(numpy.cast<py::dtype>()), types);
}

const char* name_of(memory::data_type data_type) {
    for (const auto& names : kTypes)
        if (names.data_type == data_type) return names.numpy.data();
    return "undef";
}

memory::data_type type_of(const py::array& array) {
    using api = py::detail::npy_api;
    auto* descr = py::detail::array_descriptor_proxy(py::detail::array_proxy(array.ptr())->descr);
    if (in_native_order(array)) {
        switch (descr->type_num) {
            case api::NPY_FLOAT_:
                return type::f32;
            case api::NPY_DOUBLE_:
                return type::f64;
            default:
                break;
        }
    }
    return type_of(array.dtype());
}

bool in_native_order(const py::array& array) {
    const char order =
        py::detail::array_descriptor_proxy(py::detail::array_proxy(array.ptr())->descr)->byteorder;
    return order == '=' || order == '|';
}

memory::data_type type_of_dlpack(uint8_t code, uint8_t bits) {
    for (const auto& names : kTypes)
        if (names.code == code && size_of(names.data_type) * 8 == bits) return names.data_type;
    return type::undef;
}

char kind_of_dlpack(uint8_t code) {
    // Code 3 is a handle, and those from 7 on have several formats of one size.
    constexpr char kKinds[] = {'i', 'u', 'f', 0, 'B', 'c', 'b'};
    return code < sizeof kKinds ? kKinds[code] : '\0';
}

std::string name_of_dlpack(uint8_t code, uint8_t bits) {
    constexpr const char* kNames[] = {"int", "uint", "float", nullptr, "bfloat", "complex", "bool"};
    if (code >= std::size(kNames) || kNames[code] == nullptr)
        return "of " + std::to_string(bits) + " bits of DLPack's type " + std::to_string(code);
    return code == dlpack::kBool ? kNames[code] : kNames[code] + std::to_string(bits);
}

}  // namespace tombola_python
