//===- InPlaceTest.cpp - next values computed over old ones ---------------===//
//
// F-181: memory is seen through borrowed values; expected numbers follow by hand.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

const void *memoryOf(const SharedVariable &s) {
  Tensor value = s.get({.borrow = true});
  return value.flat<double>().data();
}
Function made(absl::StatusOr<Function> f) {
  EXPECT_TRUE(f.ok()) << f.status();
  return f.value_or(Function());
}
/// Whether a call leaves the value in the memory where it was.
bool staysInPlace(const SharedVariable &s, const Function &f) {
  const void *before = memoryOf(s);
  absl::StatusOr<Results> results = f();
  EXPECT_TRUE(results.ok()) << results.status();
  return memoryOf(s) == before;
}

TEST(InPlace, NextValuesTakeTheOldOnesMemory) {
  SharedVariable w = shared(Tensor({4, 8}), "w"), g = shared(Tensor({1, 2}), "g");
  Function f = made(function({}, {}, {.updates = {{w, w - 0.5 * g}}}));
  EXPECT_TRUE(staysInPlace(w, f));
  EXPECT_TRUE(staysInPlace(w, f));
  EXPECT_EQ(w.get(), Tensor({3, 6}));
  ASSERT_TRUE(w.set(Tensor({1, 2, 3})).ok());
  ASSERT_TRUE(g.set(Tensor({2, 2, 2})).ok());
  EXPECT_TRUE(staysInPlace(w, f)) << "F-225";
  EXPECT_EQ(w.get(), Tensor({0, 1, 2}));
}

// A chain of kernels ends in the memory that the first of them reads.
TEST(InPlace, ThroughSeveralKernels) {
  SharedVariable w = shared(Tensor({{1, 2}, {3, 4}}), "w");
  Variable scaled = w / w.sum(); // a sum comes between
  Function f = made(function({}, {}, {.updates = {{w, scaled}}}));
  EXPECT_TRUE(staysInPlace(w, f));
  EXPECT_EQ(w.get(), Tensor({{0.1, 0.2}, {0.3, 0.4}}));
}

// F-222, F-227: what others hold is not written to.
TEST(InPlace, WhatOthersHoldStays) {
  SharedVariable w = shared(Tensor({1, 2}), "w");
  Function f = made(function({}, {}, {.updates = {{w, w * 2}}}));
  {
    Tensor held = w.get({.borrow = true});
    ASSERT_TRUE(f().ok());
    EXPECT_EQ(held, Tensor({1, 2}));
    EXPECT_EQ(w.get(), Tensor({2, 4}));
  }
  double array[] = {5, 7};
  {
    SharedVariable lent =
        shared(*Tensor::borrow(DType::Float64, array, {2}), "lent", {.borrow = true});
    Function g = made(function({}, {}, {.updates = {{lent, lent + 1}}}));
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(g().ok());
    EXPECT_EQ(lent.get(), Tensor({8, 10}));
  }
  EXPECT_EQ(array[0], 5);
  EXPECT_EQ(array[1], 7);
}

// F-178: everything that needs the old value has it, in whatever order code runs.
TEST(InPlace, OldValuesAreThereForAllThatReadThem) {
  auto values = [] { return Tensor({{1, 2}, {3, 4}}); };
  SharedVariable w = shared(values(), "w"), u = shared(values(), "u"), z = shared(values(), "z");
  Function output = made(function({}, w, {.updates = {{w, w * 2}}}));
  EXPECT_EQ((*output())[0], values());
  EXPECT_EQ(w.get(), Tensor({{2, 4}, {6, 8}}));

  ASSERT_TRUE(w.set(values()).ok());
  Function product = made(function({}, w.sum(0), {.updates = {{w, w * 2}, {u, dot(w, u)}}}));
  EXPECT_EQ((*product())[0], Tensor({4, 6}));
  EXPECT_EQ(u.get(), Tensor({{7, 10}, {15, 22}}));
  EXPECT_EQ(w.get(), Tensor({{2, 4}, {6, 8}}));

  ASSERT_TRUE(w.set(values()).ok());
  Function given = made(function({}, {}, {.updates = {{w, w * 2}, {z, w}}}));
  ASSERT_TRUE(given().ok());
  EXPECT_EQ(z.get(), values());
  EXPECT_EQ(w.get(), Tensor({{2, 4}, {6, 8}}));

  Function view = made(function({}, transpose(w), {.updates = {{w, w + 1}}}));
  EXPECT_EQ((*view())[0], Tensor({{2, 6}, {4, 8}}));
  EXPECT_EQ(w.get(), Tensor({{3, 5}, {7, 9}}));
}

// An element is read after another one was written.
TEST(InPlace, OnlyPositionByPosition) {
  SharedVariable w = shared(Tensor({{1, 2}, {3, 4}}), "w"), v = shared(Tensor({1, 2, 3}), "v");
  Function turn =
      made(function({}, {}, {.updates = {{w, transpose(w)}, {v, v + v[{Slice(kEnd, kEnd, -1)}]}}}));
  ASSERT_TRUE(turn().ok());
  EXPECT_EQ(w.get(), Tensor({{1, 3}, {2, 4}}));
  EXPECT_EQ(v.get(), Tensor({4, 4, 4}));
}

