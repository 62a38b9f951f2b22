// SPDX-License-Identifier: Apache-2.0

// Environment variables, and the lines of verbose mode, seen from outside: a program is run with
// them, and what it prints is looked at. The form of a line is that of oneDNN 3.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "gtests/api/probe.hpp"
#include "gtests/common/folder.hpp"
#include "tombola/tombola.h"

namespace tombola::test {
namespace {

const char* kPlain = "-u TOMBOLA_VERBOSE -u TOMBOLA_PRIMITIVE_CACHE_CAPACITY";

TEST(Environment, QuietByDefault) {
    EXPECT_TRUE(run_probe(kPlain).with("tombola").empty());
    EXPECT_TRUE(run_probe("TOMBOLA_VERBOSE=0").with("tombola").empty());
}

TEST(Environment, VerboseOnePrintsExecutionsAndFailures) {
    const Output output = run_probe("TOMBOLA_VERBOSE=1");
    const std::vector<std::string> executions = output.with("tombola_verbose,v1,primitive,exec,");
    ASSERT_EQ(executions.size(), 2u);
    // tombola_verbose,v1,primitive, then the columns that the template line names.
    const std::vector<std::string> templates = output.with(",primitive,info,template:");
    ASSERT_EQ(templates.size(), 1u);
    const std::vector<std::string> line = fields(executions[0]);
    ASSERT_EQ(line.size(), 13u) << executions[0];
    ASSERT_EQ(fields(templates[0]).size(), line.size() + 1) << templates[0];
    EXPECT_EQ(line[4], "cpu");
    EXPECT_EQ(line[5], "shuffle");
    EXPECT_EQ(line[6], output.probe("implementation"));
    EXPECT_EQ(line[7], "forward_training");
    EXPECT_EQ(line[8], "src_f32::blocked:abcd::f0 dst_f32::blocked:abcd::f0");
    EXPECT_EQ(line[9], "");
    EXPECT_EQ(line[10], "axis:1 group:4");
    EXPECT_EQ(line[11], "2x16x7x7");
    EXPECT_GT(std::atof(line[12].c_str()), 0) << executions[0];  // milliseconds
    EXPECT_TRUE(output.with("create:").empty());
    EXPECT_FALSE(
        output.with("group_size is 5; expected a divisor of 16, the size of dimension 1").empty());
    EXPECT_FALSE(output.with("tombola_verbose,v1,info,tombola v").empty());
    EXPECT_FALSE(output.with("isa:" + output.probe("isa")).empty());
    EXPECT_FALSE(output.with(std::string("runtime:") + tombola_version()->cpu_runtime).empty());
}

// A program may choose a locale that writes a half as 0,5.
TEST(Environment, NumbersHaveAPointInEveryLocale) {
    const test::Folder made("tombola_locale");
    const std::string folder = made.path();
    if (std::system(
            ("localedef -i de_DE -f UTF-8 " + folder + "/de_DE.UTF-8 >/dev/null 2>&1").c_str()) !=
        0)
        GTEST_SKIP() << "localedef has no sources of locales: Debian's package locales";
    const Output output =
        run_probe("TOMBOLA_VERBOSE=1 LOCPATH=" + folder + " LC_ALL=de_DE.UTF-8", "locale");
    EXPECT_EQ(output.probe("half"), "0,5");
    const std::vector<std::string> executions = output.with("tombola_verbose,v1,primitive,exec,");
    ASSERT_EQ(executions.size(), 1u);
    EXPECT_EQ(fields(executions[0]).size(), 13u) << executions[0];
    EXPECT_EQ(output.probe("error"), "random_bernoulli: P is 1.5; expected a number in [0, 1]");
}

// Threads inherit the floating-point environment of the thread that makes them, and OpenMP keeps them for the program's own regions.
TEST(Environment, WorkersHaveTheModesOfTheCaller) {
    if (std::string(tombola_version()->cpu_runtime) != "OMP")
        GTEST_SKIP() << "the program has no regions of this run-time";
    const Output output = run_probe("OMP_NUM_THREADS=2 TOMBOLA_WAKING=0", "workers");
    const std::vector<std::string> modes = output.with("probe modes ");
    ASSERT_EQ(modes.size(), 2u);
    for (const std::string& line : modes)
        EXPECT_EQ(line, "probe modes " + output.probe("expected"));
}

// The machines of which costs are known are x86-64.
#if defined(__x86_64__)
TEST(Environment, VerboseNamesTheMachine) {
    EXPECT_EQ(run_probe("TOMBOLA_VERBOSE=1 TOMBOLA_MACHINE=zen4")
                  .with("tombola_verbose,v1,info,cpu,machine:zen4")
                  .size(),
              1u);
}
#endif

TEST(Environment, VerboseTwoPrintsCreationsHitsAndRejections) {
    const Output output = run_probe("TOMBOLA_VERBOSE=2");
    EXPECT_EQ(output.with(",create:cache_miss,").size(), 1u);
    EXPECT_EQ(output.with(",create:cache_hit,").size(), 1u);
    EXPECT_EQ(output.with(",primitive,exec,").size(), 2u);
    for (const std::string& line : output.with(",create:cache_"))
        EXPECT_NE(line.find(",shuffle," + output.probe("implementation") + ",forward_training,"),
                  std::string::npos)
            << line;
}

// oneDNN's words, alone and together: executions, creations, rejections, failures. Only where there are rows with
// generated kernels can a row be rejected.
TEST(Environment, VerboseTakesWords) {
#if defined(__x86_64__)
    constexpr bool kRejects = true;
#else
    constexpr bool kRejects = false;
#endif
    struct Case {
        const char* words;
        bool executions, creations, rejections, failures;
    };
    for (const auto& [words, executions, creations, rejections, failures] :
         {Case{"none", false, false, false, false}, Case{"error", false, false, false, true},
          Case{"check", false, false, false, true}, Case{"dispatch", false, false, true, false},
          Case{"profile_create", false, true, false, false},
          Case{"profile_exec", true, false, false, false},
          Case{"profile", true, true, false, false}, Case{"all", true, true, true, true},
          Case{"profile_exec,dispatch", true, false, true, false},
          Case{"1", true, false, false, true}, Case{"dispatch,1", true, false, true, true}}) {
        const Output output =
            run_probe(std::string("TOMBOLA_MAX_CPU_ISA=none TOMBOLA_VERBOSE=") + words);
        EXPECT_EQ(!output.with(",primitive,exec,").empty(), executions) << words;
        EXPECT_EQ(!output.with(",create:cache_").empty(), creations) << words;
        EXPECT_EQ(!output.with(",create:dispatch,").empty(), rejections && kRejects) << words;
        EXPECT_EQ(!output.with(",common,error,").empty(), failures) << words;
        EXPECT_TRUE(output.with("is ignored").empty()) << words;
    }
}

// Under a cap, each implementation above it is rejected with the reason.
TEST(Environment, VerboseTwoTellsWhyAnImplementationIsRejected) {
    const Output capped = run_probe("TOMBOLA_VERBOSE=2 TOMBOLA_MAX_CPU_ISA=none");
    const Output best = run_probe("TOMBOLA_VERBOSE=2 TOMBOLA_MAX_CPU_ISA=" +
                                  std::string(std::getenv("TOMBOLA_MAX_CPU_ISA")
                                                  ? std::getenv("TOMBOLA_MAX_CPU_ISA")
                                                  : "avx512_core_vbmi"));
    EXPECT_EQ(capped.probe("implementation"), "portable");
    const std::string name = best.probe("implementation");
    if (name == "portable") return;
    bool found = false;
    for (const std::string& line : capped.with("create:dispatch,cpu,shuffle," + name + ","))
        found = found || line.find("the effective ISA is none") != std::string::npos;
    EXPECT_TRUE(found) << name;
}

// As in oneDNN, whose documentation writes these values in capitals.
TEST(Environment, WordsMayHaveCapitals) {
    const Output output = run_probe(
        "TOMBOLA_MAX_CPU_ISA=NONE TOMBOLA_VERBOSE=Profile_Exec TOMBOLA_MACHINE=ZEN4 "
        "TOMBOLA_JIT_PROFILE=PerfMap");
    EXPECT_EQ(output.probe("isa"), "none");
    EXPECT_FALSE(output.with(",primitive,exec,").empty());
    EXPECT_TRUE(output.with("is ignored").empty());
}

TEST(Environment, CacheCapacity) {
    EXPECT_EQ(run_probe("TOMBOLA_PRIMITIVE_CACHE_CAPACITY=7").probe("capacity"), "7");
    EXPECT_EQ(run_probe(kPlain).probe("capacity"), "1024");
    const Output off = run_probe("TOMBOLA_VERBOSE=2 TOMBOLA_PRIMITIVE_CACHE_CAPACITY=0");
    EXPECT_EQ(off.with(",create:cache_miss,").size(), 2u);
    EXPECT_TRUE(off.with(",create:cache_hit,").empty());
}

// Memory that is freed is overwritten, so that what is used after its end is noticed.
TEST(Environment, PrimitivesAreCreatedUntilTheEnd) {
    const Output output = run_probe("MALLOC_PERTURB_=165", "exit");
    EXPECT_EQ(output.with("probe implementation").size(), 2u);
    EXPECT_NE(output.probe("error").find("index is 1;"), std::string::npos);
}

TEST(Environment, ValuesWithoutSenseAreIgnoredAndSaidSo) {
    for (const std::string variable :
         {"TOMBOLA_VERBOSE=7", "TOMBOLA_VERBOSE=yes", "TOMBOLA_VERBOSE=dispatch,perhaps",
          "TOMBOLA_JIT_PROFILE=gdb", "TOMBOLA_PRIMITIVE_CACHE_CAPACITY=99999999999999999999",
          "TOMBOLA_MAX_CPU_ISA=avx1024", "TOMBOLA_MACHINE=ZEN0",
          "TOMBOLA_PRIMITIVE_CACHE_CAPACITY=-1", "TOMBOLA_PRIMITIVE_CACHE_CAPACITY=1e3",
          "TOMBOLA_MACHINE=zen0", "TOMBOLA_WAKING=-1", "TOMBOLA_WAKING= 5", "TOMBOLA_WAKING=5 "}) {
        const Output output = run_probe("'" + variable + "'");
        const std::vector<std::string> said = output.with(variable);
        ASSERT_EQ(said.size(), 1u) << variable;
        EXPECT_NE(said[0].find("expected"), std::string::npos) << said[0];
    }
}

}  // namespace
}  // namespace tombola::test
