//===- Runtime/TestData.h - files beside the tests --------------*- C++ -*-===//
#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

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

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

/// A path for a file of the test's own, which is removed with it.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &name)
      : path_(testing::TempDir() + std::to_string(getpid()) + "-" + name) {}
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

/// Calls `f` with damaged copies of `bytes`, `count` times, from a fixed seed: cut short, bits
/// flipped, bytes replaced, pieces taken out or doubled.
template <class F> void forEachDamaged(const std::string &bytes, int count, F &&f) {
  std::mt19937 random(20240229);
  auto below = [&](size_t end) {
    return std::uniform_int_distribution<size_t>(0, end - 1)(random);
  };
  for (int i = 0; i < count; ++i) {
    std::string damaged = bytes;
    switch (i % 5) {
    case 0:
      damaged.resize(below(bytes.size()));
      break;
    case 1:
    case 2:
      for (size_t flips = 1 + below(4); flips > 0; --flips)
        damaged[below(damaged.size())] ^= char(1 << below(8));
      break;
    case 3:
      for (size_t changes = 1 + below(8); changes > 0; --changes)
        damaged[below(damaged.size())] = char(below(256));
      break;
    case 4: {
      size_t begin = below(damaged.size());
      size_t length = below(std::min<size_t>(damaged.size() - begin, 16) + 1);
      if (below(2))
        damaged.erase(begin, length);
      else
        damaged.insert(below(damaged.size()), damaged.substr(begin, length));
      break;
    }
    }
    f(damaged);
  }
}

} // namespace graphc
