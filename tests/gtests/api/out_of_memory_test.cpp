// SPDX-License-Identifier: Apache-2.0

// What the library does when memory is out. This program brings its own malloc and its relatives, which count, and which
// fail when they are told to: the n-th call, or that and all behind it. For each primitive, n grows until a whole life of
// objects succeeds. Every n is tried in a child process, whose caches are cold.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "tombola/tombola.hpp"

extern "C" {
// glibc's own, under the names that it exports for programs like this one.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

// The state of the allocator. Nothing here runs two threads at a time while it is in use.
long countdown = 0;  // calls until one fails; 0: none does
bool go_on = false;  // whether all behind it fail too
bool counting = false;
long calls = 0;    // that were made while counting
long refused = 0;  // calls that failed
long live = 0;     // blocks that were handed out, less those that came back

bool refuse() {
    if (counting) ++calls;
    if (countdown == 0) return false;
    if (countdown > 1) {
        --countdown;
        return false;
    }
    if (!go_on) countdown = 0;
    ++refused;
    return true;
}

void* handed_out(void* block) {
    if (block != nullptr) ++live;
    return block;
}

}  // namespace

extern "C" {
void* malloc(size_t bytes) {
    if (refuse()) return errno = ENOMEM, nullptr;
    return handed_out(__libc_malloc(bytes));
}
void* calloc(size_t count, size_t bytes) {
    if (refuse()) return errno = ENOMEM, nullptr;
    return handed_out(__libc_calloc(count, bytes));
}
void* realloc(void* block, size_t bytes) {
    if (refuse()) return errno = ENOMEM, nullptr;
    void* moved = __libc_realloc(block, bytes);
    return block == nullptr ? handed_out(moved) : moved;
}
void* memalign(size_t alignment, size_t bytes) {
    if (refuse()) return errno = ENOMEM, nullptr;
    return handed_out(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
    void* made = memalign(alignment, bytes);
    if (made == nullptr) return ENOMEM;
    *block = made;
    return 0;
}
void free(void* block) {
    if (block != nullptr) --live;
    __libc_free(block);
}
}

namespace {

constexpr int kMaxArgs = 4;

// A problem: what creates the primitive descriptor, and the tensors of an execution.
struct Problem {
    const char* name;
    tombola_status_t (*create)(tombola_primitive_desc_t*, tombola_engine_t,
                               const tombola_memory_desc_t*, const_tombola_primitive_attr_t);
    struct Tensor {
        int arg;
        int ndims;
        tombola_dim_t dims[4];
        tombola_data_type_t type;
        tombola_format_tag_t tag;
        double value;  // of all elements, where it is an input of f32
    } tensors[kMaxArgs];
};

constexpr auto kNoArg = 0;

const Problem kProblems[] = {
    {"shuffle of rows",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_shuffle_forward_primitive_desc_create(pd, engine, tombola_forward_inference,
                                                              mds[0], mds[1], 1, 4, attr);
     },
     {{TOMBOLA_ARG_SRC, 4, {1, 8, 3, 5}, tombola_f32, tombola_nchw, 1},
      {TOMBOLA_ARG_DST, 4, {1, 8, 3, 5}, tombola_f32, tombola_nchw, 0}}},
    {"shuffle of neighbours",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_shuffle_forward_primitive_desc_create(pd, engine, tombola_forward_inference,
                                                              mds[0], mds[1], 1, 4, attr);
     },
     {{TOMBOLA_ARG_SRC, 4, {1, 48, 2, 2}, tombola_u8, tombola_nhwc, 1},
      {TOMBOLA_ARG_DST, 4, {1, 48, 2, 2}, tombola_u8, tombola_nhwc, 0}}},
    {"backward shuffle of blocks",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_shuffle_backward_primitive_desc_create(pd, engine, mds[1], mds[0], 1, 2,
                                                               nullptr, attr);
     },
     {{TOMBOLA_ARG_DIFF_DST, 4, {1, 32, 2, 2}, tombola_bf16, tombola_nChw16c, 1},
      {TOMBOLA_ARG_DIFF_SRC, 4, {1, 32, 2, 2}, tombola_bf16, tombola_nChw16c, 0}}},
    {"random_generator",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_generator_primitive_desc_create(pd, engine, tombola_philox4x32_10,
                                                               mds[0], attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_u32, tombola_ba, 0},
      {TOMBOLA_ARG_SRC_STATE, 1, {6}, tombola_u32, tombola_a, 0}}},
    {"random_uniform as TensorFlow",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_uniform_primitive_desc_create(
             pd, engine, tombola_alignment_tensorflow, mds[0], 1, 2, tombola_int_draws_spec, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_f32, tombola_ba, 0},
      {TOMBOLA_ARG_MIN, 1, {1}, tombola_f32, tombola_a, 0},
      {TOMBOLA_ARG_MAX, 1, {1}, tombola_f32, tombola_a, 1}}},
    {"random_uniform as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_uniform_primitive_desc_create(
             pd, engine, tombola_alignment_pytorch, mds[0], 1, 2, tombola_int_draws_spec, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 500}, tombola_f32, tombola_ab, 0},
      {TOMBOLA_ARG_MIN, 1, {1}, tombola_f32, tombola_a, 0},
      {TOMBOLA_ARG_MAX, 1, {1}, tombola_f32, tombola_a, 1},
      {TOMBOLA_ARG_OFFSET, 1, {1}, tombola_u64, tombola_a, 0}}},
    {"random_normal as TensorFlow",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_normal_primitive_desc_create(
             pd, engine, tombola_alignment_tensorflow, mds[0], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_f32, tombola_ba, 0}}},
    {"random_normal as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_normal_primitive_desc_create(pd, engine, tombola_alignment_pytorch,
                                                            mds[0], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 500}, tombola_f32, tombola_ab, 0},
      {TOMBOLA_ARG_MEAN, 1, {1}, tombola_f32, tombola_a, 0},
      {TOMBOLA_ARG_STD, 1, {1}, tombola_f32, tombola_a, 1}}},
    {"random_exponential as TensorFlow",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_exponential_primitive_desc_create(
             pd, engine, tombola_alignment_tensorflow, mds[0], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_f32, tombola_ba, 0}}},
    {"random_exponential as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_exponential_primitive_desc_create(
             pd, engine, tombola_alignment_pytorch, mds[0], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 500}, tombola_f32, tombola_ab, 0},
      {TOMBOLA_ARG_OFFSET, 1, {1}, tombola_u64, tombola_a, 0}}},
    {"random_bernoulli as TensorFlow",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_bernoulli_primitive_desc_create(
             pd, engine, tombola_alignment_tensorflow, mds[0], mds[1], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 50}, tombola_u8, tombola_ba, 0},
      {TOMBOLA_ARG_P, 2, {3, 50}, tombola_f32, tombola_ab, 0}}},
    {"random_bernoulli as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_bernoulli_primitive_desc_create(
             pd, engine, tombola_alignment_pytorch, mds[0], mds[1], 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 2, {3, 500}, tombola_f32, tombola_ab, 0},
      {TOMBOLA_ARG_P, 1, {1}, tombola_f64, tombola_a, 0}}},
    {"multinomial with replacement",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_multinomial_primitive_desc_create(pd, engine, mds[0], mds[1], 1, 0, 1, 2,
                                                          attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {2, 100}, tombola_f32, tombola_ab, 1},
      {TOMBOLA_ARG_DST, 2, {2, 60}, tombola_s32, tombola_ab, 0}}},
    {"multinomial without replacement",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_multinomial_primitive_desc_create(pd, engine, mds[0], mds[1], 0, 1, 1, 2,
                                                          attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {2, 100}, tombola_f32, tombola_ba, 1},
      {TOMBOLA_ARG_DST, 2, {2, 7}, tombola_s64, tombola_ab, 0}}},
    {"random_permutation as PyTorch",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_permutation_primitive_desc_create(
             pd, engine, tombola_permutation_pytorch, mds[0], 3000, 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 1, {2000}, tombola_s64, tombola_a, 0}}},
    {"random_permutation by Philox",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_random_permutation_primitive_desc_create(
             pd, engine, tombola_permutation_philox, mds[0], 3000, 1, 2, attr);
     },
     {{TOMBOLA_ARG_DST, 1, {2000}, tombola_s32, tombola_a, 0}}},
    {"dropout with a mask of bits",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_dropout_forward_primitive_desc_create(
             pd, engine, tombola_forward_training, mds[0], mds[1], 16, tombola_dropout_mask_bits, 1,
             2, attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {3, 50}, tombola_bf16, tombola_ba, 0},
      {TOMBOLA_ARG_DST, 2, {3, 50}, tombola_bf16, tombola_ba, 0},
      {TOMBOLA_ARG_P, 1, {1}, tombola_f32, tombola_a, 0.5},
      {TOMBOLA_ARG_MASK, 1, {19}, tombola_u8, tombola_a, 0}}},
    {"stochastic_rounding",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_stochastic_rounding_primitive_desc_create(pd, engine, mds[0], mds[1], 1, 2,
                                                                  attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {3, 500}, tombola_f32, tombola_ab, 1},
      {TOMBOLA_ARG_DST, 2, {3, 500}, tombola_f16, tombola_ab, 0}}},
    {"token_sampler",
     [](auto* pd, auto engine, const auto* mds, auto attr) {
         return tombola_token_sampler_primitive_desc_create(
             pd, engine, mds[0], mds[1], tombola_filter_order_transformers,
             tombola_logprobs_processed, 2, 1, 2, attr);
     },
     {{TOMBOLA_ARG_SRC, 2, {2, 1000}, tombola_f32, tombola_ba, 1},
      {TOMBOLA_ARG_DST, 2, {2, 3}, tombola_s64, tombola_ab, 0}}},
};

