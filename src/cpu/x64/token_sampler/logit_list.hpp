// SPDX-License-Identifier: Apache-2.0
#pragma once

// The greatest logits of a row, found by the kernels of select_kernels.hpp, as a list in class order.
//
// Classes are ordered by u64 keys, as in the definition. The high half of a key falls as the logit rises. The low half
// is the class. What a filter keeps is a prefix of the order, so it is {key <= bound}. The bound of an intersection of
// such sets is the lowest of their bounds.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "common/bit_cast.hpp"
#include "common/scratchpad.hpp"
#include "common/types.hpp"
#include "cpu/float_type.hpp"
#include "cpu/x64/token_sampler/select_kernels.hpp"
#include "cpu/x64/weights/row_kernels.hpp"

namespace tombola::impl::cpu::x64 {

inline constexpr float kInf = std::numeric_limits<float>::infinity();

// rank_of() is an unsigned integer that rises with x; -0 and +0 have the same one. float_of() is its inverse.
inline uint32_t rank_of(float x) {
    const auto bits = bit_cast<uint32_t>(x + 0.0f);  // -0 becomes +0
    return (bits & 0x80000000) != 0 ? ~bits : bits | 0x80000000;
}
inline float float_of(uint32_t rank) {
    return bit_cast<float>((rank & 0x80000000) != 0 ? rank & 0x7FFFFFFF : ~rank);
}
inline constexpr uint64_t kNoBound = UINT64_MAX;
inline uint64_t key_of(float x, uint32_t k) { return uint64_t{~rank_of(x)} << 32 | k; }
inline float logit_of(uint64_t key) { return float_of(~static_cast<uint32_t>(key >> 32)); }
// The bound of all classes with (x - greatest) * ratio >= lowest, where lowest <= 0.
uint64_t bound_of_scaled(float lowest, float greatest, float ratio);

// A row with contiguous classes: whole groups in place, and the rest in a copy that is padded with -inf.
struct GroupedRow {
    const char* data;
    const char* rest;
    dim_t classes;
    FloatType type;

    dim_t whole_groups() const { return classes / kGroupClasses; }
    dim_t groups() const { return (classes + kGroupClasses - 1) / kGroupClasses; }
    dim_t element_bytes() const { return static_cast<dim_t>(size_of(data_type_of(type))); }
    const char* group(dim_t g) const {
        return g < whole_groups() ? data + g * kGroupClasses * element_bytes() : rest;
    }
    float logit(dim_t k) const;
    // The logits of `count` classes.
    void gather(const uint32_t* classes, dim_t count, float* logits) const;
};

struct ListKernels {
    JitFunction<GroupMaxKernel::Args> max_unread;  // for a row that may lie in memory
    JitFunction<GroupMaxKernel::Args> max;         // for a row that was copied or prefetched
    JitFunction<CountKernel::Args> count;          // for f32 numbers
    JitFunction<CountKernel::Args> count_row;      // for the logits of a row
    JitFunction<CollectKernel::Args> collect;
    JitFunction<CollectKernel::Args> collect_between;
    JitFunction<WeightStoreKernel::Args> weigh;  // scaled f32 logits
};

class LogitList {
  public:
    static constexpr dim_t kMaxListed = 4096;  // select() takes no greater k
    // The arrays of a list in the scratchpad.
    struct Arrays {
        Arrays(Arena& arena, dim_t classes);
        float* maxima;
        uint32_t *ids, *copied_ids;
        float *logits, *copied_logits;
        uint64_t *sorted, *weights, *ranges;
    };
    LogitList(const ListKernels& kernels, Arena& arena, dim_t classes)
        : kernels_(kernels), classes_(classes), arrays_(arena, classes) {}

    // Reads the row, and empties the list. Returns false if there is a NaN or +inf, or nothing but -inf. `unread`: the row was neither
    // copied nor prefetched before.
    bool read(const GroupedRow& row, bool unread);
    float greatest() const { return greatest_; }
    dim_t first_greatest();  // the first class of the order

    // Lists the first k classes of the order. If fewer are not -inf, lists all that are not -inf.
    void select(dim_t k);
    // Whether select(k) reads much more than k classes, because there are not many more maxima than k.
    bool is_slow(dim_t k) const;
    dim_t size() const { return size_; }
    // The bound of the list. kNoBound if all classes that are not -inf are listed.
    uint64_t bound() const { return bound_; }
    // Lists the classes within a bound. Returns false and leaves the list empty if there are more than `max_size` of them, which is at most
    // kMaxListed. Classes after the bound whose logit equals that of the bound's class count too.
    bool select_within(uint64_t bound, dim_t max_size);
    // Whether all classes up to a bound are listed.
    bool covers(uint64_t bound) const { return size_ > 0 && bound_ >= bound; }
    void keep(uint64_t bound);  // removes classes outside the bound from the list
    // The number of classes of the row whose logit is at least `threshold`, which is above -inf.
    dim_t count_row(float threshold) const;
    // Writes the classes of the row with lowest <= logit <= highest to `ids`, in class order, and returns their number. The list is neither
    // used nor changed. lowest must be above -inf. Up to 16 more elements of `ids` are overwritten.
    dim_t collect_between(float lowest, float highest, uint32_t* ids) const;
    float logit(dim_t k) const { return row_.logit(k); }
    void gather(const uint32_t* classes, dim_t count, float* logits) const {
        row_.gather(classes, count, logits);
    }
    // The weights of `count` logits. Up to kUnitClasses - 1 more elements of both arrays are overwritten.
    void weigh(float* logits, dim_t count, float ratio, uint64_t* weights) const;

    // The mass of the list: the sum of the weights of its classes.
    uint64_t mass(float ratio);
    // The bound of the shortest prefix of the list that has at least `mass`, which is at most the mass of the list.
    uint64_t bound_of_mass(uint64_t mass, float ratio);
    // The same for a mass that is known to be between two numbers, or kNoBound if they have different bounds.
    uint64_t bound_of_mass(uint64_t lower, uint64_t upper, float ratio);

    // sorted_keys(): the keys in order. weights(): the weights in class order. The results stay valid until the next call.
    const uint64_t* sorted_keys();
    const uint64_t* weights(float ratio) {
        weigh(arrays_.logits, size_, ratio, arrays_.weights);
        return arrays_.weights;
    }
    uint32_t at(dim_t i) const { return arrays_.ids[i]; }

  private:
    float threshold_for(dim_t k) const;
    using Collect = JitFunction<CollectKernel::Args>;
    dim_t append(const Collect& kernel, const char* data, dim_t first, dim_t groups, dim_t limit,
                 float threshold);
    void collect(const char* data, dim_t first, dim_t groups, dim_t k, float& threshold);
    void keep_first(dim_t k);
    dim_t count_from(float threshold, const float* values, dim_t count) const;

    const ListKernels& kernels_;
    dim_t classes_;
    Arrays arrays_;
    GroupedRow row_{};
    float greatest_ = 0;
    dim_t size_ = 0;
    uint64_t bound_ = kNoBound;
};

}  // namespace tombola::impl::cpu::x64
