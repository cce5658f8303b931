//===- Runtime/TestData.h - files beside the tests --------------*- C++ -*-===//
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace graphc {

/// The bytes of a file in the tests' folder.
inline std::string readTestFile(const std::string &name) {
  std::ifstream file(std::string(GRAPHC_TEST_DATA) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

inline std::string bytesOfHex(std::string_view hex) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += char(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return bytes;
}

/// "2x3" as {2, 3}, "-" as {}.
inline std::vector<int64_t> shapeOfText(const std::string &text) {
  std::vector<int64_t> shape;
  if (text == "-")
    return shape;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, 'x');)
    shape.push_back(std::stoll(part));
  return shape;
}

} // namespace graphc
