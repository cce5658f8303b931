//===- DocsTest.cpp - docs/Gradients.md names what there is ----------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace graphc {
namespace {

std::string fileText(const std::string &path) {
  std::ifstream file(std::string(GRAPHC_TEST_DATA) + "/../../" + path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Each function of Gradient.h, and the stops of Ops.h, has its row in the table "Which function".
TEST(GradientDocs, TableNamesEveryFunction) {
  std::set<std::string> declared, named;
  std::string header = fileText("include/graphc/Gradient.h"),
              ops = fileText("include/graphc/Ops.h");
  std::regex declaration("\n(?:Variables?|SubgraphGradients|absl::Status) (\\w+)\\(");
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it)
    declared.insert((*it)[1]);
  std::regex stop("\nVariable (\\w+Grad|grad\\w+)\\(");
  for (std::sregex_iterator it(ops.begin(), ops.end(), stop), end; it != end; ++it)
    declared.insert((*it)[1]);

  std::string page = fileText("docs/Gradients.md");
  size_t begin = page.find("\n## Which function\n"), end = page.find("\n```", begin);
  ASSERT_NE(begin, page.npos);
  std::istringstream table(page.substr(begin, end - begin));
  for (std::string line; std::getline(table, line);)
    if (line.starts_with("| `")) {
      std::string cell = line.substr(0, line.find(" |", 2));
      std::regex name("`(\\w+)");
      for (std::sregex_iterator it(cell.begin(), cell.end(), name), last; it != last; ++it)
        named.insert((*it)[1]);
    }
  EXPECT_GE(declared.size(), 14u);
  EXPECT_EQ(named, declared);
}

} // namespace
} // namespace graphc
