// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the command line does with texts.

#include <regex.h>

#include <string>
#include <vector>

namespace tombola::bench {

std::string strip_quotes(std::string text);
// Without the quotes at both ends, if there are two.
std::string strip_enclosing_quotes(const std::string& text);
// A file's name as a word of a command line: in quotes if it has white space, which ends a word in a batch file and in a shell.
std::string quoted(const std::string& text);
std::string join(const std::vector<std::string>& pieces, const char* separator);
// Levenshtein's distance with transpositions of neighbours: the number of letters to insert, delete, replace or swap. For texts of
// more than 100 letters it is the longer one's length, as if they had no letter in common.
size_t edit_distance(const std::string& a, const std::string& b);

// A POSIX extended regular expression, as grep -E takes it, without back-references; an empty one matches everything. Throws
// UsageError for a text that is none, or that could take very long.
class Pattern {
  public:
    Pattern(const std::string& option, const std::string& text);
    Pattern(const Pattern&) = delete;
    ~Pattern();
    bool matches(const std::string& text) const;

  private:
    regex_t compiled_;
};

}  // namespace tombola::bench
