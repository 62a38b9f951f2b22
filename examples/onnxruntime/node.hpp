// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every operator uses: attributes, inputs and outputs of a node, and the way from a struct to an operator of ONNX Runtime.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "prepared.hpp"

// The runtime hands its functions over when it loads the library, so this library does not link it.
#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>

namespace tombola_onnxruntime {

using tombola::memory;
using tombola_examples::cpu;
using tombola_examples::prepare;
using tombola_examples::recent;

using Type = ONNXTensorElementDataType;

inline constexpr Type kF32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
inline constexpr Type kF64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE;
inline constexpr Type kF16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;
inline constexpr Type kBf16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16;
inline constexpr Type kS32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
inline constexpr Type kS64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
inline constexpr Type kBool = ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;

// tombola's data type for one of ONNX's.
memory::data_type type_of(Type type);

[[noreturn]] inline void refuse(std::string message) {
    throw Ort::Exception(std::move(message), ORT_INVALID_ARGUMENT);
}

// A dense, row-major tensor.
inline memory::desc dense(const memory::dims& dims, Type type) {
    return memory::desc(dims, type_of(type), memory::dims());
}

inline int64_t elements(const memory::dims& dims) {
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
    int64_t count = 1;
    for (const int64_t size : dims) {
        if (size > INT64_MAX / count) refuse("the shape has 2^63 elements or more");
        count *= size;
    }
    return count;
}

// Reads an attribute; nothing if the node does not have it. An attribute of another type is an error.
template <class Read>
auto attribute(const Read& read) -> std::optional<decltype(read())> {
    try {
        return read();
    } catch (const Ort::Exception& error) {
        // What the runtime says when a kernel is made, and when shapes are inferred.
        for (const char* absent : {"No attribute with", "Attribute does not exist"})
            if (std::strstr(error.what(), absent) != nullptr) return std::nullopt;
        throw;
    }
}

// The attributes of a node while its kernel is made.
class Attributes {
  public:
    explicit Attributes(const OrtKernelInfo* info) : info_(info) {}

    template <class T>
    T get(const char* name, T absent) const {
        return attribute([&] { return info_.GetAttribute<T>(name); }).value_or(absent);
    }
    template <class T>
    T get(const char* name) const {
        const auto value = attribute([&] { return info_.GetAttribute<T>(name); });
        if (!value) refuse(std::string("the attribute ") + name + " is missing");
        return *value;
    }
    // Whether there is an attribute of this name that is a number.
    bool has_number(const char* name) const {
        return holds([&] { info_.GetAttribute<float>(name); }) ||
               holds([&] { info_.GetAttribute<int64_t>(name); });
    }
    std::vector<int64_t> integers(const char* name, const std::vector<int64_t>& absent) const {
        return attribute([&] { return info_.GetAttributes<int64_t>(name); }).value_or(absent);
    }
    // The same, of an attribute that every node has.
    std::vector<int64_t> integers(const char* name) const {
        auto value = attribute([&] { return info_.GetAttributes<int64_t>(name); });
        // The runtime finds no integers in an attribute of another type.
        const bool of_other_type =
            value && value->empty() &&
            (holds([&] { info_.GetAttribute<int64_t>(name); }) ||
             holds([&] { info_.GetAttribute<float>(name); }) ||
             holds([&] { info_.GetAttribute<std::string>(name); }) ||
             holds([&] { return !info_.GetAttributes<float>(name).empty(); }));
        if (!value || of_other_type)
            refuse(std::string("the attribute ") + name + " is missing or is no list of integers");
        return std::move(*value);
    }
    // A name of a list, as its index.
    int choice(const char* name, const char* absent,
               std::initializer_list<const char*> names) const {
        const auto value = get<std::string>(name, absent);
        std::string expected;
        int index = 0;
        for (const char* candidate : names) {
            if (value == candidate) return index;
            expected += (index++ == 0 ? "" : ", ") + std::string(candidate);
        }
        refuse(std::string(name) + " is " + value + "; expected one of " + expected);
    }

  private:
    // Whether an attribute can be read; if read() tells it, also whether it is of that type.
    template <class Read>
    static bool holds(const Read& read) {
        try {
            if constexpr (std::is_same_v<decltype(read()), bool>) return read();
            read();
            return true;
        } catch (const Ort::Exception&) {
            return false;
        }
    }

    Ort::ConstKernelInfo info_;
};

// The type that the attribute dtype of a node names, which has to be one of these.
template <size_t kCount>
Type chosen_type(int64_t dtype, const Type (&types)[kCount]) {
    std::string expected;
    for (const Type type : types) {
        if (dtype == type) return type;
        expected += (expected.empty() ? "" : ", ") + std::to_string(type);
    }
    refuse("dtype is " + std::to_string(dtype) + "; expected one of " + expected +
           " (TensorProto.DataType)");
}

// An input of a running node. An optional one may be absent.
struct Input {
    memory::dims dims;
    const void* data = nullptr;
    bool given = false;
};

// A node while it runs.
class Call {
  public:
    explicit Call(OrtKernelContext* context) : context_(context) {}

