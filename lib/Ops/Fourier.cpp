//===- Fourier.cpp - discrete Fourier transforms --------------------------===//
//
// fft, ifft, rfft and irfft are transforms of complex numbers, with a factor. Their parts are dft,
// rdft and irdft: linear ops on real arrays without one, each the adjoint of another.
//
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "ComplexNumber.h"
#include "ComplexRules.h"
#include "Derivatives.h"
#include "Families.h"
#include "Routines/Routines.h"
#include "Rules.h"

namespace graphc {
namespace {

//===--- emission ---------------------------------------------------------===//

constexpr std::string_view kEmpty = "there is nothing to transform: the axis has {b} elements";

/// An array with its axes as (outer, n, inner).
struct Along {
  Emitter &e;
  Extents shape; // of the array
  int axis;

  Along(Emitter &e, Array x, int64_t axis)
      : e(e), shape(e.shape(x)), axis(*normalizeAxis(axis, e.rank(x))) {}
  Extent n() const { return shape[size_t(axis)]; }
  Extents with(Extent n) const {
    Extents result = shape;
    result[size_t(axis)] = n;
    return result;
  }
  Extents lines(Extent n) const {
    Extents lines = {e.size(1), n, e.size(1)};
    for (size_t i = 0; i < shape.size(); ++i)
      if (int(i) != axis)
        lines[int(i) < axis ? 0 : 2] = lines[int(i) < axis ? 0 : 2] * shape[i];
    return lines;
  }
  /// The routine on arrays like this one, to `results` arrays of n elements along the axis.
  Arrays call(const Routine &routine, std::vector<int64_t> parameters, const Arrays &in,
              int results, Extent n) const {
    DType dtype = e.dtype(in[0]), inner = computeDType(dtype);
    Arrays operands;
    for (Array x : in)
      operands.push_back(e.view(castArray(e, x, inner), lines(this->n())));
    std::vector<std::pair<DType, Extents>> types(size_t(results), {inner, lines(n)});
    Arrays made = e.routine(routine, std::move(parameters), operands, types);
    for (Array &a : made)
      a = castArray(e, e.view(a, with(n)), dtype);
    return made;
  }
};

void requireEqualShapes(Emitter &e, Array re, Array im) {
  for (int i = 0; i < e.rank(re); ++i)
    e.requireEqual(e.dim(im, i), e.dim(re, i),
                   "the imaginary part has {a} elements along axis " + std::to_string(i) +
                       " where the real part has {b}");
}

Arrays dftEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  requireEqualShapes(e, in[0], in[1]);
  Along along(e, in[0], a.integer("axis"));
  e.require(e.size(0), Predicate::Less, along.n(), ErrorKind::ValueError, kEmpty);
  return along.call(kComplexFourier, {a.boolean("inverse")}, in, 2, along.n());
}

Arrays rdftEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  Along along(e, in[0], a.integer("axis"));
  e.require(e.size(0), Predicate::Less, along.n(), ErrorKind::ValueError, kEmpty);
  return along.call(kRealFourier, {}, in, 2, floorDiv(along.n(), e.size(2)) + 1);
}

Arrays irdftEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  requireEqualShapes(e, in[0], in[1]);
  Along along(e, in[0], a.integer("axis"));
  Extent n = e.element(in[2]);
  e.require(e.size(0), Predicate::Less, n, ErrorKind::ValueError,
            "there is nothing to transform: {b} elements are wanted");
  e.requireEqual(along.n(), floorDiv(n, e.size(2)) + 1,
                 "there are {a} numbers of half a transform where {b} are needed");
  return along.call(kRealInverseFourier, {}, {in[0], in[1]}, 1, n);
}

/// x[0 .. n) along an axis, 0 where x has no element.
Arrays fitAxisEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  Array x = in[0];
  Along along(e, x, a.integer("axis"));
  Extent n = e.element(in[1]);
  e.require(e.size(0), Predicate::LessEqual, n, ErrorKind::ValueError,
            "an axis cannot have {b} elements");
  return {e.define(along.with(n), [&](Indices i) {
    Scalar isThere = i[size_t(along.axis)] < e.scalar(along.n());
    return e.loadIf(isThere, x, i, e.literal(e.dtype(x), 0));
  })};
}

//===--- types ------------------------------------------------------------===//

/// The real ops: floats of one dtype and rank [and a number].
TypeRule partsType(size_t parts, size_t results) {
  return [=](const TypeRequest &request) -> TypesOr {
    const Type &re = request.type(0);
    for (size_t i = 0; i < parts; ++i)
      if (!isFloat(re.dtype()) || request.type(i).dtype() != re.dtype() ||
          request.type(i).rank() != re.rank())
        return makeError(ErrorKind::TypeError, "parts must be floats of one dtype and rank");
    if (request.size() > parts)
      if (absl::Status s = requireIntegers(request, parts, 0); !s.ok())
        return s;
    if (absl::Status s = requireAxis(request); !s.ok())
      return s;
    return inferShapes(request, std::vector<DType>(results, re.dtype()));
  };
}

