//===- ExportFilesTest.cpp - files of saveOnnx ------------------------------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "Closeness.h"
#include "Eval/Evaluate.h"
#include "Messages.h"
#include "Ops/Registry.h"
#include "graphc/ControlFlow.h"
#include "graphc/Export.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"
#include "graphc/Shared.h"
#include "graphc/Special.h"

namespace graphc {
namespace {

/// A folder that is removed with the test.
class SavingOnnx : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             ("graphc-export-files-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const std::string &name) const { return (folder / name).string(); }

  std::filesystem::path folder;
};

GraphModule moduleOf(const Variables &inputs, const Variables &outputs) {
  GraphModule module;
  module.inputs = inputs;
  module.outputs = outputs;
  return module;
}

std::string bytesOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(SavingOnnx, keepsNamesAndOpenExtents) {
  Variable x(TensorType(DType::Float32, {kDynamic, 3}), "pixels");
  Variable hidden = tanh(x);
  hidden.setName("hidden");
  GraphModule module{.name = "net",
                     .inputs = {x},
                     .outputs = {mul(hidden, 2.0f), x},
                     .outputNames = {"twice", "same"}};
  ASSERT_TRUE(saveOnnx(module, path("net.onnx")).ok());
  absl::StatusOr<GraphModule> again = loadOnnx(path("net.onnx"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->inputs[0].name(), "pixels");
  EXPECT_EQ(again->inputs[0].type(), x.type());
  EXPECT_EQ(again->outputNames, (std::vector<std::string>{"twice", "same"}));
  std::string bytes = bytesOf(path("net.onnx"));
  for (const char *part : {"hidden", "pixels.0", "graphc", "net"})
    EXPECT_NE(bytes.find(part), bytes.npos) << part;
}

/// Weights beside the model, as for those beyond 2 GiB: only small ones stay inside.
TEST_F(SavingOnnx, putsManyWeightsBesideTheModel) {
  Variable x(TensorType(DType::Float64, {500}), "x");
  Tensor weights = *Tensor::zeros(DType::Float64, {500});
  for (int i = 0; i < 500; ++i)
    weights.mutableFlat<double>()[size_t(i)] = i;
  Variable w = constant(weights);
  GraphModule module = moduleOf({x}, {add(mul(x, w), 1.0)});
  ASSERT_TRUE(saveOnnx(module, path("inside.onnx")).ok());
  EXPECT_FALSE(std::filesystem::exists(path("inside.onnx.data")));
  ASSERT_TRUE(saveOnnx(module, path("beside.onnx"), {.mostBytesInside = 1000}).ok());
  EXPECT_EQ(std::filesystem::file_size(path("beside.onnx.data")), 4000u);
  EXPECT_LT(std::filesystem::file_size(path("beside.onnx")), 1000u);
  Tensor ones = *Tensor::full(DType::Float64, {500}, Tensor(1.0));
  for (const char *name : {"inside.onnx", "beside.onnx"}) {
    absl::StatusOr<GraphModule> again = loadOnnx(path(name));
    ASSERT_TRUE(again.ok()) << again.status();
    TensorsOr results = evaluate(again->outputs, again->inputs, {ones});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ((*results)[0].flat<double>()[499], 500.0) << name;
  }
}

/// One gradient, one trained weight, one OpFromGraph: each version gives the same.
TEST_F(SavingOnnx, writesGradientsAndCallsInEveryVersion) {
  Variable a = dvector("a");
  OpFromGraph twice({a}, {sum(mul(exp(a), a), {.axes = Axis(0), .keepDims = true})});
  Variable x = dmatrix("x"), w = dmatrix("w");
  Variable loss = sum(twice(flatten(softmax(dot(x, w)))));
  Variables gradients = grad(loss, {x, w});
  GraphModule module = moduleOf({x, w}, {loss, gradients[0], gradients[1]});
  std::vector<Tensor> values = {Tensor({{1, 2, 3}, {-1, 0.5, 2}}),
                                Tensor({{0.1, 0.2}, {0.3, -0.4}, {0.5, 0.25}})};
  TensorsOr wanted = evaluate(module.outputs, module.inputs, values);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  for (int opset = 17; opset <= 21; ++opset) {
    ASSERT_TRUE(saveOnnx(module, path("grad.onnx"), {.opset = opset}).ok()) << opset;
    absl::StatusOr<GraphModule> again = loadOnnx(path("grad.onnx"));
    ASSERT_TRUE(again.ok()) << again.status();
    TensorsOr results = evaluate(again->outputs, again->inputs, values);
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t k = 0; k < 3; ++k)
      expectClose((*results)[k], (*wanted)[k], {.rtol = 1e-12, .atol = 1e-12});
  }
}

//===--- errors -----------------------------------------------------------------------===//

TEST_F(SavingOnnx, listsAllOpsThatOnnxCannotSay) {
  Variable x = dvector("x");
  GraphModule module = moduleOf({x}, {jv(jv(x, x), x), hyp2f1(x, x, x, x)});
  EXPECT_EQ(said(saveOnnx(module, path("a.onnx"))),
            std::string("NotSupported: ") +
                "uses ops that ONNX cannot say: hyp2f1 (1; graphc knows no form of it in ONNX's "
                "operators), "
                "jv (2; graphc knows no form of it in ONNX's operators)");
  EXPECT_FALSE(std::filesystem::exists(path("a.onnx")));
}

TEST_F(SavingOnnx, saysWhatItLacks) {
  Variable v = dvector("v"), x = tensor(DType::Float64, {2, 3, 8, 8}, "x"),
           kernels = tensor(DType::Float64, {4, 3, kDynamic, kDynamic}, "kernels");
  // Not what reads it.
  Variable slope =
      grad(sum(sqr(conv2d(x, kernels, {.padding = Padding::Kind::Half}))), Variables{kernels})[0];
  Variable corner = subtensor(slope, {0, 0, 0, 0});
  const std::string why = " (1; its padding follows from a kernel whose extents are not known)";
  EXPECT_EQ(said(saveOnnx(moduleOf({x, kernels}, {corner}), path("a.onnx"))),
            "NotSupported: uses ops that ONNX cannot say: conv2d" + why + ", convKernelGradient" +
                why);
  // What stands in a loop, a branch, a graph of slices or a call is told as that op.
  ScanResult loop =
      scan([](const Variables &v) { return ScanStep(ifElse(gt(v[0], 0.0), jv(2.0, v[0]), v[0])); },
           {.sequences = {v}});
  EXPECT_EQ(said(saveOnnx(moduleOf({v}, {loop.outputs[0]}), path("a.onnx"))),
            "NotSupported: uses ops that ONNX cannot say: jv (1; graphc knows no form of it in "
            "ONNX's operators)");
}

/// A complex array is one of pairs.
TEST_F(SavingOnnx, writesComplexInputsAndOutputsAsPairs) {
  Variable z(TensorType(DType::Complex64, {kDynamic}), "z");
  GraphModule module = moduleOf({z}, {mul(z, z), abs(z)});
  ASSERT_TRUE(saveOnnx(module, path("z.onnx")).ok());
  absl::StatusOr<GraphModule> again = loadOnnx(path("z.onnx"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->inputs[0].type(), TensorType(DType::Float32, {kDynamic, 2}));
  Tensor pairs = Tensor({{3, 4}, {0, -2}}).cast(DType::Float32);
  TensorsOr results = evaluate(again->outputs, again->inputs, {pairs});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0], Tensor({{-7, 24}, {-4, 0}}).cast(DType::Float32));
  EXPECT_EQ((*results)[1], Tensor({5, 2}).cast(DType::Float32));
}

/// A branch's and a step's values keep their names, which nothing else may have.
TEST_F(SavingOnnx, keepsNamesOfValuesWithin) {
  Variable x = dvector("x"), c = lscalar("c");
  Variable inBranch = exp(x);
  inBranch.setName("inBranch");
  Variable chosen = ifElse(gt(c, 0), sum(inBranch), sum(x));
  Variable steps = foldl(
      [](const Variables &v) {
        Variable inStep = mul(v[0], v[1]), same = sin(inStep);
        inStep.setName("inStep");
        same.setName("inBranch");
        return ScanStep(add(same, v[1]));
      },
      {x}, constant(Tensor(1.5)));
  GraphModule module{.name = "m", .inputs = {x, c}, .outputs = {chosen, steps}, .outputNames = {}};
  ASSERT_TRUE(saveOnnx(module, path("names.onnx")).ok());
  std::string bytes = bytesOf(path("names.onnx"));
  auto count = [&](const std::string &name) {
    size_t found = 0;
    for (size_t at = bytes.find(name); at != bytes.npos; at = bytes.find(name, at + 1))
      ++found;
    return found;
  };
  // Each by the node that computes it, by one that reads it, and maybe with its type.
  EXPECT_GE(count("inBranch"), 2u);
  EXPECT_LE(count("inBranch"), 3u) << "the first one's alone";
  EXPECT_GE(count("inStep"), 2u);
  absl::StatusOr<GraphModule> again = loadOnnx(path("names.onnx"));
  ASSERT_TRUE(again.ok()) << again.status();
}

/// Names of extents that a model has, of inputs and outputs, are in the file that is made of it.
TEST_F(SavingOnnx, keepsNamesOfExtents) {
  Variable x(TensorType(DType::Float32, {kDynamic, kDynamic}), "x");
  Variable y(TensorType(DType::Float32, {kDynamic, 3}), "y");
  GraphModule module = moduleOf({x, y}, {dot(x, y)});
  module.inputExtents = {{0, 0, "rows"}, {0, 1, "inner"}, {1, 0, "inner"}};
  module.outputExtents = {{0, 0, "rows"}};
  auto namesOf = [](const std::vector<ExtentName> &names) {
    std::string text;
    for (const ExtentName &one : names)
      text += std::to_string(one.number) + "." + std::to_string(one.axis) + one.name + " ";
    return text;
  };
  for (const char *name : {"a.onnx", "b.onnx"}) { // the second one is made of the first
    ASSERT_TRUE(saveOnnx(module, path(name)).ok());
    absl::StatusOr<GraphModule> again = loadOnnx(path(name));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(namesOf(again->inputExtents), "0.0rows 0.1inner 1.0inner ");
    EXPECT_EQ(namesOf(again->outputExtents), "0.0rows ");
    module = *std::move(again);
  }
}

TEST_F(SavingOnnx, refusesVersionsThatItDoesNotWrite) {
  Variable x = dvector("x"), n = lvector("n");
  for (int opset : {16, 22})
    EXPECT_EQ(said(saveOnnx(moduleOf({x}, {x}), path("a.onnx"), {.opset = opset})),
              std::string("ValueError: ") + "version " + std::to_string(opset) +
                  " of ONNX's operators is not written; 17 to 21 are");
  EXPECT_EQ(
      said(saveOnnx(moduleOf({n}, {bitwiseAnd(n, 3)}), path("a.onnx"), {.opset = 17})),
      "NotSupported: uses ops that ONNX cannot say: bitwiseAnd (1; ONNX has operators on bits from "
      "version 18 on)");
}

TEST_F(SavingOnnx, refusesInputsOfOneName) {
  Variable x = dvector("x"), y = dvector("x");
  EXPECT_EQ(said(saveOnnx(moduleOf({x, y}, {add(x, y)}), path("a.onnx"))),
            std::string("ValueError: ") +
                "two inputs are called 'x'; ONNX tells them apart by their names");
}

TEST_F(SavingOnnx, refusesVariablesWithoutValue) {
  Variable x = dvector("x"), y = dvector("y");
  EXPECT_EQ(said(saveOnnx(moduleOf({x}, {add(x, y)}), path("a.onnx"))),
            std::string("MissingInput: ") +
                "'y' is neither an input nor computed from inputs; shared variables must be "
                "given values");
}

TEST_F(SavingOnnx, tellsWhatCannotBeWritten) {
  Variable x = dvector("x");
  absl::Status status = saveOnnx(moduleOf({x}, {exp(x)}), path("none/a.onnx"));
  EXPECT_EQ(said(status),
            "Io: cannot write " + path("none/a.onnx") + ": No such file or directory");
}

} // namespace
} // namespace graphc
