//===- SharedTest.cpp - shared variables, updates, givens -----------------===//
//
// The cases are those of docs/FunctionCases.md, whose numbers they have; expected values follow
// from them by hand.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <thread>

#include "graphc/Config.h"
#include "graphc/Function.h"
#include "graphc/Ops.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

double number(const Tensor &t) { return t.item<double>(); }
const void *memoryOf(const SharedVariable &s) {
  Tensor value = s.get({.borrow = true});
  return value.flat<double>().data();
}
double valueOf(const SharedVariable &s) { return s.get().item<double>(); }

/// The function, or one that fails every expectation after it.
Function made(absl::StatusOr<Function> f) {
  EXPECT_TRUE(f.ok()) << f.status();
  return f.value_or(Function());
}
/// The outputs of a call.
std::vector<double> numbers(const absl::StatusOr<Results> &results) {
  EXPECT_TRUE(results.ok()) << results.status();
  std::vector<double> list;
  if (results.ok())
    for (const Tensor &t : *results)
      list.push_back(number(t));
  return list;
}
std::string messageOf(const absl::Status &status) {
  std::string text(status.message());
  return text.substr(0, text.find('\n'));
}
using List = std::vector<double>;

class SharedTest : public ::testing::TestWithParam<const char *> {
protected:
  FunctionOptions with(FunctionOptions options = {}) const {
    options.mode = GetParam();
    return options;
  }
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z"), v = dvector("v");
  SharedVariable s = shared(0.0, "s"), t = shared(0.0, "t");
  SharedVariable a = shared(1.0, "a"), b = shared(2.0, "b");
};

//===--- H: values (F-221 to F-227) ---------------------------------------------===//

// F-221, F-222, F-223: H01 to H04.
TEST(SharedValues, AreCopiedUnlessBorrowed) {
  Tensor val({0, 0, 0});
  SharedVariable u = shared(val), borrowed = shared(val, "", {.borrow = true});
  val.mutableFlat<double>()[0] = 5;
  EXPECT_EQ(u.get(), Tensor({0, 0, 0}));
  EXPECT_EQ(borrowed.get(), Tensor({5, 0, 0}));
  Tensor g = u.get();
  g.mutableFlat<double>()[1] = 3;
  EXPECT_EQ(u.get(), Tensor({0, 0, 0}));
  EXPECT_TRUE(u.set(val).ok());
  val.mutableFlat<double>()[0] = 6;
  EXPECT_EQ(u.get(), Tensor({5, 0, 0}));
  EXPECT_TRUE(u.set(val, {.borrow = true}).ok());
  EXPECT_EQ(memoryOf(u), val.flat<double>().data());
}

TEST(SharedValues, AreConverted) {
  SharedVariable u = shared(Tensor({0, 0, 0}), "u");
  absl::Status rank = u.set(*Tensor::zeros(DType::Float64, {2, 2}));
  EXPECT_EQ(errorKind(rank), ErrorKind::TypeError);
  EXPECT_EQ(messageOf(rank), "'u' wants f64[?] but got f64[2,2]");
  EXPECT_TRUE(u.set(Tensor({1, 2}, DType::Int32)).ok());
  EXPECT_EQ(u.get(), Tensor({1, 2}));
  EXPECT_EQ(u.get().dtype(), DType::Float64);
  EXPECT_TRUE(u.set(*Tensor::zeros(DType::Float64, {7})).ok());
  EXPECT_EQ(shared(1).type(), Type(DType::Int64, {}));
  EXPECT_EQ(shared(1.0).type(), Type(DType::Float64, {}));
  EXPECT_EQ(shared(Tensor({1})).type(), Type(DType::Float64, {kDynamic})); // F-027
  EXPECT_EQ(shared(Tensor({1}), "", {.shape = {{1}}}).type(), Type(DType::Float64, {1}));
  SharedVariable strict = shared(Tensor({0}, DType::Float32), "w", {.strict = true});
  EXPECT_EQ(messageOf(strict.set(Tensor({1}, DType::Int8))),
            "'w' wants f32[?] but got i8[1]: it is strict about the dtype; cast the value");
  SharedVariable lax = shared(Tensor({0}, DType::Int8), "w", {.allowDowncast = true});
  EXPECT_TRUE(lax.set(Tensor({300.0})).ok());
}

