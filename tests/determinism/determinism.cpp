// SPDX-License-Identifier: Apache-2.0

// The numbers of the library as hashes: one line per logical case, "SHA-256 case".
//
//   determinism CASES                     prints the table
//   determinism CASES HASHES              holds the table in every variant of every case
//   determinism --reference CASES HASHES  holds the table against what tests/reference computes
//
// CASES is a batch file of benchtombola. A case is a line that benchtombola takes. Its hash is that of the bytes of its
// outputs in logical row-major order, one output behind the other (`benchtombola --mode=R --dump=FILE` writes them). A
// variant computes the same outputs by
//
//   threads   at most 1, 2, 3 or 7 of them
//   layouts   other orders of the dimensions, and blocks of channels, for the input, the output or both
//   cuts      three calls instead of one, each on a part of the outermost dimension, with the OFFSET or the state that
//             leads to its first element
//
// The instruction set is the one of TOMBOLA_MAX_CPU_ISA. ctest runs this by under_isa, which skips those that the
// machine lacks. Without under_isa, the best one that the machine has is used in their place.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/ceilings.hpp"
#include "common/command_line.hpp"
#include "common/errors.hpp"
#include "common/execution.hpp"
#include "common/text.hpp"
#include "determinism/sha256.hpp"
#include "gtests/common/fp_control.hpp"

namespace tombola::determinism {
namespace {

using namespace bench;

// One execution's tensors, and how the case that it belongs to is created again with other options.
struct Run {
    Case made;
    Execution execution;

    explicit Run(Case from) : made(std::move(from)), execution(*made.problem, *made.settings) {
        if (execution.outcome() != Execution::Outcome::ready)
            throw CaseError(execution.reason() + " (" + made.repro() + ")");
    }
    Arguments& args() { return execution.args(); }
    // On memory of its own.
    void allocate() { execution.allocate(Buffer::Place::guarded); }
    void execute() {
        for (const Argument& argument : args().all())
            if (argument.role == Argument::Role::output)
                std::memset(execution.data(argument.arg), Execution::kPoison,
                            argument.physical_bytes());
        require(execution.run(), "tombola_primitive_execute");
        execution.fetch_outputs();
    }
};

std::vector<Case> parse(const std::vector<std::string>& tokens) {
    CommandLine line({});
    line.parse(tokens);
    return std::move(line.cases());
}

// The case with more options, and with other sizes if there are some.
Run variant(const Case& made, const std::vector<std::string>& options,
            const std::string& sizes = "") {
    std::vector<std::string> tokens = split(made.problem->repro(false), ' ');
    const std::string problem = sizes.empty() ? tokens.back() : sizes;
    tokens.pop_back();
    tokens.push_back("--allow-enum-tags-only=false");
    tokens.insert(tokens.end(), options.begin(), options.end());
    tokens.push_back(problem);
    return Run(std::move(parse(tokens).at(0)));
}

Bytes outputs_of(const Arguments& args, Bytes Argument::*bytes = &Argument::values) {
    Bytes all;
    for (const Argument& argument : args.all())
        if (argument.role == Argument::Role::output)
            all.insert(all.end(), (argument.*bytes).begin(), (argument.*bytes).end());
    return all;
}

class Failures {
  public:
    void add(const std::string& what) {
        constexpr int kShown = 20;
        if (count_++ < kShown) fmt::print("FAILED: {}\n", what);
    }
    int count() const { return count_; }

