//===- RegistryTest.cpp - what every op of the registry has ------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "Eval/Evaluate.h"
#include "ExampleText.h"
#include "GoldenVectors.h"
#include "Ops/Registry.h"

namespace graphc {
namespace {

class EveryOp : public testing::TestWithParam<const OpDef *> {};

TEST_P(EveryOp, IsFoundByItsName) {
  EXPECT_EQ(findOp(GetParam()->name), GetParam());
  EXPECT_EQ(findOp(GetParam()->name + "NoOp"), nullptr);
}

TEST_P(EveryOp, IsDocumented) {
  const OpDef &op = *GetParam();
  ASSERT_FALSE(op.doc.empty());
  size_t line = std::min(op.doc.find('\n'), op.doc.size());
  EXPECT_TRUE(op.doc.substr(0, line).ends_with(".")) << op.doc;
  EXPECT_TRUE(op.doc.ends_with(".")) << op.doc;
  EXPECT_NE(opsReference().find("### " + op.name + "\n"), std::string::npos);
}

TEST_P(EveryOp, HasVectorsFromAnIndependentSource) {
  const OpDef &op = *GetParam();
  if (op.section == "Random numbers")
    return; // unittests/Random/draws.txt
  if (op.section == "Control flow")
    return; // unittests/API/IfElseTest.cpp
  ASSERT_FALSE(op.golden.empty())
      << op.name << " names no family of golden vectors in `golden` (docs/AddAnOp.md)";
  std::set<DType> dtypes; // of operands
  int lines = 0;
  for (const GoldenLine &line : goldenLines()) {
    if (!line.error.empty() || line.skip ||
        std::find(op.golden.begin(), op.golden.end(), line.op) == op.golden.end())
      continue;
    ++lines;
    for (const Tensor &input : line.inputs)
      dtypes.insert(input.dtype());
  }
  EXPECT_GE(lines, 1) << op.name << " has no golden line of its families "
                      << testing::PrintToString(op.golden)
                      << ": add some (test/Data/golden/make_*.py)";
  // Code differs between the two.
  if (std::any_of(dtypes.begin(), dtypes.end(), isFloat))
    EXPECT_TRUE(dtypes.count(DType::Float32) && dtypes.count(DType::Float64))
        << op.name << " has golden lines of one of float32 and float64 alone";
}

/// Examples print nine digits.
void expectPrinted(const Tensor &got, const Tensor &wanted) {
  ASSERT_EQ(got.dtype(), wanted.dtype()) << dtypeName(got.dtype());
  ASSERT_EQ(got.shape(), wanted.shape());
  if (isComplex(got.dtype()))
    return expectPrinted(got.realView(), wanted.realView());
  Tensor a = got.cast(DType::Float64), b = wanted.cast(DType::Float64);
  for (int64_t i = 0; i < a.numElements(); ++i) {
    double x = a.flat<double>()[i], y = b.flat<double>()[i];
    bool same = x == y || (std::isnan(x) && std::isnan(y));
    EXPECT_TRUE(same || std::fabs(x - y) <= 5e-9 * std::fabs(y)) << got << " is not " << wanted;
  }
}

TEST_P(EveryOp, DoesWhatItsExampleSays) {
  const OpDef &def = *GetParam();
  std::optional<Example> example = parseExample(def, def.example);
  ASSERT_TRUE(example) << def.example;
  EXPECT_EQ(example->op, def.name);
  auto op = Op::create(def, example->attributes);
  ASSERT_TRUE(op.ok()) << op.status();
  auto results = evaluate(*op, example->operands);
  ASSERT_TRUE(results.ok()) << results.status();
  // A narrow result is shown as the numbers it is.
  Tensor got = (*results)[size_t(std::max(def.defaultResult, 0))];
  DType wide = isFloat(got.dtype())     ? DType::Float64
               : isComplex(got.dtype()) ? DType::Complex128
               : isBool(got.dtype())    ? DType::Bool
                                        : DType::Int64;
  expectPrinted(got.cast(wide), example->result);
}

INSTANTIATE_TEST_SUITE_P(All, EveryOp,
                         testing::ValuesIn(std::vector<const OpDef *>(allOps().begin(),
                                                                      allOps().end())),
                         [](const auto &info) { return info.param->name; });

/// Families of this issue: everything that part 4 of the spine names has an op.
TEST(Registry, HasTheOpsOfTheSpine) {
  for (const char *name :
       {"sum",        "prod",      "max",         "min",        "mean",   "any",
        "all",        "argmax",    "argmin",      "dot",        "matmul", "outer",
        "conv2d",     "pool",      "join",        "reshape",    "pad",    "take",
        "dimshuffle", "subtensor", "broadcastTo", "switch",     "cast",   "arange",
        "shape",      "squeeze",   "softmax",     "logSoftmax", "gelu",   "splitPiece"})
    EXPECT_NE(findOp(name), nullptr) << name;
}

} // namespace
} // namespace graphc
