//===- FunctionMessagesTest.cpp - what `function` and calls refuse, whole ---===//
#include <dlfcn.h>
#include <filesystem>

#include <gtest/gtest.h>

#include "Places.h"
#include "Support/SharedLibrary.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// Kind, place and text, without lines: each place is one of this file's.
void expectWhole(const std::vector<ErrorCase> &cases) {
  for (const ErrorCase &c : cases)
    EXPECT_EQ(wholeWithoutLines(c.status), c.message);
}
constexpr char kIn[] = " FunctionMessagesTest.cpp: function: ";
std::string made(const std::string &what) {
  return "\n  " + what + ", made at FunctionMessagesTest.cpp";
}
std::string typeError(const std::string &text) { return std::string("TypeError") + kIn + text; }

// F-153: constants and a variable that stands twice; shared variables below.
TEST(FunctionMessages, Graphs) {
  auto x = dscalar("x"), y = dscalar("y");
  Variable null(Type::null("floor has no gradient"), "g"), unnamed = dscalar();
  expectWhole({
      {function({x, x}, {x}).status(),
       std::string("UnusedInput") + kIn +
           "'x' stands twice among the inputs, at positions 0 and 1" + made("'x': f64")},
      {function({x, constant(1.0)}, {x}).status(),
       typeError("input 1 is a constant" + made("a variable without a name: f64"))},
      {function({x, null}, {x}).status(),
       typeError("input 1 ('g') is Null(floor has no gradient)")},
      {function({x}, {null}).status(), typeError("output 0 is Null(floor has no gradient)")},
      {function({x}, {x + 1}, {.mode = "fast"}).status(),
       "ValueError function: no mode is called 'fast'; modes are fast_run, strict, fast_math, "
       "fast_compile, debug, nanguard, monitor, interpreter"},
      {function({x, y}, {x + 1}).status(),
       std::string("UnusedInput") + kIn +
           "input 1 ('y') is not used by any output; remove it or set onUnusedInput" +
           made("'y': f64")},
      {function({x}, {x + unnamed}).status(),
       std::string("MissingInput") + kIn +
           "a variable without a name is no input, which add reads at FunctionMessagesTest.cpp; "
           "add it to the inputs" +
           made("a variable without a name: f64")},
  });
}

// F-153, F-157, F-160, F-161
TEST(FunctionMessages, Params) {
  auto x = dscalar("x"), y = dscalar("y");
  auto of = [&](ParamOptions options) { return function({In(x, std::move(options))}, x).status(); };
  SharedVariable s = shared(0.0, "s"), w = shared(Tensor({1}), "w");
  std::string end = made("'x': f64");
  expectWhole({
      {of({.mutableInput = true, .borrow = false}),
       std::string("ValueError") + kIn +
           "input 0 ('x') is mutable and not borrowed: a copy would be changed in vain; leave "
           "borrow out" +
           end},
      {of({.implicit = true}),
       typeError("input 0 ('x') is implicit and has no value; give one" + end)},
      {of({.update = x + 1}),
       typeError("input 0 ('x') has an update and no value to begin with; give one" + end)},
      {of({.value = Tensor({1, 2})}),
       typeError("the value of input 0 ('x') wants f64 but got f64[2]" + end)},
      {of({.value = 0.0, .update = fscalar()}),
       typeError("the update of input 0 ('x') is f32, the variable f64; cast the update" + end)},
      {of({.value = w}), typeError("input 0 ('x') is f64, its value, 'w', f64[?]" + end)},
      {function({In(x, {.value = s, .update = x + 1}), In(y, {.value = s, .update = y + 2})}, x + y)
           .status(),
       std::string("ValueError") + kIn +
           "input 1 ('y') has an update, as another input of that value has" + made("'y': f64")},
      {function({s}, x).status(),
       typeError("input 0 ('s') is a shared variable, which functions read without being told; to "
                 "replace it, use givens" +
                 made("'s': f64"))},
  });
}

