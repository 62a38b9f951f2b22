// SPDX-License-Identifier: Apache-2.0

// The drivers there are. A new one is its folder, a line here and a line in CMakeLists.txt.

#include "multinomial/multinomial_problem.hpp"
#include "random_generator/random_generator_problem.hpp"
#include "random_uniform/random_uniform_problem.hpp"
#include "shuffle/shuffle_problem.hpp"

namespace tombola::bench {

std::vector<std::unique_ptr<Driver>> make_drivers() {
    std::vector<std::unique_ptr<Driver>> drivers;
    drivers.push_back(std::make_unique<TypedDriver<ShuffleProblem>>());
    drivers.push_back(std::make_unique<TypedDriver<RandomGeneratorProblem>>());
    drivers.push_back(std::make_unique<TypedDriver<RandomUniformProblem>>());
    drivers.push_back(std::make_unique<TypedDriver<MultinomialProblem>>());
    return drivers;
}

}  // namespace tombola::bench
