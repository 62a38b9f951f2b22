// SPDX-License-Identifier: Apache-2.0
#include "common/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

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

// The index behind the bracket expression that begins at text[at].
size_t behind_bracket(const std::string& text, size_t at) {
    ++at;
    if (at < text.size() && text[at] == '^') ++at;
    if (at < text.size() && text[at] == ']') ++at;
    for (; at < text.size() && text[at] != ']'; ++at) {
        const char kind = at + 1 < text.size() ? text[at + 1] : 0;
        if (text[at] != '[' || (kind != ':' && kind != '.' && kind != '=')) continue;
        at = text.find(std::string{kind, ']'}, at + 2);
        if (at == std::string::npos) return text.size();
        ++at;
    }
    return std::min(at + 1, text.size());
}

// The C library's regcomp() writes repetitions out, {m,n} and also +, so nested ones multiply: a few characters can take gigabytes, hours or
// the whole stack. So can repeated anchors. It calls itself for each parenthesis. Its regexec() tries all ways to match a back-reference.
bool is_cheap(const std::string& text) {
    constexpr size_t kMaxLength = 1000, kMaxWritten = 1000;
    if (text.size() > kMaxLength) return false;
    // A part of the expression that an operator can repeat, or the parts of an open group so far.
    struct Part {
        size_t begin;
        bool can_be_repeated;  // it has no anchor and nothing repeated
    };
    std::vector<Part> open{{0, true}};
    Part last{0, true};
    size_t written = 0;  // the characters that all {m,n} repeat
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '*' || c == '+' || c == '?' || c == '{') {
            if (!last.can_be_repeated) return false;
            const size_t size = i++ - last.begin;
            open.back().can_be_repeated = last.can_be_repeated = false;
            if (c != '{') continue;
            char* end = nullptr;
            unsigned long most = std::strtoul(text.c_str() + i, &end, 10);
            if (*end == ',') most = std::max(most, std::strtoul(end + 1, &end, 10));
            if (most > kMaxWritten || (written += most * size) > kMaxWritten) return false;
            i = std::min(static_cast<size_t>(end - text.c_str()) + 1, text.size());
            continue;
        }
        last = {i, true};
        if (c == '\\') {
            const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
            if (std::isdigit(next) != 0) return false;
            last.can_be_repeated = std::strchr("<>bB`'", next) == nullptr;
            i += 2;
        } else if (c == '[') {
            i = behind_bracket(text, i);
        } else {
            ++i;
            if (c == '(') open.push_back(last);
            if (c == ')' && open.size() > 1) {
                last = open.back();
                open.pop_back();
            }
            if (c == '^' || c == '$') last.can_be_repeated = false;
        }
        if (c != '(' && !last.can_be_repeated) open.back().can_be_repeated = false;
    }
    return true;
}

}  // namespace

Pattern::Pattern(const std::string& option, const std::string& text) {
    constexpr size_t kShown = 100;
    if (!is_cheap(text))
        refuse_value(
            option, text.size() > kShown ? text.substr(0, kShown) + "..." : text,
            "a regular expression of at most 1000 characters, without back-references, whose "
            "repeated parts have no anchors and nothing repeated inside, and whose {m,n} "
            "write out at most 1000 characters");
    if (regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
        refuse_value(option, text, "a regular expression as grep -E takes it");
}

Pattern::~Pattern() { regfree(&compiled_); }

bool Pattern::matches(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace tombola::bench
