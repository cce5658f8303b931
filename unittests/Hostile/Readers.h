//===- Readers.h - all that reads what others wrote -----------------*- C++ -*-===//
//
// Files and texts that come from anywhere. Each reader takes any bytes and gives an error or what
// it read, in work and memory bounded by their number. Fuzz/Main.cpp makes a libFuzzer target of
// each.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace graphc::test {

struct Reader {
  /// Of its folder of test/Data/fuzz, too.
  std::string_view name;
  /// OK for what it could read.
  absl::Status (*read)(std::string_view bytes);
};

const std::vector<Reader> &readers();
/// Null if there is none.
const Reader *findReader(std::string_view name);

} // namespace graphc::test
