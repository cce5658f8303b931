//===- ComplexTest.cpp - complex numbers in functions ----------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdio>

#include "API/SavedFunction.h"
#include "Calls.h"
#include "Messages.h"
#include "Runtime/TestData.h"
#include "graphc/ControlFlow.h"
#include "graphc/Fourier.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Scan.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

using C = std::complex<double>;

const Tensor &points() {
  static const Tensor &z = *new Tensor({C(1, 2), C(-0.5, 0.25), C(3, -1)}, DType::Complex128);
  return z;
}

/// The results in every mode that says what it means; all must be the same up to rounding.
std::vector<Tensor> inAllModes(const Variables &inputs, const Variables &outputs,
                               const std::vector<Tensor> &values) {
  std::vector<Tensor> wanted;
  for (const char *mode : {"interpreter", "fast_compile", "fast_run", "debug", "nanguard"}) {
    const std::vector<Param> params(inputs.begin(), inputs.end());
    Function f = made(function(params, outputs, {.mode = mode}));
    absl::StatusOr<Results> results = f.call(values);
    EXPECT_TRUE(results.ok()) << mode << " " << results.status();
    if (!results.ok())
      return wanted;
    for (size_t i = 0; i < results->size(); ++i) {
      const Tensor &got = (*results)[i];
      if (wanted.size() <= i) {
        wanted.push_back(got);
        continue;
      }
      EXPECT_EQ(got.dtype(), wanted[i].dtype());
      EXPECT_EQ(got.shape(), wanted[i].shape()) << mode;
      Tensor a = got.realView().cast(DType::Float64).contiguous();
      Tensor b = wanted[i].realView().cast(DType::Float64).contiguous();
      for (int64_t k = 0; k < a.numElements(); ++k)
        EXPECT_NEAR(a.flat<double>()[size_t(k)], b.flat<double>()[size_t(k)], 1e-12)
            << mode << " result " << i;
    }
  }
  return wanted;
}

C at(const Tensor &t, size_t i) { return t.flat<C>()[i]; }

void expectNear(C got, C wanted, double bound = 1e-12) {
  EXPECT_NEAR(got.real(), wanted.real(), bound);
  EXPECT_NEAR(got.imag(), wanted.imag(), bound);
}

// F-001, F-002: inputs and results are NumPy's memory.
TEST(Complex, GoesInAndOut) {
  Variable z = zvector("z"), c = cmatrix("c");
  EXPECT_EQ(z.type().text(), "tensor<?xcomplex<f64>>");
  EXPECT_EQ(c.dtype(), DType::Complex64);
  EXPECT_EQ(crow().type().shape()[0], 1);
  EXPECT_EQ(ztensor7().rank(), 7);
  std::vector<Tensor> r =
      inAllModes({z}, {z, z * z, real(z), imag(z), abs(z), conj(z)}, {points()});
  ASSERT_EQ(r.size(), 6u);
  EXPECT_TRUE(r[0].identical(points()));
  for (size_t i = 0; i < 3; ++i) {
    C w = at(points(), i);
    expectNear(at(r[1], i), w * w);
    EXPECT_EQ(r[2].flat<double>()[i], w.real());
    EXPECT_EQ(r[3].flat<double>()[i], w.imag());
    EXPECT_NEAR(r[4].flat<double>()[i], std::abs(w), 1e-15 * 4);
    expectNear(at(r[5], i), std::conj(w));
  }
}

// Views with any strides, also backwards.
TEST(Complex, TakesStridedInputs) {
  Variable z = zvector("z");
  Function f = made(function({z}, {z * C(0, 1)}));
  Tensor back = *points().slice(0, 2, 3, -1);
  Results r = called(f(back));
  for (size_t i = 0; i < 3; ++i)
    expectNear(at(r[0], i), at(points(), 2 - i) * C(0, 1));
}

