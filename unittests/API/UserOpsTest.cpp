//===- UserOpsTest.cpp - ops of the user's, from definition to call -----------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "Places.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr const char *kModes[] = {"fast_run", "fast_compile", "interpreter"};

/// What a message of this mode says of the operands.
std::string operandsIn(std::string_view mode, const std::string &interpreted,
                       const std::string &compiled) {
  return mode == "interpreter" ? interpreted : compiled;
}

std::string messageOf(const absl::Status &status) { return std::string(status.message()); }

absl::StatusOr<std::vector<Type>> likeFirst(const TypeRequest &r) {
  return std::vector<Type>{r.type(0)};
}

/// x + slope * y, elementwise, with an attribute.
Op axpy(double slope) {
  static const auto &def = *[] {
    OpDef def;
    def.name = "axpy";
    def.doc = "x + slope * y.";
    def.operands = {{"x"}, {"y"}};
    def.attributes = {{.name = "slope", .kind = AttributeKind::Float, .defaultValue = 1.0}};
    def.type = likeFirst;
    def.emit = [](Emitter &e, const Arrays &in, const Attributes &a) {
      double slope = a.real("slope");
      return Arrays{e.map(in, [&](const Scalars &s) { return s[0] + s[1] * slope; })};
    };
    return new std::shared_ptr<const OpDef>(std::make_shared<const OpDef>(def));
  }();
  return *Op::create(def, Attributes{{"slope", slope}});
}

/// Differences of neighbours and the largest of them: two results, one a reduction.
Op differences() {
  OpDef def;
  def.name = "differences";
  def.doc = "x[i + 1] - x[i] and the largest of them.";
  def.operands = {{"x"}};
  def.numResults = 2;
  def.defaultResult = 0;
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    if (r.type(0).rank() != 1)
      return makeError(ErrorKind::TypeError, "x must be a vector");
    return std::vector<Type>{Type(r.type(0).dtype(), {kDynamic}), Type(r.type(0).dtype(), {})};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    Extent n = e.dim(in[0], 0);
    e.require(e.size(2), Predicate::LessEqual, n, ErrorKind::ShapeError,
              "x has {b} elements, but differences need {a}");
    Array steps = e.define(
        {n - 1}, [&](Indices i) { return e.load(in[0], {i[0] + 1.0}) - e.load(in[0], {i[0]}); });
    return Arrays{steps, e.reduceAxes(Combine::Max, steps, {0}, false)};
  };
  return *defineOp(def);
}

// An op of the user's has the same fields as the built-in ones, and fuses with them.
TEST(UserOps, RunCompiledAndFuseWithOthers) {
  for (const char *mode : kModes) {
    auto x = fvector("x"), y = fvector("y");
    auto f = function({x, y}, {exp(axpy(-2)(x * 2, y)) + 1}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)(Tensor({1, 2, 3}, DType::Float32), Tensor({1, 2, 3}, DType::Float32));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0], Tensor({2, 2, 2}, DType::Float32)) << mode;
    if (mode != std::string("interpreter")) {
      EXPECT_EQ(f->counters().kernels, 1) << "it is fused with its neighbours";
    }
  }
}

// F-054: attributes are a part of what an op is.
TEST(UserOps, AttributesTellOpsApart) {
  auto x = dvector("x"), y = dvector("y");
  auto f = function({x, y}, {axpy(3)(x, y), axpy(-1)(x, y)});
  ASSERT_TRUE(f.ok()) << f.status();
  auto r = (*f)(Tensor({1, 2}), Tensor({10, 20}));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[0], Tensor({31, 62}));
  EXPECT_EQ((*r)[1], Tensor({-9, -18}));
}

// F-053: one of several results is the call's.
TEST(UserOps, SeveralResults) {
  for (const char *mode : kModes) {
    auto x = dvector("x");
    Variables both = differences().callAll({x}, Place());
    auto f = function({x}, {both[0], both[1], differences()(x)}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)(Tensor({1, 4, 2, 2.5}));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0], Tensor({3, -2, 0.5})) << mode;
    EXPECT_EQ((*r)[1].item<double>(), 3) << mode;
    EXPECT_EQ((*r)[2], Tensor({3, -2, 0.5})) << mode;
  }
}

