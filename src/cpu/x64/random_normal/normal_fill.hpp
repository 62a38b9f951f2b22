// SPDX-License-Identifier: Apache-2.0
#pragma once

// A NormalTransform with the MEAN and STD of one execution, for any number of values.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "cpu/random_normal/moments.hpp"
#include "cpu/streaming.hpp"
#include "cpu/x64/random_normal/normal_kernel.hpp"
#include "cpu/x64/rng/whole_steps.hpp"

namespace tombola::impl::cpu::x64 {

// The instructions that transform a vector of words.
inline constexpr int kNormalInstructions = 45;

class NormalFill {
  public:
    template <class T>
    NormalFill(const NormalTransform& transform, const Moments<T>& moments)
        : transform_(transform), args_{} {
        static_assert(sizeof moments.mean <= sizeof args_.mean);
        std::memcpy(args_.mean, &moments.mean, sizeof moments.mean);
        std::memcpy(args_.std, &moments.std, sizeof moments.std);
        args_.moments = static_cast<uint64_t>(known_of(moments));
    }

    const NormalTransform& transform() const { return transform_; }

    // Computes the first `count` values of `words`. Only whole groups of words are read, so up to kMaxGroupWords - 1
    // words after those of the last value are read too.
    void values(const uint32_t* words, int64_t count, void* to, bool streaming) const {
        convert_by_steps(count, transform_.group_values,
                         static_cast<size_t>(transform_.value_bytes), to,
                         [&](int64_t at, int64_t groups, void* place) {
                             run(words + at * transform_.words_per_value, groups, place,
                                 streaming && place == to);
                         });
    }

  private:
    template <class T>
    static NormalMoments known_of(const Moments<T>& moments) {
        if (moments.mean != 0) return NormalMoments::unsigned_zeros;
        if (std::signbit(moments.mean)) return NormalMoments::any;
        return moments.std == 1 ? NormalMoments::standard : NormalMoments::unsigned_zeros;
    }
    void run(const uint32_t* words, int64_t groups, void* to, bool streaming) const {
        NormalArgs args = args_;
        args.words = words;
        args.to = to;
        args.groups = groups;
        args.streaming = streaming && bytes_into_line(to) == 0 ? 1 : 0;
        transform_.function(args);
    }

    const NormalTransform& transform_;
    NormalArgs args_;
};

}  // namespace tombola::impl::cpu::x64
