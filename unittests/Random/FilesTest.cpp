//===- FilesTest.cpp - draws in graph text and in libraries ---------------------===//
#include <gtest/gtest.h>

#include "Kernels/CompilerInterface.h"
#include "Messages.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// A draw with its state as an input, and the state after it.
GraphModule moduleOf(const std::function<Draw(const Variable &state)> &draw) {
  Variable state = lvector("state");
  Draw d = draw(state);
  return {"main", {state}, {d.value, d.next}, {"draw", "next"}};
}

Draw normals(const Variable &state) {
  return random::normal(state, 1.0, 2.0, {.size = {3}, .reparameterized = true});
}
Draw gammas(const Variable &state) { return random::gamma(state, 2.0, 1.0, {.size = {3}}); }

// F-342: what is read from graph text draws the same.
TEST(Files, GraphTextDrawsTheSame) {
  for (auto draw : {&normals, &gammas}) {
    GraphModule module = moduleOf(draw);
    auto text = printGraph(module);
    ASSERT_TRUE(text.ok()) << text.status();
    auto again = parseGraph(*text);
    ASSERT_TRUE(again.ok()) << again.status() << *text;
    auto textAgain = printGraph(*again);
    ASSERT_TRUE(textAgain.ok()) << textAgain.status();
    EXPECT_EQ(*text, *textAgain);
    auto f = function(module.inputs, module.outputs), g = function(again->inputs, again->outputs);
    ASSERT_TRUE(f.ok() && g.ok()) << f.status() << g.status();
    EXPECT_TRUE((*(*f)(randomState(8)))[0].identical((*(*g)(randomState(8)))[0])) << *text;
  }
}

// Kernels become libraries; host calls are refused, as all are.
TEST(Files, LibrariesDraw) {
  auto compiler = loadCompiler();
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  auto files = (*compiler)->compileLibrary(moduleOf(normals), {"f", "f.mlir"}, {});
  EXPECT_TRUE(files.ok()) << files.status();
  files = (*compiler)->compileLibrary(moduleOf(gammas), {"f", "f.mlir"}, {});
  EXPECT_EQ(errorKind(files.status()), ErrorKind::NotSupported) << files.status();
}

} // namespace
} // namespace graphc