    Input input(size_t index) const {
        Input result;
        if (index >= context_.GetInputCount()) return result;
        const Ort::ConstValue value = context_.GetInput(index);
        if (static_cast<const OrtValue*>(value) == nullptr) return result;
        result.dims = value.GetTensorTypeAndShapeInfo().GetShape();
        result.data = value.GetTensorRawData();
        result.given = true;
        return result;
    }
    // The memory of an output; null if it is optional and nobody uses it.
    void* output(size_t index, const memory::dims& dims) const {
        if (index >= context_.GetOutputCount()) return nullptr;
        Ort::UnownedValue value = context_.GetOutput(index, dims);
        return static_cast<OrtValue*>(value) == nullptr ? nullptr : value.GetTensorMutableRawData();
    }

  private:
    Ort::KernelContext context_;
};

// The one element of an input.
template <class T>
const T* scalar(const Input& input, const char* name) {
    if (!input.given) return nullptr;
    if (elements(input.dims) != 1)
        refuse(std::string(name) + " has " + std::to_string(elements(input.dims)) +
               " elements; expected 1");
    return static_cast<const T*>(input.data);
}

// The stream of numbers of a node. Its attribute "seeds" names it. Each run goes on where the run before ended, unless an input
// says where to start.
class Numbers {
  public:
    explicit Numbers(const Attributes& attributes) {
        if (attributes.has_number("seed"))
            refuse("the attribute seed is ONNX's; expected seeds, a list of two integers");
        const auto seeds = attributes.integers("seeds", {0, 0});
        if (seeds.size() != 2)
            refuse("seeds has " + std::to_string(seeds.size()) + " numbers; expected 2");
        seeds_[0] = static_cast<uint64_t>(seeds[0]);
        seeds_[1] = static_cast<uint64_t>(seeds[1]);
    }
    const uint64_t* seeds() const { return seeds_; }

    // Where a run that uses `count` numbers starts.
    uint64_t start(const Input& offset, int64_t count) const {
        if (const auto* given = scalar<int64_t>(offset, "offset")) {
            if (*given < 0) refuse("offset is " + std::to_string(*given) + "; expected at least 0");
            return static_cast<uint64_t>(*given);
        }
        return next_.fetch_add(static_cast<uint64_t>(count), std::memory_order_relaxed);
    }

  private:
    uint64_t seeds_[2];
    mutable std::atomic<uint64_t> next_{0};
};

// An input or output of an operator.
struct Slot {
    Type type;
    bool required = true;
};

inline constexpr Slot kOffset{kS64, false};

// Exceptions must not pass through the runtime's C interface.
template <class Work>
OrtStatusPtr guarded(const char* name, const Work& work) noexcept {
    const auto status = [&](OrtErrorCode code, const char* what) {
        const std::string message = std::string("tombola.") + name + ": " + what;
        return Ort::GetApi().CreateStatus(code, message.c_str());
    };
    try {
        work();
        return nullptr;
    } catch (const Ort::Exception& error) {
        return status(error.GetOrtErrorCode(), error.what());
    } catch (const tombola::error& error) {
        const bool argument = error.status == tombola_invalid_arguments;
        return status(argument ? ORT_INVALID_ARGUMENT : ORT_RUNTIME_EXCEPTION, error.what());
    } catch (const std::exception& error) {
        return status(ORT_RUNTIME_EXCEPTION, error.what());
    }
}

template <class Kernel>
struct Runner {
    explicit Runner(const OrtKernelInfo* info) : kernel(Attributes(info)) {}
    OrtStatusPtr ComputeV2(OrtKernelContext* context) const {
        return guarded(Kernel::kName, [&] { kernel.run(Call(context)); });
    }
    Kernel kernel;
};

template <class Kernel, class = void>
inline constexpr bool kInfers = false;
template <class Kernel>
inline constexpr bool kInfers<Kernel, std::void_t<decltype(&Kernel::infer)>> = true;

// An operator of ONNX Runtime. The kernel has
//   kName, kInputs, kOutputs    its name and the types of its inputs and outputs
//   Kernel(Attributes)          reads a node's attributes
//   run(Call) const             runs a node; several threads may call it at a time
//   infer(context)              only where an attribute chooses an output's type: tells the type and the shape
// Constructor and functions report errors by exceptions.
template <class Kernel>
struct Operator : Ort::CustomOpBase<Operator<Kernel>, Runner<Kernel>, true> {
    Operator() {
        if constexpr (kInfers<Kernel>)
            this->InferOutputShapeFn = [](const OrtCustomOp*, OrtShapeInferContext* context) {
                return guarded(Kernel::kName, [&] {
                    Ort::ShapeInferContext inference(&Ort::GetApi(), context);
                    Kernel::infer(inference);
                });
            };
    }
    OrtStatusPtr CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
        return guarded(Kernel::kName, [&] { *kernel = new Runner<Kernel>(info); });
    }
    const char* GetName() const { return Kernel::kName; }
    size_t GetInputTypeCount() const { return std::size(Kernel::kInputs); }
    size_t GetOutputTypeCount() const { return std::size(Kernel::kOutputs); }
    Type GetInputType(size_t index) const { return Kernel::kInputs[index].type; }
    Type GetOutputType(size_t index) const { return Kernel::kOutputs[index].type; }
    OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(size_t index) const {
        return Kernel::kInputs[index].required ? INPUT_OUTPUT_REQUIRED : INPUT_OUTPUT_OPTIONAL;
    }
    OrtCustomOpInputOutputCharacteristic GetOutputCharacteristic(size_t index) const {
        return Kernel::kOutputs[index].required ? INPUT_OUTPUT_REQUIRED : INPUT_OUTPUT_OPTIONAL;
    }
};

}  // namespace tombola_onnxruntime
