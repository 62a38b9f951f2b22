// SPDX-License-Identifier: Apache-2.0

#include "common/driver.hpp"

namespace tombola::bench {

// The drivers there are, in the order in which help shows them. Each one's source defines its make_driver().
static constexpr std::unique_ptr<Driver> (*kDrivers[])() = {
    make_driver<struct ShuffleProblem>,         make_driver<struct RandomGeneratorProblem>,
    make_driver<struct RandomUniformProblem>,   make_driver<struct MultinomialProblem>,
    make_driver<struct RandomNormalProblem>,    make_driver<struct RandomExponentialProblem>,
    make_driver<struct RandomBernoulliProblem>, make_driver<struct RandomPermutationProblem>,
    make_driver<struct DropoutProblem>,         make_driver<struct StochasticRoundingProblem>,
    make_driver<struct TokenSamplerProblem>,
};

std::vector<std::unique_ptr<Driver>> make_drivers() {
    std::vector<std::unique_ptr<Driver>> drivers;
    for (const auto make : kDrivers) drivers.push_back(make());
    return drivers;
}

}  // namespace tombola::bench
