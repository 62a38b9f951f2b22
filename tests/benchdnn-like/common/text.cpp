// SPDX-License-Identifier: Apache-2.0
#include "common/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "common/driver.hpp"

namespace tombola::bench {

std::string strip_quotes(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
    return text;
}

std::string strip_enclosing_quotes(const std::string& text) {
    const bool enclosed = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return enclosed ? text.substr(1, text.size() - 2) : text;
}

std::string quoted(const std::string& text) {
    const bool has_blank = text.find_first_of(" \t") != std::string::npos;
    return has_blank ? '"' + text + '"' : text;
}

std::string join(const std::vector<std::string>& pieces, const char* separator) {
    std::string text;
    for (const std::string& piece : pieces) text += (text.empty() ? "" : separator) + piece;
    return text;
}

size_t edit_distance(const std::string& a, const std::string& b) {
    constexpr size_t kMaxLength = 100;  // the table grows with the square of it
    const size_t longest = std::max(a.size(), b.size());
    if (longest > kMaxLength) return longest;
    std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
        for (size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                                d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

namespace {

// The C library's regcomp() writes repetitions {m,n} out, and calls itself for each parenthesis. Its regexec() tries all ways to
// match a back-reference.
bool is_cheap(const std::string& text) {
    constexpr size_t kMaxLength = 1000;
    constexpr long kMaxRepetitions = 1000;
    if (text.size() > kMaxLength) return false;
    long repetitions = 1;  // of all {m,n}, as if each were inside the one before it
    for (size_t i = 0; i + 1 < text.size(); ++i) {
        const bool digit_follows = std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
        if (text[i] == '\\' && digit_follows) return false;
        if (text[i] != '{') continue;
        const char* at = &text[i] + 1;
        char* end = nullptr;
        long most = std::strtol(at, &end, 10);
        if (*end == ',') most = std::max(most, std::strtol(end + 1, nullptr, 10));
        if (most > kMaxRepetitions) return false;
        repetitions *= std::max(most, 1L);
        if (repetitions > kMaxRepetitions) return false;
    }
    return true;
}

}  // namespace

Pattern::Pattern(const std::string& option, const std::string& text) {
    constexpr size_t kShown = 100;
    if (!is_cheap(text))
        refuse_value(option, text.size() > kShown ? text.substr(0, kShown) + "..." : text,
                     "a regular expression without back-references, of at most 1000 characters, "
                     "whose repetitions {m,n} give at most 1000 when multiplied");
    if (regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
        refuse_value(option, text, "a regular expression as grep -E takes it");
}

Pattern::~Pattern() { regfree(&compiled_); }

bool Pattern::matches(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace tombola::bench
