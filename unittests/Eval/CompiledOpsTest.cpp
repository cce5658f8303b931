//===- CompiledOpsTest.cpp - every op compiled and evaluated ---------------------===//
//
// Random operands of every dtype that the op takes, with unknown extents, empty arrays, and ranks
// to 32 (OpCases.cpp). The evaluator is the oracle: GoldenTest.cpp compares it, and compiled code,
// with independent numbers. Which dtypes an op takes stands in accepted-dtypes.txt.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "CompiledRun.h"
#include "OpTolerance.h"
#include "Ops/Registry.h"
#include "Trials.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

/// Which of the trials are made.
enum class Share {
  Native, ///< the first case: every dtype alone and beside two others; the others: a third
  Other,  ///< the first case: the halves and a third of the rest; the others: one float
};

bool isInShare(Share share, int turn, int number, int first, int step, size_t operands) {
  if (share == Share::Native)
    return number == 1 ? !step || operands > 1 : !step && (first + number) % 3 == 0;
  bool isHalf = bitWidth(DType(first)) == 16 && isFloat(DType(first));
  constexpr int kFloats = 4; // the last ones that are real
  return !step && (number == 1 ? isHalf || (first + turn) % 3 == 0
                               : first == kNumRealDTypes - 1 - (number + turn) % kFloats);
}

std::vector<Trial> trialsOf(const OpDef &op, Share share, int turn) {
  std::mt19937 random(7);
  bool hasExtremes = op.maxUlp.f32 >= 0 && op.maxUlp.f64 >= 0; // sums and products of many
  std::vector<Trial> trials;
  int number = 0;
  for (const OpCase &c : casesOf(op.name)) {
    ++number;
    for (int first = 0; first < kNumRealDTypes; ++first)
      for (int step : {0, 1, 5}) {
        if (!isInShare(share, turn, number, first, step, c.shapes.size()))
          continue;
        std::vector<DType> dtypes = {DType(first), DType((first + step) % kNumRealDTypes)};
        if (std::optional<Trial> trial = makeTrial(c, dtypes, hasExtremes, random))
          trials.push_back(*std::move(trial));
      }
  }
  return trials;
}

/// All in one function, which compiles kernels that are equal in several trials once.
void expectCompiledEqualsEvaluated(const OpDef &op, const std::vector<Trial> &trials,
                                   const Compilation &how) {
  SCOPED_TRACE(how.target + (how.rewrites ? " rewritten" : ""));
  Variables inputs, outputs;
  std::vector<Tensor> values;
  for (const Trial &trial : trials) {
    inputs.insert(inputs.end(), trial.inputs.begin(), trial.inputs.end());
    outputs.push_back(trial.output);
    values.insert(values.end(), trial.values.begin(), trial.values.end());
  }
  if (!canRun(how.target)) {
    EXPECT_TRUE(compileObject(outputs, inputs, how).ok()) << compileObject(outputs, inputs, how);
    return;
  }
  TensorsOr compiled = runCompiled(outputs, inputs, values, how);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  for (size_t i = 0; i < trials.size(); ++i) {
    const Trial &trial = trials[i];
    SCOPED_TRACE(trial.text);
    TensorsOr evaluated = evaluate({trial.output}, trial.inputs, trial.values);
    ASSERT_TRUE(evaluated.ok()) << evaluated.status();
    expectClose((*compiled)[i], (*evaluated)[0],
                toleranceOf(op, trial.output, trial.inputs, trial.values));
    if (testing::Test::HasFailure())
      return; // the others are likely to be the same mistake
  }
}

class CompiledOp : public testing::TestWithParam<const OpDef *> {};

