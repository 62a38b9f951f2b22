// SPDX-License-Identifier: Apache-2.0
#pragma once

// dst[i] = draw[i] >= T ? src[i] * scale : 0, and a mask of the elements that are kept.
//
// DropoutKernel draws. MaskedScaleKernel reads a mask.

#include <tuple>

#include "common/types.hpp"
#include "cpu/x64/rng/philox_transform.hpp"

namespace tombola::impl::cpu::x64 {

// Lanes: draws in c0 and c2, 8, 16 or 32 bits each, in order. The draws of one register serve this many vectors of
// elements, each at its place in memory:
//
//     bits of an element / bits of a draw:  1/2 (both registers make one vector), 1, 2, 4
//
// Registers:  those of the stream; then T in every draw's lane, the scale, elements, the digits of a draw of 32 bits; for bf16 also
//             the constants of a product
class DropoutKernel : public PhiloxTransformGenerator {
  public:
    // The int: bits of a draw. DataType::undef: the kernel writes a mask alone.
    using Key = std::tuple<CpuIsa, DataType, int, DropoutMask, PhiloxLanes>;
    struct Parameters {
        Pointers pointers;
        uint32_t threshold;  // repeated in each draw of 16 or 8 bits
        float scale;
    };
    static PackedParameters pack(uint32_t threshold, int draw_bits, float scale);
    static TransformShape shape(const Key& key);
    explicit DropoutKernel(const Key& key);

  private:
    void load_values() override;
    void emit_group(const Stream& s, const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                    const Xbyak::RegExp& mask, bool streaming) override;
    void emit_mask(const Stream& s, const Mask& kept, const Xbyak::RegExp& to);
    void emit_elements(const Stream& s, const Mask& kept, int scratch_vec,
                       const Xbyak::RegExp& from, const Xbyak::RegExp& to, bool streaming);

    DataType type_;
    Held digits_;  // the bits used of a 32-bit draw
    Bf16Product bf16_product_;
};

// Lanes: elements. Registers:  v0 elements, v1 mask (AVX2), v2-v3 scratch, v4 scale, v5- constants
//                              gpr 0 args, 1 src, 2 dst, 3 mask, 4 count, 5 written mask
class MaskedScaleKernel : public Vocabulary {
  public:
    static constexpr int kUnroll = 4, kOwnRegisters = 5;
    struct Args {
        const void* src;
        void* dst;
        const uint8_t* mask;
        uint8_t*
            written;    // Written::bytes: a mask of bytes that the kernel writes; otherwise ignored
        int64_t count;  // elements: a multiple of step_elements(), at least one step
        float scale;
        uint64_t streaming;  // nonzero: stores bypass the caches, and dst is aligned to 64 bytes
    };
    enum class Written { none, bytes };
    using Key = std::tuple<CpuIsa, DataType, DropoutMask, Written>;
    explicit MaskedScaleKernel(const Key& key);
    static int64_t step_elements(CpuIsa isa, DataType type);

  private:
    void generate() override;
    void emit_loop(bool streaming);
    void emit_vector(int index, bool streaming);

    DataType type_;
    DropoutMask mask_kind_;
    bool writes_bytes_;
    Bf16Product bf16_product_;
};

}  // namespace tombola::impl::cpu::x64
