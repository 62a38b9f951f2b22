// SPDX-License-Identifier: Apache-2.0

// What the suite `faults` runs: one scenario for each process, named by the first argument. Prints NAME=value lines.
// Exit codes: 0 the scenario ran; 1 an unexpected error; 2 an unknown scenario; 77 the kernel cannot deny this.

#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "faults/sandbox.hpp"
#include "faults/work.hpp"
#include "tombola/tombola.hpp"

// Asked by LeakSanitizer, where it is linked: it cannot look into a program with the set-user-ID bit.
extern "C" int __lsan_is_turned_off() { return getuid() != geteuid(); }

namespace {

using namespace tombola;
using namespace tombola::test;

int count_threads() {
    using std::filesystem::directory_iterator;
    return static_cast<int>(
        std::distance(directory_iterator("/proc/self/task"), directory_iterator()));
}

// threads LIMIT: how many threads the process has after an execution on a stream with that limit.
void run_threads(const char* limit) {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    strm.set_max_threads(std::atoi(limit));
    const BigFill fill(eng);
    fill.execute(strm);
    std::printf("sum=%llu\nthreads=%d\n", static_cast<unsigned long long>(fill.sum()),
                count_threads());
}

void print_fill(const engine& eng) {
    const BigFill fill(eng);
    fill.clear();
    fill.execute(stream(eng));
    std::printf("implementation=%s\nsum=%llu\n", fill.implementation(),
                static_cast<unsigned long long>(fill.sum()));
}

// Makes other code than that of the fill, so that what is said for each kernel is said twice.
void create_shuffle(const engine& eng) {
    const memory::desc desc({1, 12, 5, 5}, memory::data_type::f32, memory::format_tag::abcd);
    const shuffle_forward created(
        shuffle_forward::primitive_desc(eng, prop_kind::forward_inference, desc, desc, 1, 4));
}

// plain: what an undisturbed process gets.
void run_plain(const char*) {
    const engine eng(engine::kind::cpu, 0);
    print_fill(eng);
    create_shuffle(eng);
}

// Runs `body` in a child; whether it ended well.
bool child_runs(const std::function<void()>& body) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        body();
        std::fflush(stdout);
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void require(bool condition, const char* what) {
    if (!condition) throw std::runtime_error(what);
}

// fork-after-execution: the child does what the parent has done, with its primitive and with one of its own, and so
// does the child's child.
void run_fork_after_execution(const char*) {
    const engine eng(engine::kind::cpu, 0);
    const stream strm(eng);
    const BigFill fill(eng);
    fill.execute(strm);
    const uint64_t sum = fill.sum();
    const auto same_again = [&] {
        fill.clear();
        fill.execute(strm);
        if (fill.sum() != sum) _exit(3);
        const BigFill own(eng);
        own.execute(strm);
        if (own.sum() != sum) _exit(4);
    };
    require(child_runs([&] {
                same_again();
                if (!child_runs(same_again)) _exit(5);
            }),
            "the child failed");
    same_again();
}

// fork-first: a process with one thread forks before it executes; the child prints how many threads it uses.
void run_fork_first(const char*) {
    require(child_runs([] {
                print_fill(engine(engine::kind::cpu, 0));
                std::printf("threads=%d\n", count_threads());
            }),
            "the child failed");
}

// Creates a shuffle whose code no other channel count has.
void create_shuffle(const engine& eng, int64_t channels) {
    const memory::desc md({1, channels, 3, 3}, memory::data_type::s8, memory::format_tag::nhwc);
    shuffle_forward(
        shuffle_forward::primitive_desc(eng, prop_kind::forward_training, md, md, 1, 2));
}

// fork-while-creating: children of a process whose other threads create primitives.
void run_fork_while_creating(const char*) {
    const engine eng(engine::kind::cpu, 0);
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    // One creates what the cache has, and so is inside the cache most of the time; the other what it has not.
    threads.emplace_back([&] {
        while (!stop) create_shuffle(eng, 6);
    });
    threads.emplace_back([&] {
        for (int64_t channels = 8; !stop; channels += 2) create_shuffle(eng, channels % 4000 + 2);
    });
    bool good = true;
    for (int i = 0; i < 200 && good; ++i) {
        good = child_runs([&] {
            create_shuffle(eng, 5000 + 2 * i);
            create_shuffle(eng, 6);
        });
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    require(good, "a child failed");
}

// Makes the writing end of a full pipe standard error. Returns the other end.
int stop_standard_error() {
    int ends[2];
    require(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0, "no pipe");
    while (write(ends[1], "\n", 1) == 1) {
    }
    require(fcntl(ends[1], F_SETFL, 0) == 0 && dup2(ends[1], STDERR_FILENO) >= 0, "no pipe");
    return ends[0];
}

// fork-in-first-call: the child of a process whose other thread is inside its first call. That thread reads the settings, and
// cannot go on, because standard error does not take its warning yet.
void run_fork_in_first_call(const char*) {
    setenv("TOMBOLA_WAKING", "soon", 1);
    const int warnings = stop_standard_error();
    std::thread first([] { tombola_get_effective_cpu_isa(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::thread reader([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        char text[1 << 17];
        require(read(warnings, text, sizeof text) > 0, "nothing to read");
    });
    const bool good = child_runs([] { create_shuffle(engine(engine::kind::cpu, 0), 6); });
    first.join();
    reader.join();
    require(good, "the child failed");
}

// denied HOW: executable memory is denied before anything is created, or memory that is writable and executable at once.
void run_denied(const char* how) {
    const std::string name = how;
    if (!(name == "mdwe"            ? set_mdwe()
          : name == "writable-code" ? deny_writable_code()
                                    : deny_executable_memory()))
        _exit(77);
    print_fill(engine(engine::kind::cpu, 0));
    create_shuffle(engine(engine::kind::cpu, 0), 6);
}

// The implementation of a primitive.
std::string implementation_of(const primitive& made) {
    const_tombola_primitive_desc_t pd = nullptr;
    const char* name = nullptr;
    require(tombola_primitive_get_primitive_desc(made.get(), &pd) == tombola_success &&
                tombola_primitive_desc_query(pd, tombola_query_impl_info_str, 0, &name) ==
                    tombola_success,
            "no implementation");
    return name;
}

// denied-late: executable memory is denied when kernels have been made already. Which implementation a primitive gets whose
// descriptor was made before and whose code was not, one with an equal descriptor, one without a descriptor yet, and one whose code is
// known.
void run_denied_late(const char*) {
    const engine eng(engine::kind::cpu, 0);
    const BigFill fill(eng);
    fill.execute(stream(eng));
    const uint64_t sum = fill.sum();
    create_shuffle(eng, 6);
    const memory::desc md({1, 10, 3, 3}, memory::data_type::s8, memory::format_tag::nhwc);
    const shuffle_forward::primitive_desc pd(eng, prop_kind::forward_training, md, md, 1, 2);
    if (!deny_executable_memory()) _exit(77);
    create_shuffle(eng, 12);
    const shuffle_forward::primitive_desc equal(eng, prop_kind::forward_training, md, md, 1, 2);
    std::printf("described=%s\nequal=%s\n", implementation_of(shuffle_forward(pd)).c_str(),
                implementation_of(shuffle_forward(equal)).c_str());
    create_shuffle(eng, 6);  // the cache has its code
    fill.clear();
    fill.execute(stream(eng));
    require(fill.sum() == sum, "another result");
}

// Ends the process without what exit() does: LeakSanitizer may be unable to look into it, or a thread still be at work.
[[noreturn]] void end_without_leak_check() {
    std::fflush(stdout);
    _exit(0);
}

// no-threads LIMIT: no thread can be started; an execution on a stream with that limit.
void run_no_threads(const char* limit) {
    const engine eng(engine::kind::cpu, 0);
    const BigFill fill(eng);
    fill.clear();
    if (!deny_threads()) _exit(77);
    stream strm(eng);
    strm.set_max_threads(std::atoi(limit));
    fill.execute(strm);
    std::printf("sum=%llu\n", static_cast<unsigned long long>(fill.sum()));
    end_without_leak_check();
}

// signals: a signal every 200 microseconds, whose handler executes a primitive too, with a scratchpad of its own, on the
// thread that it interrupts, and on no other: run-time libraries cannot be entered again where a signal interrupts them.
// Kernels are written to files meanwhile, so that system calls are interrupted as well.
// A worker of the threading run-time may run the handler late, even after the timer has stopped. So the process ends before
// what the handler uses is destroyed.
const random_generator* handler_primitive = nullptr;
const stream* handler_stream = nullptr;
tombola_exec_arg_t handler_args[2];
volatile sig_atomic_t handled = 0, handler_failures = 0;
void run_signals(const char*) {
    const engine eng(engine::kind::cpu, 0);
    const stream strm(eng);
    stream alone(eng);
    alone.set_max_threads(1);
    const memory::desc md({64}, memory::data_type::u32, memory::format_tag::a);
    const random_generator::primitive_desc pd(eng, generator_kind::philox4x32_10, md);
    const random_generator small(pd);
    const memory state(pd.src_state_desc(), eng), words(md, eng);
    std::memset(state.get_data_handle(), 7, state.get_desc().get_size());
    handler_primitive = &small;
    handler_stream = &alone;
    handler_args[0] = {TOMBOLA_ARG_SRC_STATE, state.get()};
    handler_args[1] = {TOMBOLA_ARG_DST, words.get()};
    small.execute(strm, {{TOMBOLA_ARG_SRC_STATE, state}, {TOMBOLA_ARG_DST, words}});
    const std::vector<uint32_t> expected(static_cast<uint32_t*>(words.get_data_handle()),
                                         static_cast<uint32_t*>(words.get_data_handle()) + 64);
    struct sigaction action {};
    action.sa_handler = [](int) {
        handled = handled + 1;
        if (tombola_primitive_execute(handler_primitive->get(), handler_stream->get(), 2,
                                      handler_args) != tombola_success)
            handler_failures = handler_failures + 1;
    };
    require(sigaction(SIGALRM, &action, nullptr) == 0, "sigaction");  // without SA_RESTART
    const itimerval often{{0, 200}, {0, 200}}, never{};
    const BigFill fill(eng);
    fill.execute(strm);
    const uint64_t sum = fill.sum();
    require(setitimer(ITIMER_REAL, &often, nullptr) == 0, "setitimer");
    for (int64_t round = 0; round < 40; ++round) {
        create_shuffle(eng, 6 + 2 * round);
        fill.clear();
        fill.execute(strm);
        require(fill.sum() == sum, "another result under signals");
    }
    require(setitimer(ITIMER_REAL, &never, nullptr) == 0, "setitimer");
    require(handler_failures == 0, "an execution in the handler failed");
    require(std::equal(expected.begin(), expected.end(),
                       static_cast<uint32_t*>(words.get_data_handle())),
            "another result in the handler");
    std::printf("handled=%d\n", static_cast<int>(handled));
    end_without_leak_check();
}

// static-destruction: primitives live in static objects and in thread-local ones, whose destructors execute them, create
// others, and make errors; what the caches hold must still be there.
struct Late {
    const char* when;
    std::unique_ptr<engine> eng;
    std::unique_ptr<BigFill> fill;
    uint64_t sum = 0;
    void begin(const char* name) {
        when = name;
        eng = std::make_unique<engine>(engine::kind::cpu, 0);
        fill = std::make_unique<BigFill>(*eng);
        fill->execute(stream(*eng));
        sum = fill->sum();
    }
    ~Late() {
        if (eng == nullptr) return;
        const bool refused = tombola_set_verbose(-5) == tombola_invalid_arguments &&
                             tombola_get_last_error()[0] != '\0';
        fill->clear();
        fill->execute(stream(*eng));
        create_shuffle(*eng, 14);
        const BigFill own(*eng);
        own.execute(stream(*eng));
        std::printf("%s=%s\n", when,
                    refused && fill->sum() == sum && own.sum() == sum ? "right" : "wrong");
        std::fflush(stdout);
    }
};
Late at_exit;
thread_local Late of_thread;
void run_static_destruction(const char*) {
    at_exit.begin("static");
    of_thread.begin("main-thread");
    std::thread([] { of_thread.begin("thread"); }).join();
}

// as-nobody: a user without rights, who may not write where kernels are to be dumped.
void run_as_nobody(const char*) {
    require(setresuid(65534, 65534, 65534) == 0, "setresuid");
    const engine eng(engine::kind::cpu, 0);
    print_fill(eng);
    create_shuffle(eng);
    end_without_leak_check();
}

// no-code-pages: no memory is left when a primitive's code is to be made, and none when a descriptor is made. Afterwards
// there is memory again. What each primitive is, and whether all write the same words.
void run_no_code_pages(const char*) {
    constexpr int64_t kWords = 1000;
    const engine eng(engine::kind::cpu, 0);
    const stream strm(eng);
    const auto describe = [&](int64_t words) {
        return random_generator::primitive_desc(
            eng, generator_kind::philox4x32_10,
            memory::desc({words}, memory::data_type::u32, memory::format_tag::a));
    };
    const auto pd = describe(kWords);
    const memory state(pd.src_state_desc(), eng);
    std::memset(state.get_data_handle(), 7, state.get_desc().get_size());
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    std::free(std::malloc(8 << 20));  // what malloc() has at hand
    rlimit before{};
    require(getrlimit(RLIMIT_AS, &before) == 0, "getrlimit");
    const rlimit none{1, before.rlim_max};
    require(setrlimit(RLIMIT_AS, &none) == 0, "setrlimit");
    const random_generator without_code(pd);
    const random_generator without_pages(describe(kWords + 1));  // the cache has no answer yet
    require(setrlimit(RLIMIT_AS, &before) == 0, "setrlimit");
    const random_generator again(pd), all_again(describe(kWords + 1));
    std::printf("implementation=%s\n", pd.impl_info_str());
    std::vector<uint32_t> first;
    const auto report = [&](const char* when, const random_generator& primitive, int64_t count) {
        const char* name = nullptr;
        error::check(tombola_primitive_desc_query(primitive.get_primitive_desc(),
                                                  tombola_query_impl_info_str, 0, &name));
        const memory dst({{count}, memory::data_type::u32, memory::format_tag::a}, eng);
        primitive.execute(strm, {{TOMBOLA_ARG_SRC_STATE, state}, {TOMBOLA_ARG_DST, dst}});
        const auto* words = static_cast<const uint32_t*>(dst.get_data_handle());
        if (first.empty()) first.assign(words, words + kWords);
        std::printf("%s=%s\n%s-words=%s\n", when, name, when,
                    std::equal(first.begin(), first.end(), words) ? "equal" : "different");
    };
    report("without-code", without_code, kWords);
    report("without-pages", without_pages, kWords + 1);
    report("again", again, kWords);
    report("all-again", all_again, kWords + 1);
}

// no-entropy: seeds (0, 0) where getrandom() is denied.
void run_no_entropy(const char*) {
    const engine eng(engine::kind::cpu, 0);
    const memory::desc md({100}, memory::data_type::f32, memory::format_tag::a);
    const random_uniform::primitive_desc pd(eng, alignment::tensorflow, md, 0, 0);
    float low = 0, high = 1;
    const random_uniform primitive(pd);
    if (!deny_getrandom()) _exit(77);
    try {
        primitive.execute(stream(eng), {{TOMBOLA_ARG_MIN, memory(pd.bound_desc(), eng, &low)},
                                        {TOMBOLA_ARG_MAX, memory(pd.bound_desc(), eng, &high)},
                                        {TOMBOLA_ARG_DST, memory(md, eng)}});
    } catch (const error& failure) {
        std::printf("status=%s\nmessage=%s\n", tombola_status2str(failure.status), failure.what());
    }
}

// perfmap FOLDER: a link to FOLDER/victim stands where the map of this process would be.
void run_planted_perfmap(const char* folder) {
    const std::string map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    const std::string victim = std::string(folder) + "/victim";
    require(symlink(victim.c_str(), map.c_str()) == 0, "symlink");
    print_fill(engine(engine::kind::cpu, 0));
    std::filesystem::remove(map);
}

// planted-dumps FOLDER: links to FOLDER/victim stand where this process would dump the kernel that FOLDER/name names.
void run_planted_dumps(const char* folder) {
    std::string name;
    std::ifstream(std::string(folder) + "/name") >> name;
    const std::string victim = std::string(folder) + "/victim";
    const std::string dump =
        std::string(folder) + "/" + name + "." + std::to_string(getpid()) + ".0.bin";
    for (const std::string& place : {dump, dump + ".part"})
        require(symlink(victim.c_str(), place.c_str()) == 0, "symlink");
    print_fill(engine(engine::kind::cpu, 0));
}

// small-files BYTES: no file may have more. What the map of this process for perf holds then.
void run_small_files(const char* bytes) {
    const rlimit small{static_cast<rlim_t>(std::atoi(bytes)), RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    require(setrlimit(RLIMIT_FSIZE, &small) == 0, "setrlimit");
    print_fill(engine(engine::kind::cpu, 0));
    const std::string map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    std::ifstream file(map);
    std::string line;
    int lines = 0;
    while (std::getline(file, line) && !file.eof()) ++lines;  // a part of a line ends with the file
    std::printf("map-lines=%d\nmap-part=%s\n", lines, line.c_str());
    std::filesystem::remove(map);
}

// Where the process crashed, so that a crash that nobody can repeat tells something. A sanitizer that is linked reports
// crashes itself.
void report_crash(int number, siginfo_t* info, void*) {
    char line[100];
    const int size =
        std::snprintf(line, sizeof line, "signal %d, address %p, %s\n", number, info->si_addr,
                      gettid() == getpid() ? "main thread" : "another thread");
    void* frames[64];
    const int depth = backtrace(frames, 64);
    if (write(STDERR_FILENO, line, static_cast<size_t>(size)) == size)
        backtrace_symbols_fd(frames, depth, STDERR_FILENO);
    raise(number);
}
void report_crashes() {
    void* frame;
    backtrace(&frame, 1);  // the first call allocates
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
        struct sigaction action {};
        if (sigaction(number, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0)
            continue;
        action.sa_sigaction = report_crash;
        action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
        sigaction(number, &action, nullptr);
    }
}

const std::map<std::string, std::function<void(const char*)>> kScenarios = {
    {"as-nobody", run_as_nobody},
    {"denied", run_denied},
    {"denied-late", run_denied_late},
    {"fork-after-execution", run_fork_after_execution},
    {"fork-first", run_fork_first},
    {"fork-in-first-call", run_fork_in_first_call},
    {"fork-while-creating", run_fork_while_creating},
    {"no-code-pages", run_no_code_pages},
    {"no-entropy", run_no_entropy},
    {"no-threads", run_no_threads},
    {"plain", run_plain},
    {"planted-dumps", run_planted_dumps},
    {"planted-perfmap", run_planted_perfmap},
    {"signals", run_signals},
    {"small-files", run_small_files},
    {"static-destruction", run_static_destruction},
    {"threads", run_threads},
};

}  // namespace

int main(int argc, char** argv) {
    const auto scenario = kScenarios.find(argc > 1 ? argv[1] : "");
    if (scenario == kScenarios.end()) return 2;
    report_crashes();
    try {
        scenario->second(argc > 2 ? argv[2] : "");
    } catch (const std::exception& error) {
        std::printf("error=%s\n", error.what());
        return 1;
    }
    return 0;
}