// F-020: a requirement of the user's op fails as one of the built-in ops does, at the user's place.
TEST(UserOps, TheirRequirementsNameOpPlaceAndShapes) {
  for (const char *mode : kModes) {
    auto x = dvector("x");
    Variable v = differences()(x);
    auto f = function({x}, {v}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    absl::Status status = (*f)(Tensor({1})).status();
    EXPECT_EQ(
        wholeWithoutLines(status),
        "ShapeError UserOpsTest.cpp: differences: x has 1 elements, but differences need 2\n  " +
            operandsIn(mode, "differences(f64[1])", "x: f64[1]"))
        << mode;
  }
}

// A mistake in an emission is told with the op and the place of its call, not as a crash.
// Rules and readers rely on extents that a type states: one that the emission does not make is an
// error of the call, or, where both are known, of the function.
TEST(UserOps, ExtentsOfTypeRulesAreChecked) {
  OpDef def;
  def.name = "claims";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{Type(r.type(0).dtype(), {3})};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    return {e.map({in[0]}, [](const Scalars &s) { return s[0] + 1.0; })};
  };
  Op claims = *defineOp(def);
  for (const char *mode : kModes) {
    auto x = dvector("x");
    auto f = function({x}, {sum(claims(x))}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_EQ((*f)(Tensor({1.0, 2.0, 3.0}))->item<double>(), 9) << mode;
    EXPECT_EQ(firstLine((*f)(Tensor({1.0, 2.0})).status()),
              "ShapeError: claims: result 0 has 2 elements along axis 0 where the type rule says 3")
        << mode;
    Variable two = tensor(DType::Float64, {2}, "two");
    auto g = function({two}, {claims(two)}, {.mode = mode});
    absl::Status status = g.ok() ? (*g)(Tensor({1.0, 2.0})).status() : g.status();
    EXPECT_EQ(firstLine(status),
              "ShapeError: claims: result 0 has 2 elements along axis 0 where the type rule says 3")
        << mode;
  }
}

TEST(UserOps, MistakesInEmissionsNameOpAndPlace) {
  OpDef def = differences().def();
  def.name = "mixed";
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{e.map(in, [&](const Scalars &s) { return s[0] + cast(s[0], DType::Float32); })};
  };
  for (const char *mode : kModes) {
    auto x = dvector("x");
    absl::Status status = function({x}, {(*defineOp(def))(x)}, {.mode = mode}).status();
    if (status.ok()) // the interpreter looks at it when it is called
      status = (*function({x}, {(*defineOp(def))(x)}, {.mode = mode}))(Tensor({1, 2})).status();
    std::string text = messageOf(status);
    EXPECT_EQ(text.substr(0, text.find('\n')), "mixed: emission: add of float64 and float32")
        << mode;
    EXPECT_EQ(errorKind(status), ErrorKind::Internal);
    EXPECT_TRUE(errorPlace(status)) << mode;
  }
  def.emit = {};
  auto x = dvector("x");
  Op silent = *Op::create(std::make_shared<const OpDef>(def));
  EXPECT_EQ(said(function({x}, {silent(x)}).status()),
            "MethodNotDefined: mixed: the op does not say what it computes");
}

//===--- host callbacks ---------------------------------------------------------===//

/// Sorts a vector on the host; refuses NaN.
absl::Status sortOnHost(absl::Span<const Tensor> in, absl::Span<Tensor> out) {
  auto from = in[0].flat<double>();
  auto to = out[0].mutableFlat<double>();
  for (double value : from)
    if (std::isnan(value))
      return makeError(ErrorKind::ValueError, "NaN has no place in an order");
  std::copy(from.begin(), from.end(), to.begin());
  std::sort(to.begin(), to.end());
  return absl::OkStatus();
}

Op hostOp(std::string name, HostFunction host) {
  OpDef def;
  def.name = std::move(name);
  def.doc = "A callback on the host.";
  def.operands = {{"x"}};
  def.type = likeFirst;
  def.emit = [host = std::move(host)](Emitter &e, const Arrays &in, const Attributes &) {
    return e.hostCall(host, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  return *defineOp(def);
}

TEST(HostOps, RunBetweenCompiledKernels) {
  for (const char *mode : kModes) {
    auto x = dvector("x");
    Variable sorted = hostOp("hostSort", sortOnHost)(x * -1);
    auto f = function({x}, {sorted * 10 + x, sum(sorted)}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)(Tensor({1, 3, 2}));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0], Tensor({-29, -17, -8})) << mode;
    EXPECT_EQ((*r)[1].item<double>(), -6) << mode;
    r = (*f)(*Tensor::zeros(DType::Float64, {0}));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0].numElements(), 0) << mode;
  }
}

