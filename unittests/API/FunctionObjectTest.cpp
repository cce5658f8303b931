//===- FunctionObjectTest.cpp - a Function's own members ------------------===//
#include <gtest/gtest.h>

#include "Places.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

Function made(absl::StatusOr<Function> f) {
  EXPECT_TRUE(f.ok()) << f.status();
  return f.value_or(Function());
}

// F-215, G08: calls after free() give what they gave before, and need new arenas, where these are
// more than a megabyte, of which each thread has one.
TEST(FunctionObject, FreeGivesMemoryBack) {
  Variable x = dmatrix("x");
  SharedVariable w =
      shared(*Tensor::full(DType::Float64, std::vector<int64_t>{400, 400}, 1.0), "w");
  Function f = made(function({x}, dot(dot(x, w), w), {.updates = {{w, w + 1}}}));
  Tensor a = *Tensor::full(DType::Float64, std::vector<int64_t>{400, 400}, 1.0);
  ASSERT_TRUE(f(a).ok());
  ASSERT_TRUE(f(a).ok());
  EXPECT_EQ(f.counters().arenas, 1);
  f.free();
  absl::StatusOr<Results> after = f(a);
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ((*after)[0], *Tensor::full(DType::Float64, std::vector<int64_t>{400, 400}, 1440000.0))
      << "400 * 400 * 3 * 3";
  EXPECT_EQ(f.counters().arenas, 2);
  Function().free();
}

// F-199, G11
TEST(FunctionObject, TrustedInputIsNotConverted) {
  Variable x = dvector("x"), k = lscalar("k");
  Function f = made(function({x, k}, x * k, {.name = "F"}));
  EXPECT_FALSE(f.trustInput());
  ASSERT_TRUE(f(Tensor({1, 2}, DType::Float32), 3).ok());
  f.setTrustInput(true);
  EXPECT_TRUE(f.trustInput());
  EXPECT_TRUE(made(f.copy()).trustInput()) << "F-214";
  EXPECT_EQ((*f(Tensor({1, 2}), 3))[0], Tensor({3, 6}));
  expectMessages({
      {f(Tensor({1, 2}, DType::Float32), 3).status(),
       "TypeError: F: argument 0 ('x') wants f64[?] but got f32[2], and trustInput is set: nothing "
       "is converted"},
      {f(Tensor({{1, 2}}), 3).status(),
       "TypeError: F: argument 0 ('x') wants f64[?] but got f64[1,2]"},
      {f(Tensor({1, 2}), Tensor()).status(),
       "TypeError: F: argument 1 ('k') wants i64 but got an undefined Tensor"},
  });
  f.setTrustInput(false);
  EXPECT_TRUE(f(Tensor({1, 2}, DType::Float32), 3).ok());
}

// F-207
TEST(FunctionObject, FinderAndInvFinder) {
  Variable x = dscalar("x"), y = dscalar("y"), nameless = dscalar();
  SharedVariable s = shared(2.0, "s");
  Function f = made(function({x, In(y, {.value = 5.0}), In(nameless, {.value = 1.0})},
                             x * y + s + nameless, {.name = "F"}));
  std::map<std::string, StoredValue> found = f.finder();
  ASSERT_EQ(found.size(), 3u) << "x, y and s";
  EXPECT_FALSE(found["x"].get()->defined());
  EXPECT_EQ(found["y"].get()->item<double>(), 5);
  EXPECT_EQ(found["s"].get()->item<double>(), 2);
  EXPECT_TRUE(found["y"] == f[y]);
  EXPECT_FALSE(found["y"] == f["s"]);
  EXPECT_EQ(*f.invFinder(found["y"]), y);
  EXPECT_EQ(*f.invFinder(found["s"]), s);
  EXPECT_EQ(*f.invFinder(f[2]), nameless);
  Function g = made(function({In(x, {.value = 1.0})}, x));
  expectMessages({
      {f.invFinder(g["x"]).status(),
       "TypeError: invFinder: function[\"x\"] is of no input or shared variable of the function"},
      {f.invFinder(StoredValue()).status(),
       "TypeError: invFinder: the value is of no input or shared variable of the function"},
  });
}

// F-217, G07: by names; updates run.
TEST(FunctionObject, SubsetsByName) {
  Variable x = dscalar("x");
  SharedVariable s = shared(0.0, "s");
  Function f = made(function({x}, {{"a", x + 1}, {"b", x + 2}, x + 3}, {.updates = {{s, s + 1}}}));
  absl::StatusOr<Results> some = f.call({1.0}, {}, {.outputSubset = OutputSubset{"b"}});
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(some->size(), 1u);
  EXPECT_EQ((*some)["b"].item<double>(), 3);
  EXPECT_EQ(s.get().item<double>(), 1);
  some = f.call({1.0}, {}, {.outputSubset = OutputSubset{"b", "a"}});
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ((*some)[1].item<double>(), 2);
  expectMessages({
      {f.call({1.0}, {}, {.outputSubset = OutputSubset{"c"}}).status(),
       "KeyError: outputSubset: no output is called 'c'; they are 'a', 'b'"},
      {f.call({1.0}, {}, {.outputSubset = OutputSubset{3}}).status(),
       "IndexError: outputSubset: there is no output 3 of 3"},
  });
}

