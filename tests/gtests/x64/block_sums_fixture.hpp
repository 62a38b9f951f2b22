// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of sums of blocks share: a row of f32, bf16 or f16 for the kernels of one ISA.

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/float16.hpp"
#include "cpu/x64/weights/row_passes.hpp"

namespace tombola::impl::cpu::x64 {

class BlockSumsTest : public testing::TestWithParam<std::tuple<CpuIsa, DataType>> {
  public:
    static std::string name(const testing::TestParamInfo<ParamType>& info) {
        return std::string(name_of(std::get<0>(info.param))) + "_" +
               name_of(std::get<1>(info.param));
    }
    static auto parameters() {
        return testing::Combine(testing::Values(CpuIsa::avx2, CpuIsa::avx512_core),
                                testing::Values(DataType::f32, DataType::bf16, DataType::f16));
    }

  protected:
    void SetUp() override {
        if (isa() > effective_isa()) GTEST_SKIP() << "not on this machine";
    }
    static CpuIsa isa() { return std::get<0>(GetParam()); }
    static DataType type() { return std::get<1>(GetParam()); }

    // Rounds the elements to the type. Returns them as bytes.
    static std::vector<char> stored(std::vector<float>& elements) {
        const size_t size = size_of(type());
        std::vector<char> bytes(elements.size() * size);
        for (size_t i = 0; i < elements.size(); ++i) {
            float& x = elements[i];
            if (type() == DataType::f32) {
                std::memcpy(&bytes[i * size], &x, size);
                continue;
            }
            uint16_t bits = type() == DataType::f16 ? to_f16(x).bits : to_bf16(x).bits;
            std::memcpy(&bytes[i * size], &bits, size);
            x = type() == DataType::f16 ? to_f32(Float16{bits}) : to_f32(BFloat16{bits});
        }
        return bytes;
    }

    // Random numbers from -width to 0, of which one is 0.
    static std::vector<float> random_row(size_t classes, float width) {
        std::minstd_rand engine(static_cast<unsigned>(classes));
        std::uniform_real_distribution<float> uniform(-width, 0);
        std::vector<float> row(classes);
        for (float& x : row) x = uniform(engine);
        row[classes / 3] = 0;
        return row;
    }

    static MemoryDesc row_desc(dim_t classes) {
        MemoryDesc desc;
        desc.ndims = 2;
        desc.dims[0] = 1;
        desc.dims[1] = classes;
        desc.strides[0] = classes;
        desc.strides[1] = 1;
        desc.data_type = type();
        return desc;
    }
};

}  // namespace tombola::impl::cpu::x64
