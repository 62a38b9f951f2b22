// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tombola::test {

// A new folder with a name of its own, which is removed at the end of its scope.
class Folder {
  public:
    explicit Folder(const std::string& name) {
        std::string path = testing::TempDir() + name + "_XXXXXX";
        if (mkdtemp(path.data()) != nullptr) path_ = path;
        EXPECT_FALSE(path_.empty()) << "no folder can be made in " << testing::TempDir();
    }
    ~Folder() {
        std::error_code none;
        if (!path_.empty()) std::filesystem::remove_all(path_, none);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace tombola::test
