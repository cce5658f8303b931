//===- NoMemoryTest.cpp - calls for which there is no memory ------------------===//
//
// Each allocation of a call of compiled code fails once, and once with all after it: the call gives
// its results or OutOfMemory, and the next one goes on as if nothing had been.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <string>

#include "API/Heap.h"
#include "Calls.h"
#include "Messages.h"
#include "graphc/OpDef.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

using test::Failing, test::FailingHeap;

/// Matrices (batch, n, n) of numbers without a pattern, with what dominates the diagonal.
Tensor matrices(int64_t batch, int64_t n, double diagonal) {
  Tensor t = *Tensor::allocate(DType::Float64, {batch, n, n});
  for (int64_t i = 0; i < t.numElements(); ++i)
    t.mutableFlat<double>()[size_t(i)] =
        std::sin(double(i * i % 1009)) + (i / n % n == i % n ? diagonal : 0);
  return t;
}

struct Case {
  const char *name;
  std::function<Variables(const Variable &x)> make;
};

/// Of an array (batch, n, n) that is well conditioned.
const Case kCases[] = {
    {"sort", [](const Variable &x) { return Variables{sort(x), argsort(x)}; }},
    {"long rows", [](const Variable &x) { return Variables{sort(flatten(x)), topk(x, 2)}; }},
    {"unique", [](const Variable &x) { return Variables{unique(round(x)).values}; }},
    {"nonzero", [](const Variable &x) { return nonzero(gt(x, 0.0)); }},
    {"cumsum", [](const Variable &x) { return Variables{cumsum(x, 1), cumprod(x, 2)}; }},
    {"fft", [](const Variable &x) { return Variables{real(fft(x)), real(rfft(flatten(x)))}; }},
    {"svd", [](const Variable &x) { return Variables{svd(x).s, pinv(x)}; }},
    {"eig", [](const Variable &x) { return Variables{real(eig(x).values)}; }},
    {"eigh", [](const Variable &x) { return Variables{eigh(x).vectors, qr(x).q}; }},
    {"solve", [](const Variable &x) { return Variables{solve(x, x), inv(x)}; }},
    {"det", [](const Variable &x) { return Variables{det(x), slogdet(x).logarithm}; }},
    {"grad", [](const Variable &x) { return Variables{grad(sum(det(x)), x)}; }},
    {"cholesky",
     [](const Variable &x) { return Variables{cholesky(matmul(x, swapaxes(x, 1, 2)))}; }},
    {"expm", [](const Variable &x) { return Variables{expm(x * 0.1), logm(x)}; }},
    {"lu", [](const Variable &x) { return Variables{lu(x).l, ldl(x).d}; }},
    {"sylvester", [](const Variable &x) { return Variables{solveSylvester(x, x, x)}; }},
    {"einsum", [](const Variable &x) { return Variables{einsum("bij,bjk,bkl->il", {x, x, x})}; }},
    {"draws",
     [](const Variable &x) {
       Variable state = constant(randomState(7));
       return Variables{random::gamma(state, abs(x) + 0.5, 2.0).value,
                        random::poisson(state, abs(x) * 20.0).value};
     }},
    {"rows",
     [](const Variable &x) {
       Variable state = constant(randomState(7));
       return Variables{
           random::permutation(state, 50, 20).value,
           random::multivariateNormal(state, zerosLike(x[0][0]), matmul(x[0], swapaxes(x[0], 0, 1)))
               .value,
           random::dirichlet(state, abs(x) + 0.5).value};
     }},
    {"special",
     [](const Variable &x) { return Variables{gammainc(1.5, abs(x)), jv(2.5, abs(x))}; }},
    {"loop",
     [](const Variable &x) {
       auto step = [](const Variables &in) { return ScanStep({sort(in[0] + in[1])}); };
       return Variables{
           scan(step, {.sequences = {x}, .outputs = {ScanOutput(zerosLike(x[0]))}}).outputs[0]};
     }},
    {"branch",
     [](const Variable &x) { return Variables{ifElse(gt(sum(x), 0.0), sort(x), inv(x))}; }},
};

/// Numbers are the same to the bit, except where LAPACK's own threads join sums.
void expectEqual(const absl::StatusOr<Results> &got, const std::vector<double> &wanted) {
  std::vector<double> values = valuesOf(got);
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], wanted[i], 1e-9 * std::max(1.0, std::fabs(wanted[i])));
}

/// How often a call of a fresh copy of `f` failed: the first allocations, one by one, are those of
/// plans and tables; of the many that workers make for matrix after matrix each seventh is tried.
int failuresOf(const Function &f, const Tensor &x, Failing failing,
               const std::vector<double> &wanted) {
  int failures = 0;
  for (int64_t number = 0;; number += number < 64 ? 1 : 7) {
    Function own = made(f.copy()); // that has planned nothing
    absl::StatusOr<Results> results = absl::UnknownError("");
    bool isLast = false;
    {
      FailingHeap heap(number, failing);
      results = own(x);
      isLast = !heap.hasFailed();
    }
    if (results.ok()) {
      expectEqual(results, wanted);
    } else {
      EXPECT_EQ(errorKind(results.status()), ErrorKind::OutOfMemory) << results.status();
      EXPECT_NE(results.status().message().find("no memory"), absl::string_view::npos)
          << results.status();
      ++failures;
      if (number % 8 == 0)
        expectEqual(own(x), wanted);
    }
    if (isLast)
      return failures;
  }
}

class NoMemory : public testing::TestWithParam<Case> {};

