// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/mt19937_call.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "common/types.hpp"
#include "cpu/rng/mt19937_state.hpp"

namespace tombola::impl::cpu {
namespace {

// Every part but the first starts with a jump, which takes as long as one to two million words. Shorter parts would
// save nothing.
constexpr int64_t kWordsPerPart = int64_t{1} << 21;

// Of long rows, at most this many at once: a line of f32, half a line of bf16, a quarter of u8. Their states and half a window of each
// take 60 KB of the stack; a whole window each would be faster, but leaves too little of 128 KiB. Measured on Sapphire Rapids alone.
constexpr int64_t kLongRows = 16;
constexpr size_t kLongRowsBytes = kLongRows * kMtWords / 2 * sizeof(uint32_t);

}  // namespace

FillOptions mt19937_fill_options(int words_per_value, double nanoseconds_per_value,
                                 int64_t run_multiple) {
    FillOptions options;
    options.multiple = 64;
    options.run_multiple = run_multiple;
    options.elements_per_part = kWordsPerPart / words_per_value;
    options.nanoseconds_per_element = nanoseconds_per_value;
    return options;
}

Status resolve_mt19937_start(const ExecContext& context, Mt19937Start& start, uint64_t words) {
    const auto* state = context.input<uint32_t>(TOMBOLA_ARG_SRC_STATE);
    start.seeds =
        TOMBOLA_TRY(resolve_seeds(context, state != nullptr ? SeedUse::none : SeedUse::both));
    if (state != nullptr) {
        std::memcpy(&start.state, state, sizeof start.state);
        TOMBOLA_TRY(check_state(start.state, "SRC_STATE"));
    } else if (const uint32_t* seeded = context.seeded_words();
               seeded != nullptr && context.input(TOMBOLA_ARG_SEEDS) == nullptr) {
        std::memcpy(start.state.words, seeded, sizeof start.state.words);
        start.state.position = kMtWords;
    } else {
        // Output i, the i-th word of the next window, depends on the words up to i + 397 of the seed's window.
        constexpr uint64_t kFew = kMtWords - kMtShift;
        const bool few = words < kFew && context.output<uint32_t>(TOMBOLA_ARG_DST_STATE) == nullptr;
        start.state = Mt19937::from_seed(static_cast<uint32_t>(start.seeds.global),
                                         few ? kMtShift + static_cast<int>(words) : kMtWords);
    }
    return {};
}

void report_mt19937(const ExecContext& context, const Seeds& seeds, const Mt19937& after) {
    if (auto* state = context.output<uint32_t>(TOMBOLA_ARG_DST_STATE))
        std::memcpy(state, &after, sizeof after);
    report_seeds(context, seeds);
}

Status Mt19937Call::resolve(const ExecContext& context, int64_t elements, Draws draws) {
    const uint64_t offset = TOMBOLA_TRY(resolve_offset(context, elements));
    needs_state_ =
        draws == Draws::more || context.output<uint32_t>(TOMBOLA_ARG_DST_STATE) != nullptr;
    const bool few = draws == Draws::elements && offset < kMtWords && elements < kMtWords;
    const uint64_t words =
        (offset + static_cast<uint64_t>(elements)) * static_cast<uint64_t>(words_per_value_);
    TOMBOLA_TRY(resolve_mt19937_start(context, start_, few ? words : kAnyWords));
    skip_values(start_.state, offset);
    return {};
}

// With two words per value, the number of words of 2^63 or more values does not fit in 64 bits.
void Mt19937Call::skip_values(Mt19937& state, uint64_t values) const {
    if (values <= std::numeric_limits<uint64_t>::max() / 2)
        return state.skip(values * static_cast<uint64_t>(words_per_value_), loops_);
    for (int i = 0; i < words_per_value_; ++i) state.skip(values, loops_);
}

void Mt19937Call::fill(const MemoryDesc& dst, void* data, double nanoseconds_per_value,
                       FunctionRef<void(Mt19937& state, const FillPart& part)> generate,
                       int64_t run_multiple) {
    const int64_t count = dst.nelems();
    const bool long_rows = has_long_rows(dst, run_multiple);
    if (long_rows) needs_state_ = true;
    const auto fill_part = [&](Mt19937& state, const FillPart& part) {
        if (long_rows)
            fill_long_rows(state, part, generate);
        else
            generate(state, part);
    };
    const FillOptions options =
        mt19937_fill_options(words_per_value_, nanoseconds_per_value, run_multiple);
    cpu::fill(dst, data, options, [&](const FillPart& part) {
        if (part.count() == count) return fill_part(start_.state, part);
        Mt19937 own;
        Mt19937& state = part.first() + part.count() == count ? last_ : own;
        if (&state == &last_) after_ = &last_;
        state = start_.state;
        skip_values(state, static_cast<uint64_t>(part.first()));
        fill_part(state, part);
    });
}

// Neighbouring rows are written together, some columns of each at a time. So each row needs a state of its own: the words of a row are
// passed over once, to find where the next row begins, and drawn later.
[[gnu::noinline]] void Mt19937Call::fill_long_rows(
    Mt19937& state, const FillPart& part,
    FunctionRef<void(Mt19937& state, const FillPart& part)> generate) const {
    alignas(64) char buffer[kLongRowsBytes];
    Mt19937 states[kLongRows];
    const size_t size = size_of(part.desc().data_type);
    const auto capacity = static_cast<int64_t>(kLongRowsBytes / size);
    const int64_t max_rows = std::min(kLongRows, RunCopier::rows_of_line(size));
    const RunCopier copier(part.desc());
    copier.for_each_tile(part.range(), {capacity, max_rows}, [&](const Tile& tile) {
        const auto fill_row = [&](Mt19937& row_state, int64_t row) {
            generate(row_state,
                     part.buffered(tile.first + row * tile.distance, tile.columns,
                                   buffer + static_cast<size_t>(row * tile.columns) * size));
        };
        if (tile.rows == 1) {
            fill_row(state, 0);
        } else {  // all rows of a band are in each of its tiles
            if (tile.first % tile.distance == 0)
                for (int64_t row = 0; row < tile.rows; ++row) {
                    states[row] = state;
                    skip_values(state, static_cast<uint64_t>(tile.distance));
                }
            for (int64_t row = 0; row < tile.rows; ++row) fill_row(states[row], row);
        }
        copier.scatter(part.data(), tile, buffer);
    });
}

void Mt19937Call::report(const ExecContext& context) const {
    report_mt19937(context, start_.seeds, *after_);
}

}  // namespace tombola::impl::cpu

namespace tombola::impl {

std::unique_ptr<const uint32_t[]> seeded_words(const OpDesc& desc) {
    const Seeds seeds = seeds_of(desc);
    if (!draws_mt19937(desc) || (seeds.global == 0 && seeds.op == 0)) return nullptr;
    std::unique_ptr<uint32_t[]> words(new (std::nothrow) uint32_t[cpu::kMtWords]);
    if (words != nullptr)
        std::memcpy(words.get(), cpu::Mt19937::from_seed(static_cast<uint32_t>(seeds.global)).words,
                    sizeof cpu::Mt19937::words);
    return words;
}

}  // namespace tombola::impl
