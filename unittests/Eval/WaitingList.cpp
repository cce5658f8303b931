#include "WaitingList.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace graphc {

std::map<std::string, std::vector<std::string>> waitingList(const std::string &file) {
  std::string path = std::string(GRAPHC_TEST_DATA) + "/" + file;
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  std::map<std::string, std::vector<std::string>> lines;
  for (std::string text; std::getline(in, text);) {
    std::istringstream words(text);
    std::string name;
    if (text.starts_with("#") || !(words >> name))
      continue;
    for (std::string word; words >> word;)
      lines[name].push_back(word);
    lines.try_emplace(name);
  }
  return lines;
}

} // namespace graphc