TEST_P(CompiledOp, CompiledEqualsEvaluated) {
  const OpDef &op = *GetParam();
  std::vector<Trial> trials = trialsOf(op, Share::Native, 0);
  ASSERT_FALSE(trials.empty()) << "OpCases.cpp does not call it";
  bool isCalled = false;
  for (const Trial &trial : trials)
    for (const Apply &node : ioToposort(trial.inputs, {trial.output}))
      isCalled |= node.op().name() == op.name;
  EXPECT_TRUE(isCalled);
  expectCompiledEqualsEvaluated(op, trials, {});
}

/// Rewritten, as `function` does by default, for processors with narrower vectors and fewer
/// instructions; for those that this machine does not run, an object is made, whose calls the
/// compiler checks.
TEST_P(CompiledOp, OnOtherProcessors) {
  int turn = 0;
  for (const char *target : {"x86-64", "x86-64-v3", "aarch64"})
    expectCompiledEqualsEvaluated(*GetParam(), trialsOf(*GetParam(), Share::Other, turn++),
                                  {true, target});
}

/// The lines of accepted-dtypes.txt.
const std::map<std::string, std::string> &acceptedDTypes() {
  static const auto &table = *[] {
    auto *lines = new std::map<std::string, std::string>;
    std::string path = std::string(GRAPHC_TEST_DATA) + "/accepted-dtypes.txt";
    std::ifstream in(path);
    EXPECT_TRUE(in.good()) << path;
    for (std::string line, op; std::getline(in, line);)
      if (std::istringstream words(line); !line.starts_with("#") && words >> op)
        (*lines)[op] = line.substr(std::min(line.size(), op.size() + 1));
    return lines;
  }();
  return table;
}

/// "bool int uint float", or the dtypes of a kind one by one where it is not all of them.
std::string namesOf(const std::vector<bool> &accepted) {
  struct Kind {
    const char *name;
    DType first, last;
  };
  std::string text;
  for (const Kind &kind :
       {Kind{"bool", DType::Bool, DType::Bool}, Kind{"int", DType::Int8, DType::Int64},
        Kind{"uint", DType::UInt8, DType::UInt64}, Kind{"float", DType::Float16, DType::Float64},
        Kind{"complex", DType::Complex64, DType::Complex128}}) {
    std::string some;
    bool all = true;
    for (int d = int(kind.first); d <= int(kind.last); ++d) {
      all &= accepted[size_t(d)];
      if (accepted[size_t(d)])
        some += " " + std::string(dtypeName(DType(d)));
    }
    text += all ? std::string(" ") + kind.name : some;
  }
  return text.empty() ? text : text.substr(1);
}

bool hasRank32(const OpCase &c) {
  return std::ranges::any_of(c.shapes, [](const auto &shape) { return shape.size() == 32; });
}

/// Operands that all have the dtype are refused or taken as the table says.
TEST_P(CompiledOp, TakesTheDTypesOfTheTable) {
  const OpDef &op = *GetParam();
  std::vector<OpCase> cases = casesOf(op.name);
  ASSERT_FALSE(cases.empty());
  std::mt19937 random(7);
  for (size_t number = 0; number < cases.size(); ++number) {
    std::string name = op.name + "#" + std::to_string(number);
    auto line = acceptedDTypes().find(name);
    if (line == acceptedDTypes().end())
      line = acceptedDTypes().find(op.name);
    ASSERT_NE(line, acceptedDTypes().end()) << "accepted-dtypes.txt does not have " << op.name;
    std::vector<bool> accepted;
    for (int d = 0; d < kNumDTypes; ++d)
      accepted.push_back(isComplex(DType(d)) &&
                                 hasRank32(cases[number]) // of which there are no complex ones
                             ? line->second.ends_with("complex")
                             : makeTrial(cases[number], {DType(d)}, false, random).has_value());
    EXPECT_EQ(namesOf(accepted), line->second) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CompiledOp,
                         testing::ValuesIn(std::vector<const OpDef *>(allOps().begin(),
                                                                      allOps().end())),
                         [](const auto &info) { return info.param->name; });

} // namespace
} // namespace graphc
