//===- GoldenTest.cpp - every op against independent numbers -----------------===//
//
// The vectors are in test/Data/golden (README.md there: formats, sources and tolerances).
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "Eval/Evaluate.h"
#include "GoldenCalls.h"
#include "graphc/OpDef.h"

namespace graphc {
namespace {

//===--- comparing ------------------------------------------------------------===//

/// Families whose zeros must have the right sign (golden/README.md); elsewhere either passes.
const std::set<std::string> &signedZeros() {
  static const auto &names = *new std::set<std::string>{"add",
                                                        "sub",
                                                        "mul",
                                                        "true_div",
                                                        "neg",
                                                        "abs",
                                                        "sgn",
                                                        "sqr",
                                                        "sqrt",
                                                        "trunc",
                                                        "floor",
                                                        "ceil",
                                                        "round_half_to_even",
                                                        "round_half_away_from_zero",
                                                        "copysign",
                                                        "reciprocal"};
  return names;
}

/// Distance in units in the last place, counting the numbers between.
template <class F, class I> double ulpDistance(F a, F b) {
  auto ordered = [](F x) {
    I bits = std::bit_cast<I>(x);
    return bits < 0 ? std::numeric_limits<I>::min() - bits : bits;
  };
  return std::fabs(double(ordered(a)) - double(ordered(b)));
}

struct Tolerance {
  double ulp = 0;
  std::optional<double> rtol, atol;
  bool zeroSigns = false;
};

/// A line's own tolerance; else the registry's bound of its function, whose golden results are
/// correctly rounded; else, where no bound in ULP makes sense, 1e-12 and 1e-5.
Tolerance toleranceOf(const GoldenLine &line, const OpDef &op, DType dtype) {
  bool single = dtype == DType::Float32;
  Tolerance t;
  t.zeroSigns = signedZeros().count(line.op);
  t.rtol = line.rtol;
  t.atol = line.atol.value_or(0);
  t.ulp = std::ceil(single ? op.maxUlp.f32 : op.maxUlp.f64);
  if (!t.rtol && t.ulp < 0)
    t.rtol = single ? 1e-5 : 1e-12;
  return t;
}

template <class F, class I> bool closeFloats(F got, F wanted, const Tolerance &t) {
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) && std::isnan(got);
  if (t.zeroSigns && wanted == 0 && got == 0)
    return std::signbit(wanted) == std::signbit(got);
  if (got == wanted)
    return true;
  if (t.rtol)
    return std::isfinite(got) &&
           std::fabs(double(got) - double(wanted)) <= *t.atol + *t.rtol * std::fabs(double(wanted));
  return ulpDistance<F, I>(got, wanted) <= t.ulp;
}

void expectClose(const Tensor &got, const Tensor &wanted, const Tolerance &t) {
  ASSERT_EQ(got.dtype(), wanted.dtype()) << dtypeName(got.dtype());
  ASSERT_EQ(got.shape(), wanted.shape());
  if (!isFloat(wanted.dtype())) {
    EXPECT_TRUE(got == wanted) << "got\n" << got << "\nwanted\n" << wanted;
    return;
  }
  if (bitWidth(wanted.dtype()) == 16) { // halves, all of which float32 holds
    expectClose(got.cast(DType::Float32), wanted.cast(DType::Float32), t);
    return;
  }
  Tensor flat = got.contiguous();
  auto compare = [&]<class F, class I>(F, I) {
    for (int64_t i = 0; i < wanted.numElements(); ++i) {
      F a = flat.flat<F>()[i], b = wanted.flat<F>()[i];
      bool close = closeFloats<F, I>(a, b, t);
      EXPECT_TRUE(close) << "element " << i << ": got " << Tensor(double(a)) << ", wanted "
                         << Tensor(double(b)) << " (" << ulpDistance<F, I>(a, b) << " ULP)";
      if (!close)
        return;
    }
  };
  if (wanted.dtype() == DType::Float32)
    compare(float(), int32_t());
  else
    compare(double(), int64_t());
}

//===--- one line ---------------------------------------------------------------===//

enum class Extents { Static, Dynamic };

/// Inputs of a line: with their exact shapes, or with every extent unknown that is not 1 (an
/// extent of 1 must be known to broadcast; `broadcast: false` says that none is).
Variables inputsOf(const GoldenLine &line, Extents extents) {
  Variables inputs;
  bool noBroadcast = line.attrs.contains("broadcast") && !line.attrs["broadcast"].get<bool>();
  for (const Tensor &value : line.inputs) {
    std::vector<int64_t> shape(value.shape().begin(), value.shape().end());
    if (extents == Extents::Dynamic || noBroadcast)
      for (int64_t &extent : shape)
        if (extent != 1 || noBroadcast)
          extent = kDynamic;
    inputs.push_back(tensor(value.dtype(), shape));
  }
  return inputs;
}

using Runner = TensorsOr (*)(const Variables &outputs, const Variables &inputs,
                             const std::vector<Tensor> &values);

TensorsOr evaluated(const Variables &outputs, const Variables &inputs,
                    const std::vector<Tensor> &values) {
  return evaluate(outputs, inputs, values);
}

/// False if the line's op is not there yet.
bool check(const GoldenLine &line, Extents extents, Runner run) {
  Variables inputs = inputsOf(line, extents);
  std::optional<Variables> outputs = callGolden(line, inputs);
  const OpDef *op = goldenOp(line.op);
  if (!outputs || !op)
    return false;
  SCOPED_TRACE(line.id + " " + line.op + line.attrs.dump() +
               (extents == Extents::Static ? " static" : " dynamic"));
  TensorsOr results = run(*outputs, inputs, line.inputs);
  if (!line.error.empty()) {
    EXPECT_FALSE(results.ok());
    EXPECT_EQ(errorKindName(errorKind(results.status())), line.error) << results.status();
    return true;
  }
  if (!results.ok()) {
    ADD_FAILURE() << results.status();
    return true;
  }
  if (results->size() != line.outputs.size()) {
    ADD_FAILURE() << results->size() << " outputs instead of " << line.outputs.size();
    return true;
  }
  for (size_t k = 0; k < line.outputs.size(); ++k) {
    EXPECT_TRUE(
        (*outputs)[k].type().isSuperOf(Type(line.outputs[k].dtype(), line.outputs[k].shape())))
        << (*outputs)[k].type(); // F-024: no static extent that is wrong
    if (extents == Extents::Static) {
      EXPECT_TRUE((*outputs)[k].type().hasStaticShape() || line.op == "arange")
          << (*outputs)[k].type();
    }
    expectClose((*results)[k], line.outputs[k], toleranceOf(line, *op, line.outputs[k].dtype()));
  }
  return true;
}

//===--- all lines ----------------------------------------------------------------===//

std::vector<std::string> families() {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const GoldenLine &line : goldenLines())
    if (seen.insert(line.op).second)
      names.push_back(line.op);
  return names;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, Evaluated) {
  int skipped = 0;
  for (const GoldenLine &line : goldenLines()) {
    if (line.op != GetParam() || line.skip)
      continue;
    for (Extents extents : {Extents::Static, Extents::Dynamic})
      skipped += !check(line, extents, evaluated);
  }
  if (skipped)
    GTEST_SKIP() << GetParam() << ": " << skipped / 2 << " lines wait for a later issue";
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(families()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace graphc
