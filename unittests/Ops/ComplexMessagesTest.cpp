//===- ComplexMessagesTest.cpp - what complex numbers and transforms say --------===//
#include "Eval/Evaluate.h"
#include "OpMessages.h"
#include "graphc/Fourier.h"
#include "graphc/LinearAlgebra.h"

namespace graphc {
namespace {

constexpr DType kC128 = DType::Complex128;

/// What the evaluator says of a call.
std::string fails(const Variable &v, const Variables &inputs, const std::vector<Tensor> &values) {
  if (!v.ok())
    return "invalid: " + firstLine(v.status());
  return firstLine(evaluate({v}, inputs, values).status());
}

/// The first result of an op.
Variable first(std::string_view name, const Attributes &attributes,
               const std::vector<Operand> &operands) {
  return Op::create(*findOp(name), attributes)
      ->callAll(operands, std::source_location::current())[0];
}

TEST(ComplexMessages, OfTypes) {
  Variable z = of(kC128, {2}), x = f64({2});
  expectMessages({
      {sum(x, {.dtype = DType::Complex64}),
       "TypeError: sum: of real operands it gives no complex64 result: cast an operand or the "
       "result\n  sum{dtype = complex<f32>}(f64[2])"},
      {z < x,
       "TypeError: lt: complex128 operands are refused: it is defined for real numbers; take "
       "real, imag, abs or angle of them\n  lt(complex<f64>[2], f64[2])"},
      {sum(z, {.dtype = kF64}),
       "TypeError: sum: complex128 does not become float64: take real, imag, abs or angle of it\n  "
       "sum{dtype = f64}(complex<f64>[2])"},
      {node("fft", {{"norm", std::string("none")}}, {x}),
       "ValueError: fft: norm is \"backward\", \"ortho\" or \"forward\", not \"none\"\n  "
       "fft{norm = \"none\"}(f64[2])"},
      {complex(z, x), "TypeError: complex: the parts of a complex number are real\n  "
                      "complex(complex<f64>[2], f64[2])"},
      {fft(f64({0})),
       "ValueError: fft: there is nothing to transform: the axis has 0 elements\n  fft{axis = "
       "0}(f64[0])"},
      {irfft(z, {.n = Operand(-3)}),
       "ValueError: irfft: there is nothing to transform: -3 elements are wanted\n  "
       "irfft{axis = 0}(complex<f64>[2], -3: i64)"},
      {rfft(z),
       "TypeError: rfft: complex operands are refused: it takes real ones; fft takes complex "
       "ones\n  rfft(complex<f64>[2])"},
      {node("dft", {}, {x, of(kF32, {2})}),
       "TypeError: dft: parts must be floats of one dtype and rank\n  dft(f64[2], f32[2])"},
      {node("complexRecurrence", {{"axis", int64_t(0)}}, {x, x, x, of(kI64, {2})}),
       "TypeError: complexRecurrence: operands must be floats of one dtype and rank\n  "
       "complexRecurrence{axis = 0}(f64[2], f64[2], f64[2], i64[2])"},
      {fftn(f64({2, 2}), {.lengths = {Operand(2)}, .axes = {0, 1}}),
       "ValueError: fftn: there are 1 lengths for 2 axes\n  fftn(f64[2,2])"},
      {fftn(of(kF64)), "ValueError: fftn: there is no axis to transform along\n  fftn(f64)"},
  });
}

TEST(ComplexMessages, OfCalls) {
  Variable x = dvector("x"), y = dvector("y"), n = lscalar("n"), z = zmatrix("z");
  Tensor two({1.0, 2.0}), three({1.0, 2.0, 3.0});
  EXPECT_EQ(
      fails(first("dft", {}, {x, y}), {x, y}, {two, three}),
      "ShapeError: dft: the imaginary part has 3 elements along axis 0 where the real part has "
      "2");
  EXPECT_EQ(fails(node("irdft", {}, {x, x, n}), {x, n}, {two, Tensor(int64_t(9))}),
            "ShapeError: irdft: there are 2 numbers of half a transform where 5 are needed");
  EXPECT_EQ(fails(node("irdft", {}, {x, x, n}), {x, n}, {two, Tensor(int64_t(0))}),
            "ValueError: irdft: there is nothing to transform: 0 elements are wanted");
  EXPECT_EQ(fails(fitAxis(x, n), {x, n}, {two, Tensor(int64_t(-1))}),
            "ValueError: fitAxis: an axis cannot have -1 elements");
  EXPECT_EQ(
      fails(first("complexRecurrence", {{"axis", int64_t(0)}}, {x, y, y, y}), {x, y}, {two, three}),
      "ShapeError: complexRecurrence: a part of a has 2 elements along axis 0 and another one, "
      "or b, 3");
  EXPECT_EQ(said(Tensor({1.0, 2.0, 3.0}).complexView().status()),
            "ValueError: complexView: f64[3] is no array of pairs of float32 or float64, which lie "
            "one after the other");
}

TEST(ComplexMessages, OfEmissions) {
  OpDef def;
  def.name = "joined";
  def.operands = {{"re"}, {"im"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0).withDType(DType::Complex128)};
  };
  def.complex.isNative = true;
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{e.complex(in[0], in[1])};
  };
  Variable x = dvector("x"), y = fvector("y");
  Tensor two({1.0, 2.0});
  Op joined = *defineOp(def);
  EXPECT_EQ(fails(joined(x, y), {x, y}, {two, two.cast(DType::Float32)}),
            "Internal: joined: emission: a complex array of parts that are no float32 or float64 "
            "arrays of one rank");
  absl::StatusOr<std::vector<Tensor>> made = evaluate({joined(x, x)}, {x}, {two});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)[0].flat<std::complex<double>>()[1], std::complex<double>(2, 2));
}

// Rules of a user's op that are wrong.
TEST(ComplexMessages, OfPartsRules) {
  OpDef def;
  def.name = "same";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{e.map({in[0]}, [](const Scalars &s) { return s[0]; })};
  };
  Variable z = zvector("z");
  Tensor value = Tensor({1.0, 2.0}).cast(kC128);
  def.complex.parts = [](const ComplexRequest &) { return std::vector<Parts>(); };
  EXPECT_EQ(fails((*defineOp(def))(z), {z}, {value}),
            "ValueError: same: the parts rule gives 0 of 1 results");
  def.complex.parts = [](const ComplexRequest &r) {
    return std::vector<Parts>{{cast(r.in[0].re, DType::Float32), r.in[0].im}};
  };
  EXPECT_EQ(fails((*defineOp(def))(z), {z}, {value}),
            "TypeError: same: the parts rule gives f32[?] for a part of complex<f64>[?]");
  def.complex.parts = [](const ComplexRequest &r) {
    return std::vector<Parts>{{*r.in[0].im, r.in[0].re}};
  };
  absl::StatusOr<std::vector<Tensor>> swapped = evaluate({(*defineOp(def))(z)}, {z}, {value});
  ASSERT_TRUE(swapped.ok()) << swapped.status();
  EXPECT_EQ((*swapped)[0].flat<std::complex<double>>()[1], std::complex<double>(0, 2));
}

} // namespace
} // namespace graphc
