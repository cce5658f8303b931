//===- MainTables.h - a graph as a stand-alone program sees it ----*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "AOT/Main.h"
#include "Runtime/Program.h"

namespace graphc {

/// What AotMain (Main.h) points to, but for the program.
struct MainTables {
  AotOrigin origin = {};
  std::vector<AotDType> dtypes;
  std::vector<AotVariable> inputs, outputs;
  std::string text;

  static MainTables create(const Program &program, std::string_view source,
                           std::string_view target);
};

} // namespace graphc
