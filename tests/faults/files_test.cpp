// SPDX-License-Identifier: Apache-2.0

// The files of TOMBOLA_JIT_DUMP and TOMBOLA_JIT_PROFILE where they cannot be written or must not be, and the
// environment of a program with more rights than its user.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "faults/run.hpp"
#include "tombola/tombola.hpp"

namespace tombola::test {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
  protected:
    void SetUp() override {
        if (tombola_get_effective_cpu_isa() == tombola_cpu_isa_none)
            GTEST_SKIP() << "no code is generated";
        std::string path = testing::TempDir() + "tombola_files_XXXXXX";
        ASSERT_NE(mkdtemp(path.data()), nullptr);
        folder_ = path;
    }
    void TearDown() override {
        if (!folder_.empty()) fs::remove_all(folder_);
    }
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
            found.push_back(entry.path().filename());
        return found;
    }
    static int count(const std::string& text, const std::string& what) {
        int found = 0;
        for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
            ++found;
        return found;
    }

    std::string folder_;
};

TEST_F(Files, DumpsAreWholeAndTheirOwnersAlone) {
    const ProbeResult result = run_faults_probe("plain", "TOMBOLA_JIT_DUMP=" + folder_);
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_FALSE(names().empty());
    for (const std::string& name : names()) {
        EXPECT_EQ(name.substr(name.size() - 4), ".bin");
        struct stat status;
        ASSERT_EQ(stat((folder_ + "/" + name).c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777u, 0600u) << name;
    }
}

// Each failure is named once, however many kernels there are, unless verbose mode is off.
TEST_F(Files, WhatCannotBeWrittenIsNamedOnce) {
    for (const std::string variable : {"TOMBOLA_JIT_DUMP", "JITDUMPDIR"}) {
        const std::string environment = variable + "=" + folder_ + "/missing TOMBOLA_JIT_PROFILE=" +
                                        (variable == "JITDUMPDIR" ? "jitdump" : "");
        const ProbeResult result = run_faults_probe("denied-nothing", environment);
        EXPECT_EQ(result.exit_code, 2);  // no such scenario: nothing is said before it is due
        EXPECT_EQ(result.output, "");
        const ProbeResult said = run_faults_probe("plain", environment);
        EXPECT_EQ(said.exit_code, 0) << said.output;
        EXPECT_EQ(count(said.output, "cannot be written: No such file or directory"), 1)
            << said.output;
        EXPECT_EQ(count(said.output, "tombola_verbose,v1,common,warn,"), 1) << said.output;
        const ProbeResult quiet = run_faults_probe("plain", environment + " TOMBOLA_VERBOSE=none");
        EXPECT_EQ(quiet.exit_code, 0) << quiet.output;
        EXPECT_EQ(count(quiet.output, "cannot be written"), 0) << quiet.output;
    }
}

TEST_F(Files, AFolderThatMayNotBeWrittenIsNamedOnceAndChangesNothing) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become a user without rights";
    const std::string plain = run_faults_probe("plain").value("sum");
    fs::permissions(folder_,
                    fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
    for (const std::string variable : {"TOMBOLA_JIT_DUMP", "JITDUMPDIR"}) {
        const std::string environment =
            variable + "=" + folder_ +
            (variable == "JITDUMPDIR" ? " TOMBOLA_JIT_PROFILE=jitdump" : "");
        const std::string program =
            FAULTS_PROBE_ALONE;  // which reads no library of the build folder
        const ProbeResult result = run_faults_probe("as-nobody", environment, 60, program);
        ASSERT_EQ(result.exit_code, 0) << result.output;
        EXPECT_EQ(count(result.output, "cannot be written: Permission denied"), 1) << result.output;
        EXPECT_EQ(result.value("sum"), plain);
        EXPECT_TRUE(names().empty());
    }
    const ProbeResult file = run_faults_probe("plain", "TOMBOLA_JIT_DUMP=/dev/full");
    EXPECT_EQ(count(file.output, "cannot be written: Not a directory"), 1) << file.output;
    EXPECT_EQ(file.value("sum"), plain);
}

TEST_F(Files, AFullDiskLeavesNoHalfOfAKernel) {
    const ProbeResult dump = run_faults_probe("small-files 100", "TOMBOLA_JIT_DUMP=" + folder_);
    EXPECT_EQ(dump.exit_code, 0) << dump.output;
    EXPECT_EQ(count(dump.output, "cannot be written: File too large"), 1) << dump.output;
    EXPECT_TRUE(names().empty());
    // The header of 40 bytes fits, and no record does.
    const ProbeResult jitdump =
        run_faults_probe("small-files 100", "TOMBOLA_JIT_PROFILE=jitdump JITDUMPDIR=" + folder_);
    EXPECT_EQ(jitdump.exit_code, 0) << jitdump.output;
    EXPECT_EQ(count(jitdump.output, "cannot be written: File too large"), 1) << jitdump.output;
    ASSERT_EQ(names().size(), 1u);
    EXPECT_EQ(fs::file_size(folder_ + "/" + names()[0]), 40u);
    fs::remove(folder_ + "/" + names()[0]);
    // A part of the header.
    const ProbeResult header =
        run_faults_probe("small-files 39", "TOMBOLA_JIT_PROFILE=jitdump JITDUMPDIR=" + folder_);
    EXPECT_EQ(header.exit_code, 0) << header.output;
    EXPECT_EQ(count(header.output, "cannot be written: File too large"), 1) << header.output;
    EXPECT_TRUE(names().empty());
    // A part of a line.
    const ProbeResult map = run_faults_probe("small-files 20", "TOMBOLA_JIT_PROFILE=perfmap");
    EXPECT_EQ(map.exit_code, 0) << map.output;
    EXPECT_EQ(count(map.output, "cannot be written: File too large"), 1) << map.output;
    EXPECT_TRUE(map.has("map-lines=0\n")) << map.output;
    EXPECT_EQ(map.value("map-part"), "") << map.output;
}

TEST_F(Files, PlantedLinksAreNotFollowed) {
    const std::string victim = folder_ + "/victim";
    const auto make_victim = [&] { std::ofstream(victim) << "mine"; };
    const auto victim_is_intact = [&] {
        std::string text;
        std::ifstream(victim) >> text;
        return text == "mine";
    };
    make_victim();
    const ProbeResult map =
        run_faults_probe("planted-perfmap " + folder_, "TOMBOLA_JIT_PROFILE=perfmap");
    EXPECT_EQ(map.exit_code, 0) << map.output;
    EXPECT_EQ(count(map.output, "cannot be written: Too many levels of symbolic links"), 1)
        << map.output;
    EXPECT_TRUE(victim_is_intact());

    // The name of the first kernel: "tombola.NAME", without ".PID.0.bin".
    ASSERT_EQ(run_faults_probe("plain", "TOMBOLA_JIT_DUMP=" + folder_).exit_code, 0);
    std::string name;
    for (const std::string& file : names())
        if (count(file, ".0.bin") == 1) name = file.substr(0, file.size() - 6);
    name = name.substr(0, name.rfind('.'));
    ASSERT_EQ(name.substr(0, 8), "tombola.");
    std::ofstream(folder_ + "/name") << name;
    const ProbeResult dump =
        run_faults_probe("planted-dumps " + folder_, "TOMBOLA_JIT_DUMP=" + folder_);
    EXPECT_EQ(dump.exit_code, 0) << dump.output;
    EXPECT_EQ(count(dump.output, "cannot be written: File exists"), 1) << dump.output;
    EXPECT_TRUE(victim_is_intact());
}

// The program belongs to another user and has the set-user-ID bit.
TEST_F(Files, AProgramWithMoreRightsThanItsUserIgnoresTheEnvironment) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make such a program";
    const std::string program = folder_ + "/probe";
    fs::copy_file(FAULTS_PROBE_ALONE, program);
    fs::permissions(folder_, fs::perms::all);
    ASSERT_EQ(chown(program.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(program.c_str(), 04755), 0);
    const std::string environment = "TOMBOLA_JIT_DUMP=" + folder_ + " TOMBOLA_VERBOSE=2";
    const ProbeResult result = run_faults_probe("plain", environment, 60, program);
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_FALSE(result.has("tombola_verbose")) << result.output;
    EXPECT_EQ(names(), std::vector<std::string>{"probe"});
    ASSERT_EQ(chmod(program.c_str(), 0755), 0);
    EXPECT_TRUE(run_faults_probe("plain", environment, 60, program).has("tombola_verbose"));
}

// So do the compatibility headers, which read oneDNN's variables before main().
TEST(CompatibilityHeaders, AProgramWithMoreRightsThanItsUserIgnoresTheEnvironment) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make such a program";
    std::string folder = testing::TempDir() + "tombola_files_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    fs::permissions(folder, fs::perms::all);
    const std::string program = folder + "/probe";
    fs::copy_file(FAULTS_COMPAT_PROBE_ALONE, program);
    ASSERT_EQ(chown(program.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(program.c_str(), 04755), 0);
    const auto output = [&] {
        std::istringstream lines(run_faults_probe("", "DNNL_VERBOSE=bogus", 60, program).output);
        std::string kept;
        for (std::string line; std::getline(lines, line);)
            // A build that counts coverage says which of its files this user may not write.
            if (line.compare(0, 10, "profiling:") != 0) kept += line + '\n';
        return kept;
    };
    EXPECT_EQ(output(), "");
    ASSERT_EQ(chmod(program.c_str(), 0755), 0);
    EXPECT_NE(output().find("DNNL_VERBOSE=bogus is ignored"), std::string::npos);
    fs::remove_all(folder);
}

}  // namespace
}  // namespace tombola::test
