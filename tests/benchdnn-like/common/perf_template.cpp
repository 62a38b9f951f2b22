// SPDX-License-Identifier: Apache-2.0
#include "common/perf_template.hpp"

#include <strings.h>

#include <algorithm>
#include <cctype>

namespace tombola::bench {

namespace {

const char* const kDefault =
    "perf,%engine%,%impl%,%name%,%prb%,%-time%,%-Gbw%,%0time%,%0Gbw%,%ceil%,%bound%,%share%";
const char* const kCsv =
    "perf,%engine%,%impl%,%name%,%driver%,%desc%,%prb%,%-time%,%-Gbw%,%0time%,%0Gbw%,%ceil%,%bound%"
    ","
    "%share%";

}  // namespace

const std::vector<std::pair<std::string, std::string>>& PerfTemplate::common_names() {
    static const std::vector<std::pair<std::string, std::string>> kNames = {
        {"prb", "the problem, as the command line takes it"},
        {"driver", "the driver"},
        {"desc", "the problem's sizes"},
        {"name", "the problem's name, as in 2x8x3x3_n\"name\""},
        {"idx", "the case's number"},
        {"engine", "cpu"},
        {"impl", "the implementation"},
        {"attr", "the attributes that are not the default, as options"},
        {"time",
         "time of one execution in ms: %-time% best (as %time%), %~time% median, %0time% mean, "
         "%+time% worst"},
        {"clocks", "the same in clocks of the time-stamp counter"},
        {"freq", "clocks a second"},
        {"bw",
         "bytes that the ceiling moves, a second: %-Gbw% GB/s of the best run, %0Gbw% of the mean"},
        {"ibytes", "bytes of all inputs"},
        {"obytes", "bytes of all outputs"},
        {"iobytes", "bytes of both"},
        {"ops", "0: these primitives count no operations"},
        {"flops", "0 likewise"},
        {"cpdtime",
         "time to create the primitive descriptor in ms: %+cpdtime% the first time (as %cpdtime%), "
         "%-cpdtime% when the library remembers it"},
        {"cptime", "the same of the primitive"},
        {"ctime", "the same of both"},
        {"ceil", "what this machine can do, GB/s, measured in turns with the runs"},
        {"bound", "what the ceiling is: memset, stores, nt-stores, in-cache, memcpy, read"},
        {"share", "the best run's share of the ceiling"},
        {"runs", "number of runs"},
    };
    return kNames;
}

PerfTemplate::PerfTemplate() : PerfTemplate("def") {}

PerfTemplate::PerfTemplate(const std::string& text) {
    const char* const known = strcasecmp(text.c_str(), "def") == 0   ? kDefault
                              : strcasecmp(text.c_str(), "csv") == 0 ? kCsv
                                                                     : nullptr;
    custom_ = known == nullptr;
    text_ = std::make_shared<const std::string>(custom_ ? text : known);
    parse();
}

void PerfTemplate::parse() {
    const std::string& text = *text_;
    std::vector<Piece> pieces;
    std::string literal;
    for (size_t i = 0; i < text.size();) {
        const size_t end = text[i] == '%' ? text.find('%', i + 1) : std::string::npos;
        if (end != std::string::npos) {
            size_t begin = i + 1;
            Field field;
            if (std::string("-~0+").find(text[begin]) != std::string::npos && begin < end)
                field.modifier = text[begin++];
            const size_t unit = std::string("KMG").find(text[begin]);
            if (unit != std::string::npos && begin < end) {
                field.unit = unit == 0 ? 1e3 : unit == 1 ? 1e6 : 1e9;
                ++begin;
            }
            field.name = text.substr(begin, end - begin);
            const bool is_name =
                !field.name.empty() &&
                std::all_of(field.name.begin(), field.name.end(), [](unsigned char c) {
                    return std::isalpha(c) || c == '-' || c == '_';
                });
            if (is_name) {
                pieces.push_back({literal, field});
                literal.clear();
                i = end + 1;
                continue;
            }
        }
        literal += text[i++];
    }
    pieces.push_back({literal, std::nullopt});
    pieces_ = std::make_shared<const std::vector<Piece>>(std::move(pieces));
}

std::vector<std::string> PerfTemplate::driver_names() const {
    std::vector<std::string> names;
    for (const Piece& piece : *pieces_) {
        if (!piece.field) continue;
        const auto& common = common_names();
        if (std::none_of(common.begin(), common.end(),
                         [&](const auto& known) { return known.first == piece.field->name; }))
            names.push_back(piece.field->name);
    }
    return names;
}

std::string PerfTemplate::expand(const std::function<std::string(const Field&)>& value) const {
    std::string line;
    for (const Piece& piece : *pieces_) {
        line += piece.literal;
        if (piece.field) line += value(*piece.field);
    }
    return line;
}

}  // namespace tombola::bench
