// SPDX-License-Identifier: Apache-2.0
#include "common/arguments.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "common/errors.hpp"
#include "reference/numeric.hpp"

namespace tombola::bench {

void require_memory(const Settings& settings, double wanted) {
    const double available = 0.9 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<double>(sysconf(_SC_PAGESIZE));
    if (settings.memory_check && wanted > available)
        throw TooLarge(fmt::format("needs {:.1f} GB of memory, this machine can give {:.1f}",
                                   wanted / 1e9, available / 1e9));
}

size_t Argument::element_size() const { return reference::size_of(type); }

size_t Argument::physical_bytes() const {
    return static_cast<size_t>(layout.span()) * element_size();
}

size_t Argument::stored_bytes() const {
    size_t elements = layout.count() ? 1 : 0;
    for (int64_t dim : layout.padded_dims) elements *= static_cast<size_t>(dim);
    return elements * element_size();
}

const_tombola_memory_desc_t Arguments::desc(int arg) const {
    return tombola_primitive_desc_query_md(primitive_desc_, tombola_query_exec_arg_md, arg);
}

size_t Arguments::logical_bytes(int arg) const {
    return make(arg, "", Argument::Role::input).logical_bytes();
}

Argument Arguments::make(int arg, const char* name, Argument::Role role) const {
    Argument argument{};
    argument.arg = arg;
    argument.name = name;
    argument.role = role;
    argument.type = type_of(desc(arg));
    argument.layout = layout_of(desc(arg));
    double bytes = static_cast<double>(tombola_memory_desc_get_size(desc(arg)));
    double most = static_cast<double>(argument.count());
    for (const Argument& other : all_) {
        bytes += static_cast<double>(other.physical_bytes());
        most = std::max(most, static_cast<double>(other.count()));
    }
    // The reference computes with up to 64 bits per element.
    require_memory(settings_, settings_.mode.correctness ? kCopies * bytes + 8 * most : 2 * bytes);
    return argument;
}

void Arguments::add_input(int arg, const char* name, Bytes values) {
    Argument argument = make(arg, name, Argument::Role::input);
    if (values.size() != argument.logical_bytes())
        throw CaseError(fmt::format("{}: the library's descriptor has {} bytes, expected {}", name,
                                    argument.logical_bytes(), values.size()));
    argument.values = std::move(values);
    all_.push_back(std::move(argument));
}

void Arguments::add_rows(int arg, const char* name, const reference::Dims& dims, Bytes values) {
    Argument argument = make(arg, name, Argument::Role::input);
    argument.own_dims = dims;
    argument.layout = reference::Layout::row_major(dims);
    argument.values = std::move(values);
    all_.push_back(std::move(argument));
}

void Arguments::add_src(int arg, const char* name, const std::function<Bytes(size_t)>& values) {
    src_used_ = true;
    const size_t bytes = logical_bytes(arg);
    add_input(arg, name,
              settings_.src.empty() ? values(bytes) : read_file(settings_.src, bytes, "--src"));
}

void Arguments::add_state(int arg, const char* name, size_t bytes, Bytes own) {
    state_used_ = true;
    if (!settings_.state.empty()) own = read_file(settings_.state, bytes, "--state");
    if (!own.empty()) add_input(arg, name, std::move(own));
}

void Arguments::add_file(int arg, const char* name, const std::string& file, const char* option) {
    if (!file.empty()) add_input(arg, name, read_file(file, logical_bytes(arg), option));
}

void Arguments::add_offset(uint64_t offset) {
    if (offset != 0) add_input(TOMBOLA_ARG_OFFSET, "OFFSET", bytes_of(&offset, 1));
}

void Arguments::add_output(int arg, const char* name, std::optional<std::string> dump) {
    Argument argument = make(arg, name, Argument::Role::output);
    argument.dump = std::move(dump);
    all_.push_back(std::move(argument));
}

void Arguments::refuse_unused_files(const char* driver) const {
    if (!settings_.src.empty() && !src_used_)
        throw CaseError(fmt::format("--src={}: {} has no input tensor", settings_.src, driver));
    if (!settings_.state.empty() && !state_used_)
        throw CaseError(fmt::format("--state={}: {} takes no state", settings_.state, driver));
}

const Argument* Arguments::find(int arg) const {
    for (const Argument& argument : all_)
        if (argument.arg == arg) return &argument;
    return nullptr;
}
Argument* Arguments::find(int arg) {
    return const_cast<Argument*>(static_cast<const Arguments*>(this)->find(arg));
}
const Argument& Arguments::at(int arg) const {
    if (const Argument* argument = find(arg)) return *argument;
    throw CaseError("the driver has no argument " + std::to_string(arg));
}
Argument& Arguments::at(int arg) {
    return const_cast<Argument&>(static_cast<const Arguments*>(this)->at(arg));
}

namespace {

// A file descriptor that is closed at the end of its scope.
class File {
  public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    File(const File&) = delete;
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    int get() const { return descriptor_; }
    // Some file systems report a failed write only here.
    int close() { return ::close(std::exchange(descriptor_, -1)); }

