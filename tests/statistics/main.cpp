// SPDX-License-Identifier: Apache-2.0

// Writes what a primitive draws to standard output, as bits that should be fair and independent, until nobody reads it.
//
//   statistics_stream NAME [--seed=N] [--bytes=N]    the stream NAME; without --bytes, for ever
//   statistics_stream --list                         each name, a tab, what it is
//   statistics_stream --check [--kib=N]              simple tests of the first N KiB (256) of each stream

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "simple_tests.hpp"
#include "streams.hpp"

namespace {

using namespace tombola::test;

constexpr size_t kBuffer = 1 << 20;

int list() {
    for (const Stream& stream : streams())
        std::printf("%s\t%s\n", stream.name.c_str(), stream.what.c_str());
    return 0;
}

// One bit of each word is a linear recurrence of 19937 bits for MT19937, which is known, and none for Philox.
bool check_linearity() {
    constexpr size_t kBits = 41000;
    bool good = true;
    for (const Stream& stream : streams()) {
        const bool linear = stream.name == "mt-words";
        if (!linear && stream.name != "words") continue;
        const size_t word_bits = linear ? 31 : 32;
        const auto more = stream.open(1);
        BitStream bytes;
        while (bytes.bytes().size() < kBits * word_bits / 8 + 1) more(bytes);
        std::vector<bool> bits;
        for (size_t i = 0; i < kBits * word_bits; i += word_bits)
            bits.push_back((bytes.bytes()[i / 8] >> i % 8 & 1) != 0);
        const size_t complexity = linear_complexity(bits);
        const bool expected = linear ? complexity == 19937
                                     : complexity > kBits / 2 - 32 && complexity < kBits / 2 + 32;
        std::printf("%-32s linear complexity %zu of %zu bits%s\n", stream.name.c_str(), complexity,
                    kBits, expected ? "" : ": WRONG");
        good = good && expected;
    }
    return good;
}

int check(size_t bytes) {
    int wrong = 0;
    for (const Stream& stream : streams()) {
        const auto start = std::chrono::steady_clock::now();
        const auto more = stream.open(1);
        BitStream bits;
        while (bits.bytes().size() < bytes) more(bits);
        const std::string found = remarkable(
            {bits.bytes().begin(), bits.bytes().begin() + static_cast<ptrdiff_t>(bytes)});
        const bool good = found.empty() != stream.control;
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        std::printf("%-32s %6.0f ms  %s%s\n", stream.name.c_str(), 1000 * time.count(),
                    good ? "" : "WRONG: ", found.empty() ? "nothing remarkable" : found.c_str());
        wrong += good ? 0 : 1;
    }
    wrong += check_linearity() ? 0 : 1;
    std::printf("%zu streams, %zu KiB of each, %d wrong\n", streams().size(), bytes / 1024, wrong);
    return wrong == 0 ? 0 : 1;
}

int write(const Stream& stream, uint64_t seed, uint64_t bytes) {
    const auto more = stream.open(seed);
    BitStream bits;
    while (bytes > 0) {
        while (bits.bytes().size() < kBuffer) more(bits);
        const size_t size =
            bytes < bits.bytes().size() ? static_cast<size_t>(bytes) : bits.bytes().size();
        if (std::fwrite(bits.bytes().data(), 1, size, stdout) != size) return 0;  // nobody reads
        bytes -= size;
        bits.clear();
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}

int usage(const char* fault) {
    std::fprintf(stderr,
                 "statistics_stream: %s\nusage: statistics_stream NAME [--seed=N] [--bytes=N] | "
                 "--list | --check [--kib=N]\n",
                 fault);
    return 2;
}

int run(int argc, char** argv) {
    std::string command;
    uint64_t seed = 1, bytes = std::numeric_limits<uint64_t>::max(), kib = 256;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        uint64_t* number = argument.rfind("--seed=", 0) == 0    ? &seed
                           : argument.rfind("--bytes=", 0) == 0 ? &bytes
                           : argument.rfind("--kib=", 0) == 0   ? &kib
                                                                : nullptr;
        if (number != nullptr) {
            const char* text = std::strchr(argv[i], '=') + 1;
            char* end = nullptr;
            *number = std::strtoull(text, &end, 10);
            if (*text < '0' || *text > '9' || *end != '\0') return usage("expected a number");
        } else if (command.empty()) {
            command = argument;
        } else {
            return usage("one command at a time");
        }
    }
    if (command == "--list") return list();
    if (command == "--check") return check(static_cast<size_t>(kib < 64 ? 64 : kib) * 1024);
    for (const Stream& stream : streams())
        if (stream.name == command) return write(stream, seed, bytes);
    return usage("no such stream; --list names them");
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "statistics_stream: %s\n", error.what());
        return 1;
    }
}