TEST(SharedValues, Refused) {
  EXPECT_EQ(messageOf(shared(Tensor()).status()), "shared: an undefined Tensor is no value");
  EXPECT_EQ(messageOf(shared(Tensor({1, 2}), "", {.shape = {{3}}}).status()),
            "shared: the value is f64[2], which is no f64[3]");
  SharedVariable none;
  EXPECT_FALSE(none.get().defined());
  EXPECT_EQ(none.set(Tensor(1.0)), none.status());
  EXPECT_FALSE(SharedVariable::from(dscalar()));
}

//===--- D: updates -----------------------------------------------------------===//

// F-178, F-180: D01.
TEST_P(SharedTest, Swaps) {
  Function f = made(function({}, {a, b}, with({.updates = {{a, b}, {b, a}}})));
  const void *first = memoryOf(a);
  EXPECT_EQ(numbers(f()), (List{1, 2}));
  EXPECT_EQ(valueOf(a), 2);
  EXPECT_EQ(valueOf(b), 1);
  EXPECT_EQ(memoryOf(b), first) << "handles are exchanged";
  EXPECT_EQ(numbers(f()), (List{2, 1}));
  EXPECT_EQ(memoryOf(a), first);
}

// F-150, F-175, F-204: D02 to D04.
TEST_P(SharedTest, ReadsOldValues) {
  ASSERT_TRUE(s.set(10.0).ok());
  Function f = made(function({x}, s + x, with({.updates = {{s, s * 2 + x}}})));
  EXPECT_EQ(numbers(f(1)), List{11});
  EXPECT_EQ(valueOf(s), 21);
  EXPECT_EQ(numbers(f(1)), List{22});
  EXPECT_EQ(valueOf(s), 43);
  EXPECT_EQ(number(*f["s"].get()), 43);
  EXPECT_EQ(number(*f[s].get()), 43);

  ASSERT_TRUE(s.set(1.0).ok());
  Function old = made(function({}, s, with({.updates = {{s, s + 1}}})));
  EXPECT_EQ(numbers(old()), List{1});
  EXPECT_EQ(valueOf(s), 2);

  ASSERT_TRUE(t.set(3.0).ok());
  std::vector<std::pair<Variable, Variable>> updates = {{t, s - x}, {s, s + t * x}};
  Function both = made(function({x}, {s * x, t}, with({.updates = updates})));
  EXPECT_EQ(numbers(both(1)), (List{2, 3}));
  EXPECT_EQ(valueOf(s), 5);
  EXPECT_EQ(valueOf(t), 1);
  EXPECT_EQ(numbers(both(2)), (List{10, 1}));
  EXPECT_EQ(valueOf(s), 7);
  EXPECT_EQ(valueOf(t), 3);
}

// F-176, F-177: D05, D06.
TEST_P(SharedTest, UpdatesAreChecked) {
  auto error = [&](Substitutions updates) {
    return function({x, v}, {x, v}, with({.updates = std::move(updates)})).status();
  };
  absl::Status twice = error({{s, s + 1}, {s, s + 2}});
  EXPECT_EQ(errorKind(twice), ErrorKind::ValueError);
  EXPECT_TRUE(messageOf(twice).starts_with(
      "function: updates: 's' has two, the first of which is f64 made at "))
      << twice;
  absl::Status target = error({{x, x + 1}});
  EXPECT_EQ(errorKind(target), ErrorKind::TypeError);
  EXPECT_EQ(messageOf(target),
            "function: updates: 'x' is no shared variable: only these keep a value");
  absl::Status type = error({{s, v}});
  EXPECT_EQ(errorKind(type), ErrorKind::TypeError);
  EXPECT_EQ(messageOf(type),
            "function: the update of 's' is f64[?], the variable f64; cast the update");
  SharedVariable r = shared(Tensor({1}, DType::Float32).reshape({}).value(), "r");
  Function f = made(function({}, {}, with({.updates = {{r, r + 1}}})));
  ASSERT_TRUE(f().ok());
  EXPECT_EQ(r.get(), Tensor(2.0f));
  EXPECT_EQ(messageOf(function({x}, {}, with({.updates = {{r, r * x}}})).status()),
            "function: the update of 'r' is f64, the variable f32; cast the update");
  Function number = made(function({}, {}, with({.updates = {{r, 0.1}, {s, 3}}})));
  ASSERT_TRUE(number().ok());
  EXPECT_EQ(r.get(), Tensor(0.1f));
  EXPECT_EQ(valueOf(s), 3);
}

