// SPDX-License-Identifier: Apache-2.0

// Generated code seen from outside: which instruction set ran, the bytes that TOMBOLA_JIT_DUMP writes, and what
// TOMBOLA_JIT_PROFILE tells perf. A program is run (probe.hpp), and its files are read as their formats have them.

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "gtests/api/probe.hpp"
#include "gtests/common/folder.hpp"

namespace tombola::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kLadder = {"none", "avx2", "avx512_core", "avx512_core_vbmi"};
// What environment_probe has. (Uniform numbers have two kinds of kernels.)
const char* const kPrimitives[] = {
    "shuffle",     "random_generator", "tensorflow", "pytorch", "multinomial", "permutation",
    "exponential", "bernoulli",        "normal",     "dropout", "rounding",    "token_sampler"};

size_t rank_of(const std::string& isa) {
    return static_cast<size_t>(std::find(kLadder.begin(), kLadder.end(), isa) - kLadder.begin());
}

class CodeFolder : public Folder {
  public:
    CodeFolder() : Folder("tombola_code") {}
    // File names that begin with `begin`, and the files' bytes.
    std::map<std::string, std::string> files(const std::string& begin) const {
        std::map<std::string, std::string> found;
        for (const fs::directory_entry& entry : fs::directory_iterator(path())) {
            const std::string name = entry.path().filename();
            std::ifstream file(entry.path(), std::ios::binary);
            if (name.compare(0, begin.size(), begin) == 0)
                found[name] = {std::istreambuf_iterator<char>(file), {}};
        }
        return found;
    }
};

// "tombola.NAME.ISA.PID.INDEX.bin" without the last three parts.
std::string symbol_of(const std::string& file) {
    const size_t index = file.rfind('.', file.size() - 5);
    return file.substr(0, file.rfind('.', index - 1));
}

// Under each cap, each primitive runs on the best kernels that the library has for it there: neither above the cap
// nor below. The name of the implementation is what verbose mode prints at the execution; that its kernels are of
// that instruction set, the dump of all the code that the process made says. On other machines AVX2 code can be the faster
// one for a shuffle, and implementations for AVX-512 then take it.
TEST(GeneratedCode, TheForcedIsaIsTheOneThatRan) {
    const size_t machine = rank_of(run_probe("-u TOMBOLA_MAX_CPU_ISA").probe("isa"));
    for (const std::string& cap : kLadder)
        for (const std::string primitive : kPrimitives) {
            const CodeFolder folder;
            const Output output = run_probe(
                "TOMBOLA_VERBOSE=1 TOMBOLA_MACHINE=sapphire_rapids TOMBOLA_MAX_CPU_ISA=" + cap +
                    " TOMBOLA_JIT_DUMP=" + folder.path(),
                primitive);
            const std::string where = primitive + " under " + cap;
            const std::string isa = kLadder[std::min(rank_of(cap), machine)];
            EXPECT_EQ(output.probe("isa"), isa) << where;
            // VBMI is for shuffle alone.
            const bool below = isa == "avx512_core_vbmi" && primitive != "shuffle";
            const std::string served = below ? "avx512_core" : isa;
            const std::vector<std::string> executions = output.with(",primitive,exec,");
            ASSERT_EQ(executions.size(), 1u) << where;
            const std::string ran = fields(executions[0])[6];
            EXPECT_EQ(ran, output.probe("implementation"));
            const auto kernels = folder.files("tombola.");
            if (served == "none") {
                EXPECT_EQ(ran, "portable") << where;
                EXPECT_TRUE(kernels.empty()) << where;
                continue;
            }
            EXPECT_EQ(ran.substr(ran.find(':') + 1), served) << where << ": " << ran;
            EXPECT_FALSE(kernels.empty()) << where;
            for (const auto& [file, code] : kernels) {
                const std::string symbol = symbol_of(file);
                EXPECT_EQ(symbol.substr(symbol.rfind('.') + 1), served) << where << ": " << file;
            }
        }
}

