// SPDX-License-Identifier: Apache-2.0
#pragma once

// MT19937 fused: twist, temper, convert to a type, store.
//
//   Mt19937Generator   the source of words, the loops and the stores
//   a conversion       a class derived from it, for one output: its parameters, shape(key), and the code that turns words
//                      into values. It lies in the folder of its primitive
//   Mt19937Kernel      what is kept: the code, and the numbers that its caller needs
//
// Source: Matsumoto and Nishimura, ACM TOMACS 8(1), 1998. With x[0..623] the window, in ascending order of i,
//
//     x[i]' = x[i+397] ^ A((x[i] & U) | (x[i+1] & L))      where x[i+624] is x[i]'     (twist)
//     y     = temper(x[i]')
//     value = convert(y)  or  convert(y, the next y)
//
// Lanes. A vector is V = 8 or 16 words x[i..i+V), and 624 is a multiple of both. Its inputs are
// x[i..i+V), x[i+1..i+V] and x[i+397..i+397+V). The window in memory is 624 words and 16 more, to
// which the first vector of the new window is stored a second time:
//
//     i      0 .............. 224 ............. 623 | 624 .. 639
//     memory x, and x' up to i ---------------- x   | x'[0..15]
//
// So two vectors can read across the end of the window: the one at i = 224, which reads x[i+397], and the last one,
// which reads x[i+1]. After i = 224, x[i+397] is x'[i-227], which was stored 14 or more vectors before. The code of one
// window is straight: 39 or 78 vectors, then a branch.

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "cpu/rng/mt19937.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/rng/packed_parameters.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

inline constexpr int kMtWindowWords = kMtWords + 16;

struct Mt19937Args {
    enum class Mode : uint64_t {
        convert,    // `count` vectors from `words` on; the words are already in the window
        windows,    // `count` windows: twist and convert each whole window
        streaming,  // the same with stores that bypass the caches; `to` is aligned to store_bytes()
    };
    uint32_t* words;  // windows: x[0], aligned to 64 bytes, with kMtWindowWords of memory
    void* to;
    int64_t count;  // at least 1
    Mode mode;
    alignas(8) unsigned char parameters[PackedParameters::kBytes];  // of the conversion
};

// How words become values.
struct Mt19937Shape {
    std::string name;  // of the kernel, after "mt19937."
    int words;         // words per value: 1 or 2. Of two, the first is the high half
    int value_bytes;
    int instructions;  // of the conversion, for a vector of words, with AVX-512
    // The bits that the conversion takes of each u64 lane, which is two words, low word first.
    uint64_t taken = kAllBits;
    static constexpr uint64_t kAllBits = ~uint64_t{0};
};

class Mt19937Generator : public Vocabulary {
  public:
    using Args = Mt19937Args;
    using Key = std::tuple<CpuIsa>;

  protected:
    Mt19937Generator(CpuIsa isa, const Mt19937Shape& shape);

    // A conversion overrides these. Loads its parameters into vec(kParameter) to vec(kLastParameter).
    virtual void load_parameters() = 0;
    // Turns the tempered words in vec(kValue) into values. The words have only the bits of `taken`. kT0 to kT3 are free.
    virtual void emit_value() = 0;
    // Stores the values in vec(kValue) at `at` bytes from the current output address. kT0 to kT3 are free.
    virtual void emit_store(int at, bool streaming) { emit_put(at, vec(kValue), streaming); }

    // For conversions. `offset` is a parameter's place in the conversion's struct.
    Address parameter(size_t offset) {
        return ptr[args() + static_cast<int>(offsetof(Args, parameters) + offset)];
    }
    // Puts a parameter of 4 or 8 bytes into every lane of vec(index).
    void load_parameter(int index, size_t offset, size_t parameter_bytes) {
        parameter_bytes == 8 ? broadcast_u64(vec(index), parameter(offset))
                             : broadcast_u32(vec(index), parameter(offset));
    }
    const Reg& args() const { return args_; }  // may be overwritten once the parameters are loaded
    void emit_put(int at, const Vec& value, bool streaming);
    const Held& low_word() const { return constants_.low_word; }  // 2^32 - 1 in each u64 lane

    // Vector registers.
    static constexpr int kValue = 0;  // the word at work, then the value
    static constexpr int kT0 = 1, kT1 = 2, kT2 = 3, kT3 = 4;
    static constexpr int kParameter = 6, kLastParameter = 10;

  private:
    // The paper's constants, the bits of a word that the conversion takes, and a constant for remainders.
    struct Constants {
        Held upper, temper_b, temper_c, taken, low_word;
    };

    void generate() final;
    void emit_convert_loop();
    void emit_window_loop(bool streaming);
    void emit_twist(int i, bool aligned_loads);
    void emit_words(const Vec& d, int i, int distance, int kept);
    Address word(int at) { return ptr[words_ + 4 * at]; }  // of the window
    void emit_temper();
    bool waits_for_memory() const;
    int vector_words() const { return lanes(4); }
    int vector_out_bytes() const { return vector_words() / shape_.words * shape_.value_bytes; }

    Mt19937Shape shape_;
    Reg args_, words_;
    Constants constants_;
};

// The instructions that twist and temper a vector of words, with AVX-512.
inline constexpr int kMtInstructions = 12;

// An MT19937 kernel as it is kept and called.
struct Mt19937Kernel {
    JitFunction<Mt19937Args> function;
    int vector_words = 0;  // the number of words in a vector of the ISA
    int words_per_value = 0;
    int value_bytes = 0;
    double nanoseconds_per_value = 0;

    // The bytes of values that one vector of words becomes, and the bytes of one store.
    int vector_out_bytes() const { return vector_words / words_per_value * value_bytes; }
    int store_bytes() const {
        const int vector_bytes = vector_words * 4;
        return vector_out_bytes() < vector_bytes ? vector_bytes / 2 : vector_bytes;
    }
};

template <class Conversion>
Result<Mt19937Kernel> make_mt19937_kernel(const typename Conversion::Key& key) {
    const Mt19937Shape shape = Conversion::shape(key);
    auto function = TOMBOLA_TRY(cached_function<Conversion>(key));
    const int vector_bytes = shape_of(std::get<CpuIsa>(key)).bytes;
    const double nanoseconds_per_word =
        machine().nanoseconds_per_lane(kMtInstructions + shape.instructions, vector_bytes);
    return Mt19937Kernel{std::move(function), vector_bytes / 4, shape.words, shape.value_bytes,
                         nanoseconds_per_word * shape.words};
}

}  // namespace tombola::impl::cpu::x64
