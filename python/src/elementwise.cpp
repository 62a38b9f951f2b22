// SPDX-License-Identifier: Apache-2.0

// What makes one tensor of another, element by element, with a draw for each.

#include <array>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "functions.hpp"
#include "output.hpp"
#include "positional.hpp"
#include "prepared.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;
using kind = tombola::primitive::kind;

// The mask: a byte for each element, or a bit for each.
Tensor mask_of(py::handle mask, bool packed, bool is_written, const Tensor& like) {
    constexpr Types kBytes{{type::u8}, "uint8 or bool", true};
    const Tensor tensor =
        (is_written ? written(mask, "mask", kBytes) : shared_input(mask, "mask", kBytes))
            .at_least_1d();
    if (packed) {
        check_shape(tensor, {static_cast<memory::dim>((like.elements() + 7) / 8)}, "mask");
        if (!tensor.strides.empty()) value_error("mask has gaps; expected contiguous bytes");
    } else {
        check_shape(tensor, like.dims, "mask");
    }
    return tensor;
}

// The elements of a tensor as an array of NumPy, over the same memory.
py::array array_of(const Tensor& tensor) {
    const py::dtype words("u" + std::to_string(memory::data_type_size(tensor.type)));
    return py::array(words, tensor.dims, tensor.byte_strides(), tensor.data, tensor.owner);
}

// A mask of bytes whose strides are not those of the tensor that it is for. The library has none, so the primitive reads or
// writes a bit for each element instead, and NumPy copies.
class StridedMask {
  public:
    StridedMask(const Tensor& mask, bool is_written)
        : bytes_(array_of(mask)), numpy_(py::module_::import("numpy")), is_written_(is_written) {
        if (is_written) mask.desc();  // refuses elements that share an address
    }
    // Raises ValueError if the mask shares memory with a tensor of the call.
    void keep_apart(const Tensor& other) const {
        constexpr int kMaxWork = 100'000;
        if (numpy_.attr("may_share_memory")(bytes_, array_of(other), kMaxWork).cast<bool>())
            value_error(std::string("mask overlaps ") + other.name +
                        " in memory; expected a buffer of its own");
    }
    // The bits for the primitive. Those of a mask that is written follow when it has run.
    Tensor bits() {
        if (is_written_)
            bits_ = Output({(bytes_.size() + 7) / 8}, type::u8).result;
        else
            bits_ = numpy_.attr("packbits")(bytes_, py::none(), "little");
        return input(bits_, "mask", {{type::u8}});
    }
    void finish() const {
        if (!is_written_) return;
        const py::object unpacked =
            numpy_.attr("unpackbits")(bits_, py::none(), bytes_.size(), "little");
        numpy_.attr("copyto")(bytes_, unpacked.attr("reshape")(bytes_.attr("shape")));
    }

  private:
    py::array bytes_;
    py::module_ numpy_;
    py::object bits_;
    bool is_written_;
};

py::object dropout(py::handle src_object, py::handle p, py::handle seed, py::handle offset,
                   py::handle draw_bits, py::handle mask_object, py::handle packed,
                   py::handle backward_object, py::handle out) {
    const bool backward = flag_of(backward_object, "backward"), bits = flag_of(packed, "packed");
    if (bits && mask_object.is_none())
        value_error(
            "packed is True without a mask; expected a mask whose elements have a bit each");
    const py::object number = number_of(p, "p");
    const auto seeds = seeds_of(seed);
    if (backward && mask_object.is_none() && seeds == std::array<uint64_t, 2>{})
        value_error("seed is " + text_of(seed) +
                    ", which draws a mask of its own; expected the seed of the forward call");
    const uint64_t first = unsigned_of(offset, "offset");
    constexpr const char* kWidths = "32, 16 or 8";
    const int64_t wanted = Integer(draw_bits, "draw_bits").in(8, 32, kWidths);
    if (wanted != 32 && wanted != 16 && wanted != 8)
        value_error("draw_bits is " + std::to_string(wanted) + "; expected " + kWidths);
    const auto width = static_cast<int>(wanted);
    const Tensor source = input(src_object, "src", {{type::f32, type::f16, type::bf16}});
    const Tensor src = source.at_least_1d();
    const Element probability(number, type::f32, "p");
    const py::object result = out_or_like(out, src_object, source);
    const Tensor dst = written(result, "out", {{src.type}}).at_least_1d();
    check_shape(dst, src.dims, "out");
    auto mask_kind = tombola::dropout_mask::none;
    Tensor mask;
    std::optional<StridedMask> strided;
    if (!mask_object.is_none()) {
        mask_kind = bits ? tombola::dropout_mask::bits : tombola::dropout_mask::u8;
        const Tensor& like = backward ? dst : src;
        mask = mask_of(mask_object, bits, !backward, like);
        if (!bits && mask.strides != like.strides) {
            strided.emplace(mask, !backward);
            strided->keep_apart(dst);
            if (!backward) strided->keep_apart(src);
            mask_kind = tombola::dropout_mask::bits;
            mask = strided->bits();
        }
    }
    Key key = key_of(kind::dropout, dst, backward, width, mask_kind);
    add_to(key, src);
    const Arguments arguments{{backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, src.data},
                              {TOMBOLA_ARG_P, probability.data()},
                              {TOMBOLA_ARG_SEEDS, seeds.data()},
                              {TOMBOLA_ARG_OFFSET, &first},
                              {TOMBOLA_ARG_MASK, mask.data},
                              {backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, dst.data}};
    if (backward)
        run<tombola::dropout_backward>(std::move(key), arguments, [&] {
            const memory::desc src_desc = src.desc();
            return tombola::dropout_backward::primitive_desc(cpu(), dst.desc(), src_desc, width,
                                                             mask_kind, 0, 1, {});
        });
    else
        run<tombola::dropout_forward>(std::move(key), arguments, [&] {
            const memory::desc src_desc = src.desc();
            return tombola::dropout_forward::primitive_desc(
                cpu(), tombola::prop_kind::forward_training, src_desc, dst.desc(), width, mask_kind,
                0, 1);
        });
    if (strided) strided->finish();
    return result;
}

py::object stochastic_round(py::handle src_object, py::handle dtype, py::handle seed,
                            py::handle offset, py::handle out) {
    const auto seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    const Tensor source = input(src_object, "src", {{type::f32}});
    Types types{{type::bf16, type::f16}};
    if (!dtype.is_none()) types = Types{{data_type_of(dtype, types)}};
    const py::object result =
        out.is_none() ? array_like(source, types.list[0]) : py::reinterpret_borrow<py::object>(out);
    const Tensor output = written(result, "out", types);
    check_shape(output, source.dims, "out");
    const Tensor src = source.at_least_1d(), dst = output.at_least_1d();
    Key key = key_of(kind::stochastic_rounding, dst);
    add_to(key, src);
    run<tombola::stochastic_rounding>(std::move(key),
                                      {{TOMBOLA_ARG_SRC, src.data},
                                       {TOMBOLA_ARG_SEEDS, seeds.data()},
                                       {TOMBOLA_ARG_OFFSET, &first},
                                       {TOMBOLA_ARG_DST, dst.data}},
                                      [&] {
                                          const memory::desc src_desc = src.desc();
                                          return tombola::stochastic_rounding::primitive_desc(
                                              cpu(), src_desc, dst.desc(), 0, 1);
                                      });
    return result;
}

}  // namespace

void add_elementwise(py::module_& module) {
    add_positional<&dropout>(module, "dropout");
    add_positional<&stochastic_round>(module, "stochastic_round");
}

}  // namespace tombola_python