// How a life ended in a child process: its exit code.
enum Outcome {
    kWithoutFailure = 0,  // the n-th allocation was never asked for
    kSurvived = 10,       // it was, and was not needed
    kOutOfMemory,
    kOtherStatus,
    kNoMessage,
    kLeak,
};

// The engine of all lives: descriptors in the cache belong to one.
tombola_engine_t the_engine() {
    static tombola_engine_t made = [] {
        tombola_engine_t result = nullptr;
        tombola_engine_create(&result, tombola_cpu, 0);
        return result;
    }();
    return made;
}

struct Objects {
    tombola_engine_t another_engine = nullptr;
    tombola_stream_t stream = nullptr;
    tombola_primitive_attr_t attr = nullptr;
    std::array<tombola_memory_desc_t, kMaxArgs> mds{};
    std::array<tombola_memory_t, kMaxArgs> memories{};
    tombola_primitive_desc_t pd = nullptr;
    tombola_primitive_desc_t copy = nullptr;
    tombola_primitive_t primitive = nullptr;

    ~Objects() {
        tombola_primitive_destroy(primitive);
        tombola_primitive_desc_destroy(copy);
        tombola_primitive_desc_destroy(pd);
        for (tombola_memory_t memory : memories) tombola_memory_destroy(memory);
        for (tombola_memory_desc_t md : mds) tombola_memory_desc_destroy(md);
        tombola_primitive_attr_destroy(attr);
        tombola_stream_destroy(stream);
        tombola_engine_destroy(another_engine);
    }
};

