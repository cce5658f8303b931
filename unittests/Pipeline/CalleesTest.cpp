//===- CalleesTest.cpp - what is kept of graphs that are called ------------===//
#include "Pipeline/Callees.h"

#include <gtest/gtest.h>

#include "Pipeline/KeptCallees.h"
#include "Pipeline/LowerGraph.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// What a function that applies the op to a vector of this many elements calls.
std::shared_ptr<const Callee> calleeFor(const OpFromGraph &op, int64_t extent, Callees callees) {
  Variable x = tensor(DType::Float64, {extent});
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create({x}, {op(x)});
  EXPECT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(callees.make(*graph).ok());
  Apply call = graph->output(0).owner();
  std::shared_ptr<const Callee> callee = callees.find(call, usedOutputs(*graph, call));
  EXPECT_TRUE(callee);
  return callee;
}

std::shared_ptr<const Callee> calleeFor(const OpFromGraph &op, int64_t extent) {
  return calleeFor(op, extent,
                   Callees([](FunctionGraph &) { return absl::OkStatus(); }, "none",
                           /*nameNodes=*/false, FusionOptions(), /*keepGraphs=*/false));
}

// F-239: a program that goes on to new static shapes does not grow with them.
TEST(Callees, OfOneGraphAreBounded) {
  Variable x = dvector("x");
  OpFromGraph cell({x}, {tanh(x) * 3.25}, {.name = "cell"});
  std::vector<std::weak_ptr<const Callee>> made;
  for (int64_t extent = 0; extent < 200; ++extent) {
    made.push_back(calleeFor(cell, extent));
    EXPECT_EQ(calleeFor(cell, 0), made[0].lock()) << extent; // what is in use stays
    EXPECT_EQ(calleeFor(cell, extent), made.back().lock()) << extent;
  }
  auto isAlive = [](const std::weak_ptr<const Callee> &callee) { return !callee.expired(); };
  EXPECT_EQ(std::ranges::count_if(made, isAlive), int64_t(KeptCallees::kMost));
  EXPECT_EQ(std::ranges::count_if(made.end() - 60, made.end(), isAlive), 60);
}

/// Processors have one in common if fusion makes the same for them.
TEST(Callees, DependOnWhatFusionKnowsOfTheProcessor) {
  Variable x = dvector("x");
  OpFromGraph cell({x}, {tanh(x) * 3.25}, {.name = "cell"});
  auto calleeOn = [&](const char *target) {
    CompileOptions options;
    options.target = target;
    return calleeFor(cell, 7, calleesOf(options, /*keepGraphs=*/false));
  };
  std::shared_ptr<const Callee> first = calleeOn("x86-64-v4");
  EXPECT_NE(calleeOn("x86-64-v3"), first);
  EXPECT_EQ(calleeOn("x86-64-v3"), calleeOn("x86-64"));
  EXPECT_EQ(calleeOn("x86-64-v4"), first);
}

} // namespace
} // namespace graphc
