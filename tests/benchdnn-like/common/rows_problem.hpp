// SPDX-License-Identifier: Apache-2.0
#pragma once

// The base of the drivers that draw classes by the weights or logits of a row, for a batch of rows.

#include <cstring>

#include "common/drawn_seeds.hpp"
#include "common/typed_driver.hpp"
#include "reference/numeric.hpp"

namespace tombola::bench {

// Empty if the argument is absent.
template <class T>
std::vector<T> values_of(const Arguments& args, int arg) {
    const Argument* given = args.find(arg);
    std::vector<T> values(given == nullptr ? 0 : given->count());
    if (!values.empty()) std::memcpy(values.data(), given->values.data(), given->values.size());
    return values;
}

template <class P>
class RowsProblem : public TypedProblem<P> {
  public:
    static constexpr const char* kSyntax = "BATCHxCLASSES";
    static constexpr const char* kExample = "4x1000";

    tombola_data_type_t dt = tombola_f32;
    tombola_data_type_t odt = tombola_s64;
    Seeds seeds{234, 148};
    int64_t samples = 1;
    FileName uniforms;
    int64_t batch = 0, classes = 0;

    void parse_sizes(const std::string& text) {
        const reference::Dims dims = parse_dims(text, 2, 2);
        batch = dims[0];
        classes = dims[1];
    }
    std::string print_sizes() const { return print_dims({batch, classes}); }

    void pin(const Arguments& args) final { pin_seeds(args, seeds); }
    Problem::Ceiling ceiling() const final { return Problem::Ceiling::read; }

  protected:
    // No memory descriptor can be made of a negative number of samples.
    void check_samples() const {
        if (samples >= 0) return;
        throw Refused{tombola_invalid_arguments,
                      "--samples is " + std::to_string(samples) + "; expected at least 0"};
    }

    // The default of SRC: value(u, never), where u in [0, 1) depends on the element's number alone. A class must never be
    // drawn if `never` is true, which holds for every 16th one but the first of a row.
    template <class Value>
    Bytes default_rows(const Value& value) const {
        const size_t size = reference::size_of(dt), count = static_cast<size_t>(batch * classes);
        Bytes bytes(count * size);
        uint64_t state = 1;
        for (size_t i = 0; i < count; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
            const bool never = i % 16 == 7 && i % static_cast<size_t>(classes) != 0;
            const double u = static_cast<double>(state >> 40) * 0x1p-24;
            std::memcpy(&bytes[i * size], reference::nearest(dt, value(u, never)).data(), size);
        }
        return bytes;
    }
};

}  // namespace tombola::bench