TypesOr fitAxisType(const TypeRequest &request) {
  if (absl::Status s = requireIntegers(request, 1, 0); !s.ok())
    return s;
  if (absl::Status s = requireAxis(request); !s.ok())
    return s;
  return inferLikeFirst(request);
}

absl::Status checkNorm(const TypeRequest &request) {
  const std::string &norm = request.attributes().string("norm");
  if (norm == "backward" || norm == "ortho" || norm == "forward")
    return absl::OkStatus();
  return makeError(ErrorKind::ValueError,
                   "norm is \"backward\", \"ortho\" or \"forward\", not \"" + norm + "\"");
}

/// fft, ifft, rfft, irfft. `extent`: that of the result along the axis, from that of x.
TypeRule transformType(bool isComplexResult,
                       std::function<int64_t(const TypeRequest &, int64_t)> extent) {
  return [=](const TypeRequest &request) -> TypesOr {
    if (absl::Status s = checkNorm(request); !s.ok())
      return s;
    if (request.size() > 1)
      if (absl::Status s = requireIntegers(request, 1, 0); !s.ok())
        return s;
    const Type &x = request.type(0);
    auto axis = normalizeAxis(request.attributes().integer("axis"), x.rank());
    if (!axis.ok())
      return axis.status();
    DType dtype = computeDType(promoteToFloat(x.dtype()));
    std::vector<int64_t> shape(x.shape().begin(), x.shape().end());
    if (shape[size_t(*axis)] == 0)
      return makeError(ErrorKind::ValueError,
                       "there is nothing to transform: the axis has 0 elements");
    shape[size_t(*axis)] = extent(request, shape[size_t(*axis)]);
    return std::vector<Type>{Type(isComplexResult ? complexDType(dtype) : dtype, shape)};
  };
}

constexpr std::string_view kRealOnly =
    "complex operands are refused: it takes real ones; fft takes complex ones";

//===--- parts ------------------------------------------------------------===//

Op partsOp(std::string_view name, const Op &op, bool hasDirection, bool isInverse) {
  Attributes attributes;
  attributes.set("axis", op.attributes().integer("axis"));
  if (hasDirection)
    attributes.set("inverse", isInverse);
  return builtin(name, attributes);
}

/// z times the factor that `norm` says for a transform of n numbers.
Parts normalized(const Parts &z, const Variable &n, std::string_view norm, bool isInverse) {
  if ((norm == "backward" && !isInverse) || (norm == "forward" && isInverse))
    return z;
  Variable count = cast(n, z.re.dtype());
  Variable divisor = norm == "ortho" ? sqrt(count) : count;
  return {z.re / divisor, z.im ? std::optional(*z.im / divisor) : std::nullopt};
}

/// The operand in the dtype of the results' parts.
Parts operandOf(const ComplexRequest &r) {
  DType dtype = realDType(r.results[0].dtype());
  const Parts &x = r.in[0];
  return {inDType(x.re, dtype), x.im ? std::optional(inDType(*x.im, dtype)) : std::nullopt};
}

template <bool kIsInverse> std::vector<Parts> fftOf(const ComplexRequest &r) {
  Parts x = operandOf(r);
  Variables parts = partsOp("dft", r.op, true, kIsInverse).callAll({x.re, imaginaryOf(x)}, Place());
  Variable n = shape(x.re, int(r.op.attributes().integer("axis")));
  return {normalized({parts[0], parts[1]}, n, r.op.attributes().string("norm"), kIsInverse)};
}

std::vector<Parts> rfftOf(const ComplexRequest &r) {
  Parts x = operandOf(r);
  if (x.im)
    return {{Variable::invalid(makeError(ErrorKind::TypeError, std::string(kRealOnly)))}};
  Variables parts = partsOp("rdft", r.op, false, false).callAll({x.re}, Place());
  Variable n = shape(x.re, int(r.op.attributes().integer("axis")));
  return {normalized({parts[0], parts[1]}, n, r.op.attributes().string("norm"), false)};
}

std::vector<Parts> irfftOf(const ComplexRequest &r) {
  Parts x = operandOf(r);
  const Variable &n = r.in[1].re;
  Variable result =
      partsOp("irdft", r.op, false, false).callAll({x.re, imaginaryOf(x), n}, Place())[0];
  return {normalized({result}, n, r.op.attributes().string("norm"), true)};
}

//===--- derivatives ------------------------------------------------------===//

