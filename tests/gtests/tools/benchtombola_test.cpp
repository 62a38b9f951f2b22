// SPDX-License-Identifier: Apache-2.0

// The parts of benchtombola that a run in which nothing is wrong does not show: what it says when a result is
// wrong, and how a command line becomes cases.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "common/ceilings.hpp"
#include "common/command_line.hpp"
#include "common/errors.hpp"
#include "common/perf_template.hpp"
#include "common/report.hpp"
#include "common/run_case.hpp"
#include "random_generator/random_generator_problem.hpp"
#include "shuffle/shuffle_problem.hpp"
#include "token_sampler/token_sampler_problem.hpp"

namespace tombola::bench {
namespace {

Argument blocked_argument() {
    Argument argument{};
    argument.name = "DST";
    argument.role = Argument::Role::output;
    argument.type = tombola_u8;
    argument.layout = reference::Layout::from_letters("aBc4b", {1, 3, 2});
    return argument;
}

TEST(Compare, EqualMemoryHasNoDifference) {
    const Bytes expected{1, 2, 3, 0, 4, 5, 6, 0};
    EXPECT_EQ(compare(blocked_argument(), expected.data(), expected).elements, 0u);
}

TEST(Compare, NamesTheElement) {
    const Bytes expected{1, 2, 3, 0, 4, 5, 6, 0}, actual{1, 2, 3, 0, 4, 9, 6, 0};
    const Difference difference = compare(blocked_argument(), actual.data(), expected);
    EXPECT_EQ(difference.elements, 1u);
    EXPECT_EQ(difference.first, "DST[0,1,1] is 9, expected 5");
}

TEST(Compare, SeesPadding) {
    const Bytes expected{1, 2, 3, 0, 4, 5, 6, 0}, actual{1, 2, 3, 0, 4, 5, 6, 7};
    const Difference difference = compare(blocked_argument(), actual.data(), expected);
    EXPECT_EQ(difference.elements, 1u);
    EXPECT_NE(difference.first.find("padding or gap at element 7"), std::string::npos);
}

TEST(Compare, SeesGapsBetweenElements) {
    Argument argument = blocked_argument();
    argument.layout = reference::Layout::row_major({2, 2});
    argument.layout.strides = {3, 1};
    const uint8_t poison = Execution::kPoison;
    const Bytes expected{1, 2, poison, 3, 4}, actual{1, 2, 0, 3, 4};
    EXPECT_EQ(compare(argument, actual.data(), expected).elements, 1u);
}

// Floats are compared by their bits: 0 and -0 differ, and so do two NaNs.
TEST(Compare, IsBitwise) {
    Argument argument = blocked_argument();
    argument.type = tombola_f32;
    argument.layout = reference::Layout::row_major({1});
    const float zero = 0.0f, negative_zero = -0.0f;
    Bytes expected = bytes_of(&zero, 1), actual = bytes_of(&negative_zero, 1);
    EXPECT_EQ(compare(argument, actual.data(), expected).elements, 1u);
    const uint32_t nans[] = {0x7fc00000, 0x7fc00001};
    expected = bytes_of(&nans[0], 1);
    actual = bytes_of(&nans[1], 1);
    EXPECT_EQ(compare(argument, actual.data(), expected).elements, 1u);
}

// A problem that expects one wrong element: what a broken kernel looks like from here.
struct WrongExpectation : ShuffleProblem {
    void expect(Arguments& args) const override {
        ShuffleProblem::expect(args);
        args.at(TOMBOLA_ARG_DST).expected[5] ^= 1;
    }
};

TEST(RunCase, FailureCountsAndReproduces) {
    Case made;
    auto problem = std::make_unique<WrongExpectation>();
    problem->dt = tombola_u8;
    problem->group = 2;
    problem->dims = {2, 4};
    made.problem = std::move(problem);
    made.settings = std::make_shared<Settings>();
    const CaseResult result = run_case(*made.problem, *made.settings, false);
    EXPECT_EQ(result.state, State::failed);
    EXPECT_NE(result.reason.find("errors:1 total:8 first: DST[1,1] is"), std::string::npos)
        << result.reason;

    testing::internal::CaptureStdout();
    Report report(0, 1);
    report.finish(*made.problem, *made.settings, made.repro(), result);
    report.summary();
    const std::string output = testing::internal::GetCapturedStdout();
    EXPECT_NE(output.find("0:FAILED ("), std::string::npos) << output;
    EXPECT_NE(output.find("__REPRO: --shuffle --dt=u8 --group=2 2x4\n"), std::string::npos)
        << output;
    EXPECT_NE(output.find("failed:1 "), std::string::npos) << output;
    EXPECT_FALSE(report.ok());
}

// The library refuses what need not be refused, and the other way round.
struct RefusalWanted : RandomGeneratorProblem {
    std::string refusal(const Arguments* args) const override {
        return args ? "the test says so" : "";
    }
};
struct NoRefusalWanted : ShuffleProblem {
    std::string refusal(const Arguments*) const override { return ""; }
};

TEST(RunCase, RefusalsMustBeExpected) {
    RefusalWanted accepted;
    accepted.dims = {4};
    EXPECT_EQ(run_case(accepted, Settings{}, false).state, State::failed);
    NoRefusalWanted refused;
    refused.dims = {2, 4};
    refused.group = 3;
    EXPECT_EQ(run_case(refused, Settings{}, false).state, State::failed);
}

TEST(RunCase, EqualElementsProveLittle) {
    const std::string file = testing::TempDir() + "benchtombola_zeros";
    write_file(file, Bytes(32, 0));
    Settings settings;
    settings.src = file;
    ShuffleProblem problem;
    problem.dims = {2, 4};
    problem.group = 2;
    EXPECT_EQ(run_case(problem, settings, false).state, State::mistrusted);
}

// The samples of row 1 come from the operating system's entropy. Those of row 0 are compared nevertheless.
struct WrongFirstRow : TokenSamplerProblem {
    void expect(Arguments& args) const override {
        TokenSamplerProblem::expect(args);
        args.at(TOMBOLA_ARG_DST).expected[0] ^= wrong;
    }
    uint8_t wrong = 0;
};

TEST(RunCase, ComparesTheRowsWhoseSeedsAreKnown) {
    const std::string file = testing::TempDir() + "benchtombola_seeds";
    const uint64_t seeds[] = {1, 2, 0, 0};
    write_file(file, bytes_of(seeds, 4));
    WrongFirstRow problem;
    problem.batch = 2;
    problem.classes = 100;
    problem.row_seeds = {file};
    EXPECT_EQ(run_case(problem, Settings{}, false).state, State::mistrusted);
    problem.wrong = 1;
    EXPECT_EQ(run_case(problem, Settings{}, false).state, State::failed);
}

TEST(RunCase, SeesWhatIsWrittenInFrontOfATensor) {
    ShuffleProblem problem;
    problem.dims = {2, 4};
    Execution execution(problem, Settings{});
    execution.allocate(Buffer::Place::guarded);
    EXPECT_EQ(execution.overrun_in_front(), "");
    ASSERT_EQ(execution.run(), tombola_success);
    EXPECT_EQ(execution.overrun_in_front(), "");
    execution.data(TOMBOLA_ARG_DST)[-1] ^= 1;
    EXPECT_EQ(execution.overrun_in_front(), "DST");
}

std::vector<std::string> listed(const std::vector<std::string>& args) {
    CommandLine command_line({});
    command_line.parse(args);
    std::vector<std::string> lines;
    for (const Case& made : command_line.cases()) lines.push_back(made.repro());
    return lines;
}

TEST(CommandLine, ListsGiveTheirProductFirstFieldSlowest) {
    EXPECT_EQ(
        listed({"--shuffle", "--group=1,2", "--dt=s8,u8", "2x4"}),
        (std::vector<std::string>{"--shuffle --dt=s8 2x4", "--shuffle --dt=s8 --group=2 2x4",
                                  "--shuffle --dt=u8 2x4", "--shuffle --dt=u8 --group=2 2x4"}));
}

TEST(CommandLine, OptionsHoldForTheProblemsBehindThem) {
    EXPECT_EQ(listed({"--shuffle", "2x4", "--dt=s8", "2x4", "--attr-scratchpad=user", "2x4",
                      "--reset", "2x4"}),
              (std::vector<std::string>{"--shuffle 2x4", "--shuffle --dt=s8 2x4",
                                        "--shuffle --attr-scratchpad=user --dt=s8 2x4",
                                        "--shuffle 2x4"}));
}

// A repro line is a command line that makes the same case.
TEST(CommandLine, ReproLinesReproduce) {
    const std::vector<std::string> lines =
        listed({"--random-uniform", "--dt=f64,s32", "--alignment=pytorch", "--seeds=0x10:3",
                "--min=-7", "--max=0x40", "--offset=9", "--int-draws=torch2", "--tag=axb",
                "--impl=portable", "--skip-impl=a,b", "--state=s", "2x3x4_n\"some:name\""});
    ASSERT_EQ(lines.size(), 2u);
    for (const std::string& line : lines)
        EXPECT_EQ(listed(split(line, ' ')), std::vector<std::string>{line});
}

TEST(CommandLine, NumbersAreDecimalOrHex) {
    EXPECT_EQ(
        listed({"--random-generator", "--counter=0x10:010", "--key=0xffffffff", "4"}),
        (std::vector<std::string>{"--random-generator --counter=16:10:0:0 --key=4294967295:0 4"}));
    EXPECT_EQ(listed({"--shuffle", "--axis=0x2", "--group=0xC", "--threads=0x3", "1x2x12"}),
              (std::vector<std::string>{"--shuffle --threads=3 --axis=2 --group=12 1x2x12"}));
    EXPECT_EQ(listed({"--multinomial", "--samples=0x10", "--offset=0xffffffffffffffff",
                      "--seeds=0xA:0xb", "2x4"}),
              (std::vector<std::string>{"--multinomial --seeds=10:11 --samples=16 "
                                        "--offset=18446744073709551615 2x4"}));
}

TEST(Pattern, RefusesWhatMayTakeVeryLong) {
    for (const char* costly : {"(ab*)*", "(a+)+", "((a)?)?", "((a|b){2}c){2}", "a**", "a+?",
                               "a{2}*", "(a)\\1", "a{1001}", "a{500}b{501}", "(abc){300}", "(^a)*",
                               "(a|$)+", "(\\<a)?", "([(]a)?*", "([])]x+)+", "^*"})
        EXPECT_THROW(Pattern("--match", costly), UsageError) << costly;
    for (const char* cheap :
         {"(ab)*", "((a|b)c)+d*", "[()]*", "[])]+", "[[:digit:])]*x", "\\)*", "a{500}b{499}",
          "\\{*", "(a|b)(c|d)", "[^]*+]?", ".*", "(2x){2}4$", "^(a|b|)(:(c|d))?$"})
        EXPECT_NO_THROW(Pattern("--match", cheap)) << cheap;
}

// A ceiling has one name: what a processor has no way to do is not listed under another's.
TEST(Ceilings, FillsDiffer) {
    for (const Fill& one : fills()) {
        for (const Fill& other : fills())
            if (&one != &other) {
                EXPECT_STRNE(one.name, other.name);
                EXPECT_NE(one.run, other.run);
            }
        std::vector<uint8_t> data(10000, 0);
        one.run(data.data(), data.size());
        EXPECT_EQ(std::count(data.begin(), data.end(), 0), 0) << one.name;
    }
#if defined(__x86_64__)
    EXPECT_EQ(fills().size(), 3u);
#else
    EXPECT_EQ(fills().size(), 1u);
#endif
}

TEST(PerfTemplate, LiteralTextStandsAsItIs) {
    const PerfTemplate perf("100% of %prb%, %-Gbw%%");
    std::vector<std::string> names;
    const std::string line = perf.expand([&](const PerfTemplate::Field& field) {
        names.push_back(std::string(1, field.modifier) + field.name);
        return std::string("#");
    });
    EXPECT_EQ(line, "100% of #, #%");
    EXPECT_EQ(names, (std::vector<std::string>{std::string(1, '\0') + "prb", "-bw"}));
}

// A copy for each of 3000 problems would take gigabytes.
TEST(PerfTemplate, IsKeptOnceForAllCases) {
    CommandLine command_line({});
    command_line.parse({"--shuffle", "--perf-template=%prb%", "2x4", "--threads=1", "2x6"});
    const std::vector<Case>& cases = command_line.cases();
    ASSERT_EQ(cases.size(), 2u);
    EXPECT_EQ(&cases[0].settings->perf_template.text(), &cases[1].settings->perf_template.text());
}

TEST(Progress, EstimatesWhatIsLeft) {
    // Too early to tell; then 10 cases took 5 s, and 90 are left.
    EXPECT_EQ(progress_line(0, 100, 0, 0, "--shuffle 2x4"), "[1/100] failed:0 --shuffle 2x4");
    EXPECT_EQ(progress_line(5, 100, 0, 0.5, "p"), "[6/100] failed:0 p");
    EXPECT_EQ(progress_line(10, 100, 1, 5, "p"), "[11/100] ETA 45s failed:1 p");
    EXPECT_EQ(progress_line(10, 100, 1, 50, "p"), "[11/100] ETA 7m30s failed:1 p");
    EXPECT_EQ(progress_line(10, 100, 1, 1000, "p"), "[11/100] ETA 2h30m failed:1 p");
}

class WriteFile : public testing::Test {
  protected:
    WriteFile() { mkdtemp(folder_.data()); }
    ~WriteFile() override { std::filesystem::remove_all(folder_); }
    std::string path(const char* name) const { return folder_ + "/" + name; }
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder_))
            found.push_back(entry.path().filename());
        return found;
    }

  private:
    std::string folder_ = testing::TempDir() + "benchtombola_XXXXXX";
};

