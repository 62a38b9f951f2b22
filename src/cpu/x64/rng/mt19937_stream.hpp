// SPDX-License-Identifier: Apache-2.0
#pragma once

// Generates values from one MT19937 state by a Mt19937Kernel, any number per call.
//
// The kernel converts whole windows. The first word of a window must begin a value, and stores that bypass the caches
// must be aligned. A state may be at any position, so a run consists of
//
//     the rest of the window:    values of words[position..624)
//     perhaps a slide:           the window moves on by up to 64 words, so that the next window begins where it must;
//                                then the values of the words that came in
//     whole windows
//     the beginning of a last window: only the words that are needed are computed
//
// A window that slid gives the same words, but PyTorch's windows begin at multiples of 624 words from the seed. state() restores such a
// window. For this, the `slid_` words that left the window by sliding are kept.

#include <cstdint>

#include "cpu/rng/mt19937.hpp"
#include "cpu/rng/mt19937_call.hpp"
#include "cpu/x64/rng/mt19937_generator.hpp"

namespace tombola::impl::cpu::x64 {

class Mt19937Stream {
  public:
    Mt19937Stream(const Mt19937Kernel& kernel, const PackedParameters& parameters,
                  const Mt19937& state);

    // Writes the next `count` values, count >= 0, to `to`, which is aligned to a value. streaming: the stores bypass
    // the caches.
    void generate(int64_t count, void* to, bool streaming);

    // The number of values that can still be made from the words of this window.
    int64_t values_in_window() const { return (kMtWords - position_) / kernel_.words_per_value; }
    // The greatest number of values, at most `max_count`, after which all words of a window are used; `max_count` if there is no such
    // number. Calls that end there waste no part of a window.
    int64_t up_to_window_end(int64_t max_count) const;

    // The state after the words drawn so far, as repeated calls of Mt19937::next() would give it. It completes the window,
    // whose words are otherwise computed as they are needed.
    Mt19937 state();

  private:
    // Converts the next `values` values, whose words are all in the window.
    void convert(int64_t values);
    // The same for the first values of the window that has just begun. The kernel computes all words and values of the
    // window.
    void convert_whole_window(int64_t values);
    // Moves on by `count` words at position 624: the position becomes 624 - count.
    void slide(int count);
    // Begins the next window. Its words are computed by twist_up_to().
    void begin_window();
    void twist_up_to(int end);
    // Calls the kernel for `count` vectors, or windows.
    void run_kernel(uint32_t* words, void* to, int64_t count, Mt19937Args::Mode mode) const;
    // How many words to slide so that the next window's first word begins a value, at an aligned address.
    int slide_before_windows(bool streaming) const;

    static constexpr int kMaxSlide = 64;
    // If at least this many words are needed, the kernel makes a whole window. A whole window takes as long as twist_up_to() and convert()
    // take for 0.35 (f32, AVX-512) to 0.75 (bf16, AVX2) of a window. If the state is wanted afterwards, it is 0 to 0.6 of a window. Both
    // ways have the same instructions on every machine. With a quarter, at most 90 ns are lost (150 for bf16 with AVX2).
    static constexpr int kWholeWindow = kMtWords / 4;

    const Mt19937Kernel& kernel_;
    PackedParameters parameters_;
    alignas(64) uint32_t words_[kMtWindowWords];
    uint32_t before_[kMaxSlide];  // the slid_ words before words_[0]
    int slid_ = 0;
    int position_;
    // The number of words at the start of words_ that belong to this window. The others belong to the window before.
    int twisted_ = kMtWords;
    char* to_ = nullptr;
};

// Fills `dst` with the values that `kernel` computes from the words of an execution.
void fill_from_mt19937(const MemoryDesc& dst, void* data, Mt19937Call& call,
                       const Mt19937Kernel& kernel, const PackedParameters& parameters);

}  // namespace tombola::impl::cpu::x64