Variable zerosOf(const Variable &x) { return second(x, constant(Tensor(0.0).cast(x.dtype()))); }

/// Gradients, or zeros of the results where there are none.
Variables presentOr(Gradients g, Outputs out) {
  Variables all;
  for (size_t i = 0; i < out.size(); ++i)
    all.push_back(isPresent(g[i]) ? g[i] : zerosOf(out[i]));
  return all;
}

/// Numbers along the axis of x: `ends` at the first and, where n is even, at the last, else `rest`.
Variable halfWeights(const Variable &x, const Variable &n, int64_t axis, double ends, double rest) {
  int at = int(axis < 0 ? axis + x.rank() : axis);
  Variable k = arange(shape(x, at));
  Variable isEnd = logicalOr(eq(k, 0), eq(2 * k, n));
  Variable w =
      where(isEnd, constant(Tensor(ends).cast(x.dtype())), constant(Tensor(rest).cast(x.dtype())));
  for (int axis = at + 1; axis < x.rank(); ++axis)
    w = expandDims(w, Axis(-1));
  return w;
}

Variables dftPullback(const Op &op, Inputs, Outputs out, Gradients g) {
  Variables given = presentOr(g, out);
  return partsOp("dft", op, true, !op.attributes().boolean("inverse"))
      .callAll({given[0], given[1]}, Place());
}

Variables rdftPullback(const Op &op, Inputs in, Outputs out, Gradients g) {
  // The inverse counts all numbers twice but those at the ends.
  int64_t axis = op.attributes().integer("axis");
  Variables given = presentOr(g, out);
  Variable n = shape(in[0], int(axis)), w = halfWeights(given[0], n, axis, 1, 0.5);
  return {build(partsOp("irdft", op, false, false), {given[0] * w, given[1] * w, n})};
}

Variables irdftPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  int64_t axis = op.attributes().integer("axis");
  Variables parts = partsOp("rdft", op, false, false).callAll({g[0]}, Place());
  Variable w = halfWeights(parts[0], in[2], axis, 1, 2);
  return {parts[0] * w, parts[1] * w, Variable(Type::disconnected())};
}

/// Linear in the first operands together.
PushforwardRule linearInParts(size_t count) {
  return [count](const Op &op, Inputs in, Outputs out, Tangents t) -> Variables {
    bool any = false;
    Variable other(Type::disconnected());
    for (size_t i = 0; i < count; ++i) {
      any |= isPresent(t[i]);
      if (t[i].type().isTensor())
        other = t[i];
    }
    if (!any)
      return Variables(out.size(), other);
    std::vector<Operand> operands(in.begin(), in.end());
    for (size_t i = 0; i < count; ++i)
      operands[i] = isPresent(t[i]) ? inDType(t[i], in[i].dtype()) : zerosOf(in[i]);
    return op.callAll(operands, Place());
  };
}

Variables fitAxisPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {build(op, {g[0], shape(in[0], int(op.attributes().integer("axis")))}),
          Variable(Type::disconnected())};
}

//===--- ops --------------------------------------------------------------===//

AttributeSpec axisAttribute() {
  return {.name = "axis",
          .kind = AttributeKind::Int,
          .defaultValue = int64_t(-1),
          .doc = "from the end if negative"};
}

OpDef transformOp(std::string name, std::string doc, TypeRule type, std::string example) {
  OpDef def = {.name = name,
               .doc = std::move(doc),
               .operands = {{"x"}},
               .attributes = {axisAttribute(),
                              {.name = "norm",
                               .kind = AttributeKind::String,
                               .defaultValue = std::string("backward"),
                               .doc = "\"backward\", \"ortho\" or \"forward\": the inverse "
                                      "transform is divided by n, both by its root, or the "
                                      "forward one by n"}},
               .type = std::move(type),
               // What the parts give, of which loops are made.
               .emit = [](Emitter &, const Arrays &, const Attributes &) { return Arrays(); },
               .maxUlp = {-1, -1},
               .golden = {name},
               .section = section(kFourier),
               .example = std::move(example)};
  return def;
}

OpDef ofParts(OpDef def, size_t numParts) {
  def.attributes.insert(def.attributes.begin(), axisAttribute());
  def.pushforward = linearInParts(numParts);
  def.maxUlp = {-1, -1};
  def.golden = {def.name};
  def.section = section(kDerivatives);
  return def;
}

} // namespace