  private:
    int descriptor_;
};

[[noreturn]] void refuse_file(const char* option, const std::string& path, const char* what) {
    throw CaseError(fmt::format("{}={}: {}: {}", option, path, what, std::strerror(errno)));
}

bool write_all(int descriptor, const Bytes& bytes) {
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        done += static_cast<size_t>(written);
    }
    return true;
}

}  // namespace

Bytes read_file(const std::string& path, size_t bytes, const char* option, const char* mark) {
    const std::string given = mark + path;
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) refuse_file(option, given, "cannot open the file");
    struct stat status {};
    if (fstat(file.get(), &status) != 0) refuse_file(option, given, "cannot read the file");
    if (S_ISDIR(status.st_mode))
        throw CaseError(fmt::format("{}={}: this is a directory, expected a file of {} bytes",
                                    option, given, bytes));
    // A pipe has no size: one byte more than wanted is asked for, which must not come.
    Bytes contents(bytes + 1);
    size_t size = 0;
    while (size < contents.size()) {
        const ssize_t got = ::read(file.get(), contents.data() + size, contents.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse_file(option, given, "cannot read the file");
        if (got == 0) break;
        size += static_cast<size_t>(got);
    }
    if (size != bytes) {
        const std::string found = S_ISREG(status.st_mode) ? std::to_string(status.st_size)
                                  : size > bytes          ? fmt::format("more than {}", bytes)
                                                          : std::to_string(size);
        throw CaseError(
            fmt::format("{}={}: the file has {} bytes, expected {}", option, given, found, bytes));
    }
    contents.resize(bytes);
    return contents;
}

void write_file(const std::string& given, const Bytes& bytes) {
    const auto fail = [&] { refuse_file("--dump", given, "cannot write the file"); };
    struct stat status {};
    const bool is_link = ::lstat(given.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
    const bool exists = ::stat(given.c_str(), &status) == 0;
    // Through a symbolic link to nothing, the file is made that it points to.
    if (exists ? !S_ISREG(status.st_mode) : is_link) {
        File file(::open(given.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        if (file.get() < 0 || !write_all(file.get(), bytes) || file.close() != 0) fail();
        return;
    }
    // A symbolic link stays one: what it points to is replaced.
    std::string path = given;
    if (char* resolved = exists ? realpath(given.c_str(), nullptr) : nullptr) {
        path = resolved;
        std::free(resolved);
    }
    std::string beside = path + ".XXXXXX";
    File file(mkostemp(beside.data(), O_CLOEXEC));
    if (file.get() < 0) fail();
    const mode_t mask = umask(0);
    umask(mask);
    const mode_t mode = exists ? status.st_mode & 07777 : 0666 & ~mask;
    if (!write_all(file.get(), bytes) || fchmod(file.get(), mode) != 0 || file.close() != 0 ||
        std::rename(beside.c_str(), path.c_str()) != 0) {
        const int error = errno;
        unlink(beside.c_str());
        errno = error;
        fail();
    }
}

Bytes pattern_bytes(size_t count) {
    // Marsaglia's xorshift64 (Journal of Statistical Software 8(14), 2003).
    Bytes bytes((count + 7) / 8 * 8);
    uint64_t x = 0x9E3779B97F4A7C15u ^ count;
    for (size_t i = 0; i < bytes.size(); i += 8) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        std::memcpy(bytes.data() + i, &x, 8);
    }
    bytes.resize(count);
    return bytes;
}

}  // namespace tombola::bench