// F-176, F-177, F-185 to F-187, F-190
TEST(FunctionMessages, GivensAndUpdates) {
  auto x = dscalar("x"), y = dscalar("y"), z = dscalar("z"), v = dvector("v");
  auto i = bscalar("i");
  SharedVariable s = shared(0.0, "s");
  auto given = [&](Substitutions givens) {
    return function({z}, x + y, {.givens = std::move(givens)}).status();
  };
  auto updated = [&](Substitutions updates) {
    return function({v}, v, {.updates = std::move(updates)}).status();
  };
  std::string dependent = std::string("RuntimeError") + kIn +
                          "givens: the replacement of 'x' depends on 'y', which is replaced, too; "
                          "replacements must be independent" +
                          made("'y': f64");
  expectWhole({
      {given({{z, x}}), std::string("RuntimeError") + kIn +
                            "givens: 'z' is an input; a call gives it, or leave it out of the "
                            "inputs" +
                            made("'z': f64")},
      {given({{x, y + 1}, {y, z}}), dependent},
      {given({{y, z}, {x, y + 1}}), dependent},
      {given({{x, z}, {x, z}}),
       std::string("ValueError") + kIn + "givens: 'x' is replaced twice" + made("'x': f64")},
      {given({{i, 300}}), typeError("givens: 'i' is i8, which has no value 300" + made("'i': i8"))},
      {updated({{s, s + 1}, {s, s + 2}}),
       std::string("ValueError") + kIn +
           "updates: 's' has two, the first of which is f64 made at FunctionMessagesTest.cpp" +
           made("'s': f64")},
      {updated({{x, x + 1}}),
       typeError("updates: 'x' is no shared variable: only these keep a value" + made("'x': f64"))},
      {updated({{s, v}}), typeError("the update of 's' is f64[?], the variable f64; cast the "
                                    "update" +
                                    made("'s': f64"))},
      {updated({{s, Tensor({1, 2})}}),
       typeError("the update of 's' is f64[2], the variable f64; cast the update" +
                 made("'s': f64"))},
      {updated({{shared(1, "n"), 1.5}}),
       typeError("the update of 'n' wants i64 but got f64: a cast to int64 could lose values; cast "
                 "the value" +
                 made("'n': i64"))},
      {function({}, s, {.noDefaultUpdates = {x}}).status(),
       typeError("noDefaultUpdates: 'x' is no shared variable" + made("'x': f64"))},
  });
}

// F-045: the place of an argument's error is where its Variable was made.
TEST(FunctionMessages, Arguments) {
  auto x = dvector("x");
  Place where = x.place();
  Function f = *function({x, In(dscalar("y"), {.value = 1.0})}, {x * 2},
                         {.onUnusedInput = OnUnusedInput::Ignore, .name = "F"});
  auto bound = *f.bind<absl::Status(View<const double, 1>, double, View<double, 1>)>();
  double to[3] = {};
  for (const absl::Status &status :
       {f(Tensor({{1}})).status(), f().status(), f.call({}, {{"x", 1.0}}).status(),
        f.call({Tensor({1})}, {{"x", 1.0}}).status()})
    EXPECT_EQ(errorPlace(status)->str(), where.str()) << status;
  expectWhole({
      {f(Tensor({{1}})).status(),
       "TypeError FunctionMessagesTest.cpp: F: argument 0 ('x') wants f64[?] but got f64[1,1]"},
      {f(Tensor({1}), Tensor({1, 2})).status(),
       "TypeError FunctionMessagesTest.cpp: F: argument 1 ('y') wants f64 but got f64[2]"},
      {f().status(), "TypeError FunctionMessagesTest.cpp: F: argument 0 ('x') is missing"},
  });
  // Typed calls say the same.
  auto three = tensor(DType::Float64, {3}, "three");
  Function g = *function({three}, three + 1, {.name = "G"});
  auto typed = *g.bind<absl::Status(View<const double, 1>, View<double, 1>)>();
  double from[2] = {};
  std::string wanted = "TypeError FunctionMessagesTest.cpp: G: argument 0 ('three') wants f64[3] "
                       "but got f64[2]: its type says that axis 0 has extent 3";
  expectWhole({{g(Tensor({1, 2})).status(), wanted}, {typed({from, {2}}, {to, {3}}), wanted}});
}

// An error says its place once.
TEST(FunctionMessages, PlacesStandOnce) {
  auto a = dvector("a"), b = dvector("b");
  Variable sum = a + b;
  sum.setName("sum");
  for (const char *mode : {"fast_run", "interpreter"}) {
    absl::Status status =
        (*function({a, b}, sum, {.mode = mode}))(Tensor({1}), Tensor({1, 2})).status();
    std::string text = errorText(status), place = sum.place().str();
    EXPECT_TRUE(text.starts_with(place)) << text;
    EXPECT_EQ(text.find(place, 1), text.npos) << text;
  }
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
  absl::Status missingError = loadOwnSymbol("none.so", "entry").status();
  EXPECT_EQ(missingError.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(said(missingError),
            "Io: none.so cannot be loaded: " + missing +
                ": cannot open shared object file: No such file or directory; it is installed "
                "beside libgraphc");
  EXPECT_EQ(said(loadOwnSymbol(std::filesystem::path(own).filename(), "entry").status()),
            "Io: " + own + " is of another version: it lacks entry");
}

} // namespace
} // namespace graphc