// F-005, F-029, F-031
TEST(Complex, Promotes) {
  auto of = [](DType d) { return tensor(d, {}); };
  for (DType d : {DType::Bool, DType::Int8, DType::Int16, DType::UInt8, DType::UInt16,
                  DType::Float16, DType::BFloat16, DType::Float32, DType::Complex64})
    EXPECT_EQ((of(DType::Complex64) + of(d)).dtype(), DType::Complex64) << dtypeName(d);
  for (DType d : {DType::Int32, DType::UInt32, DType::Int64, DType::UInt64, DType::Float64,
                  DType::Complex128})
    EXPECT_EQ((of(d) * of(DType::Complex64)).dtype(), DType::Complex128) << dtypeName(d);
  for (int d = 0; d < kNumDTypes; ++d)
    EXPECT_EQ(promote(DType::Complex128, DType(d)), DType::Complex128);
  EXPECT_EQ((cscalar() + 1).dtype(), DType::Complex64);
  EXPECT_EQ((cscalar() * 0.1).dtype(), DType::Complex64);
  EXPECT_EQ((cscalar() * C(0, 1)).dtype(), DType::Complex64);
  EXPECT_EQ((fscalar() * C(0, 1)).dtype(), DType::Complex64);
  EXPECT_EQ((dscalar() * C(0, 1)).dtype(), DType::Complex128);
  EXPECT_EQ(constant(C(1, 2)).dtype(), DType::Complex128);
  EXPECT_EQ(complex(fscalar(), bscalar()).dtype(), DType::Complex64);
  EXPECT_EQ(complex(fscalar(), iscalar()).dtype(), DType::Complex128);
}

// F-044, F-046
TEST(Complex, IsNoRealNumber) {
  Variable z = zvector("z");
  EXPECT_EQ(firstLine(cast(z, DType::Float64).status()),
            "TypeError: cast: complex128 does not become float64: take real, imag, abs or angle of "
            "it");
  EXPECT_EQ(cast(z, DType::Bool).dtype(), DType::Bool);
  EXPECT_EQ(cast(dvector(), DType::Complex64).dtype(), DType::Complex64);
  for (const Variable &v : {z < z, z % z, sgn(z), max(z), clip(z, z, z), relu(z), floor(z)})
    EXPECT_EQ(errorKind(v.status()), ErrorKind::TypeError);
  EXPECT_EQ(firstLine((z < 1.0).status()),
            "TypeError: lt: complex128 operands are refused: it is defined for real numbers; take "
            "real, imag, abs or angle of them");
  EXPECT_EQ(firstLine(full({2}, dscalar(), DType::Complex64).status()), "OK");
  Variable d = dvector("d");
  Function f = made(function({In(d, {.allowDowncast = true})}, {d}));
  EXPECT_EQ(errorKind(f(points()).status()), ErrorKind::TypeError);
  // A real value is a complex one.
  Function g = made(function({z}, {z}));
  expectNear(at(called(g(Tensor({1.0, 2.0})))[0], 1), C(2, 0));
  EXPECT_EQ(points().cast(DType::Float64).defined(), false);
  EXPECT_EQ(errorKind(Tensor({1.0, 2.0, 3.0}).complexView().status()), ErrorKind::ValueError);
  EXPECT_EQ(said(Type(DType::Complex64, std::vector<int64_t>(32, 1)).status()),
            "ValueError: a tensor type of rank 32; the maximum is 31");
}

// Shapes, indices, joins and choices: each element is one number.
TEST(Complex, IsMovedAsAWhole) {
  Variable z = zvector("z"), n = lscalar("n");
  Variable row = reshape(z, {1, 3});
  Variables outputs = {z[Index(Slice(kEnd, kEnd, -1))],
                       concatenate({z, z}, 0),
                       row.T(),
                       setSubtensor(z, {Index(1)}, C(9, 9)),
                       where(gt(real(z), 0.0), z, 0.0),
                       take(z, constant(Tensor({2, 2}, DType::Int64)), {.axis = 0}),
                       broadcastTo(row, {2, 3}),
                       stack({z, conj(z)}),
                       eq(z, constant(points())),
                       z[Index(n)]};
  std::vector<Tensor> r = inAllModes({z, n}, outputs, {points(), Tensor(int64_t(-1))});
  ASSERT_EQ(r.size(), outputs.size());
  expectNear(at(r[0], 0), at(points(), 2));
  expectNear(at(r[1], 4), at(points(), 1));
  EXPECT_EQ(r[2].shape()[0], 3);
  expectNear(at(r[3], 1), C(9, 9));
  expectNear(at(r[4], 1), 0);
  expectNear(at(r[5], 0), at(points(), 2));
  expectNear(at(r[6], 5), at(points(), 2));
  expectNear(at(r[7], 3), std::conj(at(points(), 0)));
  EXPECT_TRUE(r[8] == Tensor({1, 1, 1}, DType::Bool));
  expectNear(at(r[9], 0), at(points(), 2));
}

TEST(Complex, IsSharedAndUpdated) {
  SharedVariable s = shared(points(), "s");
  Variable z = zvector("z");
  Function f = made(function({z}, {s}, {.updates = {{s, s * C(0, 1) + z}}}));
  called(f(points()));
  for (size_t i = 0; i < 3; ++i)
    expectNear(at(s.get(), i), at(points(), i) * C(1, 1));
}

