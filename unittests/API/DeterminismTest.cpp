//===- DeterminismTest.cpp - the same graph gives the same text --------------===//
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "Kernels/CompilerInterface.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"

namespace graphc {
namespace {

/// The same graph at other addresses in another order: `noise` says what is allocated in between,
/// and what is freed again so that nodes land in the gaps.
struct Built {
  Variables inputs, outputs;
};
Built build(unsigned noise) {
  std::vector<std::unique_ptr<char[]>> gaps;
  auto allocate = [&] {
    for (unsigned i = 0; i < noise % 7; ++i)
      gaps.push_back(std::make_unique<char[]>(40 + 24 * ((noise * (i + 1)) % 11)));
    if (noise % 2 && gaps.size() > 3)
      gaps.erase(gaps.begin(), gaps.begin() + 2);
    noise = noise * 5 + 3;
  };
  Built built;
  for (const char *name : {"a", "b", "c", "d"}) {
    built.inputs.push_back(tensor(DType::Float32, {kDynamic, kDynamic}, name));
    allocate();
  }
  Variables layer = built.inputs;
  for (int k = 0; k < 6; ++k) {
    Variables next;
    for (size_t i = 0; i < layer.size(); ++i) {
      const Variable &x = layer[i], &y = layer[(i + 1) % layer.size()];
      next.push_back(k % 3 == 2 ? exp(x.T()) + sum(y, Axis(0)) * 0.5 : x * y + double(k));
      allocate();
    }
    layer = next;
  }
  built.outputs = layer;
  return built;
}

std::string orderOf(const Built &built) {
  auto graph = *FunctionGraph::create(built.inputs, built.outputs);
  std::string text;
  std::vector<Apply> order = *graph.toposort();
  for (const Apply &node : order)
    text += node.op().str() + "\n";
  return text + debugPrint(built.outputs);
}

/// Contents of the files in a folder.
std::map<std::string, std::string> textsIn(const std::string &folder) {
  std::map<std::string, std::string> texts;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    texts[entry.path().filename()] = text.str();
  }
  return texts;
}

std::map<std::string, std::string> stagesOf(const Built &built, const std::string &folder) {
  auto f = function(built.inputs, built.outputs, {.cache = false, .dumpStages = folder});
  EXPECT_TRUE(f.ok()) << f.status();
  return textsIn(folder);
}

TEST(Determinism, OrdersDoNotDependOnAddresses) {
  std::string first = orderOf(build(0));
  for (unsigned noise = 1; noise < 20; ++noise)
    EXPECT_EQ(orderOf(build(noise)), first) << noise;
}

TEST(Determinism, GeneratedCodeDoesNotDependOnAddresses) {
  std::string folder = testing::TempDir() + "graphc-determinism-" + std::to_string(getpid()) + "-";
  auto first = stagesOf(build(0), folder + "0");
  EXPECT_GE(first.size(), 5u) << "graph, kernels, linalg, loops, llvm, ...";
  for (unsigned noise : {3u, 8u}) {
    std::string other = folder + std::to_string(noise);
    // Nor does it depend on what has been compiled before.
    Variable x = fmatrix("x"), y = dvector("y");
    EXPECT_TRUE(
        function({x, y}, {dot(softmax(x), x), tanh(y) * sum(exp(y))}, {.cache = false}).ok());
    for (const auto &[stage, text] : stagesOf(build(noise), other))
      EXPECT_TRUE(text == first[stage]) << stage << " differs with noise " << noise;
    std::filesystem::remove_all(other);
  }
  std::filesystem::remove_all(folder + "0");
}

/// Where a second process of this program writes its texts.
constexpr const char *kFolderVariable = "GRAPHC_DETERMINISM_FOLDER";

/// What the second process runs.
TEST(Determinism, DISABLED_WritesTexts) {
  const char *folder = getenv(kFolderVariable);
  ASSERT_NE(folder, nullptr);
  stagesOf(build(5), folder);
  std::ofstream(std::string(folder) + "/order") << orderOf(build(5));
}

// F-063: from run to run; the system gives each process other addresses.
TEST(Determinism, ProcessesAgree) {
  std::string folder = testing::TempDir() + "graphc-processes-" + std::to_string(getpid()) + "-";
  auto mine = stagesOf(build(0), folder + "0");
  std::string other = folder + "1", program = std::filesystem::read_symlink("/proc/self/exe");
  std::filesystem::create_directories(other);
  // Where parts of this program share its tests, that process has the one of them alone.
  std::string command = std::string(kFolderVariable) + "='" + other +
                        "' GTEST_TOTAL_SHARDS=1 GTEST_SHARD_INDEX=0 '" + program +
                        "' --gtest_also_run_disabled_tests "
                        "--gtest_filter=Determinism.DISABLED_WritesTexts > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  mine["order"] = orderOf(build(0));
  auto theirs = textsIn(other);
  EXPECT_EQ(theirs.size(), mine.size());
  for (const auto &[stage, text] : mine)
    EXPECT_TRUE(theirs[stage] == text) << stage << " differs";
  std::filesystem::remove_all(folder + "0");
  std::filesystem::remove_all(other);
}

} // namespace
} // namespace graphc
