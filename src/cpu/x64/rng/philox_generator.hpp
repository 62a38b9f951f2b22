// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that fill memory from Philox 4x32-10: they convert the stream's words to a type and store them densely.
//
//   PhiloxGenerator   the source of words (philox_rounds.cpp), the loops and the stores (philox_generator.cpp)
//                     Its kernels make one run, or several rows at once (philox_rows.cpp)
//   a conversion      a class derived from it, for one output: its parameters, shape(key), and the code that turns words
//                     into elements. It lies in the folder of its primitive. philox_words.hpp stores the words
//   PhiloxKernel      what is kept: the code, and the numbers that its caller needs
//
// A call covers blocks whose counters differ only in the lowest word, which does not wrap: PhiloxFill
// (philox_fill.hpp) cuts a stream accordingly.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/cpu_isa.hpp"
#include "common/status.hpp"
#include "cpu/x64/rng/packed_parameters.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

// The keys of two consecutive rounds form a pair. Pair i has the keys of rounds 4 + 2i and 5 + 2i. Earlier keys are parts of the folds,
// except k0 of round 3.
inline constexpr int kPhiloxFirstPair = 4;
inline constexpr int kPhiloxKeyPairs = 3;

// Which blocks the u64 lanes of a group hold.
enum class PhiloxLanes {
    run,        // consecutive ones
    rows,       // one of each row: as many rows at once as there are lanes
    two_parts,  // the same, but a kernel makes twice as many rows, in two parts
};

struct PhiloxArgs {
    void* dst;      // the first element, at the start of a block
    int64_t count;  // elements, at least 1; for several rows, a number of whole groups of each part
    uint64_t product;  // M0 * c0 of the first block
    // The part of rounds 0 to 2 that depends on the constant counter words (philox_rounds.cpp).
    uint64_t fold0, fold1, fold2;
    // k0, k1: the even round's in the high half, the odd one's in the low half.
    uint64_t key_pairs[kPhiloxKeyPairs][2];
    uint32_t last_keys[2];                                          // k0, k1 of round 9
    alignas(8) unsigned char parameters[PackedParameters::kBytes];  // of the conversion
    uint32_t first_key;                                             // k0 of round 3
    uint32_t streaming;  // nonzero: stores bypass the caches, and dst is aligned to 64 bytes
    uint32_t form;       // of the conversion: 0, or a faster special case that the parameters allow
    struct Rows {
        uint64_t blocks;        // distance between rows, in blocks
        uint64_t part_product;  // M0 times the distance between two parts in blocks
        // Distances in bytes: *_step from column to column, *_ahead to the tile that is prefetched. Only kernels that also read a tensor
        // have a source and a mask.
        int64_t dst_step, dst_ahead, src_step, src_ahead, mask_step;
    } rows;
};

// The number of registers that a conversion needs, on ISAs with 16 and with 32 registers. With 16, constants are in memory.
struct OwnRegisters {
    int of_16 = 0, of_32 = 1;
};

// How the words of a block become elements.
struct PhiloxShape {
    // The order in which the blocks of a group lie in the u64 lanes.
    enum class LaneOrder {
        halves,   // 0 4 1 5 2 6 3 7: unpacking gives blocks 0-3, then 4-7
        natural,  // 0 1 2 3 4 5 6 7: unpacking gives the even blocks, then the odd ones
    };
    std::string name;   // of the kernel, after "philox."
    int element_bytes;  // 0: the kernel writes no elements
    int words;          // of an element: 1 or 2
    int forms = 1;      // of the conversion
    LaneOrder order = LaneOrder::halves;
    // The main loop interleaves as many streams as fit in the registers that the conversion leaves.
    OwnRegisters own = {};
    // For kernels that read a tensor too (philox_transform.hpp):
    int draws = 1;              // draws in one word, one for each element
    bool whole_groups = false;  // a call has no elements beyond whole groups

    // Whether the conversion can make several rows at once. Conversions to bf16 (LaneOrder::natural) cannot, because they put the elements
    // of a block in order themselves.
    bool serves_rows() const { return order == LaneOrder::halves; }
};

class PhiloxGenerator : public Vocabulary {
  public:
    using Args = PhiloxArgs;
    using Key = std::tuple<CpuIsa, PhiloxLanes>;

  protected:
    // The registers of one stream: a block in each u64 lane. c0 to c3 hold the counter's words in the low halves of the
    // lanes; after the rounds that swap words c1 and c3 are in the high halves. The contents of the other halves never
    // matter.
    struct Stream {
        int c0, c1, c2, c3;
    };

    PhiloxGenerator(const Key& key, const PhiloxShape& shape);