// F-151: nothing is half done.
TEST(InPlace, NotWhereACallMayFailLater) {
  Variable x = dvector("x"), i = lscalar("i");
  SharedVariable w = shared(Tensor({1, 2}), "w"), u = shared(Tensor({1, 2}), "u");
  Function f = made(function({x, i}, {x[{i}], dot(x, x)}, {.updates = {{w, w * 2}, {u, u + x}}}));
  EXPECT_EQ(errorKind(f(Tensor({1, 2}), 7).status()), ErrorKind::IndexError);
  EXPECT_EQ(w.get(), Tensor({1, 2}));
  EXPECT_EQ(u.get(), Tensor({1, 2}));
  // Shapes are looked at before anything is written; the value is back in its place.
  const void *before = memoryOf(u);
  Function g = made(function({x}, {}, {.updates = {{w, w * 2}, {u, u + x}}}));
  EXPECT_EQ(errorKind(g(Tensor({1, 2, 3})).status()), ErrorKind::ShapeError);
  EXPECT_EQ(w.get(), Tensor({1, 2}));
  EXPECT_EQ(u.get(), Tensor({1, 2}));
  EXPECT_EQ(memoryOf(u), before);
  ASSERT_TRUE(g(Tensor({1, 2})).ok());
  EXPECT_EQ(memoryOf(u), before);
  EXPECT_EQ(u.get(), Tensor({2, 4}));
}

// A callback that asks for the value does not wait for its own call.
TEST(InPlace, HostOpsSeeTheOldValue) {
  SharedVariable w = shared(Tensor({1, 2}), "w");
  OpDef def;
  def.name = "look";
  def.doc = "The value of w.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [w](Emitter &e, const Arrays &in, const Attributes &) {
    HostFunction host = [w](absl::Span<const Tensor>, absl::Span<Tensor> out) {
      return out[0].assign(w.get());
    };
    return e.hostCall(host, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  Op look = *defineOp(def);
  Variable x = dvector("x");
  Function f = made(function({x}, {}, {.updates = {{w, w + look(x)}}}));
  for (double expected : {2, 4}) {
    ASSERT_TRUE(f(Tensor({0, 0})).ok());
    EXPECT_EQ(w.get(), Tensor({expected, 2 * expected}));
  }
}

// F-161: for one call, an argument stands for the state; it is the caller's.
TEST(InPlace, ArgumentsForAStateStay) {
  Variable x = dvector("x"), total = dvector("total");
  Function f =
      made(function({x, In(total, {.value = Tensor({0, 0}), .update = total + x})}, total));
  Tensor mine({10, 20}), one({1, 1});
  ASSERT_TRUE(f(one).ok());
  ASSERT_TRUE(f(one, mine).ok());
  EXPECT_EQ(mine, Tensor({10, 20}));
  EXPECT_EQ(*f["total"].get(), Tensor({11, 21}));
  Tensor result = (*f(one))[0];
  EXPECT_EQ(result, Tensor({11, 21}));
  EXPECT_EQ(*f["total"].get(), Tensor({12, 22}));
}

// F-210 to F-212: copies have their own slots.
TEST(InPlace, InCopies) {
  SharedVariable a = shared(Tensor({1, 2}), "a"), b = shared(Tensor({10, 20}), "b");
  Function f = made(function({}, {}, {.updates = {{a, a + b}}}));
  Function still = made(f.copy({.deleteUpdates = true}));
  ASSERT_TRUE(still().ok());
  EXPECT_EQ(a.get(), Tensor({1, 2}));
  Function twice = made(f.copy({.swap = {{b, a}}})); // reads what it updates a second time
  ASSERT_TRUE(twice().ok());
  EXPECT_EQ(a.get(), Tensor({2, 4}));
}

// F-219: a reader that meets a call which computes in place waits for it. From then on there are
// two buffers, so that none waits again, until `free`.
TEST(InPlace, ReadersWaitOnce) {
  constexpr int64_t kElements = 1 << 18;
  SharedVariable w = shared(*Tensor::zeros(DType::Float64, {kElements}), "w");
  Function step = made(function({}, {}, {.updates = {{w, w + 1}}, .threads = 1}));
  Function look = made(function({}, {w.min(), w.max()}, {.threads = 1}));
  const void *place = memoryOf(w);
  ASSERT_TRUE(staysInPlace(w, step));
  std::atomic<bool> isDone{false};
  std::atomic<int> steps{1}, torn{0};
  std::thread writer([&] {
    for (; !isDone; ++steps)
      EXPECT_TRUE(step().ok());
  });
  std::thread reader([&] {
    while (!isDone) {
      Results r = *look();
      torn += r[0].item<double>() != r[1].item<double>();
    }
  });
  while (!isDone) {
    Tensor seen = w.get();
    absl::Span<const double> values = seen.flat<double>();
    torn += values.front() != values.back();
    isDone = memoryOf(w) != place || steps > 100000;
  }
  writer.join();
  reader.join();
  EXPECT_EQ(torn, 0);
  Tensor last = w.get();
  EXPECT_EQ(last.flat<double>()[kElements - 1], double(steps));
  EXPECT_FALSE(staysInPlace(w, step));
  const void *one = memoryOf(w);
  EXPECT_FALSE(staysInPlace(w, step));
  EXPECT_FALSE(staysInPlace(w, step));
  EXPECT_EQ(memoryOf(w), one) << "two in turn";
  step.free();
  EXPECT_TRUE(staysInPlace(w, step));
}

} // namespace
} // namespace graphc
