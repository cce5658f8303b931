//===- FunctionMessagesTest.cpp - what `function` and calls refuse, whole ---===//
#include <dlfcn.h>
#include <filesystem>

#include <gtest/gtest.h>

#include "API/SharedLibrary.h"
#include "Messages.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

TEST(FunctionMessages, Graphs) {
  auto x = dscalar("x"), y = dscalar("y");
  Variable null(Type::null("floor has no gradient"), "g"), unnamed = dscalar();
  expectMessages({
      {function({x, x}, {x}).status(),
       "UnusedInput: function: 'x' stands twice among the inputs, at positions 0 and 1"},
      {function({x, constant(1.0)}, {x}).status(), "TypeError: function: input 1 is a constant"},
      {function({x, null}, {x}).status(),
       "TypeError: function: input 1 ('g') is Null(floor has no gradient)"},
      {function({x}, {null}).status(),
       "TypeError: function: output 0 is Null(floor has no gradient)"},
      {function({x}, {x + 1}, {.mode = "fast"}).status(),
       "ValueError: function: no mode is called 'fast'; modes are fast_run, strict, fast_math, "
       "fast_compile, debug, nanguard, interpreter"},
      {function({x, y}, {x + 1}).status(), "UnusedInput: function: input 1 ('y') is not used by "
                                           "any output; remove it or set onUnusedInput"},
  });
  // The place of the use is a line of this file.
  std::string text = said(function({x}, {x + unnamed}).status());
  Place use = (x + unnamed).owner().place();
  EXPECT_EQ(text.substr(0, text.find(use.file)),
            "MissingInput: function: a variable without a name is no input, which add reads at ");
  EXPECT_EQ(text.substr(text.rfind(';')), "; add it to the inputs");
}

TEST(FunctionMessages, Calls) {
  auto x = dvector("x"), also = dscalar("x");
  auto f = function({x, also}, {x * also}, {.name = "F"});
  ASSERT_TRUE(f.ok()) << f.status();
  expectMessages(
      {{f->call({}, {{"x", 1.0}}).status(),
        "TypeError: F: the name 'x' is ambiguous: inputs 0 and 1 have it; give them by position"}});

  auto g = f->bind<absl::Status(View<const double, 1>, double, View<double, 1>)>();
  ASSERT_TRUE(g.ok()) << g.status();
  double from[3] = {1, 2, 3}, to[2] = {};
  EXPECT_EQ(said((*g)(View<const double, 1>(from, {3}), 2.0, View<double, 1>(to, {2}))),
            "ShapeError: output 0 is f64[3], the caller's memory f64[2]");
}

TEST(FunctionMessages, Libraries) {
  Dl_info self;
  ASSERT_TRUE(dladdr(reinterpret_cast<void *>(&loadOwnSymbol), &self));
  std::filesystem::path folder = std::filesystem::path(self.dli_fname).parent_path();
  std::string missing = (folder / "none.so").string(), own = self.dli_fname;
  EXPECT_EQ(said(loadOwnSymbol("none.so", "entry").status()),
            "Io: none.so cannot be loaded: " + missing +
                ": cannot open shared object file: No such file or directory; it is installed "
                "beside libgraphc");
  EXPECT_EQ(said(loadOwnSymbol(std::filesystem::path(own).filename(), "entry").status()),
            "Io: " + own + " is of another version: it lacks entry");
}

} // namespace
} // namespace graphc
