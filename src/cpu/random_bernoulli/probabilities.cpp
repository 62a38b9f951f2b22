// SPDX-License-Identifier: Apache-2.0
#include "cpu/random_bernoulli/probabilities.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "common/parallel.hpp"
#include "cpu/rng/scatter.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr int64_t kMaxTile = 4096;  // elements

template <class T>
bool is_probability(T p) {
    return p >= 0 && p <= 1;
}

// Compilers make vector code of the inner loop: it has no branches, and its results do not wait for one another.
template <class T>
bool all_probabilities(const T* values, int64_t count) {
    constexpr int64_t kLanes = 16;
    int32_t bad[kLanes] = {};
    int64_t at = 0;
    for (; at + kLanes <= count; at += kLanes)
        for (int64_t i = 0; i < kLanes; ++i)
            bad[i] |= static_cast<int32_t>(!(values[at + i] >= 0)) |
                      static_cast<int32_t>(!(values[at + i] <= 1));
    for (const int32_t lane : bad)
        if (lane != 0) return false;
    return std::all_of(values + at, values + count, is_probability<T>);
}

void lower(std::atomic<int64_t>& minimum, int64_t value) {
    int64_t seen = minimum;
    while (value < seen && !minimum.compare_exchange_weak(seen, value)) {
    }
}

}  // namespace

// The values of P's own type T.
template <class Compute>
template <class T>
const T* Probabilities<Compute>::stored(int64_t first, int64_t count, T* buffer) const {
    if (desc_.p.is_row_major()) return static_cast<const T*>(data_) + first;
    gather(desc_.p, data_, first, count, buffer);
    return buffer;
}

// Whether all values are right, in the order of memory. False for a tensor with gaps, and if the padding has wrong values.
template <class Compute>
template <class T>
bool Probabilities<Compute>::are_all_right() const {
    if (!desc_.p.is_dense()) return false;
    std::atomic<bool> right{true};
    const int64_t count = desc_.p.padded_nelems();
    parallel_ranges(count, kMaxRun, moving(desc_.p.size()), [&](int64_t begin, int64_t end) {
        if (!all_probabilities(static_cast<const T*>(data_) + begin, end - begin)) right = false;
    });
    return right;
}

// The message names the first value that is refused, whatever the number of threads.
template <class Compute>
template <class T>
Status Probabilities<Compute>::check() const {
    const int64_t count = desc_.p.nelems();
    if (count == 0 || are_all_right<T>()) return {};
    std::atomic<int64_t> first_bad{count};
    const auto check_run = [&](int64_t first, int64_t length, const T* values) {
        if (all_probabilities(values, length)) return;
        const T* bad = std::find_if_not(values, values + length, is_probability<T>);
        lower(first_bad, first + (bad - values));
    };
    const RunCopier copier(desc_.p);
    parallel_ranges(count, kMaxRun, moving(desc_.p.size()), [&](int64_t begin, int64_t end) {
        T buffer[kMaxTile];
        copier.for_each_tile({begin, end}, {kMaxTile}, [&](const Tile& tile) {
            copier.gather(data_, tile, buffer);
            for_each_run(tile, [&](int64_t first, int64_t length, int64_t at) {
                check_run(first, length, buffer + at);
            });
        });
    });
    if (first_bad == count) return {};
    T buffer[1];
    const std::string value = digits(*stored(first_bad, 1, buffer));
    if (desc_.has_one_p()) return invalid("P is %s; expected a number in [0, 1]", value.c_str());
    return invalid("P has %s as element %lld in row-major order; expected numbers in [0, 1]",
                   value.c_str(), first_bad.load());
}

template <class Compute>
Result<Probabilities<Compute>> Probabilities<Compute>::resolve(const RandomBernoulliDesc& desc,
                                                               const ExecContext& context) {
    Probabilities result(desc, context.input(TOMBOLA_ARG_P));
    const bool narrow = desc.p.data_type == DataType::f32;
    TOMBOLA_TRY(narrow ? result.template check<float>() : result.template check<double>());
    if (desc.has_one_p())
        result.one_ = narrow ? static_cast<Compute>(*static_cast<const float*>(result.data_))
                             : static_cast<Compute>(*static_cast<const double*>(result.data_));
    return result;
}

template <class Compute>
const Compute* Probabilities<Compute>::run(int64_t first, int64_t count, Compute* buffer) const {
    if (desc_.has_one_p()) return &one_;
    if (desc_.p.data_type == DataType::f64) {
        if constexpr (std::is_same_v<Compute, double>) return stored(first, count, buffer);
        double wide[kMaxRun];
        const double* values = stored(first, count, wide);
        std::transform(values, values + count, buffer,
                       [](double p) { return static_cast<Compute>(p); });
        return buffer;
    }
    if constexpr (std::is_same_v<Compute, float>) return stored(first, count, buffer);
    float narrow[kMaxRun];
    const float* values = stored(first, count, narrow);
    std::copy_n(values, count, buffer);
    return buffer;
}

template class Probabilities<float>;
template class Probabilities<double>;

}  // namespace tombola::impl::cpu
