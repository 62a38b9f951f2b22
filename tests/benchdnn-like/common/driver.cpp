// SPDX-License-Identifier: Apache-2.0
#include "common/driver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/value.hpp"

namespace tombola::bench {

std::string Driver::option() const {
    std::string text = name();
    for (char& c : text)
        if (c == '_') c = '-';
    return "--" + text;
}

bool Driver::has_field(const std::string& field) const {
    const auto names = field_names();
    return std::find(names.begin(), names.end(), field) != names.end();
}

reference::Dims parse_dims(const std::string& text, int min_count, int max_count) {
    const auto plural = [](int count) {
        return fmt::format("{} size{}", count, count == 1 ? "" : "s");
    };
    reference::Dims dims;
    double elements = 1;
    for (const std::string& piece : split(text, 'x')) {
        int64_t size;
        if (!parse_value(piece, size) || size < 0)
            throw UsageError(fmt::format("'{}' is no size, which is a number from 0 on", piece));
        elements *=
            static_cast<double>(std::max<int64_t>(size, 16));  // blocks and strides included
        dims.push_back(size);
    }
    const auto count = static_cast<int>(dims.size());
    if (count < min_count || count > max_count)
        throw UsageError(fmt::format("it has {}, and it may have {}{}", plural(count),
                                     max_count == min_count ? "" : "at most ", plural(max_count)));
    if (elements > 0x1p58)
        throw UsageError(
            "the product of its sizes, with 16 in place of each smaller one, is above 2^58");
    return dims;
}

std::string print_dims(const reference::Dims& dims) {
    std::string text;
    for (int64_t size : dims) text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
}

std::string split_name(const std::string& text, std::string& name) {
    // Sizes hold no n. The quotes may be missing: a shell takes them away.
    const size_t begin = text.find('n');
    if (begin == std::string::npos) return text;
    name = text.substr(begin + 1);
    name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
    return text.substr(0, begin > 0 && text[begin - 1] == '_' ? begin - 1 : begin);
}

void refuse_value(const std::string& option, const std::string& value,
                  const std::string& expected) {
    throw UsageError(fmt::format("{}={}: expected {}", option, value, expected));
}

std::string help_line(const std::string& option, const std::string& text) {
    constexpr size_t kColumn = 30, kWidth = 110;
    std::string line = "      " + option, result;
    const auto end_line = [&] {
        while (!line.empty() && line.back() == ' ') line.pop_back();
        result += line + "\n";
        line.assign(kColumn, ' ');
    };
    if (line.size() < kColumn)
        line.resize(kColumn, ' ');
    else
        end_line();
    for (const std::string& word : split(text, ' ')) {
        if (line.size() + word.size() > kWidth) end_line();
        line += word + " ";
    }
    end_line();
    return result;
}

}  // namespace tombola::bench