// F-151, F-179, F-173: D08 to D11.
TEST_P(SharedTest, AFailedCallStoresNothing) {
  Function only = made(function({}, {}, with({.updates = {{s, s + 1}}})));
  EXPECT_EQ(numbers(only()), List{});
  EXPECT_EQ(valueOf(s), 1);

  Function f = made(function({v}, v.sum(), with({.updates = {{t, t + 1}, {s, s + v[{3}]}}})));
  absl::StatusOr<Results> failed = f(Tensor({1, 2}));
  EXPECT_EQ(errorKind(failed.status()), ErrorKind::IndexError) << failed.status();
  EXPECT_EQ(valueOf(s), 1);
  EXPECT_EQ(valueOf(t), 0);
  EXPECT_EQ(numbers(f(Tensor({1, 2, 3, 4}))), List{10});
  EXPECT_EQ(valueOf(s), 5);

  SharedVariable k = shared(Tensor({1, 2, 3}), "k");
  Function get = made(function({}, k, with()));
  Tensor r = (*get())[0];
  r.mutableFlat<double>()[0] = 99;
  EXPECT_EQ(k.get(), Tensor({1, 2, 3}));

  SharedVariable c = shared(Tensor({1, 2}), "c"), d = shared(Tensor({3, 4}), "d");
  Function copy = made(function({}, {}, with({.updates = {{c, d}}})));
  ASSERT_TRUE(copy().ok());
  EXPECT_EQ(c.get(), Tensor({3, 4}));
  EXPECT_FALSE(c.get({.borrow = true}).overlaps(d.get({.borrow = true})));
  ASSERT_TRUE(d.set(Tensor({9, 9})).ok());
  EXPECT_EQ(c.get(), Tensor({3, 4}));
}

// F-227: two variables that get one old value.
TEST_P(SharedTest, NoTwoShareMemory) {
  SharedVariable p = shared(Tensor({1, 2})), q = shared(Tensor({3, 4})), r = shared(Tensor({5, 6}));
  Function f = made(function({}, {}, with({.updates = {{p, q}, {q, p}, {r, p}}})));
  ASSERT_TRUE(f().ok());
  EXPECT_EQ(p.get(), Tensor({3, 4}));
  EXPECT_EQ(q.get(), Tensor({1, 2}));
  EXPECT_EQ(r.get(), Tensor({1, 2}));
  EXPECT_FALSE(q.get({.borrow = true}).overlaps(r.get({.borrow = true})));
}

// F-225: another shape, without another compilation.
TEST_P(SharedTest, ShapesMayChange) {
  SharedVariable w = shared(Tensor({1, 2, 3}), "w");
  Function f = made(function({}, w.sum(), with({.updates = {{w, w * 2}}})));
  EXPECT_EQ(numbers(f()), List{6});
  ASSERT_TRUE(w.set(Tensor({1, 1, 1, 1, 1})).ok());
  EXPECT_EQ(numbers(f()), List{5});
  EXPECT_EQ(w.get(), Tensor({2, 2, 2, 2, 2}));
}

//===--- E: givens --------------------------------------------------------------===//

// F-182, F-184 to F-186: E01, E04 to E08.
TEST_P(SharedTest, GivensReplace) {
  EXPECT_EQ(numbers(made(function({z}, (x + y) * 2, with({.givens = {{x, z}, {y, z * z}}})))(3)),
            List{24});
  ASSERT_TRUE(s.set(43.0).ok());
  Function f = made(function({z}, s, with({.updates = {{s, s + x}}, .givens = {{x, z * 10}}})));
  EXPECT_EQ(numbers(f(2)), List{43});
  EXPECT_EQ(valueOf(s), 63);
  EXPECT_EQ(numbers(made(function({z}, s * 2, with({.givens = {{s, z}}})))(4)), List{8});
  EXPECT_EQ(valueOf(s), 63);
  ASSERT_TRUE(s.set(7.0).ok());
  Variable q = s + 1;
  EXPECT_EQ(numbers(made(function({x}, q * x, with({.givens = {{s, x * x}}})))(3)), List{30});
  EXPECT_EQ(valueOf(s), 7);
  Variable g = x + y;
  EXPECT_EQ(numbers(made(function({z}, {g, z}, with({.givens = {{g, z + 100}}})))(1)),
            (List{101, 1}));
  EXPECT_EQ(numbers(made(function({y}, x + y, with({.givens = {{x, 7.0}}})))(1)), List{8});
  EXPECT_EQ(numbers(made(function({y}, v.sum() + y, with({.givens = {{v, Tensor({1, 2})}}})))(1)),
            List{4});
}

