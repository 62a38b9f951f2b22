// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of one execution, for primitives with PyTorch's numbers. They come from the MT19937 stream of the global
// seed or of SRC_STATE and begin at OFFSET. The stream is cut into parts for threads.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/parallel.hpp"
#include "common/status.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/mt19937.hpp"
#include "cpu/rng/mt19937_jump.hpp"
#include "cpu/rng/seeds.hpp"

namespace tombola::impl::cpu {

// The state with which an execution's stream begins, before OFFSET is skipped: SRC_STATE, or the state of the seeds.
struct Mt19937Start {
    Seeds seeds;
    Mt19937 state;
};
// Fills `start` in place, because each further copy of a state would slow small calls down. The caller promises to draw
// at most `words` words, and not to use the state afterwards unless DST_STATE is given. So if few words of a seed are
// wanted, only the part of the state that they depend on is made.
constexpr uint64_t kAnyWords = UINT64_MAX;
Status resolve_mt19937_start(const ExecContext& context, Mt19937Start& start,
                             uint64_t words = kAnyWords);

// Writes the optional DST_SEEDS and DST_STATE. Call it after everything that may fail.
void report_mt19937(const ExecContext& context, const Seeds& seeds, const Mt19937& after);

// The time that plain C++ takes for a word of MT19937, at least. Measured on Sapphire Rapids: 1.7 ns for a uniform f32.
inline constexpr double kPortableMtWordNanoseconds = 1;

// How a stream is cut into parts for threads. A jump to a part takes as long as one to two million words, so parts are long.
FillOptions mt19937_fill_options(int words_per_value, double nanoseconds_per_value,
                                 int64_t run_multiple);

class Mt19937Call {
  public:
    // An element takes words_per_value words. `loops` do the jumps.
    Mt19937Call(int words_per_value, const MtJumpLoops& loops)
        : words_per_value_(words_per_value), loops_(loops) {}
    Mt19937Call(const Mt19937Call&) = delete;
    Mt19937Call& operator=(const Mt19937Call&) = delete;

    // Finds the start from the optional arguments SEEDS, SRC_STATE and OFFSET. Call it first. Draws::elements promises
    // that only the words of the elements are drawn.
    enum class Draws { elements, more };
    Status resolve(const ExecContext& context, int64_t elements, Draws draws);
    // Whether generate() below must leave the state after its last value. Ask inside generate(): fill() may need it too.
    bool needs_state() const { return needs_state_; }

    // generate(state, part) writes the values of a part. The first value takes the next words of `state`. At the end,
    // `state` must be the state after the last value, if needs_state(). Parts run at the same time, each with a state of
    // its own. Runs begin at multiples of `run_multiple` elements, a divisor of 64. If rows are long, generate() is called
    // for many pieces of a thread's part, which are not in ascending order. One thread takes nanoseconds_per_value for a value.
    void fill(const MemoryDesc& dst, void* data, double nanoseconds_per_value,
              FunctionRef<void(Mt19937& state, const FillPart& part)> generate,
              int64_t run_multiple = 1);

    // The state after the tensor. Call it after fill(). A tensor without elements needs no fill(). The caller may draw
    // further words from the state.
    Mt19937& after() { return *after_; }

    // Writes the optional DST_SEEDS and DST_STATE. Call it after everything that may fail.
    void report(const ExecContext& context) const;

  private:
    void skip_values(Mt19937& state, uint64_t values) const;
    void fill_long_rows(Mt19937& state, const FillPart& part,
                        FunctionRef<void(Mt19937& state, const FillPart& part)> generate) const;

    int words_per_value_;
    const MtJumpLoops& loops_;
    bool needs_state_ = true;
    Mt19937Start start_;
    Mt19937 last_;                    // the last part's state, if there are several parts
    Mt19937* after_ = &start_.state;  // the state after the tensor
};

// Fills `dst` in plain C++. Convert has words(), the number of words per value, and T value(uint64_t), which makes a value
// of the words. If there are two, the first is the high half.
template <class Convert>
void fill_from_mt19937(const MemoryDesc& dst, void* data, Mt19937Call& call,
                       const Convert& convert) {
    const double time = convert.words() * kPortableMtWordNanoseconds;
    call.fill(dst, data, time, [&](Mt19937& state, const FillPart& part) {
        part.for_each_run([&](const Run& run) {
            auto* to = static_cast<decltype(convert.value(0))*>(run.to);
            for (int64_t i = 0; i < run.count; ++i) {
                uint64_t bits = state.next();
                if (convert.words() == 2) bits = bits << 32 | state.next();
                to[i] = convert.value(bits);
            }
        });
    });
}

}  // namespace tombola::impl::cpu