// Errors of callbacks come with the op, what it makes, and the user's place.
TEST(HostOps, ErrorsNameOpAndPlace) {
  for (const char *mode : kModes) {
    auto x = dvector("x");
    Variable v = hostOp("hostSort", sortOnHost)(x + 1);
    v.setName("ordered");
    auto f = function({x}, {v * 2}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    absl::Status status = (*f)(Tensor({1, std::nan("")})).status();
    EXPECT_EQ(wholeWithoutLines(status),
              "ValueError UserOpsTest.cpp: hostSort: NaN has no place in an order\n  " +
                  operandsIn(mode, "hostSort(f64[2])",
                             "in the hostSort that makes `ordered`\n  add(x, ...): f64[2]"))
        << mode;
    EXPECT_TRUE((*f)(Tensor({2, 1})).ok()) << "the function is as good as before";
  }
}

TEST(HostOps, ErrorsWithoutAKindAreErrorsOfTheRun) {
  auto fails = [](absl::Span<const Tensor>, absl::Span<Tensor>) {
    return absl::UnavailableError("the server is down");
  };
  for (const char *mode : kModes) {
    auto x = dvector("x");
    auto f = function({x}, {hostOp("ask", fails)(x)}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    absl::Status status = (*f)(Tensor({1})).status();
    EXPECT_EQ(wholeWithoutLines(status),
              "RuntimeError UserOpsTest.cpp: ask: the server is down\n  " +
                  operandsIn(mode, "ask(f64[1])", "x: f64[1]"))
        << mode;
  }
}

// A call that would wait for itself is told.
TEST(HostOps, LeaveAloneWhatTheirCallUpdates) {
  SharedVariable s = shared(Tensor({1.0}), "s");
  Variable x = dvector("x");
  Op op = hostOp("meddle", [&](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
    out[0] = in[0].copy();
    EXPECT_EQ(s.get(), Tensor({1.0}));
    return s.set(in[0]);
  });
  for (const char *mode : kModes) {
    auto f = function({x}, op(x), {.mode = mode, .updates = {{s, s + x}}});
    ASSERT_TRUE(f.ok()) << f.status();
    absl::Status status = (*f)(Tensor({2.0})).status();
    EXPECT_EQ(errorKind(status), ErrorKind::RuntimeError) << mode;
    EXPECT_TRUE(std::string(status.message())
                    .starts_with("meddle: a host op changes a shared value that the call which "
                                 "runs it reads or updates; do "
                                 "it after the call\n"))
        << status;
    EXPECT_EQ(s.get(), Tensor({1.0}));
  }
}

TEST(HostOps, AreCalledFromManyThreads) {
  auto x = dvector("x");
  auto f = function({x}, {hostOp("hostSort", sortOnHost)(x) + 1});
  ASSERT_TRUE(f.ok()) << f.status();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        auto r = (*f)(Tensor({double(t), double(t - 1), double(i)}));
        wrong += !r.ok() || (*r)[0].flat<double>()[0] != std::min(double(t - 1), double(i)) + 1;
      }
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(wrong, 0);
}

/// The number, by 40 operations that each take the one before twice and more.
Scalar bySteps(Scalar i) {
  for (int step = 0; step < 40; ++step)
    i = i + i - i;
  return i;
}

// What an index follows is found in one pass, whatever an op makes it of: paths through these are
// 3^40.
TEST(UserOps, IndicesAreReadOnce) {
  OpDef windows;
  windows.name = "windows";
  windows.doc = "The greatest of 3 x 3 elements, at every second one.";
  windows.operands = {{"x"}};
  windows.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{Type(r.type(0).dtype(), {7, 7})};
  };
  windows.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{e.reduce(
        Combine::Max, {e.size(7), e.size(7)}, {e.size(3), e.size(3)}, [&](Indices i, Indices k) {
          return e.load(in[0],
                        {bySteps(i[0] * e.index(2) + k[0]), bySteps(i[1] * e.index(2) + k[1])});
        })};
  };
  OpDef product;
  product.name = "product";
  product.doc = "x.T @ x";
  product.operands = {{"x"}};
  product.type = likeFirst;
  product.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    Extent n = e.dim(in[0], 0);
    return Arrays{e.reduce(Combine::Sum, {n, n}, {n}, [&](Indices i, Indices k) {
      return e.load(in[0], {bySteps(k[0]), i[0]}) * e.load(in[0], {k[0], bySteps(i[1])});
    })};
  };
  std::vector<double> values;
  for (int i = 0; i < 225; ++i)
    values.push_back(i * 37 % 101);
  auto at = [&](int row, int column) { return values[size_t(row * 15 + column)]; };
  std::vector<double> greatest, products;
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) {
      double most = 0;
      for (int k = 0; k < 9; ++k)
        most = std::max(most, at(2 * i + k / 3, 2 * j + k % 3));
      greatest.push_back(most);
    }
  for (int i = 0; i < 15; ++i)
    for (int j = 0; j < 15; ++j) {
      double sum = 0;
      for (int k = 0; k < 15; ++k)
        sum += at(k, i) * at(k, j);
      products.push_back(sum);
    }
  auto x = dmatrix("x");
  for (const char *mode : kModes) {
    auto f = function({x}, {(*defineOp(windows))(x), (*defineOp(product))(x)}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)(*Tensor::fromSpan<double>(values, {15, 15}));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0], *Tensor::fromSpan<double>(greatest, {7, 7})) << mode;
    EXPECT_EQ((*r)[1], *Tensor::fromSpan<double>(products, {15, 15})) << mode;
  }
}

} // namespace
} // namespace graphc
