// SPDX-License-Identifier: Apache-2.0
#include "common/arguments.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "common/errors.hpp"
#include "reference/numeric.hpp"

namespace tombola::bench {

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
    // The tensor, what it must be, and what it is in logical order.
    const double wanted = 3.0 * static_cast<double>(tombola_memory_desc_get_size(desc(arg)));
    const double available = 0.9 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<double>(sysconf(_SC_PAGESIZE));
    if (wanted > available)
        throw TooLarge(fmt::format("needs {:.1f} GB of memory, this machine can give {:.1f}",
                                   wanted / 1e9, available / 1e9));
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

void Arguments::add_output(int arg, const char* name, Argument::Dump dump) {
    Argument argument = make(arg, name, Argument::Role::output);
    argument.dump = dump;
    all_.push_back(std::move(argument));
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

Bytes read_file(const std::string& path, size_t bytes, const char* option) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw CaseError(fmt::format("{}={}: cannot open the file", option, path));
    const auto size = static_cast<size_t>(file.tellg());
    if (size != bytes)
        throw CaseError(
            fmt::format("{}={}: the file has {} bytes, expected {}", option, path, size, bytes));
    Bytes contents(bytes);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(contents.data()), static_cast<std::streamsize>(bytes));
    if (!file) throw CaseError(fmt::format("{}={}: cannot read the file", option, path));
    return contents;
}

void write_file(const std::string& path, const Bytes& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) throw CaseError("--dump=" + path + ": cannot write the file");
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
