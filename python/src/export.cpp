// SPDX-License-Identifier: Apache-2.0

// DLPack out: for bfloat16, which NumPy does not have and so cannot export itself.

#include <memory>
#include <string>

#include "dlpack.hpp"
#include "functions.hpp"
#include "tensor.hpp"

namespace tombola_python {
namespace {

constexpr const char* kUnused = "dltensor";

struct Exported {
    dlpack::ManagedTensor managed{};
    memory::dims shape, strides;
    py::object owner;
};

void release(dlpack::ManagedTensor* managed) {
    // Who took the tensor may keep it longer than Python runs.
    if (Py_IsInitialized() == 0) return;
    const py::gil_scoped_acquire acquired;
    delete static_cast<Exported*>(managed->context);
}

// A capsule over the bits of bfloat16 numbers, an array of uint16.
py::object export_bfloat16(py::handle object) {
    const py::array bits = bfloat16_bits(object, "bits");
    // As NumPy's arrays do: DLPack 0.8 cannot say that data may not be written.
    if (!bits.writeable()) throw py::buffer_error("bits is read-only; DLPack cannot express that");
    auto exported = std::make_unique<Exported>();
    exported->owner = bits;
    exported->shape.assign(bits.shape(), bits.shape() + bits.ndim());
    for (py::ssize_t axis = 0; axis < bits.ndim(); ++axis) {
        if (bits.strides(axis) % 2 != 0)
            throw py::buffer_error("bits has a stride of " + std::to_string(bits.strides(axis)) +
                                   " bytes; expected a multiple of 2");
        exported->strides.push_back(bits.strides(axis) / 2);
    }
    exported->managed.tensor = {const_cast<void*>(bits.data()),
                                {dlpack::kCpu, 0},
                                static_cast<int32_t>(bits.ndim()),
                                {dlpack::kBFloat, 16, 1},
                                exported->shape.data(),
                                exported->strides.data(),
                                0};
    exported->managed.context = exported.get();
    exported->managed.deleter = release;
    // A capsule that nobody took releases its tensor itself.
    auto capsule = py::reinterpret_steal<py::object>(
        PyCapsule_New(&exported->managed, kUnused, [](PyObject* object) {
            if (PyCapsule_IsValid(object, kUnused) == 0) return;
            auto* managed =
                static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(object, kUnused));
            managed->deleter(managed);
        }));
    if (!capsule) throw py::error_already_set();
    exported.release();
    return capsule;
}

}  // namespace

void add_export(py::module_& module) { module.def("export_bfloat16", &export_bfloat16); }

}  // namespace tombola_python
