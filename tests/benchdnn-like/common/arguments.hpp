// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tensors of one execution, in logical row-major order: what goes in, what came out, what should have.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "common/api.hpp"
#include "reference/layout.hpp"

namespace tombola::bench {

using Bytes = std::vector<uint8_t>;

template <class T>
Bytes bytes_of(const T* values, size_t count) {
    Bytes bytes(count * sizeof(T));
    if (count) std::memcpy(bytes.data(), values, bytes.size());
    return bytes;
}

struct Argument {
    enum class Role { input, output };
    enum class Dump { none, tensor, state };  // written to FILE or FILE.state by --dump

    int arg;
    std::string name;  // "DST_STATE"
    Role role;
    Dump dump = Dump::none;
    tombola_data_type_t type;
    reference::Layout layout;
    Bytes values;          // inputs: what goes in; outputs: what came out
    Bytes expected;        // outputs, once expect() has run
    bool compared = true;  // false: expect() has checked it by itself

    size_t count() const { return static_cast<size_t>(layout.count()); }
    size_t element_size() const;
    size_t logical_bytes() const { return count() * element_size(); }
    // Bytes from the first to behind the last element in memory.
    size_t physical_bytes() const;
    // Bytes that hold elements or padding.
    size_t stored_bytes() const;
};

class Arguments {
  public:
    explicit Arguments(const_tombola_primitive_desc_t primitive_desc)
        : primitive_desc_(primitive_desc) {}

    // Type and layout are what the primitive descriptor says of the argument. Throws CaseError if the number of
    // bytes is not the tensor's.
    void add_input(int arg, const char* name, Bytes values);
    void add_output(int arg, const char* name, Argument::Dump dump = Argument::Dump::none);

    // The argument's descriptor as the library tells it.
    const_tombola_memory_desc_t desc(int arg) const;
    // Number of bytes of an argument in logical order.
    size_t logical_bytes(int arg) const;

    Argument* find(int arg);
    const Argument* find(int arg) const;
    Argument& at(int arg);
    const Argument& at(int arg) const;

    std::vector<Argument>& all() { return all_; }
    const std::vector<Argument>& all() const { return all_; }

  private:
    Argument make(int arg, const char* name, Argument::Role role) const;
    const_tombola_primitive_desc_t primitive_desc_;
    std::vector<Argument> all_;
};

// The contents of a file, which must have that many bytes. Throws CaseError.
Bytes read_file(const std::string& path, size_t bytes, const char* option);
void write_file(const std::string& path, const Bytes& bytes);

// Bytes that look random and depend on their number alone.
Bytes pattern_bytes(size_t count);

}  // namespace tombola::bench