#define STEP(call) \
    if (const tombola_status_t status = (call); status != tombola_success) return status

// Every implementation of a problem's list, from the engine to the last object's end. Nothing but the library allocates.
tombola_status_t live_through(const Problem& problem) {
    Objects o;
    tombola_exec_arg_t args[kMaxArgs];
    int count = 0;
    STEP(tombola_engine_create(&o.another_engine, tombola_cpu, 0));
    STEP(tombola_stream_create(&o.stream, the_engine(), tombola_stream_default_flags));
    STEP(tombola_primitive_attr_create(&o.attr));
    for (const Problem::Tensor& tensor : problem.tensors) {
        if (tensor.arg == kNoArg) break;
        const auto i = static_cast<size_t>(count++);
        STEP(tombola_memory_desc_create_with_tag(&o.mds[i], tensor.ndims, tensor.dims, tensor.type,
                                                 tensor.tag));
        STEP(
            tombola_memory_create(&o.memories[i], o.mds[i], the_engine(), TOMBOLA_MEMORY_ALLOCATE));
        void* data = nullptr;
        STEP(tombola_memory_get_data_handle(o.memories[i], &data));
        const size_t bytes = tombola_memory_desc_get_size(o.mds[i]);
        std::memset(data, 0, bytes);
        if (tensor.type == tombola_f32)
            for (size_t e = 0; e < bytes / 4; ++e)
                static_cast<float*>(data)[e] = static_cast<float>(tensor.value);
        args[i] = {tensor.arg, o.memories[i]};
    }
    STEP(problem.create(&o.pd, the_engine(), o.mds.data(), o.attr));
    STEP(tombola_primitive_desc_clone(&o.copy, o.pd));
    for (;;) {
        STEP(tombola_primitive_create(&o.primitive, o.pd));
        STEP(tombola_primitive_execute(o.primitive, o.stream, count, args));
        tombola_primitive_destroy(o.primitive);
        o.primitive = nullptr;
        const tombola_status_t next = tombola_primitive_desc_next_impl(o.pd);
        if (next == tombola_last_impl_reached) return tombola_success;
        STEP(next);
    }
}

