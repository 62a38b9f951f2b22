// SPDX-License-Identifier: Apache-2.0
#include "common/measure.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "common/ceilings.hpp"
#include "common/errors.hpp"
#include "common/stopwatch.hpp"

namespace tombola::bench {

namespace {

// One of those that take turns.
struct Contender {
    std::string name;
    double bytes;
    std::function<void()> run;
    int repeats = 1;  // of one sample, so that it lasts longer than the clock's error
    std::vector<double> samples = {};

    double best() const { return *std::min_element(samples.begin(), samples.end()); }
    double rate() const { return bytes / best(); }
};

// What fits the caches, a server's third level among them, is run once before each sample: the one before it may
// have put its data out of the cache, if it was a non-temporal fill, or have left lines to be written back, which a
// non-temporal fill would wait for.
constexpr double kWarmBelow = 512 * 1024 * 1024;
constexpr double kSampleSeconds = 50e-6;
constexpr size_t kMinRounds = 3, kMaxRounds = 100000;
// In-cache rate: a destination that the second-level cache holds.
constexpr int64_t kInCacheBytes = 256 * 1024;

void check(tombola_status_t status) {
    if (status != tombola_success)
        throw CaseError(std::string("execution: ") + tombola_status2str(status) + ": " +
                        tombola_get_last_error());
}

void evict_tensors(const Execution& execution) {
    for (const Argument& argument : execution.args().all())
        evict(execution.data(argument.arg), argument.physical_bytes());
}

void set_repeats(Contender& contender) {
    contender.run();
    const auto begin = Clock::now();
    contender.run();
    const double once = std::max(seconds_since(begin), 1e-9);
    contender.repeats = static_cast<int>(std::min(std::ceil(kSampleSeconds / once), 1e5));
}

void take_sample(Contender& contender, const Execution* cold) {
    if (cold)
        evict_tensors(*cold);
    else if (contender.bytes < kWarmBelow)
        contender.run();
    const auto begin = Clock::now();
    for (int i = 0; i < contender.repeats; ++i) contender.run();
    contender.samples.push_back(seconds_since(begin) / contender.repeats);
}

const Argument& largest(const Execution& execution, Argument::Role role) {
    const Argument* found = nullptr;
    for (const Argument& argument : execution.args().all())
        if (argument.role == role &&
            (!found || argument.physical_bytes() > found->physical_bytes()))
            found = &argument;
    if (!found) throw CaseError("nothing to measure");
    return *found;
}

// What takes turns: the kernel, and the plain code that bounds it.
class Turns {
  public:
    Turns(const Problem& problem, const Settings& settings, Execution& execution)
        : settings_(settings),
          execution_(execution),
          dst_(largest(execution, Argument::Role::output)),
          to_(execution.data(dst_.arg)) {
        const auto written = static_cast<double>(dst_.stored_bytes());
        if (problem.ceiling() == Problem::Ceiling::fill) {
            add_kernel(written);
            add_fills(problem);
            return;
        }
        const Argument& src = largest(execution, Argument::Role::input);
        const auto read = static_cast<double>(src.stored_bytes());
        const uint8_t* from = execution.data(src.arg);
        size_t bytes = src.physical_bytes();
        if (problem.ceiling() == Problem::Ceiling::read) {
            add_kernel(read);
            add("read", static_cast<double>(bytes), [=] { read_all(from, bytes); });
        } else {
            add_kernel(written + read);
            bytes = std::min(dst_.physical_bytes(), bytes);
            add("memcpy", 2.0 * static_cast<double>(bytes),
                [=, to = to_] { copy_memcpy(to, from, bytes); });
        }
    }

