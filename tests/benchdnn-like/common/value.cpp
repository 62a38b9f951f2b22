// SPDX-License-Identifier: Apache-2.0
#include "common/value.hpp"

#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "reference/layout.hpp"
#include "reference/numeric.hpp"

namespace tombola::bench {

namespace {

template <class T>
struct Name {
    const char* text;
    T value;
};

constexpr Name<Direction> kDirections[] = {
    {"FWD_D", Direction::FWD_D}, {"FWD_I", Direction::FWD_I}, {"BWD_D", Direction::BWD_D}};
constexpr Name<tombola_data_type_t> kDataTypes[] = {
    {"f16", tombola_f16}, {"bf16", tombola_bf16}, {"f32", tombola_f32}, {"f64", tombola_f64},
    {"s8", tombola_s8},   {"u8", tombola_u8},     {"s32", tombola_s32}, {"u32", tombola_u32},
    {"s64", tombola_s64}, {"u64", tombola_u64}};
constexpr Name<tombola_alignment_t> kAlignments[] = {{"tensorflow", tombola_alignment_tensorflow},
                                                     {"pytorch", tombola_alignment_pytorch}};
constexpr Name<tombola_int_draws_t> kIntDraws[] = {{"spec", tombola_int_draws_spec},
                                                   {"torch1", tombola_int_draws_torch1},
                                                   {"torch2", tombola_int_draws_torch2}};
constexpr Name<tombola_scratchpad_mode_t> kScratchpadModes[] = {
    {"library", tombola_scratchpad_mode_library}, {"user", tombola_scratchpad_mode_user}};

template <class T, size_t N>
bool parse_name(const Name<T> (&names)[N], const std::string& text, T& value) {
    for (const auto& name : names)
        if (text == name.text) {
            value = name.value;
            return true;
        }
    return false;
}
template <class T, size_t N>
std::string print_name(const Name<T> (&names)[N], T value) {
    for (const auto& name : names)
        if (value == name.value) return name.text;
    return "undef";
}
template <class T, size_t N>
std::string list_names(const Name<T> (&names)[N]) {
    std::string list;
    for (const auto& name : names)
        list += (list.empty() ? "one of " : ", ") + std::string(name.text);
    return list;
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> pieces(1);
    for (char c : text) {
        if (c == separator)
            pieces.emplace_back();
        else
            pieces.back() += c;
    }
    return pieces;
}

bool parse_u64(const std::string& text, uint64_t& value) {
    if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0]))) return false;
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex && !std::isxdigit(static_cast<unsigned char>(text[2]))) return false;
    char* end = nullptr;
    errno = 0;
    value = std::strtoull(text.c_str(), &end, hex ? 16 : 10);
    return errno == 0 && *end == '\0';
}

bool parse_value(const std::string& text, bool& value) {
    if (text != "true" && text != "false" && text != "1" && text != "0") return false;
    value = text == "true" || text == "1";
    return true;
}
bool parse_value(const std::string& text, uint64_t& value) { return parse_u64(text, value); }
bool parse_value(const std::string& text, int64_t& value) {
    const bool negative = !text.empty() && text[0] == '-';
    uint64_t magnitude;
    if (!parse_u64(negative ? text.substr(1) : text, magnitude)) return false;
    if (magnitude > uint64_t{INT64_MAX} + (negative ? 1 : 0)) return false;
    value = static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
    return true;
}
bool parse_value(const std::string& text, int& value) {
    int64_t wide;
    if (!parse_value(text, wide) || wide < INT32_MIN || wide > INT32_MAX) return false;
    value = static_cast<int>(wide);
    return true;
}
bool parse_value(const std::string& text, Direction& value) {
    return parse_name(kDirections, text, value);
}
bool parse_value(const std::string& text, tombola_data_type_t& value) {
    return parse_name(kDataTypes, text, value);
}
bool parse_value(const std::string& text, tombola_alignment_t& value) {
    return parse_name(kAlignments, text, value);
}
bool parse_value(const std::string& text, tombola_int_draws_t& value) {
    return parse_name(kIntDraws, text, value);
}
bool parse_value(const std::string& text, tombola_scratchpad_mode_t& value) {
    return parse_name(kScratchpadModes, text, value);
}
bool parse_value(const std::string& text, TagName& value) {
    bool known = text == "any";
    for (int ndims = 1; ndims <= TOMBOLA_MAX_NDIMS && !known; ++ndims)
        known = reference::expand_tag(text, ndims).kind != reference::Tag::Kind::malformed;
    value.text = text;
    return known;
}
bool parse_value(const std::string& text, FileName& value) {
    value.text = text;
    return true;
}
bool parse_value(const std::string& text, NumberText& value) {
    value.text = text;
    reference::Scalar scalar;
    bool fits;
    return text == "auto" || reference::parse_scalar(tombola_f64, text, scalar, fits);
}
bool parse_value(const std::string& text, Seeds& value) {
    const auto pieces = split(text, ':');
    value.op = 0;
    return pieces.size() <= 2 && parse_u64(pieces[0], value.global) &&
           (pieces.size() == 1 || parse_u64(pieces[1], value.op));
}

std::string print_value(bool value) { return value ? "true" : "false"; }
std::string print_value(int value) { return std::to_string(value); }
std::string print_value(int64_t value) { return std::to_string(value); }
std::string print_value(uint64_t value) { return std::to_string(value); }
std::string print_value(Direction value) { return print_name(kDirections, value); }
std::string print_value(tombola_data_type_t value) { return print_name(kDataTypes, value); }
std::string print_value(tombola_alignment_t value) { return print_name(kAlignments, value); }
std::string print_value(tombola_int_draws_t value) { return print_name(kIntDraws, value); }
std::string print_value(tombola_scratchpad_mode_t value) {
    return print_name(kScratchpadModes, value);
}
std::string print_value(const TagName& value) { return value.text; }
std::string print_value(const FileName& value) { return value.text; }
std::string print_value(const NumberText& value) { return value.text; }
std::string print_value(const Seeds& value) {
    return std::to_string(value.global) + ":" + std::to_string(value.op);
}

std::string expected_value(bool) { return "true or false"; }
std::string expected_value(int) { return "an integer of 32 bits"; }
std::string expected_value(int64_t) { return "an integer of 64 bits"; }
std::string expected_value(uint64_t) { return "an unsigned integer of 64 bits"; }
std::string expected_value(Direction) { return list_names(kDirections); }
std::string expected_value(tombola_data_type_t) { return list_names(kDataTypes); }
std::string expected_value(tombola_alignment_t) { return list_names(kAlignments); }
std::string expected_value(tombola_int_draws_t) { return list_names(kIntDraws); }
std::string expected_value(tombola_scratchpad_mode_t) { return list_names(kScratchpadModes); }
std::string expected_value(const TagName&) {
    return "a layout such as abx, axb, aBx16b, nchw, acdb or any";
}
std::string expected_value(const FileName&) { return "a file"; }
std::string expected_value(const NumberText&) { return "a number, or auto"; }
std::string expected_value(const Seeds&) { return "GLOBAL:OP, unsigned integers of 64 bits"; }

}  // namespace tombola::bench
