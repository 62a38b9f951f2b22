// SPDX-License-Identifier: Apache-2.0
#pragma once

// Running tombola's primitives on PyTorch's tensors and with PyTorch's generator. Every operator uses these helpers.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorIterator.h>
#include <torch/version.h>

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "prepared.hpp"
#include "tombola/tombola.hpp"
#include "tombola_torch.hpp"

namespace tombola_torch {

using tombola::memory;
using tombola_examples::cpu;
using tombola_examples::prepare;
using tombola_examples::Prepared;
using tombola_examples::queue;
using tombola_examples::recent;

// Whether this version of PyTorch draws float16 as tombola does.
constexpr bool kHalfIsRounded = TORCH_VERSION_MAJOR > 2 ||
                                (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6);

// tombola's data type for one of PyTorch's.
memory::data_type type_of(at::ScalarType type);

// Dimensions and strides, in elements, from the outermost to the innermost.
struct Box {
    memory::dims dims;
    memory::dims strides;
};

// The box of an iterator's tensor; `operand` is its number. PyTorch fills in the iterator's order, which is the order of memory: its
// dimensions are sorted by stride and joined where they lie without a gap.
Box box_of(const at::TensorIteratorBase& iterator, int operand = 0);

// A box in row-major order, without gaps.
Box dense(const memory::dims& dims);

// Runs work(). An error of tombola becomes an error of PyTorch, a RuntimeError in Python, with the same message.
template <class Work>
auto translating_errors(const char* name, const Work& work) {
    try {
        return work();
    } catch (const tombola::error& e) {
        TORCH_CHECK(false, name, ": ", e.what());
    }
}

// The words of PyTorch's generator while one operator draws from it. See drawing().
class Words {
  public:
    // Takes the state of a locked generator.
    explicit Words(const at::Generator& generator);
    // Gives the state after the drawn words to the generator.
    void hand_back(at::Generator& generator);

    // Fills a box with numbers in [low, high), in its row-major order.
    template <class T>
    void uniform(const Box& box, void* data, T low, T high,
                 tombola::int_draws draws = tombola::int_draws::spec) {
        const auto type = type_of(c10::CppTypeToScalarType<T>::value);
        const std::tuple key(box.dims, box.strides, type, draws);
        const Prepared& primitive = recent(key, [&] {
            const memory::desc desc(box.dims, type, box.strides);
            return prepare<tombola::random_uniform>(
                {cpu(), tombola::alignment::pytorch, desc, 0, 1, draws},
                {TOMBOLA_ARG_MIN, TOMBOLA_ARG_MAX, TOMBOLA_ARG_SRC_STATE, TOMBOLA_ARG_DST_STATE,
                 TOMBOLA_ARG_DST});
        });
        primitive.run({{TOMBOLA_ARG_MIN, &low},
                       {TOMBOLA_ARG_MAX, &high},
                       {TOMBOLA_ARG_SRC_STATE, state_.data()},
                       {TOMBOLA_ARG_DST_STATE, state_.data()},
                       {TOMBOLA_ARG_DST, data}});
    }

    // Fills n elements of s32 or s64, `stride` apart, with torch.randperm(n).
    void permutation(int64_t n, int64_t stride, memory::data_type type, void* data) {
        const std::tuple key(n, stride, type);
        const Prepared& primitive = recent(key, [&] {
            const memory::desc desc({n}, type, memory::dims{stride});
            return prepare<tombola::random_permutation>(
                {cpu(), tombola::permutation_alignment::pytorch, desc, n, 0, 1},
                {TOMBOLA_ARG_SRC_STATE, TOMBOLA_ARG_DST_STATE, TOMBOLA_ARG_DST});
        });
        primitive.run({{TOMBOLA_ARG_SRC_STATE, state_.data()},
                       {TOMBOLA_ARG_DST_STATE, state_.data()},
                       {TOMBOLA_ARG_DST, data}});
    }