    // Takes samples until the time is over, or as many as were asked for. Returns the clocks of a second.
    double run() {
        const bool fixed = settings_.fix_times > 0;
        const Execution* cold = settings_.cold_cache ? &execution_ : nullptr;
        for (Contender& contender : contenders_) set_repeats(contender);
        if (fixed) contenders_[0].repeats = 1;
        for (Contender& contender : contenders_)
            if (cold) contender.repeats = 1;
        const auto begin = Clock::now();
        const uint64_t first_tick = ticks();
        const size_t rounds = fixed ? static_cast<size_t>(settings_.fix_times) : kMaxRounds;
        for (size_t round = 0; round < rounds; ++round) {
            if (!fixed && round >= kMinRounds && seconds_since(begin) * 1e3 >= settings_.max_ms)
                break;
            for (Contender& contender : contenders_) take_sample(contender, cold);
        }
        return static_cast<double>(ticks() - first_tick) / seconds_since(begin);
    }

    const Contender& kernel() const { return contenders_[0]; }

    // The fastest of the plain ones; for a fill no more than the kernel itself reaches in the cache.
    void find_ceiling(Measurement& result) const {
        const auto set = [&](const Contender& contender) {
            result.ceiling = contender.rate();
            result.bound = contender.name;
        };
        const Contender* in_cache = nullptr;
        for (size_t i = 1; i < contenders_.size(); ++i) {
            const Contender& contender = contenders_[i];
            if (contender.bytes == 0) continue;
            if (contender.name == kInCache)
                in_cache = &contender;
            else if (contender.rate() > result.ceiling)
                set(contender);
        }
        if (in_cache && in_cache->rate() < result.ceiling) set(*in_cache);
    }

  private:
    static constexpr const char* kInCache = "in-cache";

    void add(const char* name, double bytes, std::function<void()> run) {
        contenders_.push_back({name, bytes, std::move(run)});
    }

    void add_kernel(double bytes) {
        add("kernel", bytes, [this] { check(execution_.run()); });
    }

    void add_fills(const Problem& problem) {
        const size_t bytes = dst_.physical_bytes();
        for (const Fill& fill : fills())
            add(fill.name, static_cast<double>(bytes),
                [bytes, run = fill.run, to = to_] { run(to, bytes); });
        const auto twin = settings_.cold_cache ? nullptr : problem.resized(kInCacheBytes);
        if (!twin) return;
        Settings same = settings_;
        same.impl = {execution_.impl()};
        same.skip_impl.clear();
        in_cache_ = std::make_unique<Execution>(*twin, same);
        if (in_cache_->outcome() != Execution::Outcome::ready) return;
        in_cache_->allocate(Buffer::Place::aligned);
        const Argument& small = largest(*in_cache_, Argument::Role::output);
        // What one thread does, times the threads that share a tensor of this size.
        add(kInCache, threads_for(bytes) * static_cast<double>(small.stored_bytes()), [this] {
            const ThreadLimit alone(1);
            check(in_cache_->run());
        });
    }

    const Settings& settings_;
    Execution& execution_;
    const Argument& dst_;
    uint8_t* to_;
    std::unique_ptr<Execution> in_cache_;  // of a small tensor
    std::vector<Contender> contenders_;    // the kernel first
};

}  // namespace

Measurement measure(const Problem& problem, const Settings& settings, Execution& execution) {
    Turns turns(problem, settings, execution);
    Measurement result;
    result.bytes = turns.kernel().bytes;
    result.clocks = turns.run();
    for (const Argument& argument : execution.args().all())
        (argument.role == Argument::Role::input ? result.bytes_read : result.bytes_written) +=
            static_cast<double>(argument.stored_bytes());
    result.descriptor = execution.descriptor_times();
    result.primitive = execution.primitive_times();
    turns.kernel().run();  // the others have overwritten the destination

    const Contender& own = turns.kernel();
    result.runs = static_cast<int>(own.samples.size()) * own.repeats;
    result.best = own.best();
    result.worst = *std::max_element(own.samples.begin(), own.samples.end());
    std::vector<double> sorted = own.samples;
    std::sort(sorted.begin(), sorted.end());
    result.median = sorted[sorted.size() / 2];
    for (double sample : own.samples)
        result.mean += sample / static_cast<double>(own.samples.size());
    turns.find_ceiling(result);
    return result;
}

}  // namespace tombola::bench
