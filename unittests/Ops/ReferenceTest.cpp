#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "Ops/Registry.h"
#include "Ops/Rules.h"
#include "Ops/Signatures.h"

namespace graphc {
namespace {

/// With GRAPHC_UPDATE_DOCS=1 in the environment the page is written instead.
TEST(Reference, DocsOpsIsWhatTheRegistrySays) {
  std::string path = std::string(GRAPHC_TEST_DATA) + "/../../docs/Ops.md";
  if (std::getenv("GRAPHC_UPDATE_DOCS"))
    std::ofstream(path) << opsReference();
  std::ifstream in(path);
  std::stringstream page;
  page << in.rdbuf();
  EXPECT_TRUE(page.str() == opsReference())
      << "docs/Ops.md is out of date: run OpsTests with GRAPHC_UPDATE_DOCS=1";
}

TEST(Reference, OnePageNamesOperandsAttributesAndBounds) {
  std::string page = opReference(*findOp("tanh"));
  EXPECT_EQ(page, "### tanh\n\n"
                  "`tanh(x)` — Hyperbolic tangent.\n\n"
                  "Reaches -1 and 1 exactly.\n\n"
                  "Greatest error: 0.85 ULP (f32), 1.1 ULP (f64).\n\n"
                  "In C++:\n\n"
                  "    Variable tanh(const Operand &x)\n\n"
                  "Example:\n\n"
                  "    tanh([0.5, 100.0]) = [0.462117157, 1.0]\n");
}

/// As graphc/Ops.h declares them: that text is the only place where they stand.
TEST(Reference, EveryOpHasAFunction) {
  for (const OpDef *op : allOps())
    EXPECT_EQ(signaturesOf(*op).empty(), op->section == section(kDerivatives) ||
                                             op->section == section(kRandom) ||
                                             op->section == section(kControl))
        << op->name;
  using List = std::vector<std::string>;
  auto functions = [](const char *op) { return signaturesOf(*findOp(op)); };
  EXPECT_EQ(functions("add"), (List{"Variable add(const Operand &x, const Operand &y)",
                                    "Variable add(std::initializer_list<Operand> terms)"}));
  EXPECT_EQ(functions("argmax"),
            (List{"Variable argmax(const Operand &x, const Axes &axes = {})",
                  "Variable argmax(const Operand &x, const ReductionOptions &options)"}));
  EXPECT_EQ(functions("switch"), (List{"Variable where(const Operand &condition, const Operand &x, "
                                       "const Operand &y)"}));
  EXPECT_EQ(functions("elu"), (List{"Variable elu(const Operand &x, double alpha = 1.0)"}));
  EXPECT_EQ(functions("splitPiece"),
            (List{"Variables split(const Operand &x, const std::vector<int64_t> &sizes, int axis = "
                  "0)",
                  "Variables split(const Operand &x, const Operand &sizes, int pieces, int axis = "
                  "0)"}));
  EXPECT_EQ(defaultsOf("ConvOptions"),
            "{.stride = {}, .padding = {}, .dilation = {}, .groups = 1, .filterFlip = true}");
  EXPECT_EQ(defaultsOf("TakeOptions"), "{.axis = std::nullopt, .mode = TakeMode::Raise}");
  EXPECT_EQ(defaultsOf("Axes"), "");
}

} // namespace
} // namespace graphc
