// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/dropout/dropout_kernel.hpp"

#include <cstddef>
#include <string>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kByteBits = 8;
constexpr uint32_t kWordDigits = 0x7FFFFF;  // the bits used of a 32-bit draw
constexpr int kThreshold = 0, kScale = 1, kElements = 2, kDigits = 3,
              kOwnRegisters = 4;  // the kernel's own registers

// With 16 registers, the digits and the constants of bf16 are in memory.
OwnRegisters own_registers(DataType type) {
    constexpr int kBf16Constants = 4;
    return {kDigits, kOwnRegisters + (type == DataType::bf16 ? kBf16Constants : 0)};
}

int element_bits(DataType type) { return static_cast<int>(size_of(type)) * kByteBits; }

std::string kernel_name(const DropoutKernel::Key& key) {
    return std::string("dropout.") + name_of(std::get<DataType>(key)) + "." +
           std::to_string(std::get<int>(key)) + "." + name_of(std::get<DropoutMask>(key));
}

}  // namespace

PackedParameters DropoutKernel::pack(uint32_t threshold, int draw_bits, float scale) {
    for (int bits = draw_bits; bits < 32; bits *= 2) threshold |= threshold << bits;
    return PackedParameters(Parameters{{}, threshold, scale});
}

TransformShape DropoutKernel::shape(const Key& key) {
    const auto bytes = static_cast<int>(size_of(std::get<DataType>(key)));
    return {std::get<int>(key), bytes, bytes, std::get<DropoutMask>(key)};
}

DropoutKernel::DropoutKernel(const Key& key)
    : PhiloxTransformGenerator({std::get<CpuIsa>(key), std::get<PhiloxLanes>(key)},
                               kernel_name(key), shape(key),
                               own_registers(std::get<DataType>(key))),
      type_(std::get<DataType>(key)) {}

void DropoutKernel::load_values() {
    broadcast_u32(vec(convert_vec(kThreshold)), parameter_address(offsetof(Parameters, threshold)));
    broadcast_u32(vec(convert_vec(kScale)), parameter_address(offsetof(Parameters, scale)));
    if (draw_bits() == 32) digits_ = hold_u32(convert_vec(kDigits), kWordDigits);
    set_held_range(convert_vec(kOwnRegisters));
    if (type_ == DataType::bf16) bf16_product_ = hold_bf16_product();
}

// The masks replace the draws in c0 and c2. The stream's registers c1 and c3 are scratch.
void DropoutKernel::emit_group(const Stream& s, const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                               const Xbyak::RegExp& mask, bool streaming) {
    const Mask kept[2] = {{k1, vec(s.c0)}, {k2, vec(s.c2)}};
    const Mask part_scratch{k3, vec(s.c1)};
    for (int half = 0; half < 2; ++half) {
        const Vec draws = vec(half == 0 ? s.c0 : s.c2);
        if (draw_bits() == 32) and_bits(draws, draws, digits_);
        compare_not_below(kept[half], draws, vec(convert_vec(kThreshold)), draw_bits());
        const auto place = static_cast<int>(tensors().mask_bytes(register_draws())) * half;
        emit_mask(s, kept[half], mask + place);
    }
    if (type_ == DataType::undef) return;
    if (element_bits(type_) < draw_bits()) {
        join_masks_u32(part_scratch, kept[0], kept[1]);
        return emit_elements(s, part_scratch, s.c0, from, to, streaming);
    }
    const int parts = element_bits(type_) / draw_bits();
    for (int half = 0; half < 2; ++half)
        for (int part = 0; part < parts; ++part) {
            const Mask wanted =
                parts == 1 ? kept[half]
                           : part_of_mask(part_scratch, kept[half], draw_bits(), parts, part);
            const int place = (half * parts + part) * bytes();
            emit_elements(s, wanted, wanted.vector.getIdx(), from + place, to + place, streaming);
        }
}

void DropoutKernel::emit_mask(const Stream& s, const Mask& kept, const Xbyak::RegExp& to) {
    if (tensors().mask == DropoutMask::bits)
        store_mask_bits(to, kept, draw_bits(), vec(s.c1), free_reg());
    if (tensors().mask == DropoutMask::u8) store_mask_bytes(to, kept, draw_bits(), vec(s.c1));
}