// The outcome of a life in which allocations fail.
Outcome fail_at(const Problem& problem, long n, bool all_behind) {
    countdown = n;
    go_on = all_behind;
    const tombola_status_t status = live_through(problem);
    countdown = 0;
    if (status == tombola_success) return refused == 0 ? kWithoutFailure : kSurvived;
    if (status != tombola_out_of_memory || refused == 0) return kOtherStatus;
    return tombola_get_last_error()[0] == '\0' ? kNoMessage : kOutOfMemory;
}

// Runs `body` in a child; gives how it ended, as waitpid() tells.
template <class Body>
int in_child(const Body& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

class OutOfMemory : public testing::TestWithParam<Problem> {};

TEST_P(OutOfMemory, IsAStatusWhereverItHappens) {
    if (std::strcmp(tombola_version()->cpu_runtime, "TBB") == 0)
        GTEST_SKIP() << "TBB waits for ever once its own initialisation has found no memory";
    const Problem& problem = GetParam();
    ASSERT_NE(the_engine(), nullptr);
    // What a life leaves in caches when no allocation fails.
    auto* in_caches = static_cast<long*>(
        mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(in_caches, MAP_FAILED);
    const int without_failure = in_child([&] {
        const long before = live;
        const tombola_status_t status = live_through(problem);
        *in_caches = live - before;
        return static_cast<int>(status);
    });
    ASSERT_EQ(without_failure, 0);
    for (const bool all_behind : {false, true}) {
        long failures = 0;
        for (long n = 1, outcome = -1; outcome != kWithoutFailure; ++n) {
            const int status = in_child([&] {
                const long before = live;
                const Outcome failed = fail_at(problem, n, all_behind);
                // A life that ends well fills the caches. After that nothing that lives may be left.
                if (live_through(problem) != tombola_success) return kOtherStatus;
                return live - before == *in_caches ? failed : kLeak;
            });
            const std::string where =
                "allocation " + std::to_string(n) + (all_behind ? " and all behind it" : "");
            ASSERT_TRUE(WIFEXITED(status)) << where << ": signal " << WTERMSIG(status);
            outcome = WEXITSTATUS(status);
            ASSERT_NE(outcome, kOtherStatus) << where << ": another status than out_of_memory";
            ASSERT_NE(outcome, kNoMessage) << where << ": no message";
            ASSERT_NE(outcome, kLeak) << where << ": memory leaks";
            failures += outcome == kOutOfMemory ? 1 : 0;
        }
        EXPECT_GT(failures, 20) << "the library hardly allocated: are these its allocations?";
    }
    munmap(in_caches, sizeof(long));
}

INSTANTIATE_TEST_SUITE_P(Problems, OutOfMemory, testing::ValuesIn(kProblems),
                         [](const testing::TestParamInfo<Problem>& info) {
                             std::string name = info.param.name;
                             for (char& c : name)
                                 if (c == ' ') c = '_';
                             return name;
                         });

// execute() of the C++ API with its arguments in braces.
TEST(Executing, WithArgumentsInBracesAllocatesNothing) {
    using namespace tombola;
    const engine eng(engine::kind::cpu, 0);
    const stream s(eng);
    const memory::desc md({6}, memory::data_type::s32, memory::format_tag::a);
    const memory src(md, eng);
    const memory dst(md, eng);
    for (int i = 0; i < 6; ++i) static_cast<int32_t*>(src.get_data_handle())[i] = i;
    const shuffle_forward shuffle(
        shuffle_forward::primitive_desc(eng, prop_kind::forward_inference, md, md, 0, 2));
    calls = 0;
    counting = true;
    shuffle.execute(s, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}});
    counting = false;
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(static_cast<int32_t*>(dst.get_data_handle())[1], 2);
}

}  // namespace
