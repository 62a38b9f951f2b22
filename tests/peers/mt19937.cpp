// SPDX-License-Identifier: Apache-2.0

// Who else makes MT19937's words, the peers of random_uniform's alignment pytorch: the standard library's engine,
// Boost's, GSL's. The standard library and GSL have distributions too. What comes with a header is compiled for this
// machine.

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#ifdef TOMBOLA_PEER_BOOST
#include <boost/random/mersenne_twister.hpp>
#include <boost/version.hpp>
#endif
#ifdef TOMBOLA_PEER_GSL
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_version.h>
#endif

#include "uniform_rules.hpp"

namespace tombola::peers {

namespace {

#ifdef TOMBOLA_PEER_GSL
class GslEngine {
  public:
    GslEngine() : rng_(gsl_rng_alloc(gsl_rng_mt19937), gsl_rng_free) { gsl_rng_set(rng_.get(), 1); }
    uint32_t operator()() { return static_cast<uint32_t>(gsl_rng_get(rng_.get())); }
    const gsl_rng* get() const { return rng_.get(); }

  private:
    std::shared_ptr<gsl_rng> rng_;
};
#endif

template <class Engine>
void add_engine(const std::string& who) {
    for_peers(kPytorch, [who](const Uniform& c, const std::string& name, size_t n) {
        if (!has_cpp_type(c.type)) return;
        add("pytorch/" + name, who, [c, n] {
            const auto engine = std::make_shared<Engine>();
            const bool two_words = c.max - c.min > 0x1p32;
            const auto run = [=, to = destination(n)] {
                with_cpp_type(c.type, [&](auto zero) {
                    using T = decltype(zero);
                    fill_uniform<PytorchRule>(c, reinterpret_cast<T*>(to), n / sizeof(T), two_words,
                                              [&] { return static_cast<uint32_t>((*engine)()); });
                });
                keep(to);
            };
            return Work{run, n};
        });
    });
}

// Values of the case's C++ type, of which next() gives the next one.
template <class Next>
Work fill_with(Type type, Next next) {
    const size_t bytes = kSizes[0].bytes;
    const auto run = [=, to = destination(bytes)]() mutable {
        with_cpp_type(type, [&](auto zero) {
            using T = decltype(zero);
            for (size_t at = 0; at < bytes; at += sizeof(T))
                *reinterpret_cast<T*>(to + at) = static_cast<T>(next());
        });
        keep(to);
    };
    return {run, bytes};
}

Work standard_distribution(const Distributed& c) {
    const auto engine = std::make_shared<std::mt19937>();
    const auto with = [&](auto distribution) {
        return fill_with(c.type,
                         [engine, distribution]() mutable { return distribution(*engine); });
    };
    const bool is_f32 = c.type == Type::f32;
    switch (c.what) {
        case Distribution::normal:
            return is_f32 ? with(std::normal_distribution<float>())
                          : with(std::normal_distribution<double>());
        case Distribution::exponential:
            return is_f32 ? with(std::exponential_distribution<float>())
                          : with(std::exponential_distribution<double>());
        default:
            return with(std::bernoulli_distribution(kBernoulliProbability));
    }
}

#ifdef TOMBOLA_PEER_GSL
Work gsl_distribution(const Distributed& c) {
    const auto with = [&](auto draw) {
        return fill_with(c.type, [engine = GslEngine(), draw] { return draw(engine.get()); });
    };
    switch (c.what) {
        case Distribution::normal:
            return with([](const gsl_rng* rng) { return gsl_ran_gaussian_ziggurat(rng, 1); });
        case Distribution::exponential:
            return with([](const gsl_rng* rng) { return gsl_ran_exponential(rng, 1); });
        default:
            return with(
                [](const gsl_rng* rng) { return gsl_ran_bernoulli(rng, kBernoulliProbability); });
    }
}
#endif

}  // namespace

void add_mt19937() {
    for (const Distributed& c : kDistributed) {
        if (!c.is_pytorch || !has_cpp_type(c.type)) continue;
        add(c.name(kSizes[0]), "std", [c] { return standard_distribution(c); });
#ifdef TOMBOLA_PEER_GSL
        add(c.name(kSizes[0]), "GSL", [c] { return gsl_distribution(c); });
#endif
    }
    add_engine<std::mt19937>("std::mt19937");
#ifdef TOMBOLA_PEER_BOOST
    add_engine<boost::random::mt19937>("Boost");
    const int version = BOOST_VERSION;
    benchmark::AddCustomContext("Boost", std::to_string(version / 100000) + "." +
                                             std::to_string(version / 100 % 1000) + "." +
                                             std::to_string(version % 100));
#endif
#ifdef TOMBOLA_PEER_GSL
    add_engine<GslEngine>("GSL");
    benchmark::AddCustomContext("GSL", gsl_version);
#endif
}

}  // namespace tombola::peers