TEST_P(NoMemory, IsAnErrorOfTheCall) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  Variable x = tensor(DType::Float64, {kDynamic, kDynamic, kDynamic}, "x");
  Variables outputs = GetParam().make(x);
  const Tensor value = matrices(6, 24, 40);
  for (int threads : {1, 3}) {
    SCOPED_TRACE("threads: " + std::to_string(threads));
    Function f = made(function({x}, outputs, {.threads = threads, .specialisations = 0}));
    std::vector<double> wanted = valuesOf(f(value)); // libraries are loaded, threads started
    ASSERT_FALSE(wanted.empty());
    for (Failing failing : {Failing::One, Failing::AllFrom})
      EXPECT_GT(failuresOf(f, value, failing, wanted), 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, NoMemory, testing::ValuesIn(kCases), [](const auto &info) {
  std::string name = info.param.name;
  std::ranges::replace(name, ' ', '_');
  return name;
});

// F-227: a value that is computed over the old one goes back to its shared variable where there is
// no memory for another's.
TEST(NoMemoryOfUpdates, LosesNoValue) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  SharedVariable a = shared(Tensor({1, 2, 3}), "a"), b = shared(Tensor({0, 0}), "b"),
                 c = shared(Tensor({4, 5}), "c");
  Function f = made(function({}, {}, {.updates = {{a, a + 1}, {b, c}}, .specialisations = 0}));
  ASSERT_TRUE(f().ok());
  double first = 2; // of a
  for (int64_t number = 0;; ++number) {
    absl::Status status;
    bool isLast = false;
    {
      FailingHeap heap(number, Failing::One);
      status = f().status();
      isLast = !heap.hasFailed();
    }
    first += status.ok();
    ASSERT_EQ(a.get(), Tensor({first, first + 1, first + 2})) << "allocation " << number;
    ASSERT_EQ(b.get(), Tensor({4, 5}));
    if (isLast)
      break;
    EXPECT_EQ(errorKind(status), ErrorKind::OutOfMemory) << status;
  }
  EXPECT_LT(first, 5) << "most allocations of a call failed";
}

constexpr char kNoRoom[] = "no memory for what it needs besides operands and results; parts of a "
                           "batch need less, and Function::free gives back what functions keep for "
                           "their next calls\n  ";

// Counting typed calls, and beginning what comes of that, wants memory; the calls do not.
TEST(NoMemoryOfCounts, TypedCallsGoOn) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  Variable x = tensor(DType::Float32, {17, 33}, "x"), y = tensor(DType::Float32, {33, 65}, "y");
  Function f = made(function({x, y}, {dot(x, y)}));
  std::vector<float> a(17 * 33, 1), b(33 * 65, 2), c(17 * 65);
  using In = View<const float, 2>;
  auto bound = f.bind<absl::Status(In, In, View<float, 2>)>();
  ASSERT_TRUE(bound.ok()) << bound.status();
  int64_t wrong = 0;
  for (int call = 0; call < 300; ++call) {
    absl::Status status;
    {
      FailingHeap heap(0, Failing::AllFrom);
      status = (*bound)(In(a.data(), {17, 33}), In(b.data(), {33, 65}),
                        View<float, 2>(c.data(), {17, 65}));
    }
    wrong += !status.ok() || c[0] != 66;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(NoMemoryMessages, NameTheOpItsPlaceAndShapes) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  Variable x = dmatrix("x");
  Variable s = sort(x);
  const unsigned line = __LINE__ - 1;
  Function f = made(function({x}, s, {.threads = 1}));
  Tensor value = *Tensor::zeros(DType::Float64, {3, 4});
  ASSERT_TRUE(f(value).ok());
  int found = 0, ofTables = 0;
  for (int64_t number = 0; number < 100; ++number) {
    absl::Status status;
    {
      FailingHeap heap(number, Failing::One);
      status = f(value).status();
    }
    ofTables += said(status) == "OutOfMemory: no memory for the tables of a call; parts of a batch "
                                "need less, and Function::free gives back what functions keep for "
                                "their next calls";
    if (!firstLine(status).starts_with("OutOfMemory: sort: "))
      continue;
    ++found;
    EXPECT_EQ(said(status), std::string("OutOfMemory: sort: ") + kNoRoom + "x: f64[3,4]");
    ASSERT_TRUE(errorPlace(status)) << status;
    EXPECT_EQ(errorPlace(status)->line, line);
  }
  EXPECT_GT(found, 0);
  EXPECT_GT(ofTables, 0);
  absl::Status last;
  {
    FailingHeap heap(0, Failing::AllFrom);
    last = f(value).status();
  }
  EXPECT_EQ(said(last), "OutOfMemory: no memory, nor any to say what for");
}

/// A step of the host that throws as vectors do.
OpDef greedyDef() {
  OpDef def;
  def.name = "greedy";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    auto host = [](absl::Span<const Tensor>, absl::Span<Tensor>) -> absl::Status {
      throw std::bad_alloc();
    };
    return e.hostCall(host, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  return def;
}

TEST(NoMemoryMessages, OfEachModeAndOfSlices) {
  Op greedy = *defineOp(greedyDef());
  Variable x = dvector("x");
  Tensor value({1.0, 2.0});
  for (const char *mode : {"interpreter", "fast_run", "nanguard", "debug"})
    EXPECT_EQ(said(made(function({x}, greedy(x), {.mode = mode}))(value).status()),
              std::string("OutOfMemory: greedy: ") + kNoRoom +
                  (*mode == 'i' || *mode == 'd' ? "greedy(f64[2])" : "x: f64[2]"));
}

} // namespace
} // namespace graphc
