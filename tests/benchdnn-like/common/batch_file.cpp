// SPDX-License-Identifier: Apache-2.0

// Batch files: where they lie, and what is in them.

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "common/command_line.hpp"
#include "common/errors.hpp"

namespace tombola::bench {
namespace {

struct Token {
    std::string text;
    size_t line;
};
// The text of a file; nothing if it cannot be read, as a folder. A pipe can be read once only.
std::optional<std::string> text_of(const std::string& path) {
    constexpr size_t kMaxBytes = 16 << 20;  // /dev/zero has no end
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open()) return {};
    std::string text;
    std::vector<char> block(1 << 16);
    do {
        file.read(block.data(), static_cast<std::streamsize>(block.size()));
        text.append(block.data(), static_cast<size_t>(file.gcount()));
        if (text.size() > kMaxBytes)
            throw UsageError(
                fmt::format("--batch={}: the file has more than {} bytes", path, kMaxBytes));
    } while (file);
    if (file.bad()) return {};
    // Some editors write it in front of UTF-8.
    constexpr const char* kByteOrderMark = "\xEF\xBB\xBF";
    if (text.compare(0, 3, kByteOrderMark) == 0) text.erase(0, 3);
    return text;
}

// Words separated by white space, which double quotes protect; a word that begins with # begins a comment.
std::vector<Token> tokens_of(const std::string& path, const std::string& text) {
    std::istringstream lines(text);
    std::vector<Token> tokens;
    std::string line;
    for (size_t number = 1; std::getline(lines, line); ++number) {
        std::string token;
        bool quoted = false;
        if (line.find('\0') != std::string::npos)
            throw UsageError(fmt::format("in {}:{}: a byte of 0; expected text", path, number));
        for (char c : line + " ") {
            if (c == '"') quoted = !quoted;
            if (quoted || !std::isspace(static_cast<unsigned char>(c))) {
                if (c == '#' && token.empty()) break;
                token += c;
            } else if (!token.empty()) {
                tokens.push_back({token, number});
                token.clear();
            }
        }
        if (quoted)
            throw UsageError(
                fmt::format("in {}:{}: {}: expected a closing \"", path, number, token));
    }
    return tokens;
}

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

CommandLine::Batch CommandLine::find_batch(const std::string& file) const {
    if (file.empty()) throw UsageError("--batch=: expected the name of a file");
    std::vector<std::string> candidates{file};
    if (file.compare(0, 1, "/") != 0) {
        if (!batches_.empty()) candidates.push_back(folder_of(batches_.back()) + "/" + file);
        if (driver_)
            for (const std::string& inputs : inputs_)
                candidates.push_back(inputs + "/" + driver_->name() + "/" + file);
        // shuffle/smoke and inputs/shuffle/smoke, from wherever the program is called
        for (const std::string& inputs : inputs_) candidates.push_back(inputs + "/" + file);
        for (const std::string& inputs : inputs_)
            candidates.push_back(folder_of(inputs) + "/" + file);
    }
    std::string tried;
    for (const std::string& candidate : candidates) {
        if (std::optional<std::string> text = text_of(candidate)) return {candidate, *text};
        std::error_code none;
        tried += "\n    " + candidate;
        if (std::filesystem::is_directory(candidate, none)) tried += ", a directory";
    }
    const char* const hint =
        driver_ ? "" : "\n(a driver before --batch adds its folder, inputs/DRIVER)";
    throw UsageError("--batch=" + file + ": cannot open any of" + tried + hint);
}

void CommandLine::take_batch(const std::string& file) {
    constexpr size_t kMaxDepth = 16, kMaxFiles = 10000, kMaxFileBytes = size_t{64} << 20;
    if (++files_ > kMaxFiles)
        throw UsageError(fmt::format(
            "--batch={}: expected at most {} batch files in all, one read twice counts twice", file,
            kMaxFiles));
    if (batches_.size() == kMaxDepth)
        throw UsageError("--batch=" + file + ": batch files include one another more than 16 deep");
    const auto [path, text] = find_batch(file);
    file_bytes_ += text.size();
    if (file_bytes_ > kMaxFileBytes)
        throw UsageError(
            fmt::format("--batch={}: expected at most {} bytes of batch files in all, a file read "
                        "twice counts twice",
                        file, kMaxFileBytes));
    const auto tokens = tokens_of(path, text);
    const Filters outside = outer_filters_;
    outer_filters_ = filters_;
    batches_.push_back(path);
    for (const Token& token : tokens) {
        try {
            take(token.text);
        } catch (const UsageError& error) {
            const std::string message = error.what();
            // Of files that name one another the innermost is told.
            if (message.compare(0, 3, "in ") == 0) throw;
            throw UsageError(fmt::format("in {}:{}: {}", batches_.back(), token.line, message));
        }
    }
    batches_.pop_back();
    outer_filters_ = outside;
}

}  // namespace tombola::bench
