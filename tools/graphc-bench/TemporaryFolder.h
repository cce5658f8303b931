//===- TemporaryFolder.h ------------------------------------------*- C++ -*-===//
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace graphc::bench {

/// A folder that goes away with its owner; `path` is empty if there is none.
struct TemporaryFolder {
  std::filesystem::path path;
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "graphc-bench-XXXXXX").string();
    if (mkdtemp(name.data()))
      path = name;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }
};

} // namespace graphc::bench