    // A conversion overrides these. Its own registers begin at vec(convert_vec(0)).
    virtual void load_parameters() {}
    // Makes vectors of whole blocks from the pairs of the last round. A conversion may override it with something
    // faster.
    virtual void emit_gather(Stream& s) { emit_unpack(s); }
    // Writes the group that lies `group` groups after the first one of a step, at `to`. By default its words are
    // converted and stored.
    virtual void emit_output(Stream& s, int group, const Xbyak::RegExp& to, int form,
                             bool streaming);
    // Moves the conversion's own pointers on by that many groups.
    virtual void emit_advance_pointers(int) {}
    virtual int extra_gprs() const { return 0; }  // gpr(extra_gpr(0)) and so on are its own
    // Makes the elements, in order and dense, from the blocks in c0 and c2. c1 and c3 are scratch.
    // Form 0 handles every parameter; higher forms are faster special cases.
    virtual void emit_convert(Stream& s, int form) = 0;
    virtual void emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming);

    void generate() final;

    // For conversions. `offset` is a parameter's place in the conversion's struct.
    Spread parameter_u32(size_t offset);
    Spread parameter_u64(size_t offset);
    Address parameter_address(size_t offset);
    // The high word of a u64 parameter in the low half of each lane, for vpmuludq.
    Spread parameter_high(size_t offset);
    int convert_vec(int index) const { return first_convert_vec_ + index; }
    static int extra_gpr(int index) { return kUsedGprs + index; }
    // From pairs (w1, w0) in c0 and (w3, w2) in c2: elements in output order, in c0 and c2. c1 is overwritten.
    void emit_unpack(Stream& s);
    // The same, but the words of the pairs are not swapped.
    void emit_unpack_as_is(Stream& s);
    int group_blocks() const { return bytes() / 8; }
    int group_elements() const { return group_blocks() * 4 * shape_.draws / shape_.words; }
    int group_bytes() const { return group_elements() * shape_.element_bytes; }

    // For kernels that make several rows at once (philox_rows.cpp). The frame holds a group as if its tensors were dense. These functions
    // copy the group between the frame and the next columns. The pointers advance after the last part of the rows.
    int src_frame() const { return 256 * shape_.draws; }
    int mask_frame() const { return src_frame() + 128 * shape_.draws; }
    int rows_frame_bytes() const { return mask_frame() + 64 * shape_.draws; }
    bool makes_rows() const { return row_parts_ > 0; }
    Xbyak::RegExp frame(int offset) const { return rsp + (spread_bytes(kSpreadSlots) + offset); }
    void emit_load_columns(const Reg& pointer, int element_bytes, const Stream& s, int group);
    void emit_store_elements(int element_bytes, const Stream& s, int group);
    void emit_store_mask(const Reg& pointer, const Stream& s, int group);

  private:
    static constexpr int kUsedGprs = 5, kStepGprs = 5;
    static constexpr int kMaxParameters = PackedParameters::kBytes / sizeof(uint64_t);
    // Slots of the frame for: three folds, the key of round 3, the pairs of keys, the conversion's parameters, two high words, the
    // products, and the products of a part of rows.
    static constexpr int kSpreadSlots = 4 + 2 * kPhiloxKeyPairs + kMaxParameters + 4;
    static constexpr int kStreamVecs = 4, kMaxStreams = 7;

    // What one pass of a loop makes: a group for each of the streams.
    struct Step {
        int streams;
        int distance;  // groups between two streams
        int form;
        bool streaming;
        Xbyak::RegExp to;
        // Whether the streams begin at even distances in time: all except the last one begin in the pass before.
        bool wraps = false;
        int groups() const { return distance == 1 ? streams : 1; }  // to the next step
    };
    // A pass of a loop that wraps has the end of a step and the beginning of the next one.
    enum class Part { beginning, whole, end };
    // What one stream does in a step: operations, most of them of one instruction, in an order in which they can be executed.
    struct Operation {
        int turn;  // turn in which the stream does it, if streams do not wrap
        std::function<void(const Step&)> emit;
    };
    struct StreamWork {
        std::vector<Operation> operations;
        int turn = 0;  // turn of the operations that are added next
        template <class Emit>
        void add(const Emit& emit) {
            operations.push_back({turn, [emit](const Step&) { emit(); }});
        }
    };

    // -- philox_rounds.cpp
    Stream stream(int index) const;
    void list_operations(int index);
    void list_first_rounds(StreamWork& work, Stream& s, int index);
    void list_round(StreamWork& work, Stream& s, int round);
    void list_last_round(StreamWork& work, Stream& s);
    void emit_first_product(const Stream& s, int index, const Step& step);
    void emit_advance_product(int groups, const Vec& scratch);
    Address products_of(int groups);
    bool swaps_words(int round) const { return round % 2 == (has_xor3() ? 0 : 1); }
    const Spread& key(int round, int half) const { return keys_[round - kPhiloxFirstPair][half]; }
    void emit_product(int d, int factor, int half);
    void emit_mix(int c, int product, int round, int half);

    // -- philox_rows.cpp
    void load_steps();
    void add_row_products(const Vec& product, const Vec& scratch);
    void emit_unpack_rows(const Stream& s);
    void emit_unpack_two_rows(const Vec& pair);
    void emit_unpack_two_columns(const Vec& pair);
    Xbyak::RegExp emit_column(const Reg& pointer, const Reg& step, int column);
    void emit_prefetches(const Reg& pointer, const Reg& step, const Reg& ahead, bool writes);
    void emit_next_columns(const Reg& pointer, const Reg& step, int group);
    void emit_store_columns(const Reg& pointer, const Reg& step, int offset, int element_bytes,
                            const Stream& s, int group);
    int block_columns() const { return group_elements() / group_blocks(); }

    // -- philox_generator.cpp
    static int streams_of(const PhiloxShape& shape, const VecShape& vectors, PhiloxLanes lanes);
    static int row_parts(PhiloxLanes lanes);
    bool is_last_part(int group) const { return group % row_parts_ == row_parts_ - 1; }
    bool holds_products() const { return product_ < registers(); }
    Address product_slot() { return ptr[rsp + product_slot_ * bytes()]; }
    // Blocks from a lane's block in one group to that in the next one.
    int group_distance() const { return makes_rows() ? 1 : group_blocks(); }
    Address lane_products();
    void load_arguments();
    void load_keys(const Vec& temporary);
    void load_products();
    void emit_step(const Step& step, Part part);
    void emit_advance(int groups);
    int far_groups() const;
    void emit_forms(bool streaming, const Label& remainder);
    void emit_main_loops(int form, bool streaming);
    void emit_loop(const Step& step);
    void emit_far_loop(const Step& step);
    void emit_prefetch_pages(const Step& step, const Reg& groups_left);
    void emit_tail();

    PhiloxShape shape_;
    int row_parts_;  // 0: the kernel makes one run
    int streams_;    // number of streams in the main loop: enough to hide the latency of a round
    int product_, first_convert_vec_, product_slot_ = 0;
    std::optional<Held> m0_, m1_;
    Reg args_, dst_, count_, scratch_, scratch2_;
    Reg dst_step_, dst_ahead_, src_step_, src_ahead_, mask_step_;  // of rows
    Spread part_product_, fold0_, fold1_, fold2_, first_key_, keys_[2 * kPhiloxKeyPairs][2],
        last_key_[2];
    int next_slot_ = 0;
    StreamWork work_[kMaxStreams];
    Stream gathered_[kMaxStreams] = {};  // the registers of each stream's blocks
};

