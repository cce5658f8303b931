//===- OnnxFlags.h - what the user knows of a model's inputs --------*- C++ -*-===//
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "graphc/Import.h"

namespace graphc {

/// --length and --shape, as they were given.
struct OnnxFlags {
  std::vector<std::string> lengths, shapes;

  void add(CLI::App &app);
  bool isEmpty() const { return lengths.empty() && shapes.empty(); }
  /// Wrong usage where one names an input twice.
  OnnxInputs options() const;
};

} // namespace graphc
