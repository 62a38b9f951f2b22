// SPDX-License-Identifier: Apache-2.0
#pragma once

// The line that performance mode prints for a problem, as --perf-template gives it.
//
// %NAME% is replaced; all other text is printed as it stands, a % that begins no name included. A number's name
// may have a modifier in front: - best run (as without one), ~ median, 0 mean, + worst run, and then a unit K, M or
// G. Of the times of creation, - is the one from the library's cache, and + (as without one) the first.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tombola::bench {

class PerfTemplate {
  public:
    struct Field {
        char modifier = '\0';  // none
        double unit = 1;
        std::string name;
    };

    PerfTemplate();  // def
    // "def", "csv" or a line of text. Throws UsageError when a %NAME% is not one.
    explicit PerfTemplate(const std::string& text);

    const std::string& text() const { return *text_; }
    bool is_custom() const { return custom_; }
    // Names that are not the common part's: a driver must know them.
    std::vector<std::string> driver_names() const;
    std::string expand(const std::function<std::string(const Field&)>& value) const;

    static const std::vector<std::pair<std::string, std::string>>& common_names();  // with help

  private:
    struct Piece {
        std::string literal;
        std::optional<Field> field;
    };
    void parse();
    // Of all copies: each case has one.
    std::shared_ptr<const std::string> text_;
    std::shared_ptr<const std::vector<Piece>> pieces_;
    bool custom_;
};

}  // namespace tombola::bench
