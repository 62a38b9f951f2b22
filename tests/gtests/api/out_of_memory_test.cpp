// SPDX-License-Identifier: Apache-2.0

// What the library does when memory is out, and how much it needs. This program brings its own malloc and its relatives, mmap and mprotect, which
// count, and which fail when they are told to: the n-th call, or that and all behind it. For each primitive, n grows until a whole life of
// objects succeeds. Every n is tried in a child process, whose caches are cold.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include "gtests/common/problems.hpp"
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

// The state of the allocator. While calls are counted down, one thread runs, or every call fails.
std::atomic<long> countdown{0};  // calls until one fails; 0: none does
std::atomic<bool> go_on{false};  // whether all behind it fail too
std::atomic<bool> counting{false};
std::atomic<long> calls{0};    // that were made while counting
std::atomic<long> guards{0};   // of static objects, that were asked for while counting
std::atomic<long> refused{0};  // calls that failed
std::atomic<long> live{0};     // blocks that were handed out, less those that came back

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
// The guard of a static object in a function.
int __cxa_guard_acquire(int64_t* guard) {
    if (counting) ++guards;
    static int (*next)(int64_t*) = nullptr;  // a constant: it has no guard
    if (next == nullptr)
        next = reinterpret_cast<int (*)(int64_t*)>(dlsym(RTLD_NEXT, "__cxa_guard_acquire"));
    return next(guard);
}
// The pages of kernels. malloc() itself does not come here.
void* mmap(void* address, size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
    if (refuse()) return errno = ENOMEM, MAP_FAILED;
    void* pages =
        reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
    if (pages != MAP_FAILED) ++live;
    return pages;
}
int munmap(void* pages, size_t bytes) noexcept {
    --live;
    return static_cast<int>(syscall(SYS_munmap, pages, bytes));
}
// Refused like the 65,531st mapping of a process.
int mprotect(void* pages, size_t bytes, int protection) noexcept {
    if (refuse()) return errno = ENOMEM, -1;
    return static_cast<int>(syscall(SYS_mprotect, pages, bytes, protection));
}
}

namespace {

using namespace tombola::test;

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
template <class Execute>
tombola_status_t live_through(const Problem& problem, const Execute& execute) {
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
        STEP(execute(o.primitive, o.stream, count, args));
        tombola_primitive_destroy(o.primitive);
        o.primitive = nullptr;
        const tombola_status_t next = tombola_primitive_desc_next_impl(o.pd);
        if (next == tombola_last_impl_reached) return tombola_success;
        STEP(next);
    }
}