// F-183, F-185, F-187, F-188: E02, E03, E09, E10.
TEST_P(SharedTest, GivensAreChecked) {
  Variable g = x + y;
  absl::Status input = function({x, y}, g, with({.givens = {{x, y + 1}}})).status();
  EXPECT_EQ(errorKind(input), ErrorKind::RuntimeError);
  EXPECT_EQ(messageOf(input), "function: givens: 'x' is an input; a call gives it, or leave it out "
                              "of the inputs");
  for (Substitutions givens :
       {Substitutions{{x, y + 1}, {y, z}}, Substitutions{{y, z}, {x, y + 1}}}) {
    absl::Status status = function({z}, g, with({.givens = givens})).status();
    EXPECT_EQ(errorKind(status), ErrorKind::RuntimeError);
    EXPECT_EQ(messageOf(status),
              "function: givens: the replacement of 'x' depends on 'y', which is replaced, too; "
              "replacements must be independent");
  }
  EXPECT_EQ(messageOf(function({z}, g, with({.givens = {{x, z}, {x, z}, {y, z}}})).status()),
            "function: givens: 'x' is replaced twice");
  Variable i = bscalar("i");
  EXPECT_EQ(messageOf(function({}, i, with({.givens = {{i, 300}}})).status()),
            "function: givens: 'i' is i8, which has no value 300");
  Variable q = fscalar("q");
  EXPECT_EQ(errorKind(function({q}, x * 2, with({.givens = {{x, q}}})).status()),
            ErrorKind::TypeError);
  Function narrow = made(function({q}, x * x, with({.givens = {{x, q}}, .rebuildStrict = false})));
  absl::StatusOr<Results> r = narrow(Tensor(1.5f));
  ASSERT_TRUE(r.ok());
  EXPECT_EQ((*r)[0].dtype(), DType::Float32);
  // Numbers are wrapped anew for what they stand beside now; constants are not.
  for (const Variable &e : {x * 2, x / 3.5, 1 - x})
    EXPECT_EQ(made(function({q}, e, with({.givens = {{x, q}}, .rebuildStrict = false})))
                  .outputTypes()[0]
                  .dtype(),
              DType::Float32);
  EXPECT_EQ(made(function({q}, x * constant(Tensor(2.0)),
                          with({.givens = {{x, q}}, .rebuildStrict = false})))
                .outputTypes()[0]
                .dtype(),
            DType::Float64);
  Variable thirds = q * 0.1; // 0.1 as float64 again, not the nearest float32
  EXPECT_EQ(
      numbers(made(function({z}, thirds, with({.givens = {{q, z}}, .rebuildStrict = false})))(3)),
      List{3 * 0.1});
  // One substitution, no loop: x is then an input of its own.
  absl::StatusOr<Variables> once = cloneReplace(Variables{x * 10}, {{x, x + 1}});
  EXPECT_EQ(numbers(made(function({x}, once->front(), with()))(1)), List{20});
}

//===--- F: default updates -----------------------------------------------------===//

// F-189 to F-194: F01 to F04.
TEST_P(SharedTest, DefaultUpdates) {
  SharedVariable c = shared(0.0, "c");
  ASSERT_TRUE(c.setDefaultUpdate(c + 1).ok());
  Function f = made(function({}, c, with()));
  EXPECT_EQ(numbers(f()), List{0});
  EXPECT_EQ(numbers(f()), List{1});
  EXPECT_EQ(valueOf(c), 2);
  EXPECT_EQ(numbers(made(function({}, c, with({.noDefaultUpdates = true})))()), List{2});
  EXPECT_EQ(numbers(made(function({}, c, with({.noDefaultUpdates = {c}})))()), List{2});
  EXPECT_EQ(valueOf(c), 2);
  EXPECT_EQ(numbers(made(function({}, c, with({.updates = {{c, c + 10}}})))()), List{2});
  EXPECT_EQ(valueOf(c), 12);
  c.removeDefaultUpdate();
  EXPECT_FALSE(c.defaultUpdate());
  ASSERT_TRUE(made(function({}, c, with()))().ok());
  EXPECT_EQ(valueOf(c), 12);

  SharedVariable d = shared(0.0, "d"), e = shared(0.0, "e");
  ASSERT_TRUE(d.setDefaultUpdate(d + e).ok());
  ASSERT_TRUE(e.setDefaultUpdate(e + 1).ok());
  Function transitive = made(function({}, d, with()));
  for (double wanted : {0, 0, 1})
    EXPECT_EQ(numbers(transitive()), List{wanted});
  EXPECT_EQ(valueOf(d), 3);
  EXPECT_EQ(valueOf(e), 3);
  ASSERT_TRUE(made(function({}, {}, with({.updates = {{d, e * 0}}})))().ok());
  EXPECT_EQ(valueOf(d), 0);
  EXPECT_EQ(valueOf(e), 4);
  // F-193.
  Function reached = made(function({}, x * 2, with({.givens = {{x, e}}})));
  EXPECT_EQ(numbers(reached()), List{8});
  EXPECT_EQ(valueOf(e), 5);
}

