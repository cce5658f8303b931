//===- graphc/Config.h - settings of the process ----------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "graphc/DType.h"

namespace graphc {

/// The value of Config::cacheDir with which no compiled code is kept.
inline constexpr std::string_view kNoCache = "none";

/// The most sets of extents that may have code of their own: at each call they are looked through.
inline constexpr int kMostSpecialisations = 64;

/// What holds for the whole process. At start each field has the value of its environment
/// variable, if that is set; a malformed one is warned about and ignored.
struct Config {
  /// GRAPHC_FLOATX: dtype of constructors without a letter and of float literals (F-003). Read
  /// when a Variable or constant is built, never when a function runs.
  DType floatX = DType::Float64;
  /// GRAPHC_CACHE_DIR: folder of compiled code. Empty: the user's cache folder
  /// ($XDG_CACHE_HOME/graphc/code, else ~/.cache/graphc/code). kNoCache, or a variable that is set
  /// to nothing: no folder.
  std::string cacheDir = {};
  /// GRAPHC_THREADS: of a function's calls, where FunctionOptions do not say it. 0: as many as the
  /// process may run at once.
  int threads = 1;
  /// GRAPHC_SPECIALISATIONS: of a function, where FunctionOptions do not say it.
  int specialisations = 4;
  /// GRAPHC_PROFILE, 0 or 1: whether functions have a profile where FunctionOptions do not say it.
  bool profile = false;
};

/// A copy of the settings. Thread-safe.
Config config();
/// Replaces them. ValueError, and no change, if floatX is no float, threads or specialisations is
/// negative, or specialisations above kMostSpecialisations.
/// Thread-safe; what has been built keeps the settings that it saw.
absl::Status setConfig(const Config &config);
/// The setting alone, without a lock.
DType floatX();

/// One line of `graphc info --config`.
struct ConfigEntry {
  std::string name;
  std::string environment;
  std::string value;
  std::string doc;
};
std::vector<ConfigEntry> configEntries();

} // namespace graphc