tombola_status_t live_through(const Problem& problem) {
    return live_through(problem, tombola_primitive_execute);
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
    EXPECT_GT(child, 0) << std::strerror(errno);
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

class OutOfMemory : public testing::TestWithParam<Problem> {};

TEST_P(OutOfMemory, IsAStatusWhereverItHappens) {
    const Problem& problem = GetParam();
    ASSERT_NE(the_engine(), nullptr);
    // What a life leaves, beside what the primitive cache drops, when no allocation fails.
    auto* in_caches = static_cast<long*>(
        mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(in_caches, MAP_FAILED);
    const int without_failure = in_child([&] {
        const long before = live;
        const tombola_status_t status = live_through(problem);
        tombola_set_primitive_cache_capacity(0);
        *in_caches = live - before;
        return static_cast<int>(status);
    });
    ASSERT_EQ(without_failure, 0);
    for (const bool all_behind : {false, true}) {
        long failures = 0;
        // Each of the first 128 allocations, then one in every 1.6 % of n: generators of code make thousands, in loops.
        for (long n = 1, outcome = -1; outcome != kWithoutFailure; n += n < 128 ? 1 : n / 64) {
            const int status = in_child([&] {
                const long before = live;
                const Outcome failed = fail_at(problem, n, all_behind);
                // A life that ends well makes all kernels, which stay. After that nothing else that lives may be left.
                if (live_through(problem) != tombola_success) return kOtherStatus;
                tombola_set_primitive_cache_capacity(0);
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

// On the thread that created the primitive, from the first execution on. It makes no static object either: a signal handler that
// interrupts it could execute too. A child keeps the caches of this process cold.
TEST_P(OutOfMemory, ExecutingAllocatesNothing) {
    const int status = in_child([&] {
        int implementation = 0;
        const auto execute = [&](auto... execution) {
            calls = guards = 0;
            counting = true;
            const tombola_status_t executed = tombola_primitive_execute(execution...);
            counting = false;
            EXPECT_EQ(calls, 0) << "implementation " << implementation << " of the list";
            EXPECT_EQ(guards, 0) << "implementation " << implementation << " of the list";
            ++implementation;
            return executed;
        };
        EXPECT_EQ(live_through(GetParam(), execute), tombola_success) << tombola_get_last_error();
        EXPECT_GT(implementation, 0);
        return HasFailure() ? 1 : 0;
    });
    EXPECT_EQ(status, 0);
}

// Creates and executes a problem in a thread with 128 KiB of stack. Returns 0 if it succeeds.
int run_on_a_small_stack(const Problem& problem) {
    return in_child([&problem] {
        pthread_attr_t attr;
        pthread_t thread;
        void* outcome = &thread;
        const auto body = [](void* argument) -> void* {
            const tombola_status_t lived = live_through(*static_cast<const Problem*>(argument));
            return lived == tombola_success ? nullptr : argument;
        };
        if (pthread_attr_init(&attr) != 0 || pthread_attr_setstacksize(&attr, 128 << 10) != 0 ||
            pthread_create(&thread, &attr, body, const_cast<Problem*>(&problem)) != 0 ||
            pthread_join(thread, &outcome) != 0)
            return 2;
        return outcome == nullptr ? 0 : 1;
    });
}

// Of the thread that creates and executes.
TEST_P(OutOfMemory, OneHundredAndTwentyEightKiBOfStackAreEnough) {
    EXPECT_EQ(run_on_a_small_stack(GetParam()), 0);
}

// By the costs of Zen 4, tiles of this source and destination are staged on the stack. CTest runs this test with them, too.
TEST(Executing, StagedTilesFitASmallStack) {
    const Problem staged = {
        "shuffle by way of the stack",
        create_shuffle<12>,
        {{TOMBOLA_ARG_SRC, 4, {1, 240, 16, 16}, tombola_f32, tombola_nChw16c, 1},
         {TOMBOLA_ARG_DST, 4, {1, 240, 16, 16}, tombola_f32, tombola_nChw16c, 0}}};
    EXPECT_EQ(run_on_a_small_stack(staged), 0);
}

// The status of the last execution over rows that are refused while there is no memory for the message.
template <class Operator>
tombola_status_t refuse_rows(typename Operator::primitive_desc pd,
                             const tombola::memory::desc& src_desc,
                             const tombola::memory::desc& dst_desc) {
    using namespace tombola;
    const engine eng = pd.get_engine();
    const stream s(eng);
    const memory src(src_desc, eng);
    const memory dst(dst_desc, eng);
    const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src.get()}, {TOMBOLA_ARG_DST, dst.get()}};
    std::fill_n(static_cast<float*>(src.get_data_handle()), src_desc.get_size() / sizeof(float),
                NAN);
    for (;;) {
        const Operator op(pd);
        tombola_status_t status = tombola_primitive_execute(op.get(), s.get(), 2, args);
        if (status != tombola_invalid_arguments) return status;
        countdown = 1;
        go_on = true;
        status = tombola_primitive_execute(op.get(), s.get(), 2, args);
        countdown = 0;
        if (status != tombola_out_of_memory || !pd.next_impl()) return status;
    }
}

// Threads share the rows, and what a region throws ends the process. The parent of the child must not have had threads.
TEST(Executing, RefusedRowsWithoutMemory) {
    using namespace tombola;
    constexpr memory::dim kRows = 64, kClasses = 4096;
    const auto refused_by = [](bool tokens) {
        const engine eng(engine::kind::cpu, 0);
        const memory::desc src({kRows, kClasses}, memory::data_type::f32, memory::format_tag::ab);
        const memory::desc dst({kRows, 1}, memory::data_type::s32, memory::format_tag::ab);
        return tokens ? refuse_rows<token_sampler>(
                            {eng, src, dst, filter_order::transformers, logprobs::none, 0, 1, 2},
                            src, dst)
                      : refuse_rows<multinomial>({eng, src, dst, true, true, 1, 2}, src, dst);
    };
    for (const bool tokens : {false, true}) {
        const int status = in_child([&] { return static_cast<int>(refused_by(tokens)); });
        ASSERT_TRUE(WIFEXITED(status)) << tokens << ": signal " << WTERMSIG(status);
        EXPECT_EQ(WEXITSTATUS(status), tombola_out_of_memory) << tokens;
    }
}

// The outputs are written when the line of verbose mode finds no memory.
TEST(Executing, ALineOfVerboseModeWithoutMemory) {
    const int status = in_child([] {
        tombola_set_verbose(1);
        const auto execute = [](auto... execution) {
            countdown = 1;
            go_on = true;
            const tombola_status_t executed = tombola_primitive_execute(execution...);
            countdown = 0;
            return executed;
        };
        const tombola_status_t lived = live_through(kProblems[0], execute);
        return lived != tombola_success || refused == 0 ? 1 : 0;
    });
    EXPECT_EQ(status, 0);
}

// execute() of the C++ API with its arguments in braces. In a child, so that this process never executes.
TEST(Executing, WithArgumentsInBracesAllocatesNothing) {
    const int status = in_child([] {
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
        return calls == 0 && static_cast<int32_t*>(dst.get_data_handle())[1] == 2 ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
}

}  // namespace
