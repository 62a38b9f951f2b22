// SPDX-License-Identifier: Apache-2.0
#pragma once

// The binary interface of DLPack, by which libraries hand tensors to each other without a copy:
// https://dmlc.github.io/dlpack/latest/c_api.html. These are the structures of version 0.8, which every exporter gives
// unless it is asked for newer ones.

#include <cstdint>

namespace tombola_python::dlpack {

constexpr int32_t kCpu = 1, kCudaHost = 3, kRocmHost = 11;
enum Code : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBFloat = 4, kComplex = 5, kBool = 6 };

struct Device {
    int32_t type;
    int32_t id;
};

struct DataType {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
};

struct Tensor {
    void* data;
    Device device;
    int32_t ndim;
    DataType dtype;
    int64_t* shape;
    int64_t* strides;  // In elements; null: row-major.
    uint64_t byte_offset;
};

struct ManagedTensor {
    Tensor tensor;
    void* context;
    void (*deleter)(ManagedTensor*);
};

}  // namespace tombola_python::dlpack