TEST(Complex, GoesThroughCallsLoopsAndBranches) {
  Variable x = zvector("x");
  OpFromGraph op({x}, {x * x + C(0, 1)});
  ASSERT_TRUE(op.ok()) << op.status();
  const Op step = op.op();
  Variable z = zvector("z"), b = dscalar("b");
  Variable chosen = ifElse(b, z * 2.0, conj(z));
  Variable loop = scan([](const Variables &v) { return ScanStep(v[0] * C(0, 1)); },
                       {.outputs = {ScanOutput(z)}, .numSteps = 3})
                      .outputs[0];
  ASSERT_TRUE(loop.ok()) << loop.status();
  Variables outputs = {step(step(z)), chosen, loop};
  for (const char *mode : {"interpreter", "fast_run"}) {
    Function f = made(function({z, b}, outputs, {.mode = mode}));
    Results r = called(f(points(), 0.0));
    for (size_t i = 0; i < 3; ++i) {
      C w = at(points(), i), once = w * w + C(0, 1);
      expectNear(at(r[0], i), once * once + C(0, 1), 1e-10);
      expectNear(at(r[1], i), std::conj(w));
      expectNear(at(r[2], 6 + i), w * C(0, -1));
    }
  }
  // And back.
  Variables g = grad(sum(abs(step(z))) + sum(real(chosen)) + sum(imag(loop)), Variables{z});
  Function f = made(function({z, b}, g));
  Results r = called(f(points(), 1.0));
  for (size_t i = 0; i < 3; ++i) {
    C w = at(points(), i), y = w * w + C(0, 1);
    // imag(i w), imag(-w), imag(-i w): 1, -i and -1 in the end.
    expectNear(at(r[0], i), y / std::abs(y) * std::conj(2.0 * w) + 2.0 + C(0, -1));
  }
}

/// Numbers whose loops end early, with shapes that follow from elements.
struct LoopsAndBranches {
  Variable z = zvector("z"), n = lscalar("n"), b = dscalar("b");
  Variables outputs;
  LoopsAndBranches() {
    outputs = scan(
                  [&](const Variables &v) {
                    Variable s = v[1] * C(0, 2) + v[0];
                    return ScanStep({s, s * arange(n)}, {}, gt(imag(s), 5.0));
                  },
                  {.sequences = {z}, .outputs = {ScanOutput(C(1, 0)), ScanOutput::none()}})
                  .outputs;
    outputs.push_back(
        foldl([](const Variables &v) { return v[1] * v[0] - C(0, 1); }, {z}, C(2, 0)));
    outputs.push_back(ifElse(b, z * 2.0, C(0, 1) * arange(n)));
  }
};

// Steps of a program have pairs where its loops' and branches' authors see complex numbers.
TEST(Complex, LoopsAndBranchesAreSteps) {
  LoopsAndBranches g;
  const Variables inputs = {g.z, g.n, g.b};
  const Tensor two(int64_t(2));
  for (double b : {0.0, 1.0}) {
    std::vector<Tensor> r = inAllModes(inputs, g.outputs, {points(), two, Tensor(b)});
    ASSERT_EQ(r.size(), 4u);
    // 1: 2i + 1 + 2i, then (1 + 4i) 2i - 0.5 + 0.25i, then a third, of which the imaginary part is
    // -16 or so: no step is above 5, and all three are done.
    C s = 1, product = 2;
    ASSERT_EQ(r[0].numElements(), 3);
    ASSERT_EQ(r[1].numElements(), 6);
    for (size_t i = 0; i < 3; ++i) {
      s = s * C(0, 2) + at(points(), i);
      product = product * at(points(), i) - C(0, 1);
      expectNear(at(r[0], i), s);
      expectNear(at(r[1], 2 * i), 0);
      expectNear(at(r[1], 2 * i + 1), s);
    }
    expectNear(at(r[2], 0), product);
    EXPECT_EQ(r[3].numElements(), b != 0 ? 3 : 2);
    expectNear(at(r[3], 1), b != 0 ? at(points(), 1) * 2.0 : C(0, 1));
  }
  // 2i + 4i is above 5: one step.
  std::vector<Tensor> one = inAllModes(
      inputs, g.outputs, {Tensor({C(0, 4), C(1, 1)}, DType::Complex128), two, Tensor(0.0)});
  ASSERT_EQ(one.size(), 4u);
  ASSERT_EQ(one[0].numElements(), 1);
  expectNear(at(one[0], 0), C(0, 6));
}

