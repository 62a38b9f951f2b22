// SPDX-License-Identifier: Apache-2.0
#include "common/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "common/ceilings.hpp"
#include "common/errors.hpp"

namespace tombola::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

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

}  // namespace

Measurement measure(const Problem& problem, const Settings& settings, Execution& execution) {
    const Argument& dst = largest(execution, Argument::Role::output);
    uint8_t* to = execution.data(dst.arg);
    const size_t to_bytes = dst.physical_bytes();

    Measurement result;
    std::vector<Contender> contenders;
    const auto kernel = [&] { check(execution.run()); };
    std::unique_ptr<Execution> in_cache;
    switch (problem.ceiling()) {
        case Problem::Ceiling::fill: {
            result.bytes = static_cast<double>(dst.stored_bytes());
            contenders.push_back({"kernel", result.bytes, kernel});
            const auto bytes = static_cast<double>(to_bytes);
            contenders.push_back({"memset", bytes, [=] { fill_memset(to, to_bytes); }});
            contenders.push_back({"stores", bytes, [=] { fill_stores(to, to_bytes); }});
            contenders.push_back({"nt-stores", bytes, [=] { fill_nt_stores(to, to_bytes); }});
            const auto twin = settings.cold_cache ? nullptr : problem.resized(kInCacheBytes);
            if (twin) {
                Settings same = settings;
                same.impl = {execution.impl()};
                same.skip_impl.clear();
                in_cache = std::make_unique<Execution>(*twin, same);
                if (in_cache->outcome() == Execution::Outcome::ready) {
                    in_cache->allocate(Buffer::Place::aligned);
                    const Argument& small = largest(*in_cache, Argument::Role::output);
                    // What one thread does, times the threads that share a tensor of this size.
                    const double threads = threads_for(to_bytes);
                    contenders.push_back(
                        {"in-cache", threads * static_cast<double>(small.stored_bytes()), [&] {
                             const ThreadLimit alone(1);
                             check(in_cache->run());
                         }});
                }
            }
            break;
        }
        case Problem::Ceiling::copy: {
            const Argument& src = largest(execution, Argument::Role::input);
            const uint8_t* from = execution.data(src.arg);
            const size_t copied = std::min(to_bytes, src.physical_bytes());
            result.bytes = static_cast<double>(dst.stored_bytes() + src.stored_bytes());
            contenders.push_back({"kernel", result.bytes, kernel});
            contenders.push_back({"memcpy", 2.0 * static_cast<double>(copied),
                                  [=] { copy_memcpy(to, from, copied); }});
            break;
        }
        case Problem::Ceiling::read: {
            const Argument& src = largest(execution, Argument::Role::input);
            const uint8_t* from = execution.data(src.arg);
            const size_t read = src.physical_bytes();
            result.bytes = static_cast<double>(src.stored_bytes());
            contenders.push_back({"kernel", result.bytes, kernel});
            contenders.push_back(
                {"read", static_cast<double>(read), [=] { read_all(from, read); }});
            break;
        }
    }

    const bool fixed = settings.fix_times > 0;
    for (Contender& contender : contenders) set_repeats(contender);
    if (fixed) contenders[0].repeats = 1;
    const Execution* cold = nullptr;
    if (settings.cold_cache) {
        cold = &execution;
        for (Contender& contender : contenders) contender.repeats = 1;
    }
    const auto begin = Clock::now();
    const uint64_t first_tick = ticks();
    for (size_t round = 0; round < kMaxRounds; ++round) {
        if (fixed ? round >= static_cast<size_t>(settings.fix_times)
                  : round >= kMinRounds && seconds_since(begin) * 1e3 >= settings.max_ms)
            break;
        for (Contender& contender : contenders) take_sample(contender, cold);
    }
    result.clocks = static_cast<double>(ticks() - first_tick) / seconds_since(begin);
    for (const Argument& argument : execution.args().all())
        (argument.role == Argument::Role::input ? result.bytes_read : result.bytes_written) +=
            static_cast<double>(argument.stored_bytes());
    result.descriptor = execution.descriptor_times();
    result.primitive = execution.primitive_times();
    kernel();  // the others have overwritten the destination

    const Contender& own = contenders[0];
    result.runs = static_cast<int>(own.samples.size()) * own.repeats;
    result.best = own.best();
    result.worst = *std::max_element(own.samples.begin(), own.samples.end());
    std::vector<double> sorted = own.samples;
    std::sort(sorted.begin(), sorted.end());
    result.median = sorted[sorted.size() / 2];
    for (double sample : own.samples)
        result.mean += sample / static_cast<double>(own.samples.size());

    // The fastest of the plain ones; for a fill no more than the kernel itself reaches in the cache.
    const Contender* in_cache_rate = nullptr;
    for (size_t i = 1; i < contenders.size(); ++i) {
        if (contenders[i].bytes == 0) continue;
        if (contenders[i].name == "in-cache") {
            in_cache_rate = &contenders[i];
        } else if (contenders[i].rate() > result.ceiling) {
            result.ceiling = contenders[i].rate();
            result.bound = contenders[i].name;
        }
    }
    if (in_cache_rate && in_cache_rate->rate() < result.ceiling) {
        result.ceiling = in_cache_rate->rate();
        result.bound = in_cache_rate->name;
    }
    return result;
}

}  // namespace tombola::bench