    // Fills a box of f16, bf16, f32 or f64 with exponentially distributed numbers, in its row-major order.
    void exponential(const Box& box, memory::data_type type, void* data, double lambda) {
        const std::tuple key(box.dims, box.strides, type, std::string("exponential"));
        const Prepared& primitive = recent(key, [&] {
            const memory::desc desc(box.dims, type, box.strides);
            return prepare<tombola::random_exponential>(
                {cpu(), tombola::alignment::pytorch, desc, 0, 1},
                {TOMBOLA_ARG_LAMBDA, TOMBOLA_ARG_SRC_STATE, TOMBOLA_ARG_DST_STATE,
                 TOMBOLA_ARG_DST});
        });
        primitive.run({{TOMBOLA_ARG_LAMBDA, &lambda},
                       {TOMBOLA_ARG_SRC_STATE, state_.data()},
                       {TOMBOLA_ARG_DST_STATE, state_.data()},
                       {TOMBOLA_ARG_DST, data}});
    }

    // Fills a box with 0 and 1, in its row-major order. Probabilities are one f64 number, or f32 or f64 numbers for the elements
    // of the box, with strides of their own.
    void bernoulli(const Box& box, memory::data_type type, void* data, const double* p) {
        bernoulli(box, type, data, {{1}, {1}}, memory::data_type::f64, p);
    }
    void bernoulli(const Box& box, memory::data_type type, void* data, const Box& p_box,
                   memory::data_type p_type, const void* p) {
        const std::tuple key(box.dims, box.strides, type, p_box.dims, p_box.strides, p_type);
        const Prepared& primitive = recent(key, [&] {
            const memory::desc desc(box.dims, type, box.strides);
            const memory::desc p_desc(p_box.dims, p_type, p_box.strides);
            return prepare<tombola::random_bernoulli>(
                {cpu(), tombola::alignment::pytorch, desc, p_desc, 0, 1},
                {TOMBOLA_ARG_P, TOMBOLA_ARG_SRC_STATE, TOMBOLA_ARG_DST_STATE, TOMBOLA_ARG_DST});
        });
        primitive.run({{TOMBOLA_ARG_P, p},
                       {TOMBOLA_ARG_SRC_STATE, state_.data()},
                       {TOMBOLA_ARG_DST_STATE, state_.data()},
                       {TOMBOLA_ARG_DST, data}});
    }

    // Fills n elements of `type`, one behind the other, with normal numbers. mean and std are numbers of that type. Fewer than 16
    // elements may begin with the number that the generator has kept.
    void normal(int64_t n, memory::data_type type, void* data, const void* mean, const void* std) {
        const std::tuple key(n, type);
        const Prepared& primitive = recent(key, [&] {
            const memory::desc desc({n}, type, memory::format_tag::a);
            return prepare<tombola::random_normal>(
                {cpu(), tombola::alignment::pytorch, desc, 0, 1},
                {TOMBOLA_ARG_MEAN, TOMBOLA_ARG_STD, TOMBOLA_ARG_SRC_STATE, TOMBOLA_ARG_DST_STATE,
                 TOMBOLA_ARG_DST});
        });
        primitive.run({{TOMBOLA_ARG_MEAN, mean},
                       {TOMBOLA_ARG_STD, std},
                       {TOMBOLA_ARG_SRC_STATE, state_.data()},
                       {TOMBOLA_ARG_DST_STATE, state_.data()},
                       {TOMBOLA_ARG_DST, data}});
    }

  private:
    at::Tensor blob_;
    tombola::mt19937_normal_state state_;  // begins with the state of the other primitives
};

// Runs work(words) on PyTorch's generator, the default one if none is given. The generator is locked meanwhile. It
// gets its new state when work has returned: an operator that fails has drawn nothing.
template <class Work>
void drawing(const char* name, const OptionalGenerator& wanted, const Work& work) {
    at::Generator generator =
        wanted.has_value() && wanted->defined() ? *wanted : at::detail::getDefaultCPUGenerator();
    at::check_generator<at::CPUGeneratorImpl>(generator);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    translating_errors(name, [&] {
        Words words(generator);
        work(words);
        words.hand_back(generator);
    });
}

}  // namespace tombola_torch