TEST(Complex, LoopsAndBranchesAreSavedWithTheirCode) {
  LoopsAndBranches g;
  Function f = made(function({g.z, g.n, g.b}, g.outputs));
  TemporaryFile file("complex.graphc");
  ASSERT_TRUE(f.save(file.path()).ok()) << f.save(file.path());
  absl::StatusOr<SavedFunction> saved = readSaved(file.path(), true);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_FALSE(saved->code.program.empty()) << "no step is a callback";
  Function again = made(loadFunction(file.path()));
  Results wanted = called(f(points(), int64_t(3), 0.0)),
          got = called(again(points(), int64_t(3), 0.0));
  for (size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(got[i].identical(wanted[i])) << i;
}

// Rows are slices of their pairs; what a state must be is said in complex numbers.
TEST(Complex, LoopsOfSlicesAndTheirMessages) {
  Variable z = zvector("z"), rows = zmatrix("rows");
  Variable sums = scan([](const Variables &v) { return v[1] * C(0, 1) + v[0]; },
                       {.sequences = {z}, .outputs = {ScanOutput(C(0, 0))}})
                      .outputs[0];
  Function f = made(function({rows}, vectorize({sums}, {{z, rows}})));
  Results r =
      called(f(*Tensor({C(1, 2), C(3, 4), C(5, 6), C(7, 8)}, DType::Complex128).reshape({2, 2})));
  expectNear(at(r[0], 1), C(1, 2) * C(0, 1) + C(3, 4));
  expectNear(at(r[0], 3), C(5, 6) * C(0, 1) + C(7, 8));
  Variable shorter = scan([](const Variables &v) { return v[0][Slice(1, kEnd)]; },
                          {.outputs = {ScanOutput(z)}, .numSteps = 2})
                         .outputs[0];
  Function g = made(function({z}, {shorter}));
  EXPECT_EQ(firstLine(g(points()).status()),
            "ShapeError: scan: step 0: state 0 was complex<f64>[3] and becomes complex<f64>[2]; "
            "states keep their shapes");
}

// z z + c until it is 2 from 0, as programs in std::complex have it; f' is followed beside it.
TEST(Complex, LoopsEndByAConditionAndKeepTheLastValue) {
  Variable c(Type(DType::Complex128, {}), "c"), n = lscalar("n");
  auto next = [&](const Variable &z) { return z * z + c; };
  ScanResult orbit = whileLoop([](const Variables &s) { return lt(abs(s[0]), 2.0); },
                               [&](const Variables &s) { return Variables{next(s[0]), s[1] + 1}; },
                               {Operand(C(0, 0)), 0}, {.maxSteps = 40});
  ScanResult all = scan([&](const Variables &s) { return next(s[0]); },
                        {.outputs = {ScanOutput(C(0, 0))}, .numSteps = Operand(n)});
  Variable last = all.outputs[0][-1], rows = all.outputs[0][{Slice(-1, kEnd)}];
  const Variables outputs = {orbit.outputs[0],
                             orbit.outputs[1],
                             last,
                             rows,
                             all.last[0],
                             grad(real(last), c),
                             grad(real(orbit.outputs[0]), c),
                             grad(imag(all.last[0]), c)};
  for (C at0 : {C(0.5, 0.5), C(-0.5, 0.5), C(0.25, 0), C(3, -1)}) {
    C z = 0, slope = 0, some = 0, slopeOfSome = 0;
    int64_t steps = 0;
    for (int64_t k = 0; k < 40 && std::abs(z) < 2; ++k, ++steps) {
      slope = 2.0 * z * slope + 1.0;
      z = z * z + at0;
    }
    for (int64_t k = 0; k < 3; ++k) {
      slopeOfSome = 2.0 * some * slopeOfSome + 1.0;
      some = some * some + at0;
    }
    std::vector<Tensor> r =
        inAllModes({c, n}, outputs, {*Tensor({at0}, DType::Complex128).reshape({}), Tensor(3)});
    ASSERT_EQ(r.size(), outputs.size());
    expectNear(at(r[0], 0), z);
    EXPECT_EQ(r[1].item<int64_t>(), steps);
    for (size_t k : {2, 3, 4})
      expectNear(at(r[k], 0), some);
    EXPECT_EQ(r[3].rank(), 1);
    expectNear(at(r[5], 0), std::conj(slopeOfSome));
    expectNear(at(r[6], 0), std::conj(slope));
    expectNear(at(r[7], 0), C(0, 1) * std::conj(slopeOfSome));
  }
}

TEST(Complex, IsSavedAndPrinted) {
  Variable z = zvector("z");
  GraphModule module{.inputs = {z},
                     .outputs = {z * constant(Tensor({C(0, 1)}, DType::Complex128))},
                     .outputNames = {""}};
  absl::StatusOr<std::string> text = printGraph(module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_NE(text->find("tensor<?xcomplex<f64>>"), text->npos) << *text;
  absl::StatusOr<GraphModule> again = parseGraph(*text);
  ASSERT_TRUE(again.ok()) << again.status() << *text;
  EXPECT_EQ(again->inputs[0].dtype(), DType::Complex128);
  // NumPy 1.24's str().
  EXPECT_EQ(points().str(), "[ 1. +2.j   -0.5+0.25j  3. -1.j  ]");
  EXPECT_EQ(Tensor(C(1, 2)).str(), "(1+2j)");
  EXPECT_EQ(Tensor(C(0, -2.5)).str(), "-2.5j");
  EXPECT_EQ(Tensor({C(NAN, INFINITY), C(1, 1)}, DType::Complex128).str(), "[nan+infj  1. +1.j]");
  EXPECT_EQ(toString(points(), {.inlineList = true}), "[1+2j, -0.5+0.25j, 3-1j]");
  absl::StatusOr<std::string> npy = formatNpy(points());
  ASSERT_TRUE(npy.ok());
  EXPECT_NE(npy->find("'descr': '<c16'"), npy->npos);
  EXPECT_TRUE(parseNpy(*npy)->identical(points()));
  EXPECT_TRUE(parseNpy(*formatNpy(points().cast(DType::Complex64)))
                  ->identical(points().cast(DType::Complex64)));
  EXPECT_TRUE(points() == points().copy());
  EXPECT_FALSE(points() == points().cast(DType::Complex64).cast(DType::Complex128) &&
               points() == *points().slice(0, 2, 3, -1));
  EXPECT_NE(points().contentHash(), points().cast(DType::Complex64).contentHash());
}

// Of a transform n is known, symbolic, or that of the operand; rows do not know of each other.
TEST(Complex, TransformsOfAnyLength) {
  Variable x = dmatrix("x"), n = lscalar("n");
  Variables outputs = {fft(x), irfft(rfft(x), {.n = shape(x, 1)}), ifft(fft(x, {.n = n})),
                       real(fftn(x))};
  Tensor values({{1.0, 2.0, -1.0, 0.5, 3.0}, {NAN, 1.0, 1.0, 1.0, 1.0}});
  Function f = made(function({x, n}, outputs, {.mode = "fast_run"}));
  Results r = called(f(values, int64_t(7)));
  expectNear(at(r[0], 0), 5.5);
  EXPECT_TRUE(std::isnan(at(r[0], 5).real()));
  for (size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(r[1].flat<double>()[k], values.flat<double>()[k], 1e-14);
    expectNear(at(r[2], k), values.flat<double>()[k], 1e-14);
  }
  expectNear(at(r[2], 6), 0, 1e-14);
  EXPECT_EQ(firstLine(f(*Tensor::zeros(DType::Float64, {2, 0}), int64_t(3)).status()),
            "ValueError: fft: there is nothing to transform: the axis has 0 elements");
  EXPECT_EQ(firstLine(rfft(zvector("z")).status()),
            "TypeError: rfft: complex operands are refused: it takes real ones; fft takes complex "
            "ones");
}

/// A real constant stays real: the sign of a zero decides on which side of a cut a number is, and
/// infinity times 0 is NaN. The numbers are those of C (ISO/IEC 9899, annex G.5: a real operand is
/// not converted); NumPy converts, and gives the other root and a NaN.
TEST(Complex, RealConstantsHaveNoImaginaryPart) {
  Variable z = tensor(DType::Complex128, {2});
  const double inf = INFINITY;
  Tensor below({C(-4, -0.0), C(inf, 1)}, DType::Complex128);
  for (const char *mode : {"interpreter", "strict", "fast_compile", "fast_run", "debug"}) {
    Function f =
        made(function({z}, {sqrt(z + Tensor({1.0, 1.0})), z * Tensor({2.0, 2.0})}, {.mode = mode}));
    absl::StatusOr<Results> results = f(below);
    ASSERT_TRUE(results.ok()) << mode << ": " << results.status();
    C root = (*results)[0].flat<C>()[0], twice = (*results)[1].flat<C>()[1];
    EXPECT_NEAR(root.imag(), -std::sqrt(3.0), 4e-16) << mode;
    EXPECT_EQ(twice, C(inf, 2)) << mode;
  }
}

} // namespace
} // namespace graphc
