//===- Runtime/ConfigText.h - settings as the environment has them --*- C++ -*-===//
#pragma once

#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "graphc/Config.h"

namespace graphc {

/// The settings of variables like GRAPHC_THREADS, of which `valueOf` gives the text, or null. What
/// is no value of its setting is told as a warning, and left out.
Config configOf(const std::function<const char *(const char *name)> &valueOf);

/// ValueError for a number that Config::specialisations cannot be.
absl::Status checkSpecialisations(int number);

} // namespace graphc