// A limit on the size of files fails in the middle of a write, as a full disk does.
TEST_F(WriteFile, FailureLeavesTheOldFileAndSaysWhy) {
    const Bytes old(10, 1);
    write_file(path("dump"), old);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{4096, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string message;
    try {
        write_file(path("dump"), Bytes(10000, 2));
    } catch (const CaseError& error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(message, "--dump=" + path("dump") + ": cannot write the file: File too large");
    EXPECT_EQ(read_file(path("dump"), old.size(), "--src"), old);
    EXPECT_EQ(names(), std::vector<std::string>{"dump"});
}

// A process that dies in the middle of the write: under the final name is the old file.
TEST_F(WriteFile, DeathLeavesTheOldFile) {
    const Bytes old(10, 1);
    write_file(path("dump"), old);
    const auto die = [&] {
        const rlimit small{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &small);  // and SIGXFSZ, which is not ignored, kills
        write_file(path("dump"), Bytes(10000, 2));
    };
    EXPECT_EXIT(die(), testing::KilledBySignal(SIGXFSZ), "");
    EXPECT_EQ(read_file(path("dump"), old.size(), "--src"), old);
}

TEST_F(WriteFile, KeepsLinksAndRights) {
    write_file(path("there"), Bytes(3, 1));
    std::filesystem::permissions(
        path("there"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink("there", path("link"));
    write_file(path("link"), Bytes(5, 2));
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_EQ(read_file(path("there"), 5, "--src"), Bytes(5, 2));
    EXPECT_EQ(std::filesystem::status(path("there")).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

std::string refusal_of(const std::vector<std::string>& args) {
    try {
        CommandLine({}).parse(args);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(CommandLine, TellsTheClosestOption) {
    EXPECT_EQ(refusal_of({"--suffle", "2x4"}),
              "--suffle: unknown option; did you mean --shuffle? --help lists them");
    EXPECT_EQ(refusal_of({"--multinomail", "2x4"}),
              "--multinomail: unknown option; did you mean --multinomial? --help lists them");
    EXPECT_EQ(refusal_of({"--shuffle", "--gruop=2", "2x4"}),
              "--gruop: unknown option; did you mean --group? --help lists them");
    EXPECT_EQ(refusal_of({"--shuffle", "--xyzzy=2", "2x4"}),
              "--xyzzy: unknown option; --help lists them");
}

}  // namespace
}  // namespace tombola::bench