TEST(DefaultUpdates, KeepNothingAlive) {
  auto tag = std::make_shared<int>();
  std::weak_ptr<int> alive = tag;
  {
    SharedVariable c = shared(0.0, "c");
    c.setTag(std::move(tag));
    ASSERT_TRUE(c.setDefaultUpdate(c + 1).ok());
    EXPECT_TRUE(isInAncestors(c, {*c.defaultUpdate()}));
  }
  EXPECT_TRUE(alive.expired());
}

TEST(DefaultUpdates, AreChecked) {
  SharedVariable c = shared(0.0, "c");
  absl::Status status = c.setDefaultUpdate(dvector("v"));
  EXPECT_EQ(errorKind(status), ErrorKind::TypeError);
  EXPECT_TRUE(messageOf(status).starts_with("the default update of 'c'")) << status;
  EXPECT_EQ(messageOf(function({}, c, {.noDefaultUpdates = {dscalar("x")}}).status()),
            "function: noDefaultUpdates: 'x' is no shared variable");
}

//===--- B: Params --------------------------------------------------------------===//

// F-158, F-201, F-204, F-205: B01 to B03, B07.
TEST_P(SharedTest, DefaultsAndNames) {
  Function f = made(function({x, In(y, {.value = 5.0})}, x * y, with()));
  EXPECT_EQ(numbers(f(2)), List{10});
  EXPECT_EQ(numbers(f(2, 3)), List{6});
  EXPECT_EQ(numbers(f(2)), List{10});
  EXPECT_EQ(numbers(f.call({}, {{"x", 1}, {"y", 7}})), List{7});
  EXPECT_EQ(number(*f["y"].get()), 5);
  EXPECT_FALSE(f["x"].get()->defined());
  ASSERT_TRUE(f["y"].set(9).ok());
  EXPECT_EQ(numbers(f(2)), List{18});
  EXPECT_EQ(number(*f[1].get()), 9);
  EXPECT_EQ(messageOf(f["x"].set(1)), "function[\"x\"] has no value of its own: every call gives "
                                      "it; make it a Param with a value");
  EXPECT_EQ(messageOf(f["y"].set(Tensor({1, 2}))), "function[\"y\"] wants f64 but got f64[2]");

  Function k = made(function({x, Param(y, {.value = 5.0, .name = "k"})}, x + y, with()));
  EXPECT_EQ(numbers(k.call({1}, {{"k", 3}})), List{4});
  EXPECT_EQ(messageOf(k.call({1}, {{"y", 3}}).status()),
            "function: no input is called 'y'; its inputs are 'x', 'k'");
  EXPECT_EQ(messageOf(f["nope"].get().status()),
            "function[\"nope\"]: there is no such input; they are 'x', 'y'");
  EXPECT_EQ(messageOf(f[7].get().status()), "function[7]: there are 2 inputs and shared variables");
  EXPECT_EQ(messageOf(f[z].get().status()), "function[z]: it is no input of the function, nor does "
                                            "that read or update it");
}

// F-201, F-204: B05.
TEST_P(SharedTest, TwoInputsOfOneName) {
  Variable other = dscalar("x");
  Function f = made(function({x, other}, x - other, with()));
  EXPECT_EQ(numbers(f(5, 3)), List{2});
  EXPECT_EQ(messageOf(f.call({}, {{"x", 1}}).status()),
            "function: the name 'x' is ambiguous: inputs 0 and 1 have it; give them by position");
  EXPECT_EQ(messageOf(f["x"].get().status()),
            "function[\"x\"]: 2 inputs have that name; take the position or the Variable");
}

