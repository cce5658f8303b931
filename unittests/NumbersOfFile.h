//===- NumbersOfFile.h - expected numbers that scripts have written --*- C++ -*-===//
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace graphc {

/// By the first word of each line, the numbers that follow; lines that begin with "#" are comments.
inline std::map<std::string, std::vector<double>> numbersOfFile(const std::string &path) {
  std::ifstream file(path);
  std::map<std::string, std::vector<double>> found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (double number; name != "#" && words >> number;)
      found[name].push_back(number);
  }
  return found;
}

} // namespace graphc
