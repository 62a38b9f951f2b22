// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/mt19937_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tombola::impl::cpu::x64 {

Mt19937Stream::Mt19937Stream(const Mt19937Kernel& kernel, const PackedParameters& parameters,
                             const Mt19937& state)
    : kernel_(kernel), parameters_(parameters), position_(static_cast<int>(state.position)) {
    std::memcpy(words_, state.words, sizeof(state.words));
    std::memset(words_ + kMtWords, 0, sizeof(words_) - sizeof(state.words));
}

void Mt19937Stream::generate(int64_t count, void* to, bool streaming) {
    to_ = static_cast<char*>(to);
    const int per_value = kernel_.words_per_value;
    const auto take = [&](int64_t values) {
        values = std::min(values, count);
        convert(values);
        count -= values;
    };
    take(values_in_window());
    if (count == 0) return;
    if (const int words = slide_before_windows(streaming); words > 0) {
        slide(words);
        take(values_in_window());
    }
    const int64_t values_per_window = kMtWords / per_value;
    if (const int64_t windows = count / values_per_window; windows > 0) {
        const auto unit = static_cast<uintptr_t>(kernel_.store_bytes());
        const bool aligned = reinterpret_cast<uintptr_t>(to_) % unit == 0;
        const auto mode =
            streaming && aligned ? Mt19937Args::Mode::streaming : Mt19937Args::Mode::windows;
        const auto run = [&](int64_t n) {
            if (n == 0) return;
            run_kernel(words_, to_, n, mode);
            to_ += n * values_per_window * kernel_.value_bytes;
        };
        // The last window is run separately, because the words before it may be needed.
        run(windows - 1);
        std::copy_n(words_ + kMtWords - slid_, slid_, before_);
        run(1);
        position_ = kMtWords;
        count -= windows * values_per_window;
    }
    if (count > 0) {
        begin_window();
        if (count * per_value < kWholeWindow)
            convert(count);
        else
            convert_whole_window(count);
    }
}

int64_t Mt19937Stream::up_to_window_end(int64_t max_count) const {
    const int64_t window = kMtWords / kernel_.words_per_value;
    const int64_t rest = std::min(values_in_window(), max_count);
    const int64_t whole = rest + (max_count - rest) / window * window;
    return whole > 0 ? whole : max_count;
}

void Mt19937Stream::run_kernel(uint32_t* words, void* to, int64_t count,
                               Mt19937Args::Mode mode) const {
    Mt19937Args args;
    args.words = words;
    args.to = to;
    args.count = count;
    args.mode = mode;
    std::memcpy(args.parameters, parameters_.bytes, sizeof args.parameters);
    kernel_.function(args);
}

void Mt19937Stream::convert(int64_t values) {
    twist_up_to(position_ + static_cast<int>(values) * kernel_.words_per_value);
    const int64_t values_per_vector = kernel_.vector_words / kernel_.words_per_value;
    const int64_t vectors = values / values_per_vector;
    const int64_t rest = values % values_per_vector;
    if (vectors > 0) {
        run_kernel(words_ + position_, to_, vectors, Mt19937Args::Mode::convert);
        to_ += vectors * kernel_.vector_out_bytes();
        position_ += static_cast<int>(vectors) * kernel_.vector_words;
    }
    if (rest > 0) {
        // Converts a whole vector, which may read words after the window. Only the first values are used.
        alignas(64) char vector[2 * kMaxVecBytes];
        run_kernel(words_ + position_, vector, 1, Mt19937Args::Mode::convert);
        const size_t size = static_cast<size_t>(rest * kernel_.value_bytes);
        std::memcpy(to_, vector, size);
        to_ += size;
        position_ += static_cast<int>(rest) * kernel_.words_per_value;
    }
}

void Mt19937Stream::convert_whole_window(int64_t values) {
    alignas(64) char window[kMtWords * sizeof(uint64_t)];
    run_kernel(words_, window, 1, Mt19937Args::Mode::windows);
    twisted_ = kMtWords;
    const size_t size = static_cast<size_t>(values * kernel_.value_bytes);
    std::memcpy(to_, window, size);
    to_ += size;
    position_ = static_cast<int>(values) * kernel_.words_per_value;
}

// A run that does not stream slides by at most one word, if values have two words. After that, the first word of every
// window begins a value. Each streaming run slides until kMaxSlide is used up; later runs store normally.
int Mt19937Stream::slide_before_windows(bool streaming) const {
    const int per_value = kernel_.words_per_value;
    int words = (kMtWords - position_) % per_value;
    if (!streaming) return words;
    // If a word is left over, it forms one value with the next word.
    const int values = words > 0 ? 1 : 0;
    const auto unit = static_cast<uintptr_t>(kernel_.store_bytes());
    const auto size = static_cast<uintptr_t>(kernel_.value_bytes);
    const uintptr_t at = reinterpret_cast<uintptr_t>(to_) + values * size;
    const int aligned = words + static_cast<int>((unit - at % unit) % unit / size) * per_value;
    return slid_ + aligned <= kMaxSlide ? aligned : words;
}

void Mt19937Stream::slide(int count) {
    assert(slid_ + count <= kMaxSlide);
    twist_up_to(kMtWords);
    Mt19937 window;
    std::memcpy(window.words, words_, sizeof(window.words));
    std::copy_n(words_, count, before_ + slid_);
    slid_ += count;
    window.slide(count);
    std::memcpy(words_, window.words, sizeof(window.words));
    position_ -= count;
}

void Mt19937Stream::begin_window() {
    twist_up_to(kMtWords);
    std::copy_n(words_ + kMtWords - slid_, slid_, before_);
    twisted_ = 0;
    position_ = 0;
}

void Mt19937Stream::twist_up_to(int end) {
    if (end <= twisted_) return;
    Mt19937::twist(words_, twisted_, end);
    twisted_ = end;
}

Mt19937 Mt19937Stream::state() {
    twist_up_to(kMtWords);
    Mt19937 result;
    const int position = position_ + slid_;
    if (position <= kMtWords) {
        // The window's regular start lies slid_ words before the current one.
        std::copy_n(before_, slid_, result.words);
        std::copy_n(words_, kMtWords - slid_, result.words + slid_);
        result.position = static_cast<uint32_t>(position);
        return result;
    }
    std::memcpy(result.words, words_, sizeof(result.words));
    result.slide(kMtWords - slid_);
    result.position = static_cast<uint32_t>(position - kMtWords);
    return result;
}

void fill_from_mt19937(const MemoryDesc& dst, void* data, Mt19937Call& call,
                       const Mt19937Kernel& kernel, const PackedParameters& parameters) {
    call.fill(dst, data, kernel.nanoseconds_per_value, [&](Mt19937& state, const FillPart& part) {
        Mt19937Stream stream(kernel, parameters, state);
        part.for_each_run(
            [&](const Run& run) { stream.generate(run.count, run.to, run.streaming); });
        if (call.needs_state()) state = stream.state();
    });
}

}  // namespace tombola::impl::cpu::x64
