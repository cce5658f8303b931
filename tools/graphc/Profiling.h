//===- Profiling.h - --profile ------------------------------------*- C++ -*-===//
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "Command.h"

namespace graphc {

/// What a command that makes no Function shows of its compilation: `-v`, `--profile`.
class CompileWatch {
public:
  explicit CompileWatch(const Common &common);
  ~CompileWatch();
  /// For StageWatch and CompileOptions; told as long as this lives.
  const StageObserver &observer() const { return observer_; }
  /// Writes the profile, if one was asked for. Errors: Io.
  absl::Status done() const;

private:
  const Common &common_;
  std::shared_ptr<class ProfilePart> part_;
  StageObserver observer_;
};

/// What `--profile` takes: table, json:FILE, trace:FILE.
CLI::Validator profileForm();
/// Adds the files that `--profile` writes.
void addProfileFiles(const std::vector<std::string> &forms, std::vector<Written> &written);
/// The table on standard error, the others into their files. Errors: Io.
absl::Status writeProfile(const Profile &profile, const std::vector<std::string> &forms);

} // namespace graphc