// F-161: B08.
TEST_P(SharedTest, States) {
  Function f =
      made(function({x, In(z, {.value = 0.0, .name = "tot", .update = z + x})}, z, with()));
  EXPECT_EQ(numbers(f(1)), List{0});
  EXPECT_EQ(numbers(f(2)), List{1});
  EXPECT_EQ(number(*f["tot"].get()), 3);
  EXPECT_EQ(numbers(f(5)), List{3});
  EXPECT_EQ(number(*f["tot"].get()), 8);
  ASSERT_TRUE(f["tot"].set(1000).ok());
  EXPECT_EQ(numbers(f(1)), List{1000});
  EXPECT_EQ(number(*f["tot"].get()), 1001);
  // Given for one call.
  EXPECT_EQ(numbers(f(1, 5)), List{5});
  EXPECT_EQ(number(*f["tot"].get()), 6);

  // F-165: an input with an update is used.
  EXPECT_TRUE(function({x, In(z, {.value = 0.0, .update = x + 1})}, x, with()).ok());

  // G12: a copy goes on from the state.
  Function g = made(f.copy());
  EXPECT_EQ(numbers(g(1)), List{6});
  EXPECT_EQ(number(*g["tot"].get()), 7);
  EXPECT_EQ(number(*f["tot"].get()), 6);
}

// F-158: later changes of the caller's array are not the default's.
TEST_P(SharedTest, DefaultsAreCopied) {
  Tensor value({1, 2});
  Function f = made(function({In(v, {.value = value})}, v.sum(), with()));
  value.mutableFlat<double>()[0] = 100;
  EXPECT_EQ(numbers(f()), List{3});
}

// F-160: a value that is found in a shared variable.
TEST_P(SharedTest, ImplicitInputs) {
  Function f = made(function({x, In(y, {.value = s})}, x + y, with()));
  ASSERT_TRUE(s.set(10.0).ok());
  EXPECT_EQ(numbers(f(1)), List{11});
  EXPECT_EQ(messageOf(f.call({1}, {{"y", 2}}).status()),
            "function: 'y' takes no argument: its value is stored; set it with f[\"y\"].set");
  ASSERT_TRUE(f["y"].set(20).ok());
  EXPECT_EQ(valueOf(s), 20);
}

// F-157: B09, B10.
TEST(Params, AreChecked) {
  Variable x = dscalar("x");
  EXPECT_TRUE(In(x, {.value = 0.0, .update = x + 1}).isMutable());
  EXPECT_FALSE(In(x).isMutable());
  EXPECT_FALSE(In(x, {.value = 1.0}).isImplicit());
  auto error = [&](ParamOptions options) {
    return messageOf(function({In(x, std::move(options))}, x).status());
  };
  EXPECT_EQ(error({.mutableInput = true, .borrow = false}),
            "function: input 0 ('x') is mutable and not borrowed: a copy would be changed in vain; "
            "leave borrow out");
  EXPECT_EQ(error({.implicit = true}),
            "function: input 0 ('x') is implicit and has no value; give one");
  EXPECT_EQ(error({.update = x + 1}),
            "function: input 0 ('x') has an update and no value to begin with; give one");
  EXPECT_EQ(error({.value = Tensor({1, 2})}),
            "function: the value of input 0 ('x') wants f64 but got f64[2]");
  EXPECT_EQ(error({.value = 0.0, .update = fscalar()}),
            "function: the update of input 0 ('x') is f32, the variable f64; cast the update");
  EXPECT_EQ(error({.value = shared(Tensor({1}), "w")}),
            "function: input 0 ('x') is f64, its value, 'w', f64[?]");
  SharedVariable s = shared(0.0, "s");
  Variable y = dscalar("y");
  Param first(x, {.value = s, .update = x + 1}), second(y, {.value = s, .update = y + 2});
  EXPECT_EQ(messageOf(function({first, second}, x + y).status()),
            "function: input 1 ('y') has an update, as another input of that value has");
  EXPECT_EQ(
      messageOf(function({shared(1.0, "s")}, x).status()),
      "function: input 0 ('s') is a shared variable, which functions read without being told; "
      "to replace it, use givens");
}

// F-039, F-044, F-168, F-202: C02, C05.
TEST(Params, Conversions) {
  Variable i = bscalar("i");
  Function f = made(function({In(i, {.allowDowncast = true})}, i));
  EXPECT_EQ((*f(300))[0].item<int>(), 44);
  f = made(function({i}, i, {.allowInputDowncast = true}));
  EXPECT_EQ((*f(300))[0].item<int>(), 44);
  Variable w = fvector("w");
  f = made(function({In(w, {.strict = true})}, w));
  EXPECT_TRUE(f(Tensor({1}, DType::Float32)).ok());
  EXPECT_EQ(messageOf(f(Tensor({1.0})).status()),
            "function: argument 0 ('w') wants f32[?] but got f64[1]: it is strict about the dtype; "
            "cast the value");
  EXPECT_FALSE(f(Tensor({1}, DType::Int8)).ok());
}