// The format: tools/perf/Documentation/jitdump-specification.txt in the Linux sources.
TEST(GeneratedCode, JitDumpIsWhatPerfReads) {
    for (const std::string primitive : kPrimitives) {
        const CodeFolder folder;
        const Output output = run_probe("TOMBOLA_JIT_PROFILE=jitdump JITDUMPDIR=" + folder.path() +
                                            " TOMBOLA_JIT_DUMP=" + folder.path(),
                                        primitive);
        const auto kernels = folder.files("tombola.");
        const auto dumps = folder.files("jit-");
        if (output.probe("isa") == "none") {
            EXPECT_TRUE(dumps.empty());
            continue;
        }
        ASSERT_EQ(dumps.size(), 1u);
        EXPECT_EQ(dumps.begin()->first, "jit-" + output.probe("pid") + ".dump");
        const std::string& dump = dumps.begin()->second;
        const auto pid = static_cast<uint32_t>(std::stoul(output.probe("pid")));
        size_t at = 0;
        const auto u32 = [&] {
            uint32_t value = 0;
            if (at + sizeof value <= dump.size()) std::memcpy(&value, &dump[at], sizeof value);
            at += sizeof value;
            return value;
        };
        const auto u64 = [&] {
            const uint64_t low = u32();
            return uint64_t{u32()} << 32 | low;
        };
        EXPECT_EQ(u32(), 0x4A695444u);  // magic, "JiTD"
        EXPECT_EQ(u32(), 1u);           // version
        EXPECT_EQ(u32(), 40u);          // total_size
        EXPECT_EQ(u32(), uint32_t{EM_X86_64});
        EXPECT_EQ(u32(), 0u);  // reserved
        EXPECT_EQ(u32(), pid);
        uint64_t time = u64();
        EXPECT_EQ(u64(), 0u);  // flags: the time is CLOCK_MONOTONIC's
        ASSERT_EQ(at, 40u);

        size_t records = 0;
        for (; at < dump.size(); ++records) {
            const size_t begin = at;
            EXPECT_EQ(u32(), 0u);  // JIT_CODE_LOAD
            const size_t total_size = u32();
            const uint64_t later = u64();
            EXPECT_LE(time, later);
            time = later;
            EXPECT_EQ(u32(), pid);
            EXPECT_NE(u32(), 0u);  // the thread
            const uint64_t vma = u64();
            EXPECT_EQ(u64(), vma);  // code_addr
            const size_t code_size = u64();
            const std::string index = std::to_string(u64());
            const std::string name = dump.c_str() + at;
            ASSERT_LE(begin + total_size, dump.size());
            ASSERT_EQ(total_size, 56 + name.size() + 1 + code_size);
            const auto kernel =
                kernels.find(name + "." + output.probe("pid") + "." + index + ".bin");
            ASSERT_NE(kernel, kernels.end()) << name << " " << index;
            const std::string code = dump.substr(at + name.size() + 1, code_size);
            EXPECT_EQ(code, kernel->second) << name;
            EXPECT_NE(code.find("\xC5\xF8\x77\xC3"), std::string::npos) << "no vzeroupper, ret";
            at = begin + total_size;
        }
        EXPECT_EQ(records, kernels.size());
    }
}

// A line a kernel: address, size, symbol, the numbers in hex.
TEST(GeneratedCode, PerfMapNamesEachKernel) {
    const CodeFolder folder;
    const Output output =
        run_probe("TOMBOLA_JIT_PROFILE=perfmap TOMBOLA_JIT_DUMP=" + folder.path(), "multinomial");
    const auto kernels = folder.files("tombola.");
    const std::string path = "/tmp/perf-" + output.probe("pid") + ".map";
    std::vector<std::string> expected, found;
    for (const auto& [file, code] : kernels)
        expected.push_back(symbol_of(file) + " " + std::to_string(code.size()));
    {
        std::ifstream map(path);
        uint64_t address;
        size_t size;
        std::string symbol;
        while (map >> std::hex >> address >> size >> symbol) {
            EXPECT_NE(address, 0u);
            found.push_back(symbol + " " + std::to_string(size));
        }
    }
    fs::remove(path);
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(expected.empty(), output.probe("isa") == "none");
}

}  // namespace
}  // namespace tombola::test
