// SPDX-License-Identifier: Apache-2.0

// What a call costs beside its work: the instructions of small executions and of creations, against a limit each. The pages of
// performance are made by hand, and rarely. These counts are made in every run. A count depends on the compiler and on no clock.
//
// A child process runs the call, and this process counts by single steps (ptrace), so every instruction set is seen.

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "gtests/common/handles.hpp"
#include "gtests/common/problems.hpp"

namespace tombola::test {
namespace {

// The signal that has stopped the child, once something has; 0 if the child has ended. Each step stops it by SIGTRAP.
int next_stop(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 0;
    return WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

// The steps from one SIGSTOP to the next of a child that runs call() between them; nothing where a process may not trace its
// child. All steps of one repeated instruction (rep movsb) count as one. A child that ends before counts as LONG_MAX.
template <class Call>
std::optional<long> steps(const Call& call) {
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
        call();  // once without counting: it binds functions of shared libraries
        raise(SIGSTOP);
        call();
        raise(SIGSTOP);
        _exit(0);
    }
    std::optional<long> result;
    if (next_stop(child) == SIGSTOP) {
        long count = 0;
        long address = 0;
        int signal = SIGTRAP;
        while (signal == SIGTRAP && ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0) {
            signal = next_stop(child);
            const long next = ptrace(PTRACE_PEEKUSER, child, offsetof(user, regs.rip), nullptr);
            if (next != address) ++count;
            address = next;
        }
        result = signal == SIGSTOP ? count : LONG_MAX;
    }
    kill(child, SIGKILL);
    next_stop(child);
    return result;
}

// The instructions of call() alone, without those of the signals around it.
template <class Call>
std::optional<long> instructions(const Call& call) {
    const std::optional<long> with_call = steps(call);
    const std::optional<long> without = steps([] {});
    if (!with_call || !without) return std::nullopt;
    return *with_call - *without;
}

// A problem of problems.hpp with next to no work: its first tensors have other dimensions. The limits are 15 % above the greatest
// count of GCC 12 and clang 14. A change that makes a call that much longer either is worth it, and raises the limit, or is a
// mistake.
struct SmallProblem {
    const char* name;
    std::vector<DimVector> dims;
    long execution, creation;  // limits
};

const std::vector<SmallProblem>& small_problems() {
    static const std::vector<SmallProblem> problems = {
        {"shuffle of rows", {{1, 8, 1, 1}, {1, 8, 1, 1}}, 1050, 3450},
        {"shuffle of neighbours", {{1, 48, 1, 1}, {1, 48, 1, 1}}, 1050, 3450},
        {"backward shuffle of blocks", {{1, 32, 1, 1}, {1, 32, 1, 1}}, 1050, 3450},
        {"random_generator", {{1, 4}}, 1700, 2550},
        {"random_uniform as TensorFlow", {{1, 4}}, 2200, 2850},
        {"random_uniform as PyTorch", {{1, 4}}, 2650, 10300},
        {"random_normal as TensorFlow", {{1, 4}}, 1950, 2650},
        {"random_exponential as TensorFlow", {{1, 4}}, 2050, 2600},
        {"random_bernoulli as TensorFlow", {{1, 4}, {1, 4}}, 2850, 3150},
        {"multinomial with replacement", {{1, 4}, {1, 1}}, 3800, 3300},
        {"multinomial without replacement", {{1, 4}, {1, 1}}, 3900, 3300},
        {"random_permutation by Philox", {{4}}, 5050, 2600},
        {"dropout with a mask of bits", {{1, 4}, {1, 4}, {1}, {1}}, 3400, 3250},
        {"stochastic_rounding", {{1, 4}, {1, 4}}, 2200, 3000},
        {"token_sampler", {{1, 4}, {1, 1}}, 6650, 3350},
    };
    return problems;
}

// Whoever adds a primitive gives its calls a limit.
TEST(CallCosts, EveryPrimitiveHasALimit) {
#define TOMBOLA_NAME(name, value) #name,
    for (const char* name : {TOMBOLA_PRIMITIVES(TOMBOLA_NAME)})
#undef TOMBOLA_NAME
        EXPECT_TRUE(std::any_of(small_problems().begin(), small_problems().end(),
                                [&](const SmallProblem& problem) {
                                    return std::strstr(problem.name, name) != nullptr;
                                }))
            << name
            << " has no line in small_problems(). Its limits are what IsBelowItsLimit prints, and "
               "15 %";
}

class CallCost : public testing::TestWithParam<SmallProblem> {};

TEST_P(CallCost, IsBelowItsLimit) {
    if (tombola_get_effective_cpu_isa() == tombola_cpu_isa_none)
        GTEST_SKIP() << "portable implementations have no limits";
    const SmallProblem& small = GetParam();
    const auto* problem = std::find_if(
        std::begin(kProblems), std::end(kProblems),
        [&](const Problem& candidate) { return std::strcmp(candidate.name, small.name) == 0; });
    ASSERT_NE(problem, std::end(kProblems));

    const Engine engine = cpu_engine();
    const Stream stream = default_stream(engine);
    std::vector<MemoryDesc> owners;
    std::vector<tombola_memory_desc_t> descs;
    std::vector<Memory> memories;
    std::vector<tombola_exec_arg_t> args;
    for (const Problem::Tensor& tensor : problem->tensors) {
        if (tensor.arg == kNoArg) break;
        const DimVector dims = owners.size() < small.dims.size()
                                   ? small.dims[owners.size()]
                                   : DimVector(tensor.dims, tensor.dims + tensor.ndims);
        owners.push_back(tagged(dims, tensor.type, tensor.tag));
        descs.push_back(owners.back().get());
        memories.push_back(memory_over(descs.back(), engine, TOMBOLA_MEMORY_ALLOCATE));
        args.push_back({tensor.arg, memories.back()});
        void* data = nullptr;
        ASSERT_EQ(tombola_memory_get_data_handle(memories.back(), &data), tombola_success);
        std::memset(data, 0, tombola_memory_desc_get_size(descs.back()));
        if (tensor.type == tombola_f32)
            std::fill_n(static_cast<float*>(data),
                        tombola_memory_desc_get_size(descs.back()) / sizeof(float),
                        static_cast<float>(tensor.value));
    }

    tombola_status_t status = tombola_success;
    PrimitiveDesc desc;
    Primitive primitive;
    const auto create = [&] {
        status = problem->create(desc.out(), engine, descs.data(), nullptr);
        if (status == tombola_success) status = tombola_primitive_create(primitive.out(), desc);
    };
    const auto execute = [&] {
        status = tombola_primitive_execute(primitive, stream, static_cast<int>(args.size()),
                                           args.data());
    };
    create();
    ASSERT_EQ(status, tombola_success) << last_error();
    execute();
    ASSERT_EQ(status, tombola_success) << last_error();
    const std::optional<long> execution = instructions(execute);
    const std::optional<long> creation = instructions(create);
    if (!execution || !creation) GTEST_SKIP() << "a process may not trace its child here";
    std::printf("%s: execution %ld, creation of what exists %ld instructions\n", small.name,
                *execution, *creation);
    EXPECT_GT(*execution, 0);
    EXPECT_LE(*execution, small.execution);
    EXPECT_LE(*creation, small.creation);
}

// A greedy row needs its greatest logit alone. To sort all classes and to compute their weights would take more than 200
// instructions per class.
TEST(CallCosts, APortableGreedyRowIsNotSorted) {
    if (tombola_get_effective_cpu_isa() != tombola_cpu_isa_none)
        GTEST_SKIP() << "for the portable implementation";
    constexpr int kClasses = 500;
    const Engine engine = cpu_engine();
    const Stream stream = default_stream(engine);
    std::vector<float> logits(kClasses);
    for (int k = 0; k < kClasses; ++k)
        logits[static_cast<size_t>(k)] = static_cast<float>(k * 997 % kClasses);
    float temperature = 0;
    int32_t id = -1;
    const MemoryDesc row = row_major({1, kClasses}, tombola_f32);
    const MemoryDesc one = row_major({1, 1}, tombola_s32);
    const MemoryDesc for_all_rows = row_major({1}, tombola_f32);
    PrimitiveDesc desc;
    ASSERT_EQ(tombola_token_sampler_primitive_desc_create(
                  desc.out(), engine, row, one, tombola_filter_order_transformers,
                  tombola_logprobs_none, /*top_n=*/0, 99, 98, nullptr),
              tombola_success)
        << last_error();
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
    const Memory src = memory_over(row, engine, logits.data());
    const Memory dst = memory_over(one, engine, &id);
    const Memory t = memory_over(for_all_rows, engine, &temperature);
    const tombola_exec_arg_t args[] = {
        {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}, {TOMBOLA_ARG_TEMPERATURE, t}};
    tombola_status_t status = tombola_success;
    const auto execute = [&] { status = tombola_primitive_execute(primitive, stream, 3, args); };
    execute();
    ASSERT_EQ(status, tombola_success) << last_error();
    // 997 and 500 have no common divisor, so each of 0 ... 499 is the logit of one class.
    EXPECT_EQ(logits[static_cast<size_t>(id)], kClasses - 1);
    const std::optional<long> execution = instructions(execute);
    if (!execution) GTEST_SKIP() << "a process may not trace its child here";
    std::printf("%ld instructions per class\n", *execution / kClasses);
    EXPECT_LE(*execution, 100 * kClasses);
}

INSTANTIATE_TEST_SUITE_P(Problems, CallCost, testing::ValuesIn(small_problems()),
                         [](const testing::TestParamInfo<SmallProblem>& info) {
                             std::string name = info.param.name;
                             for (char& character : name)
                                 if (std::isalnum(static_cast<unsigned char>(character)) == 0)
                                     character = '_';
                             return name;
                         });

}  // namespace
}  // namespace tombola::test