// F-041, F-044: float64 numbers become floatX, unless that is forbidden.
TEST(Params, NarrowedNumbers) {
  Config before = config(), narrow = before;
  narrow.floatX = DType::Float32;
  ASSERT_TRUE(setConfig(narrow).ok());
  Variable x = fscalar("x");
  Function f = made(function({x}, x)), g = made(function({In(x, {.allowDowncast = false})}, x));
  EXPECT_TRUE(f(0.1).ok());
  EXPECT_EQ(
      messageOf(g(0.1).status()),
      "function: argument 0 ('x') wants f32 but got f64: a cast to float32 could lose values; "
      "cast the value");
  EXPECT_TRUE(setConfig(before).ok());
}

// F-183: the types of results that were made of a shape's elements hold no more for another shape,
// and are checked.
TEST_P(SharedTest, GivensOfShapes) {
  Variable v = dvector("v"), n = tensor(DType::Int64, {2}, "n");
  Variable shape = stack({constant(int64_t(2)), constant(int64_t(3))});
  Variable sums = sum(reshape(v, shape), Axis(0));
  EXPECT_EQ(sums.type().text(), "tensor<3xf64>");
  Function f = made(function({v, n}, sums, with({.givens = {{shape, n}}})));
  Tensor six({1, 2, 3, 4, 5, 6});
  absl::StatusOr<Results> same = f(six, Tensor({2, 3}).cast(DType::Int64));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ((*same)[0], Tensor({5, 7, 9}));
  absl::Status other = f(six, Tensor({3, 2}).cast(DType::Int64)).status();
  EXPECT_EQ(errorKind(other), ErrorKind::ShapeError);
  std::string text = messageOf(other);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "specifyShape: the extent along axis 0 is 3 instead of 2");
}

//===--- G: functions -----------------------------------------------------------===//

// F-220: also the one whose values an input alone reads; a copy that swaps it has the other one.
TEST_P(SharedTest, SharedVariablesOfInputs) {
  Function f = made(function({In(x, {.value = s})}, x * 2, with()));
  EXPECT_EQ(f.sharedVariables(), std::vector<SharedVariable>{s});
  SharedVariable other = shared(7.0, "other");
  Function g = made(f.copy({.swap = {{s, other}}}));
  EXPECT_EQ(g.sharedVariables(), std::vector<SharedVariable>{other});
  EXPECT_EQ(numbers(g()), List{14});
}

// F-209 to F-214, F-208: G01 to G04.
TEST_P(SharedTest, Copies) {
  Function f = made(function({x}, s + x, with({.updates = {{s, s + x}}, .name = "F"})));
  EXPECT_EQ(numbers(f(1)), List{1});
  Function g = made(f.copy());
  EXPECT_EQ(numbers(g(1)), List{2});
  EXPECT_EQ(valueOf(s), 2);
  EXPECT_EQ(g.name(), "F copy");
  EXPECT_EQ(made(f.copy({.name = "q"})).name(), "q");
  EXPECT_TRUE(f == f);
  EXPECT_FALSE(f == g);

  SharedVariable s2 = shared(100.0, "s2");
  Function h = made(f.copy({.swap = {{s, s2}}}));
  EXPECT_EQ(numbers(h(1)), List{101});
  EXPECT_EQ(valueOf(s2), 101);
  EXPECT_EQ(valueOf(s), 2);
  EXPECT_EQ(number(*h[s2].get()), 101);
  ASSERT_EQ(h.sharedVariables().size(), 1u);
  EXPECT_EQ(h.sharedVariables()[0], s2);
  absl::Status missing = f.copy({.swap = {{t, s2}}}).status();
  EXPECT_EQ(errorKind(missing), ErrorKind::ValueError);
  EXPECT_EQ(messageOf(missing), "copy: the function neither reads nor updates 't'");
  absl::Status type = f.copy({.swap = {{s, shared(Tensor({1}))}}}).status();
  EXPECT_EQ(errorKind(type), ErrorKind::TypeError);
  EXPECT_EQ(messageOf(type), "copy: 's' is f64, its replacement f64[?]");

  SharedVariable narrow = shared(Tensor({1, 2, 3}), "narrow", {.shape = {{3}}});
  SharedVariable wide = shared(Tensor({1, 2, 3}), "wide");
  Function growing = made(function({v}, wide, with({.updates = {{wide, concatenate({wide, v})}}})));
  EXPECT_EQ(messageOf(growing.copy({.swap = {{wide, narrow}}}).status()),
            "copy: 'wide' is f64[?], its replacement f64[3]");

  Function k = made(f.copy({.deleteUpdates = true}));
  EXPECT_EQ(numbers(k(1)), List{3});
  EXPECT_EQ(numbers(k(1)), List{3});
  EXPECT_EQ(valueOf(s), 2);
}

