// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fill kernels: Philox 4x32-10 words, converted to an element type, stored densely.
//
// PhiloxKernel has the word source and the loops; a class derived from it for each output (philox_convert.cpp)
// adds its parameters and its conversion. A call covers blocks whose counters differ in the lowest word alone
// and do not wrap there: PhiloxFill (philox_fill.hpp) cuts a stream accordingly.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "common/cpu_isa.hpp"
#include "common/status.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class PhiloxKernel : public Vocabulary {
  public:
    static constexpr int kKeyedRounds = 6;  // 3 to 8: what is before is folded; 9 has its own
    static constexpr int kParameters = 5;

    struct Args {
        void* dst;         // the first element, at the start of a block
        int64_t count;     // elements, at least 1
        uint64_t product;  // M0 * c0 of the first block
        // What the constant counter words leave of rounds 0 to 2 (philox_kernel.cpp).
        uint64_t fold0, fold1;
        uint64_t last_keys_high[2];        // k0, k1 of round 9, in the high half
        uint64_t parameters[kParameters];  // of the conversion (philox_convert.cpp)
        uint32_t keys[kKeyedRounds][2];    // k0, k1
        uint32_t fold2;
        uint32_t streaming;  // stores past the caches; dst is aligned to 64 bytes
        uint32_t form;       // of the conversion: 0, or a shorter one that the parameters allow
    };

    int element_bytes() const { return element_bytes_; }
    int words() const { return words_; }  // of an element
    void operator()(Args& args) const { run(&args); }

  protected:
    // The registers of one stream: a block in each u64 lane. c0 to c3 hold the counter's words in the
    // low halves of the lanes; what is in the high halves never matters. t is free between rounds.
    struct Stream {
        int c0, c1, c2, c3, t;
    };
    // Which of the blocks of a group lie in the low and high u64 lanes of each 16 bytes.
    enum class LaneOrder {
        halves,   // 0 4 1 5 2 6 3 7: unpacking gives blocks 0-3, then 4-7
        natural,  // 0 1 2 3 4 5 6 7: unpacking gives the even blocks, then the odd ones
    };

    PhiloxKernel(CpuIsa isa, const char* output, int element_bytes, int words, LaneOrder order,
                 int forms, int avx2_streams = 3);

    // What a conversion adds. Its own registers are vec(convert_vec(0)) and on, if it asked for them.
    virtual void load_parameters() {}
    // From the pairs of the last round to vectors of whole blocks: emit_unpack(), unless a conversion does better.
    virtual void emit_gather(Stream& s) { emit_unpack(s); }
    // The elements, in order and densely, from the blocks in c0 and c2. May use every register of the stream.
    // form: 0 serves all parameters, also those that would allow a form that the kernel does not have; the others
    // some, in fewer steps. There are as many as the constructor was told.
    virtual void emit_convert(Stream& s, int form) = 0;
    virtual void emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming);

    void generate() final;

    // For conversions.
    Spread parameter_u32(int index);
    Spread parameter_u64(int index);
    Address parameter_address(int index);
    // The high word of a u64 parameter in the low half of each lane, for vpmuludq.
    Spread parameter_high(int index);
    const Spread& key(int round, int half) const { return keys_[round - 3][half]; }
    // k0, k1 of the last round in the high half of u64 lanes.
    const Spread& last_key(int half) const { return last_key_[half]; }
    int convert_vec(int index) const { return first_convert_vec_ + index; }
    // From pairs (w1, w0) in c0 and (w3, w2) in c2: blocks in output order, in c0 and c2.
    void emit_unpack(Stream& s);
    // The same with the pairs as they are.
    void emit_unpack_as_is(Stream& s);
    // p, a product of few digits, to `digits` of them, nearest even. g is scratch.
    void emit_round_product(const Vec& p, const Vec& g, int digits);
    void store_any(const Xbyak::RegExp& to, const Vec& v, bool streaming);
    int group_blocks() const { return bytes() / 8; }
    int group_elements() const { return group_blocks() * 4 / words_; }
    int group_bytes() const { return group_elements() * element_bytes_; }

  private:
    static constexpr int kStreamVecs = 5;
    static constexpr int kSpreadSlots = 5 + 2 * kKeyedRounds + kParameters + 2;

    Address lane_products();
    Stream stream(int index) const;
    void load_arguments();
    void emit_groups(int streams, const Xbyak::RegExp& to, int form, bool streaming);
    void emit_rounds(Stream* streams, int count);
    void emit_first_rounds(const Stream& s, int index);
    void emit_round(Stream& s, int round);
    void emit_last_round(Stream& s);
    void emit_loop(int streams, int form, bool streaming);
    void emit_tail();

    int element_bytes_, words_;
    LaneOrder order_;
    int forms_;
    int streams_;  // of the main loop: enough to hide the latency of a round
    int product_, first_convert_vec_;
    std::optional<Held> m0_, m1_;
    Reg args_, dst_, count_, scratch_, scratch2_;
    Spread fold0_, fold1_, fold2_, keys_[kKeyedRounds][2], last_key_[2];
    int next_slot_ = 0;
};

enum class PhiloxOutput { words, f16, bf16, f32, f64, s32, s64 };

Result<std::shared_ptr<const PhiloxKernel>> philox_kernel(CpuIsa isa, PhiloxOutput output);

}  // namespace tombola::impl::cpu::x64
