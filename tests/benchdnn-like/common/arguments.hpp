// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tensors of one execution, in logical row-major order: what goes in, what came out, what should have.

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/api.hpp"
#include "common/settings.hpp"
#include "reference/layout.hpp"

namespace tombola::bench {

using Bytes = std::vector<uint8_t>;

template <class T>
Bytes bytes_of(const T* values, size_t count) {
    Bytes bytes(count * sizeof(T));
    if (count) std::memcpy(bytes.data(), values, bytes.size());
    return bytes;
}

// Throws TooLarge if problems that memory does not hold are skipped, and the machine has not so many bytes.
void require_memory(const Settings& settings, double wanted);
// In correctness mode each tensor is held three times: in memory, what that must be, and in logical order. The other modes do without the second.
inline constexpr double kCopies = 3;

struct Argument {
    enum class Role { input, output };

    int arg;
    std::string name;  // "DST_STATE"
    Role role;
    std::optional<std::string>
        dump;  // the suffix of the file that --dump writes it to; none: it is not written
    tombola_data_type_t type;
    reference::Layout layout;
    Bytes values;          // inputs: what goes in; outputs: what came out
    Bytes expected;        // outputs, once expect() has run
    bool compared = true;  // false: expect() has checked it by itself
    // The dimensions, row-major, of an argument that may have others than the library's descriptor says.
    std::optional<reference::Dims> own_dims;

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
    Arguments() = default;
    Arguments(const_tombola_primitive_desc_t primitive_desc, const Settings& settings)
        : primitive_desc_(primitive_desc), settings_(settings) {}

    // Type and layout are what the primitive descriptor says of the argument. Throws CaseError if the number of
    // bytes is not the tensor's.
    void add_input(int arg, const char* name, Bytes values);
    // Of the descriptor's type and of the given dimensions, row-major.
    void add_rows(int arg, const char* name, const reference::Dims& dims, Bytes values);
    // The input tensor: from the file that --src names, otherwise what `values` makes, given the number of bytes.
    void add_src(int arg, const char* name, const std::function<Bytes(size_t)>& values);
    // The generator's state: from the file that --state names, which has `bytes` bytes; otherwise `own`, and no
    // argument at all if that is empty.
    void add_state(int arg, const char* name, size_t bytes, Bytes own = {});
    // From the file that a driver's option names; no argument if it names none.
    void add_file(int arg, const char* name, const std::string& file, const char* option);
    // OFFSET, unless it is 0.
    void add_offset(uint64_t offset);

    // --dump writes the output to FILE followed by the suffix.
    void add_output(int arg, const char* name, std::optional<std::string> dump = std::nullopt);
    // DST_STATE, and what else a measurement leaves out, only if this says so.
    bool wants_optional_outputs() const { return settings_.wants_optional_outputs(); }

    // What an output must have, unless it was left out: of each value the low `size` bytes, little-endian.
    template <class T>
    void expect(int arg, const std::vector<T>& values, size_t size = sizeof(T)) {
        Argument* const output = find(arg);
        if (output == nullptr) return;
        output->expected.resize(values.size() * size);
        for (size_t i = 0; i < values.size(); ++i)
            std::memcpy(&output->expected[i * size], &values[i], size);
    }

    // To be called after all arguments have been added: throws CaseError if --src or --state has not been used.
    void refuse_unused_files(const char* driver) const;

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
    const_tombola_primitive_desc_t primitive_desc_ = nullptr;
    Settings settings_;
    bool src_used_ = false, state_used_ = false;
    std::vector<Argument> all_;
};

// The contents of a file, which must have that many bytes. Throws CaseError, which names the option. `mark` stands before
// the path in the option's value.
Bytes read_file(const std::string& path, size_t bytes, const char* option, const char* mark = "");
// Replaces the file as a whole: the bytes go into a new file beside it, which takes its name once it is complete.
// Throws CaseError, and then a file that was there before is as it was. What is no regular file (a pipe, a device)
// is written to in place.
void write_file(const std::string& path, const Bytes& bytes);

// Bytes that look random and depend on their number alone.
Bytes pattern_bytes(size_t count);

}  // namespace tombola::bench