// Computes and stores one vector of elements. scratch_vec, which may be the mask's vector, is overwritten.
void DropoutKernel::emit_elements(const Stream& s, const Mask& kept, int scratch_vec,
                                  const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                                  bool streaming) {
    const Vec x = vec(convert_vec(kElements)), scale = vec(convert_vec(kScale));
    if (type_ == DataType::f32)
        mul_masked_f32(x, kept, scale, ptr[from]);
    else if (type_ == DataType::f16)
        mul_masked_f16(x, kept, scale, from, vec(scratch_vec), vec(s.c3));
    else
        mul_masked_bf16(x, kept, scale, from, bf16_product_, vec(scratch_vec), vec(s.c3));
    store(ptr[to], x, streaming);
}

MaskedScaleKernel::MaskedScaleKernel(const Key& key)
    : Vocabulary(std::get<0>(key), std::string("masked_scale.") + name_of(std::get<1>(key)) + "." +
                                       name_of(std::get<2>(key)) +
                                       (std::get<3>(key) == Written::bytes ? ".bytes" : "")),
      type_(std::get<1>(key)),
      mask_kind_(std::get<2>(key)),
      writes_bytes_(std::get<3>(key) == Written::bytes) {}

int64_t MaskedScaleKernel::step_elements(CpuIsa isa, DataType type) {
    return int64_t{kUnroll} * shape_of(isa).bytes / static_cast<int64_t>(size_of(type));
}

void MaskedScaleKernel::generate() {
    begin(6);
    const Reg args = gpr(0);
    mov(gpr(1), ptr[args + offsetof(Args, src)]);
    mov(gpr(2), ptr[args + offsetof(Args, dst)]);
    mov(gpr(3), ptr[args + offsetof(Args, mask)]);
    mov(gpr(4), ptr[args + offsetof(Args, count)]);
    mov(gpr(5), ptr[args + offsetof(Args, written)]);
    broadcast_u32(vec(4), ptr[args + offsetof(Args, scale)]);
    set_held_range(kOwnRegisters);
    if (type_ == DataType::bf16) bf16_product_ = hold_bf16_product();
    emit_with_and_without_streaming(args + offsetof(Args, streaming),
                                    [&](bool streaming) { emit_loop(streaming); });
    end();
}

void MaskedScaleKernel::emit_loop(bool streaming) {
    Label again;
    const int step = kUnroll * lanes(static_cast<int>(size_of(type_)));
    align(32);
    L(again);
    for (int i = 0; i < kUnroll; ++i) emit_vector(i, streaming);
    add(gpr(1), kUnroll * bytes());
    add(gpr(2), kUnroll * bytes());
    add(gpr(3), mask_kind_ == DropoutMask::bits ? step / kByteBits : step);
    if (writes_bytes_) add(gpr(5), step);
    sub(gpr(4), step);
    jnz(again, T_NEAR);
}

void MaskedScaleKernel::emit_vector(int index, bool streaming) {
    const int bits = element_bits(type_), elements = lanes(bits / kByteBits);
    const Vec x = vec(0);
    const Mask kept{k1, vec(1)};
    if (mask_kind_ == DropoutMask::bits)
        load_mask_bits(kept, gpr(3) + index * elements / kByteBits, bits);
    else
        load_mask_bytes(kept, gpr(3) + index * elements, bits, vec(2));
    if (writes_bytes_) store_mask_bytes(gpr(5) + index * elements, kept, bits, vec(2));
    const Xbyak::RegExp from = gpr(1) + index * bytes();
    if (type_ == DataType::f32)
        mul_masked_f32(x, kept, vec(4), ptr[from]);
    else if (type_ == DataType::f16)
        mul_masked_f16(x, kept, vec(4), from, vec(2), vec(3));
    else
        mul_masked_bf16(x, kept, vec(4), from, bf16_product_, vec(2), vec(3));
    store(ptr[gpr(2) + index * bytes()], x, streaming);
}

}  // namespace tombola::impl::cpu::x64