// F-177: what is stored has the extents that the shared variable's type knows, also where an input
// of a wider type stands for it.
TEST_P(SharedTest, StoredValuesKeepKnownExtents) {
  SharedVariable three = shared(Tensor({1, 2, 3}), "three", {.shape = {{3}}});
  Variable w = dvector("w");
  Function f =
      made(function({v, In(w, {.value = three, .update = concatenate({w, v})})}, sum(w), with()));
  EXPECT_EQ(errorKind(f(Tensor({4})).status()), ErrorKind::ShapeError);
  EXPECT_EQ(three.get(), Tensor({1, 2, 3}));
  EXPECT_EQ(numbers(f(*Tensor::zeros(DType::Float64, {0}))), List{6});
}

// Typed calls read and store as others do.
TEST_P(SharedTest, TypedCalls) {
  Function f =
      made(function({x, In(y, {.value = 1.0})}, s + x * y, with({.updates = {{s, s + x}}})));
  auto bound = f.bind<absl::Status(double, double, View<double, 0>)>();
  ASSERT_TRUE(bound.ok()) << bound.status();
  double result = 0;
  View<double, 0> to;
  to.data = &result;
  for (double wanted : {6, 8}) {
    ASSERT_TRUE((*bound)(2, 3, to).ok());
    EXPECT_EQ(result, wanted);
  }
  EXPECT_EQ(valueOf(s), 4);
  // Results never are the memory of a value.
  SharedVariable w = shared(Tensor({1, 2}), "w");
  Function get = made(function({}, w, with({.updates = {{w, w + 1}}})));
  auto read = get.bind<absl::Status(View<double, 1>)>();
  ASSERT_TRUE(read.ok()) << read.status();
  Tensor own = w.get({.borrow = true});
  double memory[2] = {};
  ASSERT_TRUE((*read)({memory, {2}}).ok());
  EXPECT_EQ(memory[1], 2);
  ASSERT_TRUE((*read)(own.view<double, 1>()).ok());
  EXPECT_EQ(own, Tensor({2, 3}));
  EXPECT_EQ(w.get(), Tensor({3, 4}));
}

// F-217: G07.
TEST_P(SharedTest, OutputSubsets) {
  Function f = made(
      function({x}, {{"a", x + 1}, {"b", x + 2}, {"c", x + 3}}, with({.updates = {{s, s + 1}}})));
  EXPECT_EQ(numbers(f.call({1}, {}, {.outputSubset = {{2, 0}}})), (List{4, 2}));
  EXPECT_EQ(valueOf(s), 1);
  absl::StatusOr<Results> b = f.call({1}, {}, {.outputSubset = {{1}}});
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(number((*b)["b"]), 3);
  absl::Status status = f.call({1}, {}, {.outputSubset = {{5}}}).status();
  EXPECT_EQ(errorKind(status), ErrorKind::IndexError);
  EXPECT_EQ(messageOf(status), "outputSubset: there is no output 5 of 3");
}

// F-219: each call is whole, whatever the others do.
TEST_P(SharedTest, Threads) {
  SharedVariable c = shared(Tensor({0, 0}), "c"), d = shared(Tensor({0, 0}), "d");
  Function count = made(function({}, {}, with({.updates = {{c, c + 1}, {d, d - 1}}})));
  Function swap = made(function({}, {}, with({.updates = {{c, 0.0 - d}, {d, 0.0 - c}}})));
  Function look = made(function({}, (c + d).sum(), with()));
  constexpr int kCalls = 200;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < kCalls; ++k) {
        if (i == 0)
          EXPECT_EQ(numbers(look()), List{0});
        else
          EXPECT_TRUE((i == 1 ? swap() : count()).ok());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(c.get(), Tensor({2.0 * kCalls, 2.0 * kCalls}));
  EXPECT_EQ(d.get(), Tensor({-2.0 * kCalls, -2.0 * kCalls}));
}

INSTANTIATE_TEST_SUITE_P(Modes, SharedTest,
                         ::testing::Values("interpreter", "fast_compile", "fast_run", "debug"),
                         [](const auto &mode) { return std::string(mode.param); });

} // namespace
} // namespace graphc
