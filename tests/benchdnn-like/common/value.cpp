// SPDX-License-Identifier: Apache-2.0
#include "common/value.hpp"

#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "common/text.hpp"
#include "reference/layout.hpp"

namespace tombola::bench {
namespace {

// Whether `type` has the number.
bool parse_number(const std::string& text, tombola_data_type_t type, reference::Scalar& scalar) {
    bool fits = false;
    return reference::parse_scalar(type, text, scalar, fits) && fits;
}

}  // namespace

reference::Scalar NumberText::as(tombola_data_type_t type) const {
    reference::Scalar scalar{};
    return parse_number(text, type, scalar) ? scalar : reference::Scalar{};
}

std::string NumberText::refusal(const char* option, tombola_data_type_t type) const {
    reference::Scalar scalar{};
    if (parse_number(text, type, scalar)) return "";
    const bool is_integer = type == tombola_s32 || type == tombola_s64;
    return std::string(option) + " is " + text + "; expected " +
           (is_integer ? "an integer, in digits," : "a number") + " that " + print_value(type) +
           " can hold";
}

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
    value = strcasecmp(text.c_str(), "true") == 0 || text == "1";
    return value || strcasecmp(text.c_str(), "false") == 0 || text == "0";
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
bool parse_value(const std::string& text, TagName& value) {
    bool known = text == "any";
    for (int ndims = 1; ndims <= TOMBOLA_MAX_NDIMS && !known; ++ndims)
        known = reference::expand_tag(text, ndims).kind != reference::Tag::Kind::malformed;
    value.text = text;
    return known;
}
bool parse_value(const std::string& text, FileName& value) {
    value.text = text;
    return !text.empty();
}
bool parse_value(const std::string& text, NumberText& value) {
    value.text = text;
    reference::Scalar scalar;
    bool fits;
    return reference::parse_scalar(tombola_f64, text, scalar, fits);
}
bool parse_value(const std::string& text, NumberOrAuto& value) {
    return parse_value(text, static_cast<NumberText&>(value)) || value.is_auto();
}
bool parse_value(const std::string& text, Seeds& value) {
    const auto pieces = split(text, ':');
    return pieces.size() == 2 && parse_u64(pieces[0], value.global) &&
           parse_u64(pieces[1], value.op);
}

std::string print_value(bool value) { return value ? "true" : "false"; }
std::string print_value(int value) { return std::to_string(value); }
std::string print_value(int64_t value) { return std::to_string(value); }
std::string print_value(uint64_t value) { return std::to_string(value); }
std::string print_value(const TagName& value) { return value.text; }
std::string print_value(const FileName& value) { return quoted(value.text); }
std::string print_value(const NumberText& value) { return value.text; }
std::string print_value(const Seeds& value) {
    return std::to_string(value.global) + ":" + std::to_string(value.op);
}

std::string expected_value(bool) { return "true or false"; }
std::string expected_value(int) { return "an integer of 32 bits"; }
std::string expected_value(int64_t) { return "an integer of 64 bits"; }
std::string expected_value(uint64_t) { return "an unsigned integer of 64 bits"; }
std::string expected_value(const TagName&) {
    return "a layout such as abx, axb, aBx16b, nchw, acdb or any";
}
std::string expected_value(const FileName&) { return "the name of a file"; }
std::string expected_value(const NumberText&) { return "a number"; }
std::string expected_value(const NumberOrAuto&) { return "a number, or auto"; }
std::string expected_value(const Seeds&) {
    return "GLOBAL:OP, unsigned integers of 64 bits: 0:0 for entropy, 0:1 for "
           "torch.manual_seed(0)";
}

}  // namespace tombola::bench