// F-213: a copy has buffers of its own, unless it shares them; both are right in any case.
TEST(FunctionObject, CopiesShareMemoryIfTheyShould) {
  Variable x = dmatrix("x");
  Function f = made(function({x}, dot(dot(x, x), x)));
  Tensor a = *Tensor::full(DType::Float64, std::vector<int64_t>{32, 32}, 1.0);
  ASSERT_TRUE(f(a).ok());
  Function sharing = made(f.copy({.shareMemory = true})), own = made(f.copy());
  ASSERT_TRUE(sharing(a).ok());
  EXPECT_EQ(f.counters().arenas, 1);
  EXPECT_EQ(own.counters().calls, 0);
  EXPECT_EQ((*own(a))[0], (*f(a))[0]);
  EXPECT_EQ(own.counters().arenas, 1);
  EXPECT_EQ(own.counters().kernels, f.counters().kernels);
}

// Numbers go to code at once where all inputs are 0-d, with the results and counts of other calls.
TEST(FunctionObject, CallsWithNumbers) {
  Variable x = dscalar("x"), y = dscalar("y"), i = lscalar("i");
  Function f = made(function({x, y}, {x - y, x * y, x}));
  absl::StatusOr<Results> r = f(5.0, 3.0);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[0].item<double>(), 2);
  EXPECT_EQ((*r)[1].item<double>(), 15);
  EXPECT_EQ((*r)[2].item<double>(), 5);
  EXPECT_EQ(f.counters().calls, 1);
  EXPECT_EQ((*f(5, 3.0f))[1].item<double>(), 15) << "converted";
  EXPECT_EQ(f.counters().calls, 2);
  EXPECT_EQ(said(f(1.0).status()), "TypeError: function: argument 1 ('y') is missing");
  Function g = made(function({i}, i + 1));
  EXPECT_EQ((*g(int64_t(1) << 40))[0].item<int64_t>(), (int64_t(1) << 40) + 1);
  EXPECT_EQ((*g(1u))[0].item<int64_t>(), 2);
  EXPECT_EQ((*g(2.0))[0].item<int64_t>(), 3);
  EXPECT_EQ(said(g(~uint64_t(0)).status()), "TypeError: function: argument 0 ('i') wants i64 but "
                                            "got ui64: a cast to int64 could lose values; cast the "
                                            "value");
  EXPECT_EQ(said(g(0.5).status()), "TypeError: function: argument 0 ('i') wants i64 but got f64: a "
                                   "cast to int64 could lose values; cast the value");
}

/// addi(p, q) overwrites p.
Op addInPlace() {
  OpDef def;
  def.name = "addi";
  def.doc = "The sum, in the memory of the first operand.";
  def.operands = {{"p"}, {"q"}};
  def.destroyMap = {0};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{e.map(in, [](const Scalars &x) { return x[0] + x[1]; })};
  };
  return *defineOp(def);
}

// F-144, F-198, K05
TEST(FunctionObject, OpsThatOverwriteAreAcceptedOnRequest) {
  Variable p = dvector("p"), q = dvector("q");
  Op addi = addInPlace();
  Variable sum = addi(p, q);
  EXPECT_EQ(wholeWithoutLines(function({p, q}, sum).status()),
            "TypeError FunctionObjectTest.cpp: function: addi overwrites an operand; set "
            "acceptInplace if it may, or leave such ops to graphc");
  Tensor a({1, 2}), b({10, 20});
  for (const char *mode : {"fast_run", "interpreter", "debug"}) {
    FunctionOptions accepting = {.mode = mode, .acceptInplace = true};
    Function f = made(function({In(p, {.mutableInput = true}), q}, {sum, exp(p * 0)}, accepting));
    absl::StatusOr<Results> r = f(a, b);
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0], Tensor({11, 22})) << mode;
    EXPECT_EQ((*r)[1], Tensor({1, 1})) << mode;
    EXPECT_EQ(errorKind(function({p, q}, sum, accepting).status()), ErrorKind::Inconsistency)
        << "p is not mutable";
    EXPECT_EQ(
        errorKind(function({In(p, {.mutableInput = true}), q}, {sum + p, addi(p, sum)}, accepting)
                      .status()),
        ErrorKind::Inconsistency)
        << "two destroyers";
  }
  SharedVariable s = shared(a, "s");
  Function step =
      made(function({q}, OutputList(), {.updates = {{s, addi(s, q)}}, .acceptInplace = true}));
  ASSERT_TRUE(step(b).ok());
  EXPECT_EQ(s.get(), Tensor({11, 22}));
}

} // namespace
} // namespace graphc
