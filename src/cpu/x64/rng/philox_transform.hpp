// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that read a tensor, change its elements by draws of the Philox stream, and write another tensor. They may
// write a mask too. Draws of 32, 16 or 8 bits never leave the registers.
//
//   PhiloxTransformGenerator   the source of draws, the loops, the pointers
//   a kernel                   a class derived from it: it computes a group of elements from a group of draws
//   PhiloxTransform            runs a kernel over a run of elements: any first draw, any count
//
// A kernel handles whole groups (PhiloxGenerator::group_elements()): 1024 bits of the stream on AVX-512, 512 on AVX2.
// A run with room (TransformRun::has_room) is computed by one call, with what lies around it. The elements at the ends of any other run that
// are no whole group go through a buffer of one group.

#include <cstdint>

#include "common/types.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/rng/philox_call.hpp"
#include "cpu/rng/transform.hpp"
#include "cpu/x64/rng/packed_parameters.hpp"
#include "cpu/x64/rng/philox_generator.hpp"

namespace tombola::impl::cpu::x64 {

// How a kernel's tensors lie.
struct TransformShape {
    int draw_bits;
    int src_bytes, dst_bytes;  // of an element
    DropoutMask mask = DropoutMask::none;

    int draws_per_word() const { return 32 / draw_bits; }
    int64_t block_elements() const { return int64_t{kPhiloxBlockWords} * draws_per_word(); }
    // The bytes of the mask of `elements` elements. With a mask of bits, `elements` is a multiple of 8.
    int64_t mask_bytes(int64_t elements) const {
        return mask == DropoutMask::none ? 0 : mask == DropoutMask::u8 ? elements : elements / 8;
    }
};

class PhiloxTransformGenerator : public PhiloxGenerator {
  public:
    // The parameters of every kernel begin with these.
    struct Pointers {
        const void* src;
        void* mask;
    };

  protected:
    PhiloxTransformGenerator(const PhiloxGenerator::Key& key, const std::string& name,
                             const TransformShape& shape, const OwnRegisters& own);

    // A kernel overrides these. The draws are in c0 and then c2, in order; every register of the stream is free to use.
    virtual void load_values() = 0;
    virtual void emit_group(const Stream& s, const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                            const Xbyak::RegExp& mask, bool streaming) = 0;

    int draw_bits() const { return tensors_.draw_bits; }
    int register_draws() const { return bytes() * 8 / draw_bits(); }
    const TransformShape& tensors() const { return tensors_; }
    Reg free_reg() const { return gpr(extra_gpr(2)); }

  private:
    static constexpr int kExtraGprs = 3;  // source, mask, free

    int extra_gprs() const final { return kExtraGprs; }
    void load_parameters() final;
    void emit_rows_output(const Stream& s, int group);
    void emit_convert(Stream&, int) final {}
    void emit_output(Stream& s, int group, const Xbyak::RegExp& to, int form, bool streaming) final;
    void emit_advance_pointers(int groups) final;
    Reg src() const { return gpr(extra_gpr(0)); }
    Reg mask() const { return gpr(extra_gpr(1)); }
    int src_group_bytes() const { return group_elements() * tensors_.src_bytes; }
    int mask_group_bytes() const { return static_cast<int>(tensors_.mask_bytes(group_elements())); }

    TransformShape tensors_;
};

// A kernel that transforms a tensor, as it is kept and called. Empty until one is assigned.
struct PhiloxTransformKernel {
    JitFunction<PhiloxArgs> function;
    PhiloxRowFunctions row_functions;
    TransformShape shape{};
    int64_t group_elements = 0;
    int vector_bytes = 0;

    double nanoseconds_per_element() const;
    RowsAtOnce rows_at_once(const PhiloxCall& call) const;
};

// The instructions that change a vector of elements of 32 bits, or as many elements of fewer bits, by their draws.
inline constexpr double kTransformInstructions = 10;

// As make_philox_kernel().
template <class Generator>
Result<PhiloxTransformKernel> make_transform_kernel(typename Generator::Key key, int64_t rows) {
    constexpr int kLaneBytes = 8;  // a block is computed in each u64 lane
    const TransformShape shape = Generator::shape(key);
    PhiloxTransformKernel kernel;
    kernel.function = TOMBOLA_TRY(cached_function<Generator>(key));
    kernel.row_functions = TOMBOLA_TRY(make_row_functions<Generator>(key, shape.dst_bytes, rows));
    kernel.shape = shape;
    kernel.vector_bytes = shape_of(std::get<CpuIsa>(key)).bytes;
    kernel.group_elements = kernel.vector_bytes / kLaneBytes * shape.block_elements();
    return kernel;
}

class PhiloxTransform {
  public:
    // `parameters` are the kernel's; the pointers are set for each call.
    PhiloxTransform(const PhiloxTransformKernel& kernel, PhiloxCounter start, PhiloxKey key,
                    const PackedParameters& parameters);

    // Transforms the elements of a run. The first element takes draw `first`.
    void transform(Uint128 first, const TransformRun& run) const;
    // Transforms several rows. The first row begins with draw `first`.
    void transform_rows(Uint128 first, const TransformRows& run) const;

  private:
    int64_t head_for_streaming(int64_t skip, const TransformRun& run) const;
    void call(PhiloxCounter counter, int64_t count, const void* from, void* to, void* mask,
              bool streaming) const;
    bool transform_with_room(Uint128 first, const TransformRun& run) const;
    void transform_through_buffer(PhiloxCounter counter, int64_t skip, int64_t count,
                                  const TransformRun& run, int64_t at) const;

    const PhiloxTransformKernel& kernel_;
    PhiloxCounter start_;
    PhiloxKey key_;
    PhiloxArgs args_;  // everything that does not depend on the position
};

}  // namespace tombola::impl::cpu::x64
