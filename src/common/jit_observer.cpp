// SPDX-License-Identifier: Apache-2.0
#include "common/jit_observer.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "common/fork.hpp"
#include "common/settings.hpp"
#include "common/status.hpp"

namespace tombola::impl {
namespace {

// Only the owner can read the files, because addresses of code help an attacker. A symbolic link as the last part of a
// path is never followed, because another user may have planted it (/tmp).
constexpr mode_t kMode = 0600;

// A file that is written in pieces. It remembers the first failure.
class File {
  public:
    File() = default;
    ~File() { close(); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    bool open(const std::string& path, int flags) {
        fd_ = ::open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, kMode);
        return check(fd_ >= 0);
    }
    bool write(const void* data, size_t size) {
        const auto* at = static_cast<const char*>(data);
        while (error_ == 0 && size > 0) {
            const ssize_t written = ::write(fd_, at, size);
            if (written < 0 && errno == EINTR) continue;
            if (!check(written > 0)) break;
            at += written;
            written_ += written;
            size -= static_cast<size_t>(written);
        }
        return error_ == 0;
    }
    bool close() {
        const int fd = std::exchange(fd_, -1);
        return fd < 0 || check(::close(fd) == 0);
    }
    // Keeps errno if it is the first failure.
    bool check(bool good) {
        if (!good && error_ == 0) error_ = errno != 0 ? errno : EIO;
        return good;
    }
    bool fail(int error) {
        errno = error;
        return check(false);
    }
    int fd() const { return fd_; }
    off_t written() const { return written_; }  // bytes, in all
    bool good() const { return error_ == 0; }
    const char* reason() const { return std::strerror(error_); }

  private:
    int fd_ = -1;
    off_t written_ = 0;
    int error_ = 0;
};

// Only the first failure of each variable is reported; later ones usually have the same cause.
void complain(bool& told, const char* variable, const std::string& path, const char* reason) {
    if (std::exchange(told, true)) return;
    if ((verbose_flags() & kVerboseWarn) != 0)
        print_warning(format("%s: %s cannot be written: %s", variable, path.c_str(), reason));
}

// Writes a temporary file and renames it, so that a file with the final name is always complete.
void write_dump(const std::string& folder, const char* name, int index, const void* code,
                size_t size) {
    static bool told = false;
    const std::string path =
        format("%s/tombola.%s.%d.%d.bin", folder.c_str(), name, static_cast<int>(getpid()), index);
    const std::string beside = path + ".part";
    File file;
    if (!file.open(beside, O_WRONLY | O_CREAT | O_EXCL))
        return complain(told, "TOMBOLA_JIT_DUMP", beside, file.reason());
    file.write(code, size);
    file.close();
    file.check(file.good() && std::rename(beside.c_str(), path.c_str()) == 0);
    if (file.good()) return;
    unlink(beside.c_str());
    complain(told, "TOMBOLA_JIT_DUMP", path, file.reason());
}

// After a failed write to a file that is opened for appending: perf reads lines, so the part of a line that was written is
// removed, if no other code generator has written after it.
void remove_part_of_line(File& file) {
    const off_t reached = lseek(file.fd(), 0, SEEK_CUR), end = lseek(file.fd(), 0, SEEK_END);
    if (file.written() > 0 && reached == end)
        file.check(ftruncate(file.fd(), reached - file.written()) == 0);
}

// perf requires the name /tmp/perf-<pid>.map, and other code generators in this process append to the same file. So the
// file may exist already, but it must belong to this user and have no other hard link.
void append_to_perf_map(const char* name, const void* code, size_t size) {
    static bool told = false;
    const std::string path = format("/tmp/perf-%d.map", static_cast<int>(getpid()));
    const std::string line =
        format("%llx %llx tombola.%s\n",
               static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(code)), size, name);
    File file;
    struct stat status;
    if (file.open(path, O_WRONLY | O_CREAT | O_APPEND) &&
        file.check(fstat(file.fd(), &status) == 0)) {
        if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || status.st_nlink != 1)
            file.fail(EPERM);
        else if (!file.write(line.data(), line.size()))
            remove_part_of_line(file);
    }
    file.close();
    if (!file.good()) complain(told, "TOMBOLA_JIT_PROFILE", path, file.reason());
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

// The file of one process. A child of fork() begins a file of its own.
class JitDump {
  public:
    JitDump()
        : pid_(getpid()),
          path_(format("%s/jit-%d.dump", jitdump_folder().empty() ? "." : jitdump_folder().c_str(),
                       static_cast<int>(pid_))) {
        JitDumpHeader header;
        header.pid = static_cast<uint32_t>(pid_);
        header.timestamp = monotonic_ns();
        // perf finds the file by the record of this mapping. The mapping must be executable and is never removed.
        if (!file_.open(path_, O_RDWR | O_CREAT | O_EXCL)) return;
        if (file_.write(&header, sizeof header))
            file_.check(mmap(nullptr, sizeof header, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_.fd(),
                             0) != MAP_FAILED);
        else
            unlink(path_.c_str());  // perf refuses a file with a part of a header
    }

    pid_t pid() const { return pid_; }

    void append(const char* name, int index, const void* code, size_t size) {
        const std::string symbol = format("tombola.%s", name);
        JitCodeLoad record;
        record.total_size = static_cast<uint32_t>(sizeof record + symbol.size() + 1 + size);
        record.timestamp = monotonic_ns();
        record.pid = static_cast<uint32_t>(pid_);
        record.tid = static_cast<uint32_t>(syscall(SYS_gettid));
        record.vma = record.code_address = reinterpret_cast<uintptr_t>(code);
        record.code_size = size;
        record.code_index = static_cast<uint64_t>(index);
        const off_t whole = file_.good() ? lseek(file_.fd(), 0, SEEK_END) : 0;
        const bool written = file_.good() && file_.write(&record, sizeof record) &&
                             file_.write(symbol.c_str(), symbol.size() + 1) &&
                             file_.write(code, size);
        if (written) return;
        // The incomplete record is removed, so that perf can read all records before it.
        if (whole > 0) file_.check(ftruncate(file_.fd(), whole) == 0);
        complain(told_, "TOMBOLA_JIT_PROFILE", path_, file_.reason());
    }

  private:
    const pid_t pid_;
    const std::string path_;
    File file_;
    bool told_ = false;
};

}  // namespace

void announce_code(const char* name, const void* code, size_t size) {
    const std::string& folder = jit_dump_folder();
    const JitProfile profile = jit_profile();
    if (folder.empty() && profile == JitProfile::none) return;

    const ForkHold hold;
    static std::mutex mutex;
    static int kernels = 0;
    static JitDump* dump = nullptr;
    const std::lock_guard<std::mutex> lock(mutex);
    const int index = kernels++;
    if (!folder.empty()) write_dump(folder, name, index, code, size);
    if (profile == JitProfile::perfmap) append_to_perf_map(name, code, size);
    if (profile != JitProfile::jitdump) return;
    if (dump == nullptr || dump->pid() != getpid()) {
        delete dump;
        dump = new JitDump;
    }
    dump->append(name, index, code, size);
}

}  // namespace tombola::impl