  private:
    int count_ = 0;
};

// Layouts that hold the same logical tensor: the options of each.
std::vector<std::vector<std::string>> layouts_of(const Problem& problem) {
    if (!problem.field_value("tag")) return {};
    const reference::Dims dims = parse_dims(problem.sizes());
    if (dims.size() < 2) return {};
    std::vector<std::string> tags = {"axb", "xba"};
    if (dims.size() == 2) tags = {"ba"};
    if (dims.size() >= 3 && dims.size() <= 5) tags.insert(tags.end(), {"aBx8b", "aBx16b"});
    std::vector<std::vector<std::string>> layouts;
    for (const std::string& tag : tags) {
        layouts.push_back({"--tag=" + tag});
        if (problem.field_value("ptag")) layouts.push_back({"--ptag=" + tag});
        if (!problem.field_value("dtag")) continue;
        layouts.push_back({"--dtag=" + tag});
        layouts.push_back({"--tag=" + tag, "--dtag=" + tag});
    }
    return layouts;
}

uint64_t number(const Problem& problem, const char* field) {
    return std::strtoull(problem.field_value(field).value_or("0").c_str(), nullptr, 0);
}

// How a case is cut along its outermost dimension.
struct Cut {
    int64_t rows = 0;      // of the whole; below 2: it is not cut
    int64_t multiple = 1;  // every cut is at a multiple of this many rows
    int64_t tail = 1;      // the last part has so many rows at least
    uint64_t offset_per_row = 0;
    bool by_state = false;  // a call goes on with the state that the one before has left
    std::vector<std::string> options;
};

Cut cut_of(const Problem& problem) {
    const std::string driver = problem.driver_name();
    const reference::Dims dims = parse_dims(problem.sizes());
    uint64_t inner = 1;
    for (size_t d = 1; d < dims.size(); ++d) inner *= static_cast<uint64_t>(dims[d]);
    Cut cut;
    cut.rows = dims[0];
    cut.offset_per_row = inner;
    if (driver == "multinomial" || driver == "token_sampler") {
        cut.offset_per_row = number(problem, "samples");
    } else if (driver == "random_permutation") {
        // The permutation is that of the whole range, whatever part of it is asked for.
        if (number(problem, "range") == 0) cut.options = {"--range=" + problem.sizes()};
    } else if (driver == "shuffle") {
        if (problem.field_value("axis") == "0") cut.rows = 0;
        cut.offset_per_row = 0;
    } else if (driver == "random_generator") {
        // A call uses whole blocks of 4 words.
        cut.by_state = true;
        cut.multiple = inner % 4 == 0 ? 1 : 4;
    } else if (driver == "random_normal" && problem.field_value("alignment") == "pytorch") {
        // PyTorch makes blocks of 16 numbers, and fewer than 16 in another way (doc/random_normal.md).
        if (inner > 1) cut.rows = 0;
        cut.multiple = cut.tail = 16;
    } else if (problem.field_value("mask-kind") == "bits") {
        if (inner % 8 != 0) cut.multiple = 8;
    }
    return cut;
}

// The outputs of three calls, as one call would have written them. Empty if the case cannot be cut.
Bytes outputs_of_parts(Run& whole) {
    const Problem& problem = *whole.made.problem;
    const Cut cut = cut_of(problem);
    std::set<int64_t> bounds;
    for (const int64_t near : {cut.rows / 3, cut.rows * 2 / 3 + 1}) {
        const int64_t at = near / cut.multiple * cut.multiple;
        if (at > 0 && at <= cut.rows - cut.tail) bounds.insert(at);
    }
    if (bounds.empty()) return {};
    bounds.insert(cut.rows);

    reference::Dims dims = parse_dims(problem.sizes());
    std::map<int, Bytes> joined;
    Bytes state;
    int64_t begin = 0;
    for (const int64_t end : bounds) {
        dims[0] = end - begin;
        std::vector<std::string> options = cut.options;
        if (problem.field_value("offset")) {
            const uint64_t offset =
                number(problem, "offset") + static_cast<uint64_t>(begin) * cut.offset_per_row;
            options.push_back("--offset=" + std::to_string(offset));
        }
        Run part = variant(whole.made, options, print_dims(dims));
        for (Argument& argument : part.args().all()) {
            if (argument.role != Argument::Role::input) continue;
            const Argument* all = whole.args().find(argument.arg);
            if (all == nullptr) continue;  // OFFSET, where the whole starts at 0
            if (argument.arg == TOMBOLA_ARG_SRC_STATE && cut.by_state && begin > 0) {
                argument.values = state;
            } else if (all->values.size() != argument.values.size()) {
                const size_t from =
                    all->values.size() * static_cast<size_t>(begin) / static_cast<size_t>(cut.rows);
                argument.values.assign(
                    all->values.begin() + static_cast<ptrdiff_t>(from),
                    all->values.begin() + static_cast<ptrdiff_t>(from + argument.values.size()));
            }
        }
        part.allocate();
        part.execute();
        for (const Argument& argument : part.args().all()) {
            if (argument.role != Argument::Role::output) continue;
            Bytes& bytes = joined[argument.arg];
            // A tensor with the outermost dimension is joined; a state or seeds are those of the last call.
            const bool has_rows =
                whole.args().at(argument.arg).values.size() != argument.values.size();
            if (!has_rows) bytes.clear();
            bytes.insert(bytes.end(), argument.values.begin(), argument.values.end());
            if (argument.arg == TOMBOLA_ARG_DST_STATE) state = argument.values;
        }
        begin = end;
    }
    Bytes all;
    for (const Argument& argument : whole.args().all())
        if (argument.role == Argument::Role::output)
            all.insert(all.end(), joined[argument.arg].begin(), joined[argument.arg].end());
    return all;
}

// "SHA-256 case" lines, comments left out.
std::map<std::string, std::string> read_table(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw UsageError(path + ": cannot be opened");
    std::map<std::string, std::string> table;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#') table[line.substr(65)] = line.substr(0, 64);
    return table;
}

int print_table(std::vector<Case> cases) {
    fmt::print(
        "# SHA-256 of the outputs of every case of tests/determinism/cases, which `determinism "
        "cases` printed.\n"
        "# doc/determinism.md tells what a line promises. scripts/check-hashes tells when one "
        "changes.\n");
    for (Case& made : cases) {
        Run run(std::move(made));
        run.allocate();
        run.execute();
        fmt::print("{} {}\n", sha256(outputs_of(run.args())), run.made.problem->repro(false));
    }
    return 0;
}

int hold_reference(std::vector<Case> cases, const std::map<std::string, std::string>& table) {
    Failures failures;
    for (Case& made : cases) {
        Run run(std::move(made));
        run.allocate();
        // Some references read which seeds were used.
        run.execute();
        run.made.problem->expect(run.args());
        const std::string name = run.made.problem->repro(false);
        const auto line = table.find(name);
        if (line == table.end() ||
            sha256(outputs_of(run.args(), &Argument::expected)) != line->second)
            failures.add(name + ": the reference has another hash");
    }
    fmt::print("{} cases, {} failed\n", cases.size(), failures.count());
    return failures.count() > 0 ? kExitFailed : 0;
}

// While it lives, this thread rounds down and flushes subnormal numbers.
class UnusualFpEnv {
  public:
    UnusualFpEnv() { test::set_fp_control(test::kFpDefault | test::kFpFlush | test::kFpDown); }
    ~UnusualFpEnv() { test::set_fp_control(before_); }
    UnusualFpEnv(const UnusualFpEnv&) = delete;
    UnusualFpEnv& operator=(const UnusualFpEnv&) = delete;

