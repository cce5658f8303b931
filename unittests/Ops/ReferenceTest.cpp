#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "Ops/Registry.h"

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
                  "    tanh([0.5, 100.0]) = [0.462117157, 1.0]\n");
}

} // namespace
} // namespace graphc