std::vector<OpDef> fourierOps() {
  auto same = [](const TypeRequest &, int64_t n) { return n; };
  auto half = [](const TypeRequest &, int64_t n) { return n == kDynamic ? n : n / 2 + 1; };
  auto given = [](const TypeRequest &request, int64_t) {
    const Tensor *n = request.constant(1);
    return n && n->item<int64_t>() >= 0 ? n->item<int64_t>() : kDynamic;
  };
  OpDef irfft = transformOp("irfft",
                            "The n real numbers whose transform's first n/2 + 1 numbers are "
                            "x.\nThe imaginary part of the "
                            "first one, and of the last where n is even, counts as 0. ShapeError "
                            "where x has not as many.",
                            transformType(false, given), "irfft([2.0, 0.0], 2) = [1.0, 1.0]");
  irfft.operands.push_back({"n", "an integer"});
  // Where n is known, in irfft's own words: the parts, which look at it otherwise, have names.
  irfft.type = [type = irfft.type](const TypeRequest &request) -> TypesOr {
    TypesOr types = type(request);
    const Tensor *n = types.ok() ? request.constant(1) : nullptr;
    if (n && n->item<int64_t>() < 1)
      return makeError(ErrorKind::ValueError,
                       "there is nothing to transform: " + std::to_string(n->item<int64_t>()) +
                           " elements are wanted");
    return types;
  };
  irfft.connection = {{true}, {false}};
  return {
      transformOp(
          "fft",
          "The discrete Fourier transform along an axis: sum over j of x[j] exp(-2 pi i j k / "
          "n).\nComplex, of real and complex numbers; float32 and complex64 are transformed "
          "in float32. O(n log n) for any n. No elements: ValueError.",
          transformType(true, same), "fft([1.0, 2.0]) = [3+0j, -1+0j]"),
      transformOp(
          "ifft",
          "The inverse transform along an axis: of exp(2 pi i j k / n), divided by n.\nAs fft.",
          transformType(true, same), "ifft([3.0, -1.0]) = [1+0j, 2+0j]"),
      transformOp("rfft",
                  "The first n/2 + 1 numbers of the transform of real numbers along an axis.\nThe "
                  "others are conjugates of these. Complex operands are refused (TypeError).",
                  transformType(true, half), "rfft([1.0, 2.0]) = [3+0j, -1+0j]"),
      std::move(irfft),
      {.name = "fitAxis",
       .doc =
           "x cut to n elements along an axis, or with zeros behind its own.\nValueError for n < "
           "0.",
       .operands = {{"x"}, {"n", "an integer"}},
       .attributes = {axisAttribute()},
       .literals = Literals::Int64,
       .type = fitAxisType,
       .emit = fitAxisEmission,
       .pullback = fitAxisPullback,
       .pushforward = sameOpOnTangent(),
       .elements = Elements::Moved,
       .connection = {{true}, {false}},
       .golden = {"fit_axis"},
       .section = section(kFourier),
       .example = "fitAxis([1.0, 2.0], 3) = [1.0, 2.0, 0.0]"},
      ofParts({.name = "dft",
               .doc = "Both parts of the transform, without a factor, of complex numbers by their "
                      "parts.",
               .operands = {{"re"}, {"im"}},
               .numResults = 2,
               .attributes = {{.name = "inverse",
                               .kind = AttributeKind::Bool,
                               .defaultValue = false,
                               .doc = "whether exponents are positive"}},
               .type = partsType(2, 2),
               .emit = dftEmission,
               .pullback = dftPullback,
               .example = "dft([1.0, 2.0], [0.0, 1.0]) = [3.0, -1.0]"},
              2),
      ofParts({.name = "rdft",
               .doc = "Both parts of the first n/2 + 1 numbers of the transform of real ones.",
               .operands = {{"x"}},
               .numResults = 2,
               .type = partsType(1, 2),
               .emit = rdftEmission,
               .pullback = rdftPullback,
               .example = "rdft([1.0, 2.0]) = [3.0, -1.0]"},
              1),
      ofParts({.name = "irdft",
               .doc =
                   "n times the real numbers whose transform begins with n/2 + 1 numbers, by their "
                   "parts.",
               .operands = {{"re"}, {"im"}, {"n", "an integer"}},
               .type = partsType(2, 1),
               .emit = irdftEmission,
               .pullback = irdftPullback,
               .connection = {{true}, {true}, {false}},
               .example = "irdft([3.0, -1.0], [0.0, 0.0], 2) = [2.0, 4.0]"},
              2),
  };
}

std::vector<NamedComplexRule> fourierRules() {
  auto made = [](std::string name, auto parts, bool isReal) {
    ComplexRule rule;
    rule.parts = parts;
    rule.makesComplex = true;
    if (isReal)
      rule.realResults = {true};
    return NamedComplexRule{std::move(name), std::move(rule)};
  };
  return {made("fft", fftOf<false>, false), made("ifft", fftOf<true>, false),
          made("rfft", rfftOf, false), made("irfft", irfftOf, true)};
}

} // namespace graphc
