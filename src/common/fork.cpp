// SPDX-License-Identifier: Apache-2.0
#include "common/fork.hpp"

#include <pthread.h>
#include <sys/stat.h>

#include <atomic>

namespace tombola::impl {
namespace {

// Holds are the readers of this lock, and a fork is its writer. The writer has priority: otherwise threads that create
// primitives all the time would keep a fork waiting.
pthread_rwlock_t gate = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

// The number of nested holds of this thread. Only the outermost takes the gate.
thread_local int holds = 0;
// Whether it has taken the gate. It has not if a signal interrupts it inside fork(): then it holds the gate as the writer.
thread_local bool has_gate = false;

// The head of the list of all ForkMutexes: the one that was made last.
std::atomic<ForkMutex*> mutexes{nullptr};

bool several_threads = false;  // whether the process had several threads at the current fork
std::atomic<bool> lost_threads{false};

// /proc/self/task has one subfolder for each thread, and two further links of its own.
bool has_several_threads() {
    struct stat status;
    return stat("/proc/self/task", &status) != 0 || status.st_nlink != 2 + 1;
}

void before_fork() {
    if (holds == 0) pthread_rwlock_wrlock(&gate);
    for (ForkMutex* mutex = mutexes; mutex != nullptr; mutex = mutex->next()) mutex->lock();
    several_threads = has_several_threads();
}

void unlock_mutexes() {
    for (ForkMutex* mutex = mutexes; mutex != nullptr; mutex = mutex->next()) mutex->unlock();
}

void after_fork_in_parent() {
    unlock_mutexes();
    if (holds == 0) pthread_rwlock_unlock(&gate);
}

void after_fork_in_child() {
    unlock_mutexes();
    if (several_threads) lost_threads.store(true, std::memory_order_relaxed);
    gate = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    if (holds > 0) pthread_rwlock_rdlock(&gate);
}

// The handlers are registered before main(), or when the library is loaded.
[[maybe_unused]] const int registered =
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);

}  // namespace

ForkHold::ForkHold() {
    if (holds++ == 0) has_gate = pthread_rwlock_rdlock(&gate) == 0;
}

ForkHold::~ForkHold() {
    if (--holds == 0 && has_gate) pthread_rwlock_unlock(&gate);
}

ForkMutex::ForkMutex() : next_(mutexes) {
    while (!mutexes.compare_exchange_weak(next_, this)) {
    }
}

bool forked_from_threads() { return lost_threads.load(std::memory_order_relaxed); }

}  // namespace tombola::impl