  private:
    const uint64_t before_ = test::fp_control();
};

int hold_variants(std::vector<Case> cases, const std::map<std::string, std::string>& table) {
    Failures failures;
    int runs = 0, layouts = 0, cuts = 0;
    std::set<std::string> seen;
    for (Case& made : cases) {
        Run whole(std::move(made));
        const std::string name = whole.made.problem->repro(false);
        if (!seen.insert(name).second) failures.add(name + ": the case stands twice in the list");
        const auto line = table.find(name);
        if (line == table.end()) {
            failures.add(name + ": the table lacks the case");
            continue;
        }
        // The outputs, once a run has had the table's hash: comparing costs less than hashing.
        std::optional<Bytes> right;
        const auto hold = [&](const Bytes& outputs, const std::string& how) {
            ++runs;
            if (!right && sha256(outputs) == line->second) right = outputs;
            if (!right || outputs != *right)
                failures.add(name + ": " + how + " gives other numbers");
        };
        whole.allocate();
        for (const int threads : {1, 2, 3, 7}) {
            const ThreadLimit limit(threads);
            whole.execute();
            hold(outputs_of(whole.args()), fmt::format("{} threads", threads));
        }
        {
            const UnusualFpEnv fp_env;
            whole.execute();
        }
        hold(outputs_of(whole.args()), "another floating-point environment");
        for (const std::vector<std::string>& options : layouts_of(*whole.made.problem)) {
            Run other = variant(whole.made, options);
            other.allocate();
            other.execute();
            hold(outputs_of(other.args()), join(options, " "));
            ++layouts;
        }
        if (const Bytes outputs = outputs_of_parts(whole); !outputs.empty()) {
            hold(outputs, "a cut");
            ++cuts;
        }
    }
    for (const auto& line : table)
        if (seen.count(line.first) == 0) failures.add(line.first + ": no such case");
    fmt::print("{}: {} cases, {} variants ({} layouts, {} cuts), {} failed\n",
               tombola_cpu_isa2str(tombola_get_effective_cpu_isa()), cases.size(), runs, layouts,
               cuts, failures.count());
    return failures.count() > 0 ? kExitFailed : 0;
}

// The examples of FIPS 180-4 (csrc.nist.gov, "Example values", SHA256.pdf).
bool sha256_is_right() {
    const auto of = [](const std::string& text) { return sha256({text.begin(), text.end()}); };
    return of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" &&
           of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
}

int run(std::vector<std::string> args) {
    const bool reference = !args.empty() && args[0] == "--reference";
    if (reference) args.erase(args.begin());
    if (args.size() != 2 && (reference || args.size() != 1))
        throw UsageError("expected [--reference] CASES HASHES, or CASES");
    if (!sha256_is_right()) throw CaseError("sha256() does not give the hashes of FIPS 180-4");
    std::vector<Case> cases = parse({"--shuffle", "--batch=" + args[0]});
    if (args.size() == 1) return print_table(std::move(cases));
    const auto table = read_table(args[1]);
    return reference ? hold_reference(std::move(cases), table)
                     : hold_variants(std::move(cases), table);
}

}  // namespace
}  // namespace tombola::determinism

int main(int argc, char** argv) {
    try {
        return tombola::determinism::run(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const std::exception& error) {
        fmt::print(stderr, "determinism: {}\n", error.what());
        return 1;
    }
}
