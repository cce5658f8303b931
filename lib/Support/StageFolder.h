//===- StageFolder.h - the folder of --dump-stages ----------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace graphc {

/// Numbers the stages as they are written: FOLDER/0-graph.txt, FOLDER/1-rewritten.txt.
class StageFolder {
public:
  /// Empty: nothing is written. It is made with the first stage.
  explicit StageFolder(std::string path) : path_(std::move(path)) {}
  bool isOpen() const { return !path_.empty(); }
  /// Errors: Io.
  absl::Status write(std::string_view stage, std::string_view text);

private:
  std::string path_;
  int number_ = 0;
};

} // namespace graphc
