// SPDX-License-Identifier: Apache-2.0
#include "common/jit_observer.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "common/settings.hpp"
#include "common/status.hpp"

namespace tombola::impl {
namespace {

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

void write_dump(const std::string& folder, const char* name, int index, const void* code,
                size_t size) {
    const std::string path = format("%s/tombola.%s.%d.bin", folder.c_str(), name, index);
    if (const File file{std::fopen(path.c_str(), "wb")}) std::fwrite(code, 1, size, file.get());
}

void append_to_perf_map(const char* name, const void* code, size_t size) {
    const std::string path = format("/tmp/perf-%d.map", static_cast<int>(getpid()));
    if (const File file{std::fopen(path.c_str(), "a")})
        std::fprintf(file.get(), "%llx %zx tombola.%s\n",
                     static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(code)), size,
                     name);
}

// The jitdump format, version 1: tools/perf/Documentation/jitdump-specification.txt in the Linux
// sources.
struct JitDumpHeader {
    uint32_t magic = 0x4A695444;  // "JiTD"
    uint32_t version = 1;
    uint32_t total_size = sizeof(JitDumpHeader);
    uint32_t elf_machine = EM_X86_64;
    uint32_t padding = 0;
    uint32_t pid = 0;
    uint64_t timestamp = 0;
    uint64_t flags = 0;
};
static_assert(sizeof(JitDumpHeader) == 40);

struct JitCodeLoad {
    uint32_t id = 0;  // JIT_CODE_LOAD
    uint32_t total_size = 0;
    uint64_t timestamp = 0;
    uint32_t pid = 0;
    uint32_t tid = 0;
    uint64_t vma = 0;
    uint64_t code_address = 0;
    uint64_t code_size = 0;
    uint64_t code_index = 0;
};
static_assert(sizeof(JitCodeLoad) == 56);

// perf record -k mono stamps its samples with this clock.
uint64_t monotonic_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

class JitDump {
  public:
    void append(const char* name, int index, const void* code, size_t size) {
        if (!open()) return;
        const std::string symbol = format("tombola.%s", name);
        JitCodeLoad record;
        record.total_size = static_cast<uint32_t>(sizeof record + symbol.size() + 1 + size);
        record.timestamp = monotonic_ns();
        record.pid = static_cast<uint32_t>(getpid());
        record.tid = static_cast<uint32_t>(syscall(SYS_gettid));
        record.vma = record.code_address = reinterpret_cast<uintptr_t>(code);
        record.code_size = size;
        record.code_index = static_cast<uint64_t>(index);
        std::fwrite(&record, sizeof record, 1, file_.get());
        std::fwrite(symbol.c_str(), 1, symbol.size() + 1, file_.get());
        std::fwrite(code, 1, size, file_.get());
        std::fflush(file_.get());
    }

  private:
    bool open() {
        if (tried_) return file_ != nullptr;
        tried_ = true;
        const char* folder = std::getenv("JITDUMPDIR");
        const std::string path =
            format("%s/jit-%d.dump", folder == nullptr ? "." : folder, static_cast<int>(getpid()));
        file_.reset(std::fopen(path.c_str(), "w+b"));
        if (file_ == nullptr) return false;
        JitDumpHeader header;
        header.pid = static_cast<uint32_t>(getpid());
        header.timestamp = monotonic_ns();
        std::fwrite(&header, sizeof header, 1, file_.get());
        std::fflush(file_.get());
        // perf finds the file by the record of this mapping, which must be executable and stay.
        return mmap(nullptr, sizeof header, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file_.get()),
                    0) != MAP_FAILED;
    }

    bool tried_ = false;
    File file_;
};

}  // namespace

void announce_code(const char* name, const void* code, size_t size) {
    const std::string& folder = jit_dump_folder();
    const JitProfile profile = jit_profile();
    if (folder.empty() && profile == JitProfile::none) return;

    static std::mutex mutex;
    static int kernels = 0;
    static JitDump& dump = *new JitDump;
    const std::lock_guard<std::mutex> lock(mutex);
    const int index = kernels++;
    if (!folder.empty()) write_dump(folder, name, index, code, size);
    if (profile == JitProfile::perfmap) append_to_perf_map(name, code, size);
    if (profile == JitProfile::jitdump) dump.append(name, index, code, size);
}

}  // namespace tombola::impl