// The functions that make several rows at once: one row per lane, or two. Both are empty if the tensor has too few rows, and the second one if
// it has too few for two. The first one then makes the rows that are left, as in the last block of a tensor or at the end of a thread's part.
struct PhiloxRowFunctions {
    JitFunction<PhiloxArgs> one_part, two_parts;
    int lanes = 1;

    bool any() const { return static_cast<bool>(one_part); }
    int64_t min_rows() const { return lanes; }
    int64_t max_rows() const { return two_parts ? 2 * lanes : lanes; }
    const JitFunction<PhiloxArgs>& of(int64_t rows) const {
        return rows == lanes ? one_part : two_parts;
    }
};

// `rows`: how many rows of the tensor lie side by side. Two parts are as wide as a line or narrower. They make the numbers of most rows, and
// a single part makes those of the rows that are left. Code for AVX2 makes fewer rows than AVX-512 has lanes.
template <class Conversion>
Result<PhiloxRowFunctions> make_row_functions(typename Conversion::Key key, int element_bytes,
                                              int64_t rows) {
    constexpr int kLineBytes = 64;
    PhiloxRowFunctions functions;
    const int lanes = shape_of(std::get<CpuIsa>(key)).bytes / int{sizeof(uint64_t)};
    if (rows < lanes && std::get<CpuIsa>(key) != CpuIsa::avx2) {
        std::get<CpuIsa>(key) = CpuIsa::avx2;
        return make_row_functions<Conversion>(key, element_bytes, rows);
    }
    const bool two_parts = rows >= 2 * lanes && 2 * lanes * element_bytes <= kLineBytes;
    functions.lanes = lanes;
    if (two_parts) {
        std::get<PhiloxLanes>(key) = PhiloxLanes::two_parts;
        functions.two_parts = TOMBOLA_TRY(cached_function<Conversion>(key));
    }
    if (rows >= lanes) {
        std::get<PhiloxLanes>(key) = PhiloxLanes::rows;
        functions.one_part = TOMBOLA_TRY(cached_function<Conversion>(key));
    }
    return functions;
}

// A Philox kernel as it is kept and called. Empty until one is assigned.
struct PhiloxKernel {
    JitFunction<PhiloxArgs> function;
    PhiloxRowFunctions row_functions;
    int element_bytes = 0;
    int words = 0;         // of an element
    int vector_bytes = 0;  // of the instruction set
};

// The kernel of a key for a run. `rows`: how many rows of the tensor lie side by side. The kernel makes several at once if it can.
template <class Conversion>
Result<PhiloxKernel> make_philox_kernel(typename Conversion::Key key, int64_t rows) {
    const PhiloxShape shape = Conversion::shape(key);
    PhiloxKernel kernel;
    kernel.function = TOMBOLA_TRY(cached_function<Conversion>(key));
    if (shape.serves_rows())
        kernel.row_functions =
            TOMBOLA_TRY(make_row_functions<Conversion>(key, shape.element_bytes, rows));
    kernel.element_bytes = shape.element_bytes;
    kernel.words = shape.words;
    kernel.vector_bytes = shape_of(std::get<CpuIsa>(key)).bytes;
    return kernel;
}

}  // namespace tombola::impl::cpu::x64
