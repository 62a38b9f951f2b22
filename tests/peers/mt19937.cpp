// SPDX-License-Identifier: Apache-2.0

// Who else makes MT19937's words, the peers of random_uniform's alignment pytorch: the standard library's engine,
// Boost's, GSL's. What comes with a header is compiled for this machine.

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#ifdef TOMBOLA_PEER_BOOST
#include <boost/random/mersenne_twister.hpp>
#include <boost/version.hpp>
#endif
#ifdef TOMBOLA_PEER_GSL
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

}  // namespace

void add_mt19937() {
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
