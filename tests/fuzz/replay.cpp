// SPDX-License-Identifier: Apache-2.0

// In the place of libFuzzer's main(): runs a target on every file of a folder. Any compiler builds it, so the corpora are part of
// the tests, and what was found once stays mended.
//
// usage: fuzz_TARGET FOLDER

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
    if (std::freopen("/dev/null", "w", stdout) == nullptr) return 1;  // what targets print
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
        std::ifstream file(entry.path(), std::ios::binary);
        if (!file) return std::fprintf(stderr, "%s cannot be read\n", entry.path().c_str()), 1;
        const std::vector<char> input{std::istreambuf_iterator<char>(file), {}};
        // Printed first, so that a finding names it.
        std::fprintf(stderr, "%s, %zu bytes\n", entry.path().c_str(), input.size());
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
        ++count;
    }
    std::fprintf(stderr, "%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
