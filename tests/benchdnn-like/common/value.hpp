// SPDX-License-Identifier: Apache-2.0
#pragma once

// The values that options take: for each type how it is read, how it is printed so that it reads back the same,
// and what the message says that refuses a text. A new enumeration is one table of names (Names<T> below); any other
// new type is one more trio of overloads.

#include <strings.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/numeric.hpp"
#include "tombola/tombola.h"

namespace tombola::bench {

enum class Direction { FWD_D, FWD_I, BWD_D };

// A layout's name as benchdnn spells it (abx, axb, aBx16b, nchw, acdb, any); it must be one for some number of
// dimensions. `none` prints and reads as "any".
struct TagName {
    std::string text;
};

struct FileName {
    std::string text;
};

// A number whose type another option decides; kept as text.
struct NumberText {
    std::string text;

    // The number as an element of `type`. Zero if the type does not have it.
    reference::Scalar as(tombola_data_type_t type) const;
    // Why the option has no value, "--p is 1e39; expected a number that f32 can hold"; empty if the type has the number.
    std::string refusal(const char* option, tombola_data_type_t type) const;
};

// The same, or "auto", which stands for a number that depends on the type.
struct NumberOrAuto : NumberText {
    bool is_auto() const { return text == "auto"; }
};

// "GLOBAL:OP". GLOBAL alone is refused: in Python it stands for GLOBAL:1, and 0:0 would draw entropy.
struct Seeds {
    uint64_t global, op;
    // Both are 0: the library draws the seeds from the operating system.
    bool are_drawn() const { return global == 0 && op == 0; }
};

// Colon-separated 32-bit words, least significant first; missing ones are 0.
template <size_t N>
struct Words {
    std::array<uint32_t, N> words;
};

// The names of an enumeration's values, in the order in which messages list them.
template <class T>
struct Name {
    const char* text;
    T value;
};
template <class T>
struct Names;  // specialised with a static constexpr Name<T> kAll[]

template <>
struct Names<Direction> {
    static constexpr Name<Direction> kAll[] = {
        {"FWD_D", Direction::FWD_D}, {"FWD_I", Direction::FWD_I}, {"BWD_D", Direction::BWD_D}};
};
template <>
struct Names<tombola_data_type_t> {
    static constexpr Name<tombola_data_type_t> kAll[] = {
#define TOMBOLA_ROW(name, value, bytes) {#name, tombola_##name},
        TOMBOLA_DATA_TYPES(TOMBOLA_ROW)
#undef TOMBOLA_ROW
    };
};
#define TOMBOLA_ROW(name, value) \
    { #name, static_cast < Enum>(value) }
#define TOMBOLA_NAMES(Type, list)                                 \
    template <>                                                   \
    struct Names<Type> {                                          \
        using Enum = Type;                                        \
        static constexpr Name<Enum> kAll[] = {list(TOMBOLA_ROW)}; \
    };
TOMBOLA_NAMES(tombola_alignment_t, TOMBOLA_ALIGNMENTS)
TOMBOLA_NAMES(tombola_int_draws_t, TOMBOLA_INT_DRAWS)
TOMBOLA_NAMES(tombola_float_draws_t, TOMBOLA_FLOAT_DRAWS)
TOMBOLA_NAMES(tombola_permutation_alignment_t, TOMBOLA_PERMUTATION_ALIGNMENTS)
TOMBOLA_NAMES(tombola_dropout_mask_t, TOMBOLA_DROPOUT_MASKS)
TOMBOLA_NAMES(tombola_filter_order_t, TOMBOLA_FILTER_ORDERS)
TOMBOLA_NAMES(tombola_logprobs_t, TOMBOLA_LOGPROBS)
TOMBOLA_NAMES(tombola_scratchpad_mode_t, TOMBOLA_SCRATCHPAD_MODES)
#undef TOMBOLA_NAMES
#undef TOMBOLA_ROW

// Capital and small letters are the same, as in benchdnn.
template <class T, class = std::enable_if_t<std::is_enum_v<T>>>
bool parse_value(const std::string& text, T& value) {
    for (const Name<T>& name : Names<T>::kAll)
        if (strcasecmp(text.c_str(), name.text) == 0) {
            value = name.value;
            return true;
        }
    return false;
}
template <class T, class = std::enable_if_t<std::is_enum_v<T>>>
std::string print_value(T value) {
    for (const Name<T>& name : Names<T>::kAll)
        if (value == name.value) return name.text;
    return "undef";
}
template <class T, class = std::enable_if_t<std::is_enum_v<T>>>
std::string expected_value(T) {
    std::string list;
    for (const Name<T>& name : Names<T>::kAll)
        list += (list.empty() ? "one of " : ", ") + std::string(name.text);
    return list;
}

bool parse_value(const std::string& text, bool& value);
bool parse_value(const std::string& text, int& value);
bool parse_value(const std::string& text, int64_t& value);
bool parse_value(const std::string& text, uint64_t& value);
bool parse_value(const std::string& text, TagName& value);
bool parse_value(const std::string& text, FileName& value);
bool parse_value(const std::string& text, NumberText& value);
bool parse_value(const std::string& text, NumberOrAuto& value);
bool parse_value(const std::string& text, Seeds& value);

std::string print_value(bool value);
std::string print_value(int value);
std::string print_value(int64_t value);
std::string print_value(uint64_t value);
std::string print_value(const TagName& value);
std::string print_value(const FileName& value);
std::string print_value(const NumberText& value);
std::string print_value(const Seeds& value);

// What a text must be, as it completes "expected ...". The argument only selects the overload.
std::string expected_value(bool);
std::string expected_value(int);
std::string expected_value(int64_t);
std::string expected_value(uint64_t);
std::string expected_value(const TagName&);
std::string expected_value(const FileName&);
std::string expected_value(const NumberText&);
std::string expected_value(const NumberOrAuto&);
std::string expected_value(const Seeds&);

// Decimal, or hexadecimal behind 0x.
bool parse_u64(const std::string& text, uint64_t& value);
// Splits at a character; "" gives one empty piece.
std::vector<std::string> split(const std::string& text, char separator);

template <size_t N>
bool parse_value(const std::string& text, Words<N>& value) {
    const auto pieces = split(text, ':');
    if (pieces.size() > N) return false;
    value.words.fill(0);
    for (size_t i = 0; i < pieces.size(); ++i) {
        uint64_t word;
        if (!parse_u64(pieces[i], word) || word > 0xffffffff) return false;
        value.words[i] = static_cast<uint32_t>(word);
    }
    return true;
}
template <size_t N>
std::string print_value(const Words<N>& value) {
    std::string text;
    for (size_t i = 0; i < N; ++i) text += (i ? ":" : "") + print_value(uint64_t{value.words[i]});
    return text;
}
template <size_t N>
std::string expected_value(const Words<N>&) {
    return "up to " + std::to_string(N) +
           " 32-bit words separated by colons, least significant first";
}

}  // namespace tombola::bench
